"""Sliding windows: the times at which a client has passed, newest first."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeAlias

from django.core.cache.backends.base import BaseCache

#: Keys that pass Django's check for memcached without warnings.
PLAIN_KEY = re.compile(r"[!-~]{1,250}")

#: Numbers of requests and their periods in seconds, the longest last. All hold at once.
Limits = tuple[tuple[int, float], ...]

#: Whether a client passes, the time of the decision, and all times in the window then: a plain
#: tuple, which is made in a sixth of the time of a named one.
Decision = tuple[bool, float, list[float]]

#: A cache, of which a counter reads what its class keeps to itself.
AnyCache: TypeAlias = Any

#: ``count(cache, key, limits, cost, clock)``: decides and counts in one atomic step; a request
#: counts ``cost`` times.
Counter = Callable[[AnyCache, str, Limits, int, Callable[[], float]], Decision]


def fits(times: Sequence[float], now: float, limits: Limits, cost: int) -> bool:
    """Whether a request that counts ``cost`` times stays within all limits."""
    for number, seconds in limits:
        last = number - cost  # the position of the time that has to have left the window
        if last < 0 or (last < len(times) and times[last] > now - seconds):
            return False
    return True


def waits(times: Sequence[float], now: float, limits: Limits, cost: int) -> Iterator[float]:
    """For each limit the seconds until it admits a request; infinity for never."""
    for number, seconds in limits:
        last = number - cost
        if last < 0:
            yield math.inf
        else:
            yield times[last] + seconds - now if last < len(times) else 0.0


@lru_cache(maxsize=16)
def script_of(library: ModuleType, text: str) -> Callable[..., list[Any]]:
    """Return a script for Redis, which the client library loads into each server on first use."""
    return library.Redis().register_script(text)


def times_of(value: object) -> list[float]:
    """Return the times stored in a cache for a client. Raises TypeError for anything but a list."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise TypeError(
            f"The cache holds {value!r} under the key of a throttle, which has to be a list of "
            "times, newest first. Return a key from get_cache_key() that nothing else uses."
        )
    return list(value)


def name_in(cache: BaseCache, key: str) -> str:
    """Return the name of a key in the store of a cache. Raises InvalidCacheKey."""
    name: str = cache.make_key(key)
    if not PLAIN_KEY.fullmatch(name):
        cache.validate_key(name)
    return name
