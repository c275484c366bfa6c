"""Rates such as ``100/day``, for each client in a sliding window."""

from __future__ import annotations

import hashlib
import logging
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any

from django.core.cache import cache as default_cache
from django.core.cache.backends.base import BaseCache
from django.core.exceptions import ImproperlyConfigured

from lintel.annotations import AnyView, HookResult, Setting
from lintel.marks import prompt, prompt_when
from lintel.overrides import is_ours, is_overridden, reached
from lintel.periods import parse_rate
from lintel.request import Request, knows_user
from lintel.settings import ALLOW, RAISE, SettingDefault, api_settings
from lintel.throttling.base import BaseThrottle
from lintel.throttling.buckets import left, pour, seconds_until_room
from lintel.throttling.caches import backend_of, counter_for, is_in_memory
from lintel.throttling.deadlines import bounded
from lintel.throttling.limits import RateLimit
from lintel.throttling.locks import LEASE, Lease, client_lock
from lintel.throttling.outages import ask, is_outage, note_outage
from lintel.throttling.windows import AnyCache, Limits, fits, times_of, waits

logger: logging.Logger = logging.getLogger(__name__)

#: Text that is safe in cache keys; anything else is hashed, whatever a client sends.
PLAIN_IDENT = re.compile(r"[\w.:,\[\]-]{1,64}", re.ASCII)

#: IP addresses, optionally several or with a port.
ADDRESS = re.compile(r"(?=.*[.:])[0-9a-fA-F.:,\[\]]{1,64}")

#: The attribute of a view that says how many times its requests count.
COST = "throttle_cost"

#: Called while a request is counted.
_HOOKS = (
    *("get_cache_key", "get_cost", "get_ident", "get_rate", "parse_rate"),
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
    return has_rates and not is_overridden(throttle_class, "__init__", "get_rate", "parse_rate")


def _scope_is_plain(throttle: SimpleRateThrottle, view: object) -> bool:
    name = getattr(throttle, "scope_attr", None)
    names = (COST,) if name is None else (COST, name)
    if any(hasattr(type(reached(view, name)), "__get__") for name in names):
        return False
    return name is None or type(throttle.THROTTLE_RATES) is dict


class SimpleRateThrottle(BaseThrottle):
    """Allows a number of requests per client and period, such as ``100/day``.

    The rate is ``rate``, or the entry for ``scope`` in DEFAULT_THROTTLE_RATES: one text, or a list
    of them that hold together. Subclasses identify the client in ``get_cache_key``. While a request
    is being decided, ``key``, ``now`` and ``history`` (times of the latest requests, newest first)
    are attributes of the throttle; of several rates, ``num_requests`` and ``duration`` are those of
    the longest period.
    """

    cache: AnyCache = default_cache
    timer: Callable[[], float] = time.time
    cache_format = "throttle_%(scope)s_%(ident)s"
    scope: Setting = None
    THROTTLE_RATES: Setting = SettingDefault("DEFAULT_THROTTLE_RATES")
    #: Limits above this number keep a level instead of times; None for no limit.
    gcra_above: Setting = SettingDefault("THROTTLE_GCRA_ABOVE")
    #: What happens to requests while the cache does not answer: "raise", "allow", "deny" or None.
    on_failure: Setting = SettingDefault("THROTTLE_ON_FAILURE")

    rate: str | Sequence[str] | None
    num_requests: int | None
    duration: int | None
    key: str | None
    history: list[float]
    now: float
    #: The limits of shorter periods than ``duration``.
    _lintel_bursts: Limits = ()
    #: What the request that is being decided asks for.
    _lintel_demand: Demand | None = None
    #: Seconds to wait, if they do not follow from the times.
    _lintel_wait: float | None = None

    def __init__(self) -> None:
        if not getattr(self, "rate", None):
            self.rate = self.get_rate()
        _read_rate(self)

    def get_cache_key(self, request: Request, view: AnyView) -> str | None:
        """Return the cache key of the client; None to let it pass uncounted."""
        raise NotImplementedError(".get_cache_key() must be overridden")

    def get_cost(self, request: Request, view: AnyView) -> int:
        """Return how many times a request counts: ``throttle_cost`` of the view; 0 for not."""
        return getattr(view, COST, 1)

    def get_rate(self) -> str | Sequence[str] | None:
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
        return (None, None) if rate is None else parse_rate(rate)

    @prompt_when(_counts_in_memory)
    def allow_request(self, request: Request, view: AnyView) -> HookResult:
        if self.rate is None or self.num_requests is None:
            return True
        self._lintel_wait = None
        self.key = self.get_cache_key(request, view)
        if self.key is None:
            return True
        cost = _whole(self.get_cost(request, view), view)
        if cost < 1:
            return True
        self._lintel_demand = Demand(_limits_of(self), cost)
        if self.on_failure is None:
            return _count(self, self._lintel_demand)
        with bounded(api_settings.THROTTLE_TIMEOUT):
            return _count(self, self._lintel_demand)

    def throttle_success(self) -> bool:
        demand = self._lintel_demand
        self.history[:0] = [self.now] * (1 if demand is None else demand.cost)
        ask(backend_of(self.cache), self.cache.set, self.key, self.history, self.duration)
        return True

    def throttle_failure(self) -> bool:
        return False

    @prompt
    def wait(self) -> float | None:
        """Return seconds until a request may pass, if the client spreads the remaining ones."""
        if self._lintel_wait is not None:
            return None if math.isinf(self._lintel_wait) else self._lintel_wait
        duration = float(self.duration or 0)
        remaining = duration - (self.now - self.history[-1]) if self.history else duration
        available = (self.num_requests or 0) - len(self.history) + 1
        return remaining / available if available > 0 else None

    @prompt
    def get_rate_limit(self) -> RateLimit | Sequence[RateLimit] | None:
        history, demand = getattr(self, "history", None), self._lintel_demand
        if getattr(self, "key", None) is None or not isinstance(history, list | tuple):
            return None
        quota, window = self.num_requests or 0, float(self.duration or 0)
        name = str(self.scope or type(self).__name__)
        if demand is not None and demand.levels is not None:
            pairs = zip(demand.levels, demand.limits, strict=True)
            result = [RateLimit(name, *limit, *left(level, limit)) for level, limit in pairs]
        elif not history and self._lintel_wait is not None and not math.isinf(self._lintel_wait):
            result = [RateLimit(name, quota, window, 0, self._lintel_wait)]
        else:
            result = [
                RateLimit(name, *limit, *_left(history, self.now, limit))
                for limit in _limits_of(self)
            ]
        return result if len(result) > 1 else result[0]


@dataclass
class Demand:
    """What one request asks of a counter, and the levels after it where these are kept."""

    limits: Limits
    cost: int
    levels: list[float] | None = None


def _read_rate(throttle: SimpleRateThrottle) -> None:
    several = isinstance(throttle.rate, list | tuple)
    rates: Any = throttle.rate if several else [throttle.rate]
    parsed: list[Any] = [throttle.parse_rate(rate) for rate in rates]
    if several:
        parsed = sorted((pair for pair in parsed if None not in pair), key=itemgetter(1))
    throttle._lintel_bursts = tuple(parsed[:-1])
    throttle.num_requests, throttle.duration = parsed[-1] if parsed else (None, None)


def _limits_of(throttle: SimpleRateThrottle) -> Limits:
    """The limits that hold now: a project may set the rate, or its numbers, for each request."""
    limit = (throttle.num_requests or 0, float(throttle.duration or 0))
    if not isinstance(throttle.rate, list | tuple):
        return (limit,)
    return tuple(sorted((*throttle._lintel_bursts, limit), key=itemgetter(1)))


def _whole(cost: object, view: object) -> int:
    if isinstance(cost, int):
        return cost
    raise ImproperlyConfigured(
        f"The cost of a request to {type(view).__name__} is {cost!r}. Set throttle_cost of the "
        "view, or return from get_cost() of the throttle, a whole number."
    )


def _left(history: Sequence[float], now: float, limit: tuple[int, float]) -> tuple[int, float]:
    """How many requests remain, and the seconds until there are more."""
    quota, window = limit
    inside = [time for time in history if time > now - window]
    return max(0, quota - len(inside)), window - (now - inside[-1]) if inside else window


def _count(throttle: SimpleRateThrottle, demand: Demand) -> HookResult:
    cache, limits = backend_of(throttle.cache), demand.limits
    # An override would observe or change how a request is counted.
    is_counted = is_ours(throttle.throttle_success)
    above = throttle.gcra_above
    if is_counted and above is not None and any(number > above for number, _ in limits):
        return _pour(throttle, cache, demand)
    count = counter_for(cache) if is_counted else None
    if count is None:
        with client_lock(cache, str(throttle.key)) as lease:
            return _decide(throttle, cache, lease, demand)
    clock = throttle.timer if throttle.timer is time.time else _stopped(throttle.timer())
    counted = count(cache, str(throttle.key), limits, demand.cost, clock)
    passes, throttle.now, throttle.history = counted
    return True if passes else _refuse(throttle, demand)


def _pour(throttle: SimpleRateThrottle, cache: AnyCache, demand: Demand) -> HookResult:
    clock = throttle.timer if throttle.timer is time.time else _stopped(throttle.timer())
    poured = pour(cache, str(throttle.key), demand.limits, demand.cost, clock)
    if poured is None:
        return _refuse_unlocked(throttle)
    passes, throttle.now, demand.levels = poured
    throttle.history = []
    if passes:
        return True
    throttle._lintel_wait = seconds_until_room(demand.levels, demand.limits, demand.cost)
    return throttle.throttle_failure()


def _refuse(throttle: SimpleRateThrottle, demand: Demand) -> HookResult:
    if demand.cost > 1 or len(demand.limits) > 1:
        seconds = waits(throttle.history, throttle.now, demand.limits, demand.cost)
        throttle._lintel_wait = max(seconds)
    return throttle.throttle_failure()


def _stopped(now: float) -> Callable[[], float]:
    """Return a clock for the time while the cache is locked: that of a project is read before."""
    return lambda: now


def _decide(
    throttle: SimpleRateThrottle, cache: BaseCache, lease: Lease | None, demand: Demand
) -> HookResult:
    if lease is None:
        return _refuse_unlocked(throttle)
    throttle.history = times_of(ask(cache, cache.get, throttle.key, []))
    throttle.now = throttle.timer()
    oldest = throttle.now - demand.limits[-1][1]
    while throttle.history and throttle.history[-1] <= oldest:
        throttle.history.pop()
    if not fits(throttle.history, throttle.now, demand.limits, demand.cost):
        return _refuse(throttle, demand)
    if not lease.holds():
        return _refuse_unlocked(throttle)
    return throttle.throttle_success()


def _refuse_unlocked(throttle: SimpleRateThrottle) -> bool:
    """Reject if the cache does not answer in time, because passing would lift the limit."""
    logger.warning(
        "%s refused a request: the lock for '%s' could not be acquired in time. A cache that "
        "counts in one step needs no lock: Django's Redis cache or local memory.",
        type(throttle).__name__,
        throttle.key,
    )
    _stop_for_now(throttle)
    return throttle.throttle_failure()


class _Refusal:
    """Stands for a throttle of a project around one of ours, whose state is unknown."""

    def throttle_failure(self) -> bool:
        return False

    def wait(self) -> float:
        return float(LEASE)


def refusing(throttle: object, error: Exception) -> SimpleRateThrottle | _Refusal | None:
    """Return what refuses a request in an outage of its cache, or None to let it pass.

    Any other error is raised, and an outage too if ``on_failure`` says so.
    """
    policy = getattr(throttle, "on_failure", None)
    if not is_outage(error) or policy == RAISE:
        raise error
    if policy == ALLOW:
        note_outage(error, "pass uncounted")
        return None
    note_outage(error, "are refused with 429")
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
        self.rate: str | Sequence[str] | None = self.get_rate()
        _read_rate(self)
        return super().allow_request(request, view)

    @classmethod
    def may_refuse(cls, view: AnyView) -> bool:
        return cls is not ScopedRateThrottle or bool(getattr(view, cls.scope_attr, None))

    get_cache_key = UserRateThrottle.get_cache_key
