"""One request while it is served: its span, what is inside of it, and its measurements.

Attributes follow the stable conventions for HTTP. Queries of URLs, which may hold secrets, are in
none of them.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lintel.addresses import client_address
from lintel.idempotency.answers import REPLAYED
from lintel.problems.bodies import REQUEST_ID, TRACE_ID
from lintel.schemas.generators import path_of
from lintel.telemetry import otel
from lintel.telemetry.measurements import Labels, measurements
from lintel.telemetry.otel import Attributes, Context, Span, SpanKind, Status, StatusCode

#: Methods that are named; any other is ``_OTHER``, so that clients cannot invent metrics.
METHODS = frozenset(
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"]
)

#: The longest text of a request that a span holds.
LONGEST = 1_000


class Exchange:
    """A request from its first middleware until its response is closed."""

    __slots__ = (
        "context",
        "error",
        "is_recorded",
        "key",
        "labels",
        "queries",
        "request",
        "span",
        "start",
    )

    def __init__(self, request: HttpRequest) -> None:
        method = request.method if request.method in METHODS else "_OTHER"
        self.request: HttpRequest | None = request
        self.key = (str(method), request.scheme or "http")
        self.labels = (("http.request.method", self.key[0]), ("url.scheme", self.key[1]))
        with measurements.lock:
            measurements.active.add(self.labels)
        self.queries, self.error = 0, ""
        parent = otel.parent_of(request.META)
        self.span = otel.tracer.start_span(
            self.key[0], parent, SpanKind.SERVER, {"http.request.method": self.key[0]}
        )
        self.context: Context = otel.set_span_in_context(self.span, parent)
        self.is_recorded = self.span.is_recording()
        if self.is_recorded:
            self.span.set_attributes(described(request))
            request.META[TRACE_ID] = format(self.span.get_span_context().trace_id, "032x")
        self.start = time.perf_counter()

    @contextmanager
    def phase(
        self,
        name: str,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Attributes | None = None,
    ) -> Iterator[Span]:
        """Open a span inside of the innermost one that is open."""
        around = self.context
        span = otel.tracer.start_span(name, around, kind, attributes)
        self.context = otel.set_span_in_context(span, around)
        try:
            yield span
        except Exception as error:
            span.set_attribute("error.type", type(error).__qualname__)
            raise
        finally:
            self.context = around
            span.end()

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
        labels = outcome_of(self, request, response)
        measure(self, labels, response, time.perf_counter() - self.start)
        if self.is_recorded:
            describe(self, dict(labels), request)
        self.span.end()


#: Threads of a request observe in its context.
current: ContextVar[Exchange | None] = ContextVar("lintel_exchange", default=None)


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


def outcome_of(
    exchange: Exchange, request: HttpRequest, response: HttpResponseBase | None
) -> Labels:
    labels: Labels = exchange.labels
    match = request.resolver_match
    if match is not None:
        labels = (*labels, ("http.route", path_of(match.route)))
    if response is not None:
        labels = (*labels, ("http.response.status_code", response.status_code))
    if response is None or response.status_code >= 500:
        unknown = "cancelled" if response is None else str(response.status_code)
        labels = (*labels, ("error.type", exchange.error or unknown))
    return labels


def measure(
    exchange: Exchange, labels: Labels, response: HttpResponseBase | None, seconds: float
) -> None:
    trace_id = span_id = 0
    if exchange.is_recorded:
        context = exchange.span.get_span_context()
        trace_id, span_id = context.trace_id, context.span_id
    # Neither the scheme nor how it ended.
    place = tuple([it for it in labels if it[0] in ("http.request.method", "http.route")])
    with measurements.lock:
        measurements.active.add(exchange.labels, -1)
        measurements.duration.record(labels, seconds, trace_id, span_id)
        measurements.queries.record(place, exchange.queries, trace_id, span_id)
        if response is not None and response.status_code == 429:
            measurements.throttled.add(place)
        if response is not None and REPLAYED in response.headers:
            measurements.replays.add(place)


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
