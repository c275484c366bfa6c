"""Middleware that is the same around a request with an event loop and without one."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

#: What calls the rest of the middleware and the view: at once, or on an event loop.
GetResponse = Callable[[HttpRequest], Any]

#: Takes the response, and returns the one to send.
Done: TypeAlias = Callable[[HttpResponseBase], HttpResponseBase]


class AroundMiddleware:
    """Runs the rest within ``around(request)``, which must neither wait nor query."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def around(self, request: HttpRequest) -> AbstractContextManager[Done]:
        raise NotImplementedError

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self.__acall__(request)
        with self.around(request) as done:
            return done(cast("HttpResponseBase", self.get_response(request)))

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        with self.around(request) as done:
            return done(await self.get_response(request))
