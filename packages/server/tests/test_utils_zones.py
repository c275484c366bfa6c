"""The zone of the running request is always the one that Django names."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import override_settings
from django.utils import timezone

from lintel.utils import locals as locals_of_asgiref
from lintel.utils.zones import current_zone

TOKYO = ZoneInfo("Asia/Tokyo")
PARIS = ZoneInfo("Europe/Paris")


def both() -> tuple[Any, Any]:
    """Return the zone that was found, and that of Django."""
    return current_zone(), timezone.get_current_timezone()


@pytest.fixture(params=["asgiref as it is", "another asgiref"], autouse=True)
def _asgiref(request: Any, monkeypatch: Any) -> Any:
    if request.param == "another asgiref":
        monkeypatch.setattr(locals_of_asgiref, "_Storage", None)
    yield
    timezone.deactivate()


def test_the_variable_of_asgiref_is_known() -> None:
    assert isinstance(timezone._active._storage._data, ContextVar)


def test_zones_are_activated_overridden_and_deactivated() -> None:
    assert both() == (timezone.get_default_timezone(),) * 2
    timezone.activate(TOKYO)
    assert both() == (TOKYO, TOKYO)
    with timezone.override(PARIS):
        assert both() == (PARIS, PARIS)
        with timezone.override(None):
            assert both() == (timezone.get_default_timezone(),) * 2
    assert both() == (TOKYO, TOKYO)
    timezone.deactivate()
    assert both() == (timezone.get_default_timezone(),) * 2


def test_settings_are_followed() -> None:
    with override_settings(TIME_ZONE="Asia/Tokyo"):
        assert both() == (TOKYO, TOKYO)
    with override_settings(USE_TZ=False):
        assert current_zone() is None


def test_threads_have_their_own_zones() -> None:
    timezone.activate(TOKYO)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(both).result() == (timezone.get_default_timezone(),) * 2
        pool.submit(timezone.activate, PARIS).result()
        assert pool.submit(both).result() == (PARIS, PARIS)
    assert both() == (TOKYO, TOKYO)


def test_contexts_that_another_thread_inherits_follow_django() -> None:
    timezone.activate(TOKYO)
    context, found = copy_context(), []
    thread = threading.Thread(target=lambda: found.append(context.run(both)))
    thread.start()
    thread.join()
    assert found[0][0] == found[0][1]


def test_event_loops_hand_zones_to_their_threads_and_back() -> None:
    async def ask() -> list[Any]:
        found = [both()]
        with timezone.override(PARIS):
            found += [both(), await sync_to_async(both)()]
            found.append(await asyncio.create_task(sync_to_async(both, thread_sensitive=False)()))
        return found

    timezone.activate(TOKYO)
    assert async_to_sync(ask)() == [(TOKYO, TOKYO), *[(PARIS, PARIS)] * 3]
    assert both() == (TOKYO, TOKYO)


def test_functions_that_a_project_puts_in_the_place_of_djangos_are_called(monkeypatch: Any) -> None:
    assert current_zone() == timezone.get_default_timezone()
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "get_current_timezone", lambda: TOKYO)
        assert current_zone() == TOKYO
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "get_default_timezone", lambda: PARIS)
        assert both() == (PARIS, PARIS)
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "_active", type("Active", (), {"value": TOKYO})())
        assert both() == (TOKYO, TOKYO)
