"""Rates such as ``100/day``, for each client in a sliding window."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Callable
from operator import attrgetter

from django.core.cache import cache as default_cache
from django.core.cache.backends.base import BaseCache
from django.core.exceptions import ImproperlyConfigured

from lintel.annotations import AnyView, HookResult, Setting
from lintel.marks import prompt, prompt_when
from lintel.provenance import is_ours, reached, reaches_ours
from lintel.request import Request, knows_user
from lintel.settings import SettingDefault
from lintel.throttling.base import BaseThrottle
from lintel.throttling.caches import backend_of, counter_for, is_in_memory
from lintel.throttling.limits import RateLimit
from lintel.throttling.locks import LEASE, Lease, client_lock
from lintel.throttling.outages import asking, is_outage, note_answer, note_outage
from lintel.throttling.windows import AnyCache, times_of

logger: logging.Logger = logging.getLogger(__name__)

#: Seconds in the periods of a rate; only the first letter of a period counts.
DURATIONS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

#: Text that is safe in cache keys; anything else is hashed, whatever a client sends.
PLAIN_IDENT = re.compile(r"[\w.:,\[\]-]{1,64}", re.ASCII)

#: IP addresses, optionally several or with a port.
ADDRESS = re.compile(r"(?=.*[.:])[0-9a-fA-F.:,\[\]]{1,64}")

#: Called while a request is counted.
_HOOKS = (
    *("get_cache_key", "get_ident", "get_rate", "parse_rate"),
    *("throttle_success", "throttle_failure"),
)
_hooks_of = attrgetter(*_HOOKS)


def _counts_in_memory(throttle: SimpleRateThrottle, request: Request, view: object) -> bool:
    """Return whether counting a request needs neither a server nor project code."""
    return (
        throttle.__dict__.keys().isdisjoint(_HOOKS)
        and all(map(is_ours, _hooks_of(type(throttle))))
        and knows_user(request)
        and _scope_is_plain(throttle, view)
        and is_in_memory(throttle.cache)
    )


def is_made_promptly(throttle_class: type) -> bool:
    """Return whether making a throttle runs no project code, which may look up its rate."""
    if not isinstance(throttle_class, type):
        return False
    if not issubclass(throttle_class, SimpleRateThrottle):
        return reached(throttle_class, "__init__") is object.__init__
    has_rates = type(throttle_class.THROTTLE_RATES) is dict
    return has_rates and reaches_ours(throttle_class, "__init__", "get_rate", "parse_rate")


def _scope_is_plain(throttle: SimpleRateThrottle, view: object) -> bool:
    name = getattr(throttle, "scope_attr", None)
    if name is None:
        return True
    is_value = not hasattr(type(reached(view, name)), "__get__")
    return is_value and type(throttle.THROTTLE_RATES) is dict


class SimpleRateThrottle(BaseThrottle):
    """Allows a number of requests per client and period, such as ``100/day``.

    The rate is ``rate``, or the entry for ``scope`` in DEFAULT_THROTTLE_RATES. Subclasses
    identify the client in ``get_cache_key``. While a request is being decided, ``key``, ``now`` and
    ``history`` (times of the latest requests, newest first) are attributes of the throttle.
    """

    cache: AnyCache = default_cache
    timer: Callable[[], float] = time.time
    cache_format = "throttle_%(scope)s_%(ident)s"
    scope: Setting = None
    THROTTLE_RATES: Setting = SettingDefault("DEFAULT_THROTTLE_RATES")

    rate: str | None
    num_requests: int | None
    duration: int | None
    key: str | None
    history: list[float]
    now: float
    #: Seconds to wait, if they do not follow from the times.
    _lintel_wait: float | None = None

    def __init__(self) -> None:
        if not getattr(self, "rate", None):
            self.rate = self.get_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)

    def get_cache_key(self, request: Request, view: AnyView) -> str | None:
        """Return the cache key of the client; None to let it pass uncounted."""
        raise NotImplementedError(".get_cache_key() must be overridden")

    def get_rate(self) -> str | None:
        """Return the rate of ``scope``. Raises ImproperlyConfigured if there is none."""
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
        """Return the number of requests and the period in seconds; two None for no limit."""
        if rate is None:
            return None, None
        number, period = rate.split("/")
        return int(number), DURATIONS[period[0]]

    @prompt_when(_counts_in_memory)
    def allow_request(self, request: Request, view: AnyView) -> HookResult:
        if self.rate is None:
            return True
        self._lintel_wait = None
        self.key = self.get_cache_key(request, view)
        if self.key is None:
            return True
        cache = backend_of(self.cache)
        # An override would observe or change how a request is counted.
        count = counter_for(cache) if is_ours(self.throttle_success) else None
        if count is None:
            return _decide_under_lock(self, cache, self.key)
        limit, seconds = self.num_requests or 0, self.duration or 0
        clock = self.timer if self.timer is time.time else _stopped(self.timer())
        passes, self.now, self.history = count(cache, self.key, limit, seconds, clock)
        return True if passes else self.throttle_failure()

    def throttle_success(self) -> bool:
        self.history.insert(0, self.now)
        with asking(backend_of(self.cache)):
            self.cache.set(self.key, self.history, self.duration)
        return True

    def throttle_failure(self) -> bool:
        return False

    @prompt
    def wait(self) -> float | None:
        """Return seconds until a request may pass, if the client spreads the remaining ones."""
        if self._lintel_wait is not None:
            return self._lintel_wait
        duration = float(self.duration or 0)
        remaining = duration - (self.now - self.history[-1]) if self.history else duration
        available = (self.num_requests or 0) - len(self.history) + 1
        return remaining / available if available > 0 else None

    @prompt
    def get_rate_limit(self) -> RateLimit | None:
        history = getattr(self, "history", None)
        if getattr(self, "key", None) is None or not isinstance(history, list | tuple):
            return None
        quota, window = self.num_requests or 0, float(self.duration or 0)
        name = str(self.scope or type(self).__name__)
        if self._lintel_wait is not None:
            return RateLimit(name, quota, window, 0, self._lintel_wait)
        reset = window - (self.now - history[-1]) if history else window
        return RateLimit(name, quota, window, max(0, quota - len(history)), reset)


def _stopped(now: float) -> Callable[[], float]:
    """Return a clock for the time while the cache is locked: that of a project is read before."""
    return lambda: now


def _decide_under_lock(throttle: SimpleRateThrottle, cache: BaseCache, key: str) -> bool:
    with client_lock(cache, key) as lease:
        return _refuse_unlocked(throttle, key) if lease is None else _decide(throttle, cache, lease)


def _decide(throttle: SimpleRateThrottle, cache: BaseCache, lease: Lease) -> bool:
    with asking(cache):
        found = cache.get(throttle.key, [])
    note_answer(cache)
    throttle.history = times_of(found)
    throttle.now = throttle.timer()
    oldest = throttle.now - (throttle.duration or 0)
    while throttle.history and throttle.history[-1] <= oldest:
        throttle.history.pop()
    if len(throttle.history) >= (throttle.num_requests or 0):
        return throttle.throttle_failure()
    if not lease.holds():
        return _refuse_unlocked(throttle, str(throttle.key))
    return throttle.throttle_success()


def _refuse_unlocked(throttle: SimpleRateThrottle, key: str) -> bool:
    """Reject if the cache does not answer in time, because passing would lift the limit."""
    logger.warning(
        "%s refused a request: the lock for '%s' could not be acquired in time. A cache that "
        "counts in one step needs no lock: Django's Redis cache or local memory.",
        type(throttle).__name__,
        key,
    )
    _stop_for_now(throttle)
    return throttle.throttle_failure()


class _Refusal:
    """Stands for a throttle of a project around one of ours, whose state is unknown."""

    def throttle_failure(self) -> bool:
        return False

    def wait(self) -> float:
        return float(LEASE)


def refusing(throttle: object, error: Exception) -> SimpleRateThrottle | _Refusal:
    """Return what refuses a request in an outage of its cache; any other error is raised."""
    if not is_outage(error):
        raise error
    note_outage(error)
    if not isinstance(throttle, SimpleRateThrottle):
        return _Refusal()
    _stop_for_now(throttle)
    return throttle


def _stop_for_now(throttle: SimpleRateThrottle) -> None:
    throttle.history = []
    throttle.now = throttle.timer()
    throttle._lintel_wait = float(LEASE)


def _format_key(throttle: SimpleRateThrottle, ident: object, *, is_plain: bool) -> str:
    text = str(ident)
    if not is_plain:
        text = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return throttle.cache_format % {"scope": throttle.scope, "ident": text}


def _key_of_address(throttle: SimpleRateThrottle, request: Request) -> str:
    """Return a key that is not that of a user: clients can send anything in X-Forwarded-For."""
    address = str(throttle.get_ident(request))
    if ADDRESS.fullmatch(address):
        return _format_key(throttle, address, is_plain=True)
    return _format_key(throttle, f"address {address}", is_plain=False)


class AnonRateThrottle(SimpleRateThrottle):
    """Counts anonymous users by address. Everybody else passes."""

    scope = "anon"

    def get_cache_key(self, request: Request, view: AnyView) -> str | None:
        user = request.user
        if user and user.is_authenticated:
            return None
        ident = str(self.get_ident(request))
        return _format_key(self, ident, is_plain=bool(PLAIN_IDENT.fullmatch(ident)))


class UserRateThrottle(SimpleRateThrottle):
    """Counts known users by their primary key, and all others by address."""

    scope = "user"

    def get_cache_key(self, request: Request, view: AnyView) -> str | None:
        user = request.user
        if not user or not user.is_authenticated:
            return _key_of_address(self, request)
        key = user.pk
        if type(key) is int:
            return self.cache_format % {"scope": self.scope, "ident": key}
        text = str(key)
        is_plain = PLAIN_IDENT.fullmatch(text) and not ADDRESS.fullmatch(text)
        return _format_key(self, text, is_plain=bool(is_plain))


class ScopedRateThrottle(SimpleRateThrottle):
    """Counts the requests to all views with the same ``throttle_scope`` together."""

    scope_attr = "throttle_scope"

    def __init__(self) -> None:
        # The rate depends on the view: see ``allow_request``.
        pass

    @prompt_when(_counts_in_memory)
    def allow_request(self, request: Request, view: AnyView) -> HookResult:
        self.scope: object = getattr(view, self.scope_attr, None)
        if not self.scope:
            return True
        self.rate: str | None = self.get_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super().allow_request(request, view)

    @classmethod
    def may_refuse(cls, view: AnyView) -> bool:
        return cls is not ScopedRateThrottle or bool(getattr(view, cls.scope_attr, None))

    get_cache_key = UserRateThrottle.get_cache_key
