"""Caches that do not answer: throttles refuse until they do, and the log says so once.

An error of a cache keeps its class, so that a throttle of the project that overrides
``allow_request`` may handle it and decide otherwise; it is only marked.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache.backends.base import BaseCache
from django.db import DatabaseError

logger: logging.Logger = logging.getLogger(__name__)

#: Packages whose errors tell that a server is away, still loading, read-only or of another user.
CLIENT_LIBRARIES = frozenset(
    ["redis", "valkey", "django_redis", "django_valkey", "pymemcache", "pylibmc"]
)

#: A cache: the name of its class, and its servers, which are not shown: they may hold a password.
_Place = tuple[str, str]

#: The caches that did not answer when they were asked last.
_away: set[_Place] = set()
_changing = threading.Lock()


@contextmanager
def asking(cache: BaseCache) -> Iterator[None]:
    """Mark the errors with which a cache fails to answer; all others are of the project."""
    try:
        yield
    except Exception as error:
        if _is_failure(error):
            error._lintel_cache = _place_of(cache)  # type: ignore[attr-defined]
        raise


def is_outage(error: Exception) -> bool:
    return hasattr(error, "_lintel_cache")


def note_outage(error: Exception) -> None:
    place: _Place = vars(error)["_lintel_cache"]
    with _changing:
        is_known = place in _away
        _away.add(place)
    if not is_known:
        logger.error(
            "The %s of throttles does not answer (%s: %s). Requests that it would count "
            "are refused with 429 until it does.",
            place[0],
            type(error).__name__,
            error,
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


def _is_failure(error: Exception) -> bool:
    if isinstance(error, OSError | DatabaseError):
        return True
    packages = {cls.__module__.partition(".")[0] for cls in type(error).__mro__}
    return not packages.isdisjoint(CLIENT_LIBRARIES)
