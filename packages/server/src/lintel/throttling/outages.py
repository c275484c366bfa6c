"""Caches that do not answer: throttles refuse until they do, and the log says so once.

An error of a cache keeps its class, so that a throttle of the project that overrides
``allow_request`` may handle it and decide otherwise; it is only marked.
"""

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.memcached import PyMemcacheCache
from django.core.cache.backends.redis import RedisCache
from django.db import DatabaseError

from lintel.throttling.deadlines import seconds_left, timed

logger: logging.Logger = logging.getLogger(__name__)

#: Packages whose errors tell that a server is away, still loading, read-only or of another user.
CLIENT_LIBRARIES = frozenset(
    ["redis", "valkey", "django_redis", "django_valkey", "pymemcache", "pylibmc"]
)

#: Caches on other hosts, whose clients threads may share while one of them still waits.
_REMOTE = (RedisCache, PyMemcacheCache)
_REMOTE_PACKAGES = frozenset(["django_redis", "django_valkey"])

T = TypeVar("T")

#: A cache: the name of its class, and its servers, which are not shown: they may hold a password.
_Place = tuple[str, str]

#: The caches that did not answer when they were asked last.
_away: set[_Place] = set()
_changing = threading.Lock()


def ask(cache: BaseCache, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Call what reaches a cache. Marks errors that mean that it does not answer.

    Within :func:`bounded`, a cache on another host that takes too long raises TimeoutError.
    """
    try:
        call = partial(function, *args, **kwargs)
        seconds = seconds_left()
        answer = call() if seconds is None or not is_remote(cache) else timed(call, seconds)
    except Exception as error:
        if _is_failure(error):
            error._lintel_cache = _place_of(cache)  # type: ignore[attr-defined]
        raise
    note_answer(cache)
    return answer


def is_outage(error: Exception) -> bool:
    return hasattr(error, "_lintel_cache")


def note_outage(error: Exception, consequence: str) -> None:
    place: _Place = vars(error)["_lintel_cache"]
    with _changing:
        is_known = place in _away
        _away.add(place)
    if not is_known:
        logger.error(
            "The %s of throttles does not answer (%s: %s). Requests that it would count %s "
            "until it does.",
            place[0],
            type(error).__name__,
            error,
            consequence,
        )


def note_answer(cache: BaseCache) -> None:
    if not _away:
        return
    place = _place_of(cache)
    with _changing:
        was_away = place in _away
        _away.discard(place)
    if was_away:
        logger.warning("The %s of throttles answers again.", place[0])


def _place_of(cache: BaseCache) -> _Place:
    return type(cache).__qualname__, str(getattr(cache, "_servers", ""))


def is_remote(cache: BaseCache) -> bool:
    return isinstance(cache, _REMOTE) or not _packages_of(type(cache)).isdisjoint(_REMOTE_PACKAGES)


def _packages_of(cls: type) -> set[str]:
    return {base.__module__.partition(".")[0] for base in cls.__mro__}


def _is_failure(error: Exception) -> bool:
    if isinstance(error, OSError | DatabaseError):
        return True
    return not _packages_of(type(error)).isdisjoint(CLIENT_LIBRARIES)
