"""The id of a request: the one that a trusted proxy sends, or a new one.

``X-Request-ID`` and ``traceparent`` (W3C Trace Context) are believed if the connection comes from
TRUSTED_PROXIES: anybody else could give two requests one id, or write into logs.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass

from django.http import HttpRequest

from lintel.addresses import is_from_proxy

#: What an id may consist of; anything else is replaced by a new id.
REQUEST_ID = re.compile(r"[\w.+/=:@~-]{1,128}", re.ASCII)

#: version, trace id, id of the caller's span, flags (W3C Trace Context, section 3.2).
TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)

_current: ContextVar[str] = ContextVar("lintel_request_id", default="")


@dataclass(frozen=True, slots=True)
class Identity:
    """The id of a request, and that of the trace that it is part of; "" for none."""

    request_id: str
    trace_id: str = ""


def identity_of(request: HttpRequest) -> Identity:
    """Return what a trusted proxy says of a request, and a new id where it says nothing."""
    meta = request.META
    request_id = trace_id = ""
    if is_from_proxy(meta):
        trace = TRACEPARENT.match(meta.get("HTTP_TRACEPARENT", ""))
        trace_id = trace[1] if trace else ""
        given = meta.get("HTTP_X_REQUEST_ID", "")
        request_id = given if REQUEST_ID.fullmatch(given) else ""
    return Identity(request_id or trace_id or secrets.token_hex(16), trace_id)


def current_request_id() -> str:
    """Return the id of the request that this code runs for; "" outside of requests."""
    return _current.get()


@contextmanager
def bound(request_id: str) -> Iterator[None]:
    """Let everything inside the block belong to a request, such as a task that it has started."""
    token = bind(request_id)
    try:
        yield
    finally:
        release(token)


def bind(request_id: str) -> Token[str]:
    """Begin what :func:`bound` does; hand the result to :func:`release`."""
    return _current.set(request_id)


def release(token: Token[str]) -> None:
    _current.reset(token)
