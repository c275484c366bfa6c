"""Windows in Django's local memory: counted without pickling, readable through the cache."""

import itertools
import pickle
import time
from collections.abc import Callable
from functools import partial

from lintel.throttling.living import shared
from lintel.throttling.windows import AnyCache, Decision, Limits, fits, name_in, times_of


class _Window:
    """The times of one client; lives as long as its cache entry."""

    __slots__ = ("__weakref__", "number", "times")

    def __init__(self, number: int, times: list[float]) -> None:
        self.number = number
        self.times = times

    def __reduce__(self) -> tuple[Callable[[int], list[float]], tuple[int]]:
        return _times_of, (self.number,)


class _Entry(bytes):
    """The value in the cache: a pickled number, so that counting does not write all times."""

    window: _Window


_numbers = itertools.count()


def _times_of(number: int) -> list[float]:
    return shared(number, partial(_Window, number, [])).times.copy()


def count_locally(
    cache: AnyCache, key: str, limits: Limits, cost: int, clock: Callable[[], float]
) -> Decision:
    """Decide and count under the lock of the cache, during which ``clock`` must not use it."""
    name = name_in(cache, key)
    seconds = limits[-1][1]
    with cache._lock:
        window = None if cache._has_expired(name) else cache._cache.get(name)
        entry = window if type(window) is _Entry else _entry_of(window)
        times = entry.window.times
        now = clock()
        if times and times[0] > now:
            now = _set_back(times, now, limits[0][1])
        while times and times[-1] <= now - seconds:
            times.pop()
        passes = fits(times, now, limits, cost)
        if passes:
            times[:0] = [now] * cost
            if entry is window:
                # Django's own method would evict other clients from a full cache to make room for
                # none.
                cache._cache.move_to_end(name, last=False)
                cache._expire_info[name] = time.time() + seconds
            else:
                cache._set(name, entry, seconds)
        return passes, now, times.copy()


def _set_back(times: list[float], now: float, seconds: float) -> float:
    """Return the time of a decision after the clock was set back; it stands still for a while.

    After a larger step than the shortest period the times move with the clock, lest a client wait
    as long as the step was.
    """
    step = times[0] - now
    if step <= seconds:
        return times[0]
    times[:] = [moment - step for moment in times]
    return now


def _entry_of(value: bytes | None) -> _Entry:
    times = [] if value is None else times_of(pickle.loads(value))  # noqa: S301 - our own cache
    number = next(_numbers)
    window = shared(number, partial(_Window, number, times))
    entry = _Entry(pickle.dumps(window))
    entry.window = window
    return entry
