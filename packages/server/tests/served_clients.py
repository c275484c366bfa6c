"""Django's test clients on top of ``lintel.serving``, so that any test can run through it.

``LINTEL_SERVING=on pytest …`` installs them. What is not ours goes to the handler of the client.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.dispatch import Signal
from django.test.client import (
    AsyncClientHandler,
    ClientHandler,
    aclosing_iterator_wrapper,
    closing_iterator_wrapper,
    conditional_content_removal,
)

from lintel.serving.closing import close
from lintel.serving.middleware import grouped
from lintel.serving.originals import HANDLERS
from lintel.serving.resolving import give, resolves_given
from lintel.serving.routes import Routes
from lintel.serving.wsgi import WSGIApplication

_plain_call = ClientHandler.__call__


class Served(WSGIApplication):
    """An application around the handler of a client, which wants the response itself."""

    def __init__(self, handler: Any) -> None:
        handler.request_class = self.make_request
        super().__init__(handler)

    def make_request(self, environ: Any) -> WSGIRequest:
        self.request = WSGIRequest(environ)
        checks = self._handler.enforce_csrf_checks
        vars(self.request)["_dont_enforce_csrf_checks"] = not checks
        return self.request


def call(handler: Any, environ: Any) -> Any:
    if handler._middleware_chain is None:
        handler.load_middleware()
    if not hasattr(handler, "served"):
        handler.served = Served(handler)
    served: Served = handler.served
    given = served.find(environ)
    if given is None:
        return _plain_call(handler, environ)
    with keeping_connections(request_started):
        response = served.respond(environ, given)
    conditional_content_removal(served.request, response)
    response.wsgi_request = served.request
    return closed(response)


@contextmanager
def keeping_connections(signal: Signal) -> Iterator[None]:
    """Leave the connections of the test open, as the client of Django does."""
    signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        signal.connect(close_old_connections)


def closed(response: Any) -> Any:
    if not response.streaming:
        with keeping_connections(request_finished):
            close(response)
    else:
        wrap: Any = aclosing_iterator_wrapper if response.is_async else closing_iterator_wrapper
        response.streaming_content = wrap(response.streaming_content, response.close)
    return response


_routes = Routes()


async def respond_on_loop(handler: Any, request: Any) -> Any:
    given = _routes.given(request.path_info) if HANDLERS.are_untouched() else None
    if given is None:
        return await BaseHandler.get_response_async(handler, request)
    if not hasattr(handler, "served"):
        resolves_given(handler)
        handler.served = grouped(handler)
    give(request, given)
    return await BaseHandler.get_response_async(handler.served, request)


def install() -> None:
    ClientHandler.__call__ = call  # type: ignore[method-assign]
    AsyncClientHandler.get_response_async = respond_on_loop  # type: ignore[method-assign]
