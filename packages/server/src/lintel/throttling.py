"""How often one client may ask. All throttles of a view have to agree, and each counts the request.

The built-in throttles keep the times of the latest requests of each client in Django's cache.
Reading, deciding and writing are one step, by :mod:`lintel.windows` or under a lock for the client,
so that requests arriving at the same moment, in other threads and processes too, pass in exactly
the number that the rate says.
"""

from __future__ import annotations

import hashlib
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from django.core.cache import cache as default_cache
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.exceptions import ImproperlyConfigured

from lintel.cycle.steps import prompt, prompt_when
from lintel.settings import SettingDefault, api_settings
from lintel.windows import Decision, backend_of, counter_for, is_in_memory

#: Seconds in the periods of a rate; only the first letter of a period counts.
DURATIONS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

#: What may stand in a cache key as it is; anything else is hashed, whatever a client sends.
PLAIN_IDENT = re.compile(r"[\w.:,\[\]-]{1,64}", re.ASCII)

#: Seconds after which the lock of a process that has died is free again.
LOCK_TIMEOUT = 10

#: Caches that no other process sees.
LOCAL_CACHES = (LocMemCache, DummyCache)

_stripes = [threading.Lock() for _ in range(256)]


def process_lock(key: str) -> threading.Lock:
    """The lock by which threads of this process wait for each other; keys may share one."""
    return _stripes[hash(key) % len(_stripes)]


@contextmanager
def shared_lock(cache: Any, key: str) -> Iterator[bool]:
    """Hold the lock by which processes wait for each other; False if it could not be had in time.

    ``add`` is atomic in every cache that is shared between processes.
    """
    name = f"{key}_lock"
    is_held = _acquire(cache, name)
    try:
        yield is_held
    finally:
        if is_held:
            cache.delete(name)


def _acquire(cache: Any, name: str) -> bool:
    deadline = time.monotonic() + 2 * LOCK_TIMEOUT
    while not cache.add(name, 1, LOCK_TIMEOUT):
        if time.monotonic() > deadline:
            return False
        time.sleep(random.uniform(0.0005, 0.005))  # noqa: S311 - only spreads the waiting
    return True


@lru_cache(maxsize=128)
def _parsed(rate: str) -> tuple[int, int]:
    number, period = rate.split("/")
    return int(number), DURATIONS[period[0]]


def _counts_in_memory(throttle: Any, request: Any, view: Any) -> bool:
    """Whether counting a request asks neither a server nor code of the project."""
    cls = type(throttle)
    return (
        throttle._counts_as_usual()
        and cls.get_cache_key in _PROMPT_KEYS
        and all(getattr(cls, name) is vars(owner)[name] for name, owner in _PROMPT_PARTS.items())
        and is_in_memory(throttle.cache)
    )


class BaseThrottle:
    """Base of all throttles; ``allow_request`` may be ``async def``."""

    def allow_request(self, request: Any, view: Any) -> Any:
        """Whether the request may pass."""
        raise NotImplementedError(".allow_request() must be overridden")

    def get_ident(self, request: Any) -> str:
        """The address of the client.

        Behind proxies it stands in X-Forwarded-For, where a client can write whatever it likes
        before it. With the setting NUM_PROXIES the entry made by the outermost of the project's own
        proxies counts; without it the whole header does.
        """
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR")
        remote = request.META.get("REMOTE_ADDR")
        proxies = api_settings.NUM_PROXIES
        if proxies is None:
            return "".join(forwarded.split()) if forwarded else remote
        if proxies == 0 or forwarded is None:
            return remote
        addresses = forwarded.split(",")
        return addresses[-min(proxies, len(addresses))].strip()

    @prompt
    def wait(self) -> float | None:
        """Seconds until a request may pass; None where nobody knows."""
        return None


class SimpleRateThrottle(BaseThrottle):
    """At most so many requests of a client in any period, such as ``100/day``.

    The rate is ``rate``, or the entry for ``scope`` in DEFAULT_THROTTLE_RATES. Subclasses say by
    ``get_cache_key`` who a client is. While a request is being decided, ``key``, ``now`` and
    ``history`` (times of the latest requests, newest first) stand on the throttle.
    """

    cache: Any = default_cache
    timer: Callable[[], float] = time.time
    cache_format = "throttle_%(scope)s_%(ident)s"
    scope: Any = None
    THROTTLE_RATES: Any = SettingDefault("DEFAULT_THROTTLE_RATES")

    rate: str | None
    num_requests: int | None
    duration: int | None
    key: str | None
    history: list[float]
    now: float

    def __init__(self) -> None:
        if not getattr(self, "rate", None):
            self.rate = self.get_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)

    def get_cache_key(self, request: Any, view: Any) -> str | None:
        """The name under which the client is counted; None to let it pass uncounted."""
        raise NotImplementedError(".get_cache_key() must be overridden")

    def get_rate(self) -> str | None:
        """The rate of ``scope``. Raises ImproperlyConfigured where there is none."""
        if not getattr(self, "scope", None):
            raise ImproperlyConfigured(
                f"You must set either `.scope` or `.rate` for '{type(self).__name__}' throttle"
            )
        try:
            return self.THROTTLE_RATES[self.scope]
        except KeyError:
            message = f"No default throttle rate set for '{self.scope}' scope"
            raise ImproperlyConfigured(message) from None

    def parse_rate(self, rate: str | None) -> tuple[int | None, int | None]:
        """Number of requests and length of the period in seconds; two None for no limit."""
        if rate is None:
            return None, None
        return _parsed(rate)

    @prompt_when(_counts_in_memory)
    def allow_request(self, request: Any, view: Any) -> Any:
        """Whether the request may pass; counts it if so."""
        if self.rate is None:
            return True
        self.key = self.get_cache_key(request, view)
        if self.key is None:
            return True
        cache = backend_of(self.cache)
        count = counter_for(cache) if self._counts_as_usual() else None
        if count is not None:
            return self._decided(count(cache, self.key, *self._limit(), self.timer))
        with process_lock(self.key):
            if isinstance(cache, LOCAL_CACHES):
                return self._decide(cache)
            with shared_lock(cache, self.key) as is_held:
                return self._decide(cache) if is_held else self._refuse_unlocked()

    def _counts_as_usual(self) -> bool:
        """Whether nobody sees or changes how a request is counted."""
        return type(self).throttle_success is _COUNT and "throttle_success" not in self.__dict__

    def _limit(self) -> tuple[int, int]:
        return self.num_requests or 0, self.duration or 0

    def _decided(self, decision: Decision) -> Any:
        self.now, self.history = decision.now, decision.times
        return True if decision.passes else self.throttle_failure()

    def _decide(self, cache: Any) -> Any:
        self.history = cache.get(self.key, [])
        self.now = self.timer()
        oldest = self.now - (self.duration or 0)
        while self.history and self.history[-1] <= oldest:
            self.history.pop()
        if len(self.history) >= (self.num_requests or 0):
            return self.throttle_failure()
        return self.throttle_success()

    def _refuse_unlocked(self) -> bool:
        """Refuse when the cache does not answer: letting requests pass would lift the limit."""
        self.history = []
        self.now = self.timer()
        return False

    def throttle_success(self) -> bool:
        """Count the request."""
        self.history.insert(0, self.now)
        self.cache.set(self.key, self.history, self.duration)
        return True

    def throttle_failure(self) -> bool:
        """Called for a request that may not pass."""
        return False

    @prompt
    def wait(self) -> float | None:
        """Seconds until a request may pass, if the client spreads those it has left."""
        duration = float(self.duration or 0)
        remaining = duration - (self.now - self.history[-1]) if self.history else duration
        available = (self.num_requests or 0) - len(self.history) + 1
        return remaining / available if available > 0 else None

    def _format_key(self, ident: Any) -> str:
        text = str(ident)
        if type(ident) is not int and not PLAIN_IDENT.fullmatch(text):
            text = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return self.cache_format % {"scope": self.scope, "ident": text}


_COUNT = SimpleRateThrottle.throttle_success


class AnonRateThrottle(SimpleRateThrottle):
    """Counts users who are not known, by address. Everybody else passes."""

    scope = "anon"

    def get_cache_key(self, request: Any, view: Any) -> str | None:
        if request.user and request.user.is_authenticated:
            return None
        return self._format_key(self.get_ident(request))


class UserRateThrottle(SimpleRateThrottle):
    """Counts known users by their primary key, and all others by address."""

    scope = "user"

    def get_cache_key(self, request: Any, view: Any) -> str | None:
        return self._format_key(_user_or_address(self, request))


class ScopedRateThrottle(SimpleRateThrottle):
    """Counts the requests to all views with the same ``throttle_scope`` together."""

    scope_attr = "throttle_scope"

    def __init__(self) -> None:
        # The rate is known when the view is: see ``allow_request``.
        pass

    @prompt_when(_counts_in_memory)
    def allow_request(self, request: Any, view: Any) -> Any:
        """Whether the request may pass; always for a view without a scope."""
        self.scope = getattr(view, self.scope_attr, None)
        if not self.scope:
            return True
        self.rate = self.get_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super().allow_request(request, view)

    def get_cache_key(self, request: Any, view: Any) -> str | None:
        return self._format_key(_user_or_address(self, request))


def _user_or_address(throttle: BaseThrottle, request: Any) -> Any:
    user = request.user
    if user and user.is_authenticated:
        return user.pk
    return throttle.get_ident(request)


#: Ways to tell clients apart that look at nothing but the request.
_PROMPT_KEYS = (
    AnonRateThrottle.get_cache_key,
    UserRateThrottle.get_cache_key,
    ScopedRateThrottle.get_cache_key,
)

#: What else is called while a request is counted, and where it is ours.
_PROMPT_PARTS = {
    "get_ident": BaseThrottle,
    "get_rate": SimpleRateThrottle,
    "parse_rate": SimpleRateThrottle,
    "throttle_failure": SimpleRateThrottle,
}
