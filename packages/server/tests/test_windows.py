"""Windows in local memory and in Redis: what is counted, kept, shown to others and forgotten."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache as default_cache
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.test import override_settings
from servers import Redis

from lintel import windows
from lintel.windows import backend_of, counter_for


@pytest.fixture(params=["local memory", "Redis"])
def cache(request: Any, redis_server: Redis) -> Iterator[Any]:
    if request.param == "Redis":
        made: Any = RedisCache(redis_server.address, {})
    else:
        made = LocMemCache("windows", {"OPTIONS": {"MAX_ENTRIES": 3}})
    made.clear()
    yield made
    made.clear()
    made.close()


def ask(cache: Any, now: float, key: str = "client", limit: int = 2) -> Any:
    return counter_for(cache)(cache, key, limit, 10, lambda: now)


def test_a_window_slides(cache: Any) -> None:
    found = [ask(cache, now) for now in (1.25, 2.0, 3.0, 11.25, 11.5)]
    assert found == [
        (True, 1.25, [1.25]),
        (True, 2.0, [2.0, 1.25]),
        (False, 3.0, [2.0, 1.25]),
        (True, 11.25, [11.25, 2.0]),
        (False, 11.5, [11.25, 2.0]),
    ]


def test_clients_are_counted_apart_and_a_limit_of_nothing_refuses(cache: Any) -> None:
    assert ask(cache, 1.0, "one").passes
    assert ask(cache, 1.0, "other").times == [1.0]
    assert ask(cache, 1.0, "third", limit=0) == (False, 1.0, [])


def test_a_cleared_cache_has_forgotten(cache: Any) -> None:
    ask(cache, 1.0)
    cache.clear()
    assert ask(cache, 2.0).times == [2.0]


def test_a_client_that_stays_away_leaves_nothing(cache: Any) -> None:
    count: Any = counter_for(cache)
    assert count(cache, "client", 1, 0.05, lambda: 1.0).passes
    for _ in range(200):
        if count(cache, "client", 1, 0.05, lambda: 1.0).passes:
            break
        windows.time.sleep(0.01)
    else:
        pytest.fail("the window is still there")


def test_subclasses_of_caches_have_no_counter() -> None:
    class Own(LocMemCache):
        pass

    assert counter_for(Own("own", {})) is None


@pytest.fixture
def local() -> Iterator[LocMemCache]:
    made = LocMemCache("windows", {"OPTIONS": {"MAX_ENTRIES": 3}})
    made.clear()
    yield made
    made.clear()


def test_local_times_can_be_read_and_replaced(local: LocMemCache) -> None:
    ask(local, 1.0)
    assert local.get("client") == [1.0]
    local.get("client").append("of no consequence")
    local.set("client", [3.0, 2.0])
    assert ask(local, 4.0, limit=3).times == [4.0, 3.0, 2.0]
    assert local.get("client") == [4.0, 3.0, 2.0]


def test_a_full_cache_drops_nobody_for_a_client_that_it_knows(local: LocMemCache) -> None:
    for key in ("a", "b", "c", "a", "b", "c"):
        ask(local, 1.0, key)
    assert [local.get(key) for key in "abc"] == [[1.0, 1.0]] * 3


def test_dropped_windows_are_freed(local: LocMemCache) -> None:
    before = len(windows._windows)
    for number in range(50):
        ask(local, 1.0, f"client-{number}")
    gc.collect()
    assert len(windows._windows) - before <= 3


def test_a_clock_behind_the_others_takes_the_latest_time(redis_server: Redis) -> None:
    made = RedisCache(redis_server.address, {})
    made.clear()
    assert ask(made, 5.0).now == 5.0
    assert ask(made, 4.0) == (True, 5.0, [5.0, 5.0])
    made.clear()
    made.close()


def test_odd_keys_are_told_by_the_cache(local: LocMemCache) -> None:
    with pytest.warns(Warning, match="characters"):
        ask(local, 1.0, "a key")


MEMORY = "django.core.cache.backends.locmem.LocMemCache"


def test_the_cache_behind_a_proxy_follows_the_settings(redis_server: Redis) -> None:
    for backend in ({"LOCATION": "one"}, {"LOCATION": "other"}):
        with override_settings(CACHES={"default": {"BACKEND": MEMORY, **backend}}):
            assert backend_of(default_cache) is backend_of(default_cache)
            assert backend_of(default_cache)._cache is caches["default"]._cache
    with override_settings(CACHES={"default": redis_server.settings}):
        assert backend_of(default_cache) is caches["default"]
    assert backend_of(caches["default"]) is caches["default"]


def test_a_cache_around_another_one_stores_by_itself(local: LocMemCache) -> None:
    class Prefixed:
        """Hands on what it does not do by itself."""

        def __getattr__(self, name: str) -> Any:
            return getattr(local, name)

    class Storing(Prefixed):
        def set(self, key: str, value: Any, timeout: Any = None) -> None:
            local.set(f"mine:{key}", value, timeout)

    assert backend_of(Prefixed()) is local
    storing = Storing()
    assert backend_of(storing) is storing
