"""The middleware: gives each request its id, and logs what became of it."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lintel.problems.bodies import REQUEST_ID
from lintel.requestlog.identity import bound, identity_of
from lintel.requestlog.lines import MEMBERS
from lintel.requestlog.outcome import outcome_of
from lintel.requestlog.statements import Tally, count_statements, tally_of_request

logger = logging.getLogger("lintel.requests")

HEADER = "X-Request-ID"

#: What calls the rest of the middleware and the view: at once, or on an event loop.
GetResponse = Callable[[HttpRequest], Any]


class RequestLogMiddleware:
    """Place it first in MIDDLEWARE, so that its times and answers are those that clients see."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        count_statements()
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self.__acall__(request)
        with _logged(request) as done:
            return done(cast("HttpResponseBase", self.get_response(request)))

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        with _logged(request) as done:
            return done(await self.get_response(request))


@contextmanager
def _logged(request: HttpRequest) -> Iterator[Callable[[HttpResponseBase], HttpResponseBase]]:
    """Run a request under its id; what is yielded takes the response and logs the line."""
    identity, tally, start = identity_of(request), Tally(), time.perf_counter()
    request.META[REQUEST_ID] = identity.request_id
    counting = tally_of_request.set(tally)

    def done(response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault(HEADER, identity.request_id)
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        if logger.isEnabledFor(level):
            members = outcome_of(request, response, tally, time.perf_counter() - start)
            if identity.trace_id:
                members["trace_id"] = identity.trace_id
            text = "%s %s %d", request.method, request.path, response.status_code
            logger.log(level, *text, extra={MEMBERS: members})
        return response

    try:
        with bound(identity.request_id):
            yield done
    finally:
        tally_of_request.reset(counting)
