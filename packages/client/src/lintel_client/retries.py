"""Whether a call is tried again, and after how long."""

import random
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from lintel_client.headers import Headers
from lintel_client.messages import Request
from lintel_client.waiting import seconds_to_wait
from lintel_document.links import Field

__all__ = ["Attempts", "Retry", "is_key", "may_repeat"]

KEY_HEADER = "Idempotency-Key"

# Methods with the same effect if they arrive twice (RFC 9110, 9.2.2).
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"})


def is_key(field: Field) -> bool:
    """Return whether a parameter is the Idempotency-Key header."""
    return field.location == "header" and field.name.lower() == KEY_HEADER.lower()


@dataclass(frozen=True)
class Retry:
    """How often and after which waits to try a call again.

    ``total`` is the number of tries after the first one. The first wait lasts ``backoff`` seconds
    and each later one twice as long, shortened at random by up to a half, so that
    clients do not return in step; a Retry-After of the server (RFC 9110, 10.2.3), in seconds
    or as a date, takes precedence. No wait begins that would end after ``budget`` seconds from the
    start of the call; None is no limit. ``statuses`` are the responses that cause a retry;
    broken connections and timeouts do so as well.

    Only calls that are safe to repeat are repeated: idempotent methods, and requests with an
    ``Idempotency-Key``. With ``idempotency_keys``, every other write gets such a key, made once per
    call and sent with each try: for services that honour the header.
    """

    total: int = 3
    backoff: float = 0.5
    statuses: Collection[int] = (429, 502, 503, 504)
    budget: float | None = 60.0
    idempotency_keys: bool = False

    def __post_init__(self) -> None:
        if self.total < 0 or self.backoff < 0 or (self.budget is not None and self.budget < 0):
            raise ValueError("total, backoff and budget of a Retry must not be negative")


def may_repeat(request: Request) -> bool:
    """Return whether a request may arrive twice without a second effect."""
    return request.method in IDEMPOTENT or bool(request.headers.get(KEY_HEADER))


class Attempts:
    """The tries of one call."""

    def __init__(
        self, retry: Retry | None, request: Request, clock: Callable[[], float] = time.monotonic
    ) -> None:
        repeatable = retry is not None and may_repeat(request)
        self._retry = retry if repeatable else None
        self._left = retry.total if retry and repeatable else 0
        self._next = retry.backoff if retry else 0.0
        self._clock = clock
        self._started = clock()

    def after_answer(self, status: int, headers: Headers) -> float | None:
        """Return the seconds to wait after a response, None if it is final."""
        if self._retry is None or status not in self._retry.statuses:
            return None
        return self._wait(seconds_to_wait(headers, time.time()))

    def after_failure(self) -> float | None:
        """Return the seconds to wait after a network failure, None to give up."""
        return self._wait(None)

    def _wait(self, asked: int | None) -> float | None:
        if self._retry is None or not self._left:
            return None
        backoff = self._next * random.uniform(0.5, 1)  # noqa: S311 (spreads load, hides nothing)
        delay = backoff if asked is None else asked
        budget = self._retry.budget
        if budget is not None and self._clock() - self._started + delay > budget:
            return None
        self._left -= 1
        self._next *= 2
        return delay
