"""The cache behind a proxy is the one that Django would find, wherever and whenever it is asked."""

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.core.cache import CacheHandler, cache, caches
from django.test import override_settings
from django.utils.connection import ConnectionProxy

from lintel.throttling.caches import backend_of

LOCAL = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}


def is_found() -> bool:
    return backend_of(cache) is caches["default"]


def test_each_thread_has_its_own() -> None:
    here = caches["default"]
    assert is_found()
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(is_found).result()
        assert threads.submit(backend_of, cache).result() is not here
        # A context that was copied into another thread holds the caches of this one.
        context = contextvars.copy_context()
        assert threads.submit(context.run, is_found).result()


def test_on_the_event_loop() -> None:
    async def ask() -> list[bool]:
        task = asyncio.create_task(asyncio.to_thread(is_found))
        return [is_found(), await task, await sync_to_async(is_found)()]

    assert asyncio.run(ask()) == [True] * 3
    assert async_to_sync(ask)() == [True] * 3


def test_a_cache_that_is_replaced_deleted_or_set_anew() -> None:
    before, other = caches["default"], caches.create_connection("default")
    assert backend_of(cache) is before
    try:
        caches["default"] = other
        assert backend_of(cache) is other
        del caches["default"]
        assert backend_of(cache) not in (before, other)
        with override_settings(CACHES={"default": {**LOCAL, "LOCATION": "other"}}):
            assert is_found()
            assert backend_of(cache)._cache is not before._cache
    finally:
        caches["default"] = before


def test_a_handler_of_the_project_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Handler(CacheHandler):
        def __getitem__(self, alias: str) -> Any:
            return alias

    assert backend_of(ConnectionProxy(Handler(), "default")) == "default"
    assert is_found()
    monkeypatch.setattr(CacheHandler, "__getitem__", lambda self, alias: "patched")
    assert backend_of(cache) == "patched"
