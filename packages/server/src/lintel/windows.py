"""Sliding windows: the times at which a client has passed, kept in a cache of Django.

``counter_for(cache)`` answers a function that decides and counts in one atomic step, for the caches
that allow it; all others need a lock around reading and writing. The times are newest first.
"""

from __future__ import annotations

import itertools
import pickle
import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.utils.connection import ConnectionProxy

#: Keys that Django's check for memcached has nothing to say about.
_PLAIN_KEY = re.compile(r"[!-~]{1,250}")


class Decision(NamedTuple):
    """Whether a client passes, when that was decided, and all times in the window by then."""

    passes: bool
    now: float
    times: list[float]


#: Caches in local memory behind Django's proxies, by alias: the same for all threads.
_local: dict[str, tuple[Any, LocMemCache]] = {}


def backend_of(cache: Any) -> Any:
    """The cache behind a proxy of Django, which would look it up anew on each use."""
    if type(cache) is not ConnectionProxy:
        return _behind(cache)
    alias, connections = cache._alias, cache._connections._connections
    found = _local.get(alias)
    # Other settings come with other connections.
    if found is not None and found[0] is connections:
        return found[1]
    backend = cache._connections[alias]
    if type(backend) is LocMemCache:
        _local[alias] = connections, backend
    return backend


def _behind(cache: Any) -> Any:
    """The cache behind a proxy, or the proxy where it reads or stores in a way of its own."""
    reader, writer = (
        getattr(getattr(cache, name, None), "__self__", cache) for name in ("get", "set")
    )
    return reader if reader is writer else cache


def is_in_memory(cache: Any) -> bool:
    """Whether counting in a cache, or behind a proxy for it, waits for nobody outside."""
    return type(backend_of(cache)) is LocMemCache


Counter = Callable[[Any, str, int, float, Callable[[], float]], Decision]


def counter_for(cache: Any) -> Counter | None:
    """The function ``count(cache, key, limit, seconds, timer)`` for a cache, or None.

    Subclasses of Django's caches may store in other ways: they have none.
    """
    return _COUNTERS.get(type(cache))


def _name(cache: Any, key: str) -> str:
    name: str = cache.make_key(key)
    if not _PLAIN_KEY.fullmatch(name):
        cache.validate_key(name)
    return name


# Local memory


class _Window:
    """The times of one client; lives as long as the entry of the cache that holds it."""

    __slots__ = ("__weakref__", "number", "times")

    def __init__(self, times: list[float]) -> None:
        self.times = times
        self.number = next(_numbers)
        _windows[self.number] = self

    def __reduce__(self) -> tuple[Callable[[int], list[float]], tuple[int]]:
        return _times_of, (self.number,)


class _Entry(bytes):
    """What the cache stores: pickled, but the times themselves stay outside of the text.

    So counting writes one number, however long the window is, and ``cache.get(key)`` still answers
    the list of times.
    """

    window: _Window


_numbers = itertools.count()
_windows: WeakValueDictionary[int, _Window] = WeakValueDictionary()


def _times_of(number: int) -> list[float]:
    return _windows[number].times.copy()


def _entry_of(cache: Any, name: str) -> _Entry:
    """The entry under a name; a new one where there is none, or another kind of value."""
    found = None if cache._has_expired(name) else cache._cache.get(name)
    if type(found) is _Entry:
        return found
    window = _Window([] if found is None else list(pickle.loads(found)))  # noqa: S301 - our cache
    entry = _Entry(pickle.dumps(window))
    entry.window = window
    return entry


def _count_locally(
    cache: Any, key: str, limit: int, seconds: float, timer: Callable[[], float]
) -> Decision:
    name = _name(cache, key)
    with cache._lock:
        entry = _entry_of(cache, name)
        times = entry.window.times
        now = timer()
        while times and times[-1] <= now - seconds:
            times.pop()
        passes = len(times) < limit
        if passes:
            times.insert(0, now)
            _store(cache, name, entry, seconds)
        return Decision(passes, now, times.copy())


def _store(cache: Any, name: str, entry: _Entry, seconds: float) -> None:
    if cache._cache.get(name) is entry:
        # Django's own way would drop other clients from a full cache, to make room for none.
        cache._cache.move_to_end(name, last=False)
        cache._expire_info[name] = time.time() + seconds
    else:
        cache._set(name, entry, seconds)


# Redis

#: Deciding and counting in one step. A clock that is behind the others is set to the latest time.
_SCRIPT = """
local key, limit, seconds, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local newest = redis.call('LINDEX', key, 0)
if newest and tonumber(newest) > tonumber(now) then now = newest end
local oldest = redis.call('LINDEX', key, -1)
while oldest and tonumber(oldest) <= tonumber(now) - seconds do
  redis.call('RPOP', key)
  oldest = redis.call('LINDEX', key, -1)
end
local passes = 0
if redis.call('LLEN', key) < limit then
  redis.call('LPUSH', key, now)
  redis.call('PEXPIRE', key, math.ceil(seconds * 1000))
  passes = 1
end
return {passes, now, table.concat(redis.call('LRANGE', key, 0, -1), ' ')}
"""

#: Ends the names of lists, which Django's cache could not read.
_LIST_SUFFIX = ":times"


@lru_cache(maxsize=8)
def _script_of(library: Any) -> Any:
    """The script, which the client library loads into each server when it is first asked for it."""
    return library.Redis().register_script(_SCRIPT)


def _count_in_redis(
    cache: Any, key: str, limit: int, seconds: float, timer: Callable[[], float]
) -> Decision:
    name = _name(cache, key) + _LIST_SUFFIX
    backend = cache._cache
    script = _script_of(backend._lib)
    client = backend.get_client(name, write=True)
    passes, now, times = script([name], [limit, seconds, repr(float(timer()))], client=client)
    return Decision(bool(passes), float(now), [float(each) for each in times.split()])


_COUNTERS: dict[type, Counter] = {LocMemCache: _count_locally, RedisCache: _count_in_redis}
