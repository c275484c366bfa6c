"""Headers that tell clients their limits: ``RateLimit``, and the older ``X-RateLimit-*``.

The numbers are those of the throttles' decision: the cache is not queried again.
"""

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lintel.annotations import AnyView
from lintel.settings import BOTH, DRAFT, LEGACY, api_settings


@dataclass(frozen=True)
class RateLimit:
    """``quota`` requests in ``window`` seconds; ``remaining`` now, more in ``reset`` seconds."""

    name: str
    quota: int
    window: float
    remaining: int
    reset: float


def announce_limits(view: AnyView, throttles: Iterable[object]) -> None:
    """Add the limits that throttles report to the headers of a view, if the setting asks for it."""
    limits = [limit for throttle in throttles for limit in limits_of(throttle)]
    if limits:
        limits.sort(key=lambda limit: (limit.remaining, -limit.reset))
        view.headers = {**dict(_headers(limits)), **view.headers}


def limits_of(throttle: object) -> list[RateLimit]:
    """The limits that a throttle reports after a decision."""
    hook = getattr(throttle, "get_rate_limit", None)
    limits = hook() if callable(hook) else None
    several = limits if isinstance(limits, list | tuple) else [limits]
    return [limit for limit in several if isinstance(limit, RateLimit)]


def refusing_limit(throttle: object) -> RateLimit | None:
    """The limit by which a throttle has refused: of those that it reports, the fullest."""
    limits = limits_of(throttle)
    return min(limits, key=lambda limit: (limit.remaining, -limit.reset), default=None)


def _headers(limits: list[RateLimit]) -> Iterator[tuple[str, str]]:
    form = api_settings.RATE_LIMIT_HEADERS
    if form in (DRAFT, BOTH):
        named = list(zip(_names(limits), limits, strict=True))
        policies = (f"{name};q={limit.quota};w={_seconds(limit.window)}" for name, limit in named)
        states = (f"{name};r={limit.remaining};t={_seconds(limit.reset)}" for name, limit in named)
        yield "RateLimit-Policy", ", ".join(policies)
        yield "RateLimit", ", ".join(states)
    if form in (LEGACY, BOTH):
        nearest = limits[0]
        yield "X-RateLimit-Limit", str(nearest.quota)
        yield "X-RateLimit-Remaining", str(nearest.remaining)
        yield "X-RateLimit-Reset", str(math.ceil(time.time() + nearest.reset))


def _seconds(value: float) -> int:
    return max(0, math.ceil(value))


def _names(limits: list[RateLimit]) -> Iterator[str]:
    """Return distinct names as strings of structured fields (RFC 9651, 3.3.3)."""
    taken: set[str] = set()
    for limit in limits:
        base = "".join(letter for letter in str(limit.name) if " " <= letter <= "~") or "limit"
        name, number = base, 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        yield f'"{quoted}"'
