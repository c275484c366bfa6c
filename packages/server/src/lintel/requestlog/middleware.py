"""The middleware: gives each request its id, and logs what became of it."""

import logging
import time

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lintel.problems.bodies import REQUEST_ID, TRACE_ID
from lintel.requestlog.around import Around, AroundMiddleware, GetResponse
from lintel.requestlog.identity import bind, identity_of, release
from lintel.requestlog.lines import MEMBERS
from lintel.requestlog.outcome import outcome_of
from lintel.requestlog.statements import Tally, count_statements, tally_of_request

logger = logging.getLogger("lintel.requests")

HEADER = "X-Request-ID"


class RequestLogMiddleware(AroundMiddleware):
    """Place it first in MIDDLEWARE, so that its times and answers are those that clients see."""

    def __init__(self, get_response: GetResponse) -> None:
        super().__init__(get_response)
        count_statements()

    def around(self, request: HttpRequest) -> Around:
        return _Logged(request)


class _Logged:
    """Runs a request under its id, and logs the line."""

    __slots__ = ("binding", "counting", "identity", "request", "start", "tally")

    def __init__(self, request: HttpRequest) -> None:
        self.request, self.identity, self.tally = request, identity_of(request), Tally()
        self.start = time.perf_counter()
        request.META[REQUEST_ID] = self.identity.request_id
        self.counting = tally_of_request.set(self.tally)
        self.binding = bind(self.identity.request_id)

    def done(self, response: HttpResponseBase) -> HttpResponseBase:
        request = self.request
        response.headers.setdefault(HEADER, self.identity.request_id)
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        if logger.isEnabledFor(level):
            seconds = time.perf_counter() - self.start
            members = outcome_of(request, response, self.tally, seconds)
            trace_id = request.META.get(TRACE_ID) or self.identity.trace_id
            if trace_id:
                members["trace_id"] = trace_id
            text = "%s %s %d", in_a_line(str(request.method)), in_a_line(request.path)
            logger.log(level, *text, response.status_code, extra={MEMBERS: members})
        return response

    def leave(self) -> None:
        release(self.binding)
        tally_of_request.reset(self.counting)


def in_a_line(text: str) -> str:
    """Return text of a client as any formatter may write it: with escapes if it is odd."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()
