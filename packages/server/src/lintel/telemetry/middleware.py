"""The middleware: one span and one measurement for each request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Token
from functools import partial
from sys import exc_info
from typing import Any

from django.core.signals import got_request_exception
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lintel.requestlog.around import AroundMiddleware, Done, GetResponse
from lintel.telemetry import otel, phases
from lintel.telemetry.exchanges import Exchange, current
from lintel.telemetry.statements import trace_statements


class TelemetryMiddleware(AroundMiddleware):
    """Place it first in MIDDLEWARE, or after that of the request log."""

    def __init__(self, get_response: GetResponse) -> None:
        super().__init__(get_response)
        phases.replace()
        trace_statements()
        got_request_exception.connect(_failed, dispatch_uid=__name__)

    @contextmanager
    def around(self, request: HttpRequest) -> Iterator[Done]:
        exchange = Exchange(request)
        observing: Token[Exchange | None] = current.set(exchange)
        token = otel.attach(exchange.context)
        is_left = False

        def done(response: HttpResponseBase) -> HttpResponseBase:
            nonlocal is_left
            is_left = True
            if response.streaming:
                closers: list[Callable[[], Any]] = response._resource_closers  # type: ignore[attr-defined]
                closers.append(partial(exchange.end, response))
            else:
                exchange.end(response)
            return response

        try:
            yield done
        finally:
            if not is_left:
                exchange.end(None)
            otel.detach(token)
            current.reset(observing)


def _failed(sender: object, **kwargs: object) -> None:
    exchange, error = current.get(), exc_info()[1]
    if exchange is not None and error is not None:
        exchange.failed(error)
