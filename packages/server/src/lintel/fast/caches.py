"""Caches of Django whose values are found where its own methods put them."""

from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisSerializer

from lintel.fast.vocabulary import Methods
from lintel.settings import is_off

_STORING = Methods("get", "set")
_LOCKING = Methods("add", "delete")
_PICKLING = Methods("dumps", "loads")


def storing_class(cache: Any) -> type | None:
    """The class of Django, in memory or in Redis, whose methods alone store what a cache holds."""
    cls = type(cache)
    if is_off() or cls not in (LocMemCache, RedisCache) or not _STORING.are_of_django_on(cache):
        return None
    if cls is LocMemCache:
        return cls
    serializer = type(cache._cache._serializer)
    return cls if serializer is RedisSerializer and _PICKLING.are_of_django(serializer) else None


def locks_in_redis(cache: Any) -> bool:
    return not is_off() and isinstance(cache, RedisCache) and _LOCKING.are_of_django_on(cache)
