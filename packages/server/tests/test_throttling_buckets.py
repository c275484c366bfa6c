"""Limits of thousands: levels of leaky buckets, alike in every cache."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers import Redis

from lintel.throttling import RateLimit, SimpleRateThrottle


class Locked(LocMemCache):
    """Of a project, which may store in other ways."""


@pytest.fixture(params=["local", "lock", "Redis"])
def cache(request: Any, redis_server: Redis) -> Iterator[Any]:
    if request.param == "Redis":
        made: Any = RedisCache(redis_server.address, {})
    else:
        made = (Locked if request.param == "lock" else LocMemCache)("buckets", {})
    made.clear()
    yield made
    made.clear()
    for pool in getattr(made._cache, "_pools", {}).values():
        pool.disconnect()


class Clock:
    now = 1000.0


def throttle_in(store: Any, rates: Any) -> Any:
    class Limited(SimpleRateThrottle):
        rate = rates
        scope = "bulk"
        cache = store
        gcra_above = 1
        timer = staticmethod(lambda: Clock.now)

        def get_cache_key(self, request: Any, view: Any) -> str:
            return "client"

    return Limited


def ask(throttle_class: Any, now: float, cost: int = 1) -> Any:
    Clock.now = now
    throttle = throttle_class()
    return throttle, throttle.allow_request(None, type("View", (), {"throttle_cost": cost}))


def test_the_whole_number_at_once_and_then_one_by_one(cache: Any) -> None:
    limited = throttle_in(cache, "3600/hour")
    assert all(ask(limited, 1000)[1] for _ in range(3600))
    throttle, passes = ask(limited, 1000.5)
    assert (passes, throttle.wait()) == (False, pytest.approx(0.5, abs=1e-4))
    assert [ask(limited, now)[1] for now in (1001.01, 1001.02, 1002.02)] == [True, False, True]


def test_what_is_stored_stays_small(cache: Any) -> None:
    limited = throttle_in(cache, ["5000/hour", "100/min"])
    for number in range(90):
        assert ask(limited, 1000 + number * 0.01)[1]
    stored = cache.get("client_bucket")
    assert len(stored) == 3
    assert cache.get("client") is None


def test_limits_and_waits_are_told(cache: Any) -> None:
    limited = throttle_in(cache, "2/min")
    throttle, _ = ask(limited, 1000)
    assert throttle.get_rate_limit() == RateLimit("bulk", 2, 60, 1, pytest.approx(30, abs=0.01))
    ask(limited, 1000)
    throttle, passes = ask(limited, 1010)
    assert passes is False
    assert throttle.wait() == pytest.approx(20)
    assert throttle.get_rate_limit() == RateLimit("bulk", 2, 60, 0, pytest.approx(20, abs=0.01))
    throttle, passes = ask(limited, 1010, cost=3)
    assert (passes, throttle.wait()) == (False, None)


def test_simultaneous_requests_are_counted_one_by_one(cache: Any) -> None:
    limited = throttle_in(cache, "50/hour")
    with ThreadPoolExecutor(8) as pool:
        passed = list(pool.map(lambda _: ask(limited, 1000)[1], range(120)))
    assert passed.count(True) == 50


def test_another_list_of_rates_begins_anew(cache: Any) -> None:
    assert [ask(throttle_in(cache, "2/min"), 1000)[1] for _ in range(3)] == [True, True, False]
    limited = throttle_in(cache, ["2/min", "10/hour"])
    assert [ask(limited, 1000)[1] for _ in range(3)] == [True, True, False]


STEPS = st.lists(
    st.tuples(st.sampled_from([0, 0.25, 1, 3.5, 10, 61]), st.integers(1, 3)), max_size=30
)
LIMITS = {"2/s": (2, 1), "3/5s": (3, 5), "4/10s": (4, 10), "7/min": (7, 60)}
RATES = st.lists(st.sampled_from(sorted(LIMITS)), min_size=1, max_size=2, unique=True)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, rates=RATES)
def test_every_cache_decides_as_exact_arithmetic(cache: Any, steps: Any, rates: Any) -> None:
    cache.clear()
    limited, now = throttle_in(cache, rates), Fraction(1000)
    levels = {rate: Fraction(0) for rate in rates}
    for step, cost in steps:
        now += Fraction(step)
        for rate, level in levels.items():
            number, seconds = LIMITS[rate]
            levels[rate] = max(Fraction(0), level - Fraction(step) * number / seconds)
        expected = all(level + cost <= LIMITS[rate][0] for rate, level in levels.items())
        assert ask(limited, float(now), cost)[1] is expected
        levels = {rate: level + cost * expected for rate, level in levels.items()}


def test_levels_leak_by_the_clock_of_redis_while_another_is_late(redis_server: Redis) -> None:
    made = RedisCache(redis_server.address, {})
    made.clear()
    limited = throttle_in(made, ["60/min", "100000/day"])
    assert [ask(limited, 1e9 + 3600)[1] for _ in range(61)] == [True] * 60 + [False]
    assert not ask(limited, 1e9, cost=30)[1]
    # As after half a minute by the server's clock.
    made.touch("client_bucket", 30)
    assert [ask(limited, 1e9, cost=30)[1] for _ in range(2)] == [True, False]
    made.clear()
    made._cache.get_client(None).connection_pool.disconnect()


@pytest.mark.shortcuts
@pytest.mark.parametrize("step", [100.0, 3700.0, 86_400.0, 10**8])
def test_levels_in_memory_leak_again_after_the_clock_was_set_back(step: float) -> None:
    memory = LocMemCache("set back", {})
    memory.clear()
    limited = throttle_in(memory, "60/hour")
    assert all(ask(limited, 1e9)[1] for _ in range(60))
    assert not ask(limited, 1e9 - step)[1]  # the limit is not lifted
    assert not ask(limited, 1e9 - step + 59)[1]
    # One request leaks in a minute, and a whole number in an hour.
    assert ask(limited, 1e9 - step + 61)[1]
    assert not ask(limited, 1e9 - step + 62)[1]
    assert all(ask(limited, 1e9 - step + 3700)[1] for _ in range(59))
    memory.clear()
