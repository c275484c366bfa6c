"""One request while it is served: its span, what is inside of it, and its measurements.

Attributes follow the stable conventions for HTTP. Queries of URLs, which may hold secrets, are in
none of them.
"""

import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from functools import partial
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lintel.addresses import client_address
from lintel.idempotency.answers import REPLAYED
from lintel.phases import Begin
from lintel.problems.bodies import REQUEST_ID, TRACE_ID
from lintel.telemetry import otel
from lintel.telemetry.measurements import Series, measurements
from lintel.telemetry.otel import Attributes, Span, SpanKind, Status, StatusCode

#: Methods that are named; any other is ``_OTHER``, so that clients cannot invent metrics.
METHODS = frozenset(
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"]
)

#: The longest text of a request that a span holds.
LONGEST = 1_000

#: Methods whose responses are no replays (``Idempotency-Key``).
SAFE = frozenset(["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"])


class Exchange:
    """A request from its first middleware until its response is closed."""

    __slots__ = (
        "attached",
        "context",
        "error",
        "is_left",
        "is_recorded",
        "key",
        "labels",
        "observing",
        "phases",
        "queries",
        "request",
        "span",
        "start",
    )

    def __init__(self, request: HttpRequest) -> None:
        method = request.method if request.method in METHODS else "_OTHER"
        self.request: HttpRequest | None = request
        self.key = str(method), request.scheme or "http"
        self.labels = ("http.request.method", self.key[0]), ("url.scheme", self.key[1])
        self.queries, self.error, self.is_left = 0, "", False
        self.span, self.context = otel.begin(self.key[0], request.META)
        self.is_recorded = self.span.is_recording()
        self.phases = record(self, request) if self.is_recorded else None
        active = measurements.active.numbers
        with measurements.lock:
            active[self.labels] = active.get(self.labels, 0) + 1
        self.observing = current.set(self)
        self.attached = None if self.context is None else otel.attach(self.context)
        self.start = time.perf_counter()

    def done(self, response: HttpResponseBase) -> HttpResponseBase:
        self.is_left = True
        if response.streaming:
            closers: list[Callable[[], Any]] = response._resource_closers  # type: ignore[attr-defined]
            closers.append(partial(self.end, response))
        else:
            self.end(response)
        return response

    def leave(self) -> None:
        if not self.is_left:
            self.end(None)
        if self.attached is not None:
            otel.detach(self.attached)
        if self.phases is not None:
            begin_phase.reset(self.phases)
        current.reset(self.observing)

    def failed(self, error: BaseException) -> None:
        """Note the exception that becomes a response of 500."""
        self.error = type(error).__qualname__
        if self.is_recorded:
            self.span.record_exception(error)

    def end(self, response: HttpResponseBase | None) -> None:
        """Measure, and end the span; None for a request without a response."""
        request, self.request = self.request, None
        if request is None:
            return
        series = measure(self, request, response)
        if self.is_recorded:
            describe(self, dict(series.labels), request)
            self.span.end()


class Phase:
    """A span inside of the innermost one of a request that is open."""

    __slots__ = ("around", "exchange", "span")

    def __init__(
        self,
        exchange: Exchange,
        name: str,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Attributes | None = None,
    ) -> None:
        self.exchange, self.around = exchange, exchange.context
        self.span = otel.tracer.start_span(name, self.around, kind, attributes)

    def __enter__(self) -> Span:
        self.exchange.context = otel.set_span_in_context(self.span, self.around)
        return self.span

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None and issubclass(kind, Exception):
            self.span.set_attribute("error.type", kind.__qualname__)
        self.exchange.context = self.around
        self.span.end()


#: Threads of a request observe in its context.
current: ContextVar[Exchange | None] = ContextVar("lintel_exchange", default=None)


#: What opens spans in the request of this context; None if it is not recorded.
begin_phase: ContextVar[Begin | None] = ContextVar("lintel_phase", default=None)


def record(exchange: Exchange, request: HttpRequest) -> Token[Begin | None]:
    """Begin to open spans for the parts of a request."""
    exchange.span.set_attributes(described(request))
    request.META[TRACE_ID] = format(exchange.span.get_span_context().trace_id, "032x")
    return begin_phase.set(partial(Phase, exchange))


def described(request: HttpRequest) -> Attributes:
    """What a span says of a request before it is served."""
    meta = request.META
    attributes: Attributes = {
        "url.path": request.path[:LONGEST],
        "url.scheme": request.scheme or "http",
        "server.address": str(meta.get("SERVER_NAME", "")),
        "client.address": client_address(request),
        "user_agent.original": str(meta.get("HTTP_USER_AGENT", ""))[:LONGEST],
        "network.protocol.version": _protocol_of(request),
    }
    if request.method not in METHODS:
        attributes["http.request.method_original"] = str(request.method)[:LONGEST]
    return {name: value for name, value in attributes.items() if value != ""}


def _protocol_of(request: HttpRequest) -> str:
    scope: Mapping[str, object] = getattr(request, "scope", {})
    given = scope.get("http_version") or request.META.get("SERVER_PROTOCOL", "")
    return str(given).removeprefix("HTTP/")


def measure(exchange: Exchange, request: HttpRequest, response: HttpResponseBase | None) -> Series:
    seconds = time.perf_counter() - exchange.start
    match, status, error = request.resolver_match, 0, "cancelled"
    if response is not None:
        status = response.status_code
        error = exchange.error or str(status) if status >= 500 else ""
    trace_id = span_id = 0
    if exchange.is_recorded:
        context = exchange.span.get_span_context()
        trace_id, span_id = context.trace_id, context.span_id
    outcome = exchange.key, None if match is None else match.route, status, error
    with measurements.lock:
        series = measurements.series.get(outcome) or measurements.begin(outcome)
        measurements.active.numbers[exchange.labels] -= 1
        series.duration.add(seconds, trace_id, span_id)
        series.queries.add(exchange.queries, trace_id, span_id)
        if status == 429:
            measurements.throttled.add(series.place)
        if exchange.key[0] not in SAFE and response is not None and REPLAYED in response.headers:
            measurements.replays.add(series.place)
    return series


def describe(exchange: Exchange, attributes: Attributes, request: HttpRequest) -> None:
    method = "HTTP" if exchange.key[0] == "_OTHER" else exchange.key[0]
    route = attributes.get("http.route")
    exchange.span.update_name(f"{method} {route}" if route else method)
    attributes["lintel.queries"] = exchange.queries
    request_id = request.META.get(REQUEST_ID)
    if request_id:
        attributes["lintel.request_id"] = request_id
    exchange.span.set_attributes(attributes)
    if "error.type" in attributes:
        exchange.span.set_status(Status(StatusCode.ERROR))
