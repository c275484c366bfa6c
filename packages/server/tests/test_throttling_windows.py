"""Windows in local memory and in Redis: counting, storage, visibility and expiry."""

import gc
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from django.core.cache import cache as default_cache
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisSerializer
from django.test import override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers import Redis

from lintel.throttling import SimpleRateThrottle, living
from lintel.throttling.caches import backend_of, counter_for


@pytest.fixture(params=["local memory", "Redis"])
def cache(request: Any, redis_server: Redis) -> Iterator[Any]:
    if request.param == "Redis":
        made: Any = RedisCache(redis_server.address, {})
    else:
        made = LocMemCache("windows", {"OPTIONS": {"MAX_ENTRIES": 3}})
    made.clear()
    yield made
    made.clear()
    close(made)


def close(cache: Any) -> None:
    """Let go of connections, which Django's Redis cache keeps when it is closed."""
    for pool in getattr(cache._cache, "_pools", {}).values():
        pool.disconnect()


class Decided(NamedTuple):
    passes: bool
    now: float
    times: list[float]


def ask(
    cache: Any, now: float, key: str = "client", limit: int = 2, seconds: float = 10
) -> Decided:
    count: Any = counter_for(cache)
    return Decided(*count(cache, key, ((limit, seconds),), 1, lambda: now))


@pytest.mark.shortcuts
def test_a_window_slides(cache: Any) -> None:
    found = [ask(cache, now) for now in (1.25, 2.0, 3.0, 11.25, 11.5)]
    assert found == [
        (True, 1.25, [1.25]),
        (True, 2.0, [2.0, 1.25]),
        (False, 3.0, [2.0, 1.25]),
        (True, 11.25, [11.25, 2.0]),
        (False, 11.5, [11.25, 2.0]),
    ]


@pytest.mark.shortcuts
def test_clients_are_counted_apart_and_a_limit_of_nothing_refuses(cache: Any) -> None:
    assert ask(cache, 1.0, "one").passes
    assert ask(cache, 1.0, "other").times == [1.0]
    assert ask(cache, 1.0, "third", limit=0) == (False, 1.0, [])


@pytest.mark.shortcuts
def test_a_cleared_cache_has_forgotten(cache: Any) -> None:
    ask(cache, 1.0)
    cache.clear()
    assert ask(cache, 2.0).times == [2.0]


@pytest.mark.shortcuts
def test_a_client_that_stays_away_leaves_nothing(cache: Any) -> None:
    assert ask(cache, 1.0, limit=1, seconds=0.05).passes
    for _ in range(200):
        if ask(cache, 1.0, limit=1, seconds=0.05).passes:
            break
        time.sleep(0.01)
    else:
        pytest.fail("the window is still there")


@pytest.mark.shortcuts
def test_subclasses_and_patched_caches_have_no_counter(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Own(LocMemCache):
        pass

    assert counter_for(Own("own", {})) is None
    assert counter_for(cache) is not None
    with monkeypatch.context() as patched:
        patched.setattr(cache, "get", lambda key, default=None: default)
        assert counter_for(cache) is None
    with monkeypatch.context() as patched:
        patched.setattr(type(cache), "set", lambda self, key, value, timeout=None: None)
        assert counter_for(cache) is None
    assert counter_for(cache) is not None


@pytest.mark.shortcuts
def test_a_serializer_of_the_project_has_no_counter(redis_server: Redis) -> None:
    class Own(RedisSerializer):
        pass

    for serializer, counts in ((Own, False), (RedisSerializer, True)):
        options = {"OPTIONS": {"serializer": serializer}}
        made = RedisCache(redis_server.address, options)
        assert (counter_for(made) is not None) is counts


@pytest.fixture
def local() -> Iterator[LocMemCache]:
    made = LocMemCache("windows", {"OPTIONS": {"MAX_ENTRIES": 3}})
    made.clear()
    yield made
    made.clear()


@pytest.mark.shortcuts
def test_times_can_be_read_replaced_and_deleted(cache: Any) -> None:
    ask(cache, 1.0)
    assert cache.get("client") == [1.0]
    cache.get("client").append("of no consequence")
    cache.set("client", [3.0, 2.0])
    assert ask(cache, 4.0, limit=3).times == [4.0, 3.0, 2.0]
    assert cache.get("client") == [4.0, 3.0, 2.0]
    cache.set("client", (4, 4, 4))
    assert ask(cache, 5.0, limit=3) == (False, 5.0, [4.0, 4.0, 4.0])
    cache.delete("client")
    assert ask(cache, 5.0, limit=3) == (True, 5.0, [5.0])
    cache.set("client", None)
    assert ask(cache, 6.0, limit=1).passes


@pytest.mark.shortcuts
def test_a_key_that_something_else_uses_is_told(cache: Any) -> None:
    cache.set("client", "hello")
    with pytest.raises(TypeError, match="key of a throttle"):
        ask(cache, 1.0)


@pytest.mark.shortcuts
def test_a_window_is_kept_for_one_period(redis_server: Redis) -> None:
    made: Any = RedisCache(redis_server.address, {})
    made.clear()
    ask(made, 1.0)
    server = made._cache.get_client(write=True)
    (name,) = server.keys()
    assert 9_000 < server.pttl(name) <= 10_000
    made.clear()
    close(made)


@pytest.mark.shortcuts
def test_long_windows_stay_exact(cache: Any) -> None:
    times = [float(each) / 3 for each in range(3000, 0, -1)]
    cache.set("client", times)
    assert ask(cache, 1005.0, limit=5000).times == [1005.0, *times[:15]]


@pytest.mark.shortcuts
def test_times_that_somebody_else_sets_again_and_again(redis_server: Redis) -> None:
    made: Any = RedisCache(redis_server.address, {})
    made.clear()
    made.set("client", [1.0])
    backend = made._cache

    serializer = backend._serializer
    read = serializer.loads
    reads = []

    def loads(data: bytes) -> Any:
        reads.append(data)
        if len(reads) < 3:
            made.set("client", [float(len(reads))] * 2)
        return read(data)

    serializer.loads = loads
    assert ask(made, 5.0, limit=3).times == [5.0, 2.0, 2.0]
    assert len(reads) == 3
    made.clear()
    close(made)


@pytest.mark.shortcuts
def test_a_full_cache_drops_nobody_for_a_client_that_it_knows(local: LocMemCache) -> None:
    for key in ("a", "b", "c", "a", "b", "c"):
        ask(local, 1.0, key)
    assert [local.get(key) for key in "abc"] == [[1.0, 1.0]] * 3


@pytest.mark.shortcuts
def test_dropped_windows_are_freed(local: LocMemCache) -> None:
    before = len(living._living)
    for number in range(50):
        ask(local, 1.0, f"client-{number}")
    gc.collect()
    assert len(living._living) - before <= 3


@pytest.mark.shortcuts
def test_a_clock_behind_the_others_takes_the_latest_time(redis_server: Redis) -> None:
    made = RedisCache(redis_server.address, {})
    made.clear()
    assert ask(made, 5.0).now == 5.0
    late = ask(made, 4.0)
    assert (late.passes, late.now >= 5.0, late.times) == (True, True, [late.now, 5.0])
    made.clear()
    close(made)


#: A burst, and a number for the day: the times of a day are kept.
SEVERAL = ((2, 60), (1000, 86_400))


def decided(cache: Any, now: float) -> bool:
    count: Any = counter_for(cache)
    return bool(count(cache, "client", SEVERAL, 1, lambda: now)[0])


@pytest.mark.shortcuts
@pytest.mark.parametrize("timeout", [86_400 - 61, None])
def test_a_clock_that_was_early_locks_nobody_out(redis_server: Redis, timeout: int | None) -> None:
    made = RedisCache(redis_server.address, {})
    made.clear()
    assert [decided(made, 1e9 + 3600) for _ in range(3)] == [True, True, False]
    assert not decided(made, 1e9)
    # As after a minute by the server's clock; a project may have set times that never end.
    made.touch("client", timeout)
    assert [decided(made, 1e9) for _ in range(3)] == (
        [True, True, False] if timeout else [False] * 3
    )
    made.clear()
    close(made)


@pytest.mark.shortcuts
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


@pytest.mark.shortcuts
def test_a_cache_that_is_put_in_the_place_of_another_is_seen(local: LocMemCache) -> None:
    before = backend_of(default_cache)
    caches["default"] = local
    try:
        assert backend_of(default_cache) is local
        ask(backend_of(default_cache), 1.0)
        assert local.get("client") == [1.0]
    finally:
        caches["default"] = before
    assert backend_of(default_cache) is before


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


# Every way to count is the same as reading and writing under a lock


class PlainCache(LocMemCache):
    """A cache of the project: throttles read and write it under a lock."""


MOMENTS = st.sampled_from([0.0, 0.25, 1.0, 3.0, 9.75, 10.0, 60.0])
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), MOMENTS),
        st.tuples(st.just("set"), st.lists(MOMENTS, max_size=4).map(sorted)),
        st.tuples(st.just("delete"), st.none()),
        st.tuples(st.just("failing"), MOMENTS),
    ),
    max_size=25,
)


def trace(store: Any, limit: int, actions: Any) -> list[Any]:
    """What a throttle decides and leaves in its cache, one action after the other."""
    now = 1000.0

    class Throttle(SimpleRateThrottle):
        rate = f"{limit}/s"
        cache = store
        timer = staticmethod(lambda: now)

        def parse_rate(self, rate: Any) -> Any:
            return limit, 10

        def get_cache_key(self, request: Any, view: Any) -> str:
            return "client"

    class Watching(Throttle):
        def throttle_success(self) -> bool:
            return super().throttle_success()

    found: list[Any] = []
    for action, argument in actions:
        if action == "set":
            store.set("client", [now - ago for ago in argument])
        elif action == "delete":
            store.delete("client")
        else:
            now += argument
            throttle = (Throttle if action == "ask" else Watching)()
            passes = throttle.allow_request(None, None)
            found.append((passes, throttle.now, throttle.history, throttle.wait()))
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(limit=st.integers(0, 4), actions=ACTIONS)
def test_counters_decide_as_under_a_lock(cache: Any, limit: int, actions: Any) -> None:
    plain = PlainCache("plain", {})
    for each in (plain, cache):
        each.clear()
    assert trace(cache, limit, actions) == trace(plain, limit, actions)


# ---- clocks that are set back ----


@pytest.fixture
def memory() -> Iterator[Any]:
    made = LocMemCache("set back", {})
    made.clear()
    yield made
    made.clear()


@pytest.mark.shortcuts
def test_a_small_step_back_neither_lifts_nor_prolongs_a_limit_much(memory: Any) -> None:
    assert ask(memory, 100.0).passes
    assert ask(memory, 95.0) == (True, 100.0, [100.0, 100.0])
    assert not ask(memory, 96.0).passes
    assert not ask(memory, 109.0).passes
    assert ask(memory, 110.0).passes


@pytest.mark.shortcuts
@pytest.mark.parametrize("step", [11.0, 86_400.0, 10**9])
def test_a_large_step_back_blocks_for_no_longer_than_a_window(memory: Any, step: float) -> None:
    now = 2 * 10**9 - step
    assert [ask(memory, at).passes for at in (2e9 - 3, 2e9)] == [True, True]
    assert not ask(memory, now).passes  # the limit is not lifted
    assert not ask(memory, now + 6.9).passes
    assert ask(memory, now + 7.1).passes
    assert not ask(memory, now + 9.9).passes
    assert ask(memory, now + 10.1).passes


@pytest.mark.shortcuts
def test_a_step_back_of_more_than_a_burst_is_no_day_without_requests(memory: Any) -> None:
    assert [decided(memory, 1e9 + 3600) for _ in range(3)] == [True, True, False]
    assert not decided(memory, 1e9)
    assert not decided(memory, 1e9 + 59)
    assert [decided(memory, 1e9 + 61) for _ in range(3)] == [True, True, False]
