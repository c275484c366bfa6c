"""Which cache a throttle counts in, and how: with a counter for its type, or under a lock.

Nothing is kept about a proxy such as ``django.core.cache.cache``: the cache behind it may
change with each request (``caches["default"] = other``, ``override_settings(CACHES=...)``).
"""

from operator import is_

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisSerializer
from django.utils.connection import ConnectionProxy

from lintel.provenance import reaches_django
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


#: The methods of caches, if they are Django's: others, put in their place later, are called.
_METHODS = {
    cls: (cls.get, cls.set)
    for cls in (LocMemCache, RedisCache)
    if reaches_django(cls, "get", "set")
}


def counter_for(cache: BaseCache) -> Counter | None:
    """Return the function that counts in a cache in one step; None for subclasses and patches."""
    cls = type(cache)
    if cls not in _METHODS or not vars(cache).keys().isdisjoint(("get", "set")):
        return None
    if not all(map(is_, (cls.get, cls.set), _METHODS[cls])):
        return None
    if cls is LocMemCache:
        return count_locally
    return count_in_redis if _pickles_as_django(cache) else None


def _pickles_as_django(cache: AnyCache) -> bool:
    cls = type(cache._cache._serializer)
    return cls is RedisSerializer and reaches_django(cls, "loads", "dumps")
