"""Answers in Django's cache, which a write in the database knows nothing of.

A request takes its key by adding a lock, which expires, so that the key of a crashed process
becomes free again. A process that dies after its write and before it has stored the answer leaves
no trace: the write is then carried out again. Requests that outlive their lock neither release the
lock of the next one nor replace its answer.
"""

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from django.core.cache import caches
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse

from lintel.annotations import AnyView
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, blocking
from lintel.exceptions import APIException
from lintel.idempotency.answers import Kept, is_final, kept_of, replayed
from lintel.idempotency.errors import IdempotencyKeyInUse, IdempotencyKeyReused
from lintel.idempotency.keys import digest_of_key, fingerprint_of
from lintel.request import Request
from lintel.response import Response
from lintel.settings import api_settings
from lintel.throttling.deadlines import begun, result_within
from lintel.throttling.locks import MARGIN, Lease, release
from lintel.throttling.outages import is_remote
from lintel.throttling.windows import AnyCache

logger: logging.Logger = logging.getLogger(__name__)

T = TypeVar("T")

#: Exceptions that become a response of the service, not of Django.
_ANSWERED = (APIException, Http404, PermissionDenied)


@dataclass(frozen=True)
class _Attempt:
    alias: str
    name: str
    fingerprint: str
    lease: Lease

    def release(self) -> None:
        cache = caches[self.alias]
        _ask(cache, release, cache, self.name, self.lease)

    def keep(self, answer: Kept, seconds: float) -> None:
        """Store the answer; where the lock has expired, only if nobody else has the key."""
        cache = caches[self.alias]
        if self.lease.holds() and _ask(cache, cache.get, self.name) == self.lease.owner:
            _ask(cache, cache.set, self.name, answer, seconds)
        else:
            _ask(cache, cache.add, self.name, answer, seconds)


def _ask(cache: AnyCache, function: Callable[..., T], *args: object) -> T:
    """Call what reaches a cache. Raises NoAnswer if one on another host takes too long."""
    call, seconds = partial(function, *args), api_settings.IDEMPOTENCY_TIMEOUT
    if seconds is None or not is_remote(cache):
        return call()
    return result_within(begun(call), seconds, "no answer within IDEMPOTENCY_TIMEOUT")


@chain
def answer_steps(
    view: object, request: Request, key: str, answer: Callable[[], object]
) -> Steps[object]:
    """Return the kept response, or that of the handler, which is kept later."""
    response = yield blocking(_begin, view, request, key)
    if response is not None:
        return response
    try:
        return (yield blocking(answer))
    except Exception as error:
        is_answer = isinstance(error, _ANSWERED) and getattr(error, "status_code", 400) < 500
        if not is_answer:
            yield blocking(_give_up, view)
        raise


def _give_up(view: object) -> None:
    attempt = view.__dict__.pop("_lintel_attempt", None)
    if attempt is not None:
        attempt.release()


def _begin(view: AnyView, request: Request, key: str) -> HttpResponse | None:
    """Return the kept response, if any. Raises IdempotencyKeyInUse, IdempotencyKeyReused."""
    fingerprint = fingerprint_of(request)
    name = f"lintel.idempotency.{digest_of_key(view, request, key)}"
    alias, seconds = view.idempotency_cache, view.idempotency_lock_seconds
    cache = caches[alias]
    for _ in range(3):
        # The time before the call: the lease in the cache begins later, and ends later.
        end = time.monotonic() + seconds - min(MARGIN, seconds / 2)
        lease = Lease(end, f"{fingerprint} {secrets.token_hex(8)}")
        if _ask(cache, cache.add, name, lease.owner, seconds):
            view._lintel_attempt = _Attempt(alias, name, fingerprint, lease)
            return None
        stored = _ask(cache, cache.get, name)
        if isinstance(stored, Kept):
            return replayed(stored, fingerprint)
        if isinstance(stored, str) and not stored.startswith(fingerprint):
            raise IdempotencyKeyReused
    raise IdempotencyKeyInUse


def keep_when_rendered(view: AnyView, response: Response) -> None:
    """Keep the response of a view that has a key, once rendered: after its commit."""
    attempt = view.__dict__.pop("_lintel_attempt", None)
    if attempt is None:
        return
    limits = view.idempotency_seconds, view.idempotency_max_bytes
    keep = partial(_keep, attempt, set(view.headers), limits)
    if isinstance(response, Response):
        response.add_post_render_callback(keep)
    else:
        keep(response)


def _keep(
    attempt: _Attempt, of_view: set[str], limits: tuple[float, int | None], response: Response
) -> None:
    """Keep a response; the client gets it even where the cache fails: the write is done."""
    seconds, max_bytes = limits
    try:
        if is_final(response):
            attempt.keep(kept_of(attempt.fingerprint, response, of_view, max_bytes), seconds)
        else:
            attempt.release()
    except Exception:
        logger.exception("The answer to an Idempotency-Key could not be kept in the cache.")
