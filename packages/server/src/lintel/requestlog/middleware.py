"""The middleware: gives each request its id, and logs what became of it."""

import logging
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lintel.problems.bodies import REQUEST_ID, TRACE_ID
from lintel.requestlog.around import AroundMiddleware, Done, GetResponse
from lintel.requestlog.identity import bound, identity_of
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

    def around(self, request: HttpRequest) -> AbstractContextManager[Done]:
        return _logged(request)


@contextmanager
def _logged(request: HttpRequest) -> Iterator[Done]:
    """Run a request under its id; what is yielded takes the response and logs the line."""
    identity, tally, start = identity_of(request), Tally(), time.perf_counter()
    request.META[REQUEST_ID] = identity.request_id
    counting = tally_of_request.set(tally)

    def done(response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault(HEADER, identity.request_id)
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        if logger.isEnabledFor(level):
            members = outcome_of(request, response, tally, time.perf_counter() - start)
            trace_id = request.META.get(TRACE_ID) or identity.trace_id
            if trace_id:
                members["trace_id"] = trace_id
            text = "%s %s %d", request.method, request.path, response.status_code
            logger.log(level, *text, extra={MEMBERS: members})
        return response

    try:
        with bound(identity.request_id):
            yield done
    finally:
        tally_of_request.reset(counting)
