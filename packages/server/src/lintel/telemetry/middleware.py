"""The middleware: one span and one measurement for each request."""

from sys import exc_info

from django.core.signals import got_request_exception

from lintel.phases import observe
from lintel.requestlog.around import AroundMiddleware, GetResponse
from lintel.telemetry.exchanges import Exchange, begin_phase, current
from lintel.telemetry.statements import trace_statements


class TelemetryMiddleware(AroundMiddleware):
    """Place it first in MIDDLEWARE, or after that of the request log."""

    def __init__(self, get_response: GetResponse) -> None:
        super().__init__(get_response)
        observe(begin_phase.get)
        trace_statements()
        got_request_exception.connect(_failed, dispatch_uid=__name__)

    around = staticmethod(Exchange)


def _failed(sender: object, **kwargs: object) -> None:
    exchange, error = current.get(), exc_info()[1]
    if exchange is not None and error is not None:
        exchange.failed(error)
