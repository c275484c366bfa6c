"""The database connections of the current thread, and the caches that want to be closed."""

import asyncio
import contextlib
import threading
from collections.abc import Iterable
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.db import connections
from django.utils.module_loading import import_string

_close_nothing = BaseCache.close


#: Where the connections of each thread, or of each task on a loop, are.
_held_by_thread: Any = vars(connections)["_connections"]


def _threads_storage() -> Any:
    """Return where asgiref keeps the connections of threads without an event loop, if known."""
    storage = getattr(_held_by_thread, "_storage", None)
    return storage if type(storage) is threading.local else None


def opened() -> Iterable[Any]:
    """Return the connections that this thread has used, open or not."""
    storage = _threads_storage()
    if storage is None or asyncio._get_running_loop() is not None:
        return connections.all(initialized_only=True)
    held = vars(storage)
    return [held[alias] for alias in connections.settings if alias in held] if held else ()


def forget() -> None:
    """Close the connections of this thread and drop them, as if it ended."""
    for alias in connections:
        if hasattr(_held_by_thread, alias):
            # Nobody asked for this, so nobody hears of a server that is gone.
            with contextlib.suppress(Exception):
                connections[alias].close()
            del connections[alias]


class _Caches:
    """Whether the classes of the configured caches have nothing to close."""

    def __init__(self) -> None:
        self._settings: object = None
        self._classes: list[Any] | None = None

    def need_no_closing(self) -> bool:
        settings = caches.settings
        if settings is not self._settings:
            self._classes = _classes_of(settings)
            self._settings = settings
        classes = self._classes
        return classes is not None and all(cls.close is _close_nothing for cls in classes)


def _classes_of(settings: Any) -> list[Any] | None:
    try:
        return [import_string(setting["BACKEND"]) for setting in settings.values()]
    except Exception:
        return None  # the project learns of it when it uses the cache


_configured = _Caches()


def caches_need_no_closing() -> bool:
    return _configured.need_no_closing()
