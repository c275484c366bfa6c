"""The ASGI application."""

import io
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.core.signals import request_finished, request_started
from django.urls import set_script_prefix

from lintel.serving.closing import close, closes_promptly
from lintel.serving.disconnects import until_disconnect
from lintel.serving.middleware import grouped
from lintel.serving.originals import HANDLERS
from lintel.serving.resolving import Given, give, resolves_given
from lintel.serving.routes import Routes
from lintel.serving.signals import end, finished, started
from lintel.serving.threads import RequestThread, is_inside_another

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ASGIApplication:
    """Serves views of lintel; Django's handler serves everything else, and has all attributes."""

    def __init__(self, handler: ASGIHandler) -> None:
        self._handler: Any = handler
        self._routes = Routes()
        resolves_given(handler)
        self._grouped = grouped(handler)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        request = self._request(scope)
        given = None if request is None else self._routes.given(request.path_info)
        if request is None or given is None:
            await self._handler(scope, receive, send)
            return
        async with RequestThread() as thread:
            try:
                body = await read_body(self._handler, receive)
            except RequestAborted:
                return
            exchange = Exchange(self._grouped, given, thread)
            try:
                await exchange.run(request, scope, body, receive, send)
            finally:
                body.close()

    def __getattr__(self, name: str) -> Any:
        if name == "_handler":  # of a copy that has none yet
            raise AttributeError(name)
        return getattr(self._handler, name)

    def _request(self, scope: Message) -> ASGIRequest | None:
        """Return the request without its body; None if Django's handler is to serve it."""
        if scope["type"] != "http" or not HANDLERS.are_untouched() or is_inside_another():
            return None
        try:
            return self._handler.request_class(scope, NOTHING)
        except Exception:
            return None  # Django's handler says what is wrong with it


#: The body of a request that has not been received yet.
NOTHING = io.BytesIO()


async def read_body(handler: Any, receive: Receive) -> Any:
    """Return the body as a file. Raises RequestAborted if the client goes away meanwhile."""
    message = await receive()
    body = message.get("body", b"")
    if message["type"] == "http.disconnect" or message.get("more_body", False):
        return await handler.read_body(_again(message, receive))
    if len(body) > settings.FILE_UPLOAD_MAX_MEMORY_SIZE:
        return await handler.read_body(_again(message, receive))
    return io.BytesIO(body)


def _again(message: Message, receive: Receive) -> Receive:
    """Return a function that receives a message once more, and then those after it."""
    waiting = [message]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again


class Exchange:
    """One request and its response."""

    def __init__(self, handler: Any, given: Given, thread: RequestThread) -> None:
        self._handler, self._given, self._thread = handler, given, thread
        self._response: Any = None

    async def run(
        self, request: ASGIRequest, scope: Message, body: Any, receive: Receive, send: Send
    ) -> None:
        set_script_prefix(request.script_name or "")
        if not started.is_only_django():
            await request_started.asend(sender=type(self._handler), scope=scope)
            request = self._handler.request_class(scope, body)
        request._stream = body
        give(request, self._given)
        await until_disconnect(
            self._answer(request, send), partial(self._handler.listen_for_disconnect, receive)
        )
        await self._finish(request)

    async def _answer(self, request: ASGIRequest, send: Send) -> None:
        self._response = await self._handler.run_get_response(request)
        await self._handler.send_response(self._response, send)

    async def _finish(self, request: ASGIRequest) -> None:
        response = self._response
        if response is None:
            await self._finish_cancelled()
        elif not self._thread.has_connections and closes_promptly(response, request):
            close(response)
        else:
            await self._thread.end(partial(close, response))

    async def _finish_cancelled(self) -> None:
        if self._thread.has_connections or not finished.is_only_django():
            await request_finished.asend(sender=type(self._handler))
        else:
            end()
