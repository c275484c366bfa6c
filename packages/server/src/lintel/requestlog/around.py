"""Middleware that is the same around a request with an event loop and without one."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

#: What calls the rest of the middleware and the view: at once, or on an event loop.
GetResponse = Callable[[HttpRequest], Any]


class Around(Protocol):
    """What stands around one request."""

    def done(self, response: HttpResponseBase) -> HttpResponseBase:
        """Return the response to send."""

    def leave(self) -> None:
        """End, with a response or without."""


class AroundMiddleware:
    """Runs the rest within ``around(request)``, which must neither wait nor query."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def around(self, request: HttpRequest) -> Around:
        raise NotImplementedError

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self.__acall__(request)
        around = self.around(request)
        try:
            return around.done(self.get_response(request))
        finally:
            around.leave()

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        around = self.around(request)
        try:
            return around.done(await self.get_response(request))
        finally:
            around.leave()
