"""Which cache a throttle counts in, and how: with a counter for its type, or under a lock.

Nothing is kept about a proxy such as ``django.core.cache.cache``: the cache behind it may
change with each request (``caches["default"] = other``, ``override_settings(CACHES=...)``).
"""

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.utils.connection import ConnectionProxy

from lintel import fast
from lintel.throttling.local_windows import count_locally
from lintel.throttling.redis_windows import count_in_redis
from lintel.throttling.windows import AnyCache, Counter


def backend_of(cache: AnyCache) -> AnyCache:
    """Return the cache behind a proxy, or the proxy itself if it reads or stores differently."""
    if type(cache) is ConnectionProxy:
        return cache._connections[cache._alias]
    if type(cache) is LocMemCache or type(cache) is RedisCache:
        return cache
    reader, writer = (
        getattr(getattr(cache, name, None), "__self__", cache) for name in ("get", "set")
    )
    return reader if reader is writer else cache


def is_in_memory(cache: AnyCache) -> bool:
    """Return whether counting in a cache, proxied or not, never waits for another process."""
    return counter_for(backend_of(cache)) is count_locally


def counter_for(cache: AnyCache) -> Counter | None:
    """Return the function that counts in a cache in one step; None for subclasses and patches."""
    return _COUNTERS.get(fast.storing_class(cache))


_COUNTERS: dict[type | None, Counter] = {LocMemCache: count_locally, RedisCache: count_in_redis}
