"""The WSGI application."""

from collections.abc import Callable, Iterable
from typing import Any

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, get_path_info, get_script_name
from django.core.signals import request_started
from django.urls import set_script_prefix

from lintel.serving.closing import Body
from lintel.serving.originals import HANDLERS
from lintel.serving.resolving import Given, give, resolves_given
from lintel.serving.routes import Routes
from lintel.serving.signals import begin, started

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]


class WSGIApplication:
    """Serves views of lintel; Django's handler serves everything else, and has all attributes."""

    def __init__(self, handler: WSGIHandler) -> None:
        self._handler: Any = handler
        self._routes = Routes()
        resolves_given(handler)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        given = self.find(environ)
        if given is None:
            answered: Iterable[bytes] = self._handler(environ, start_response)
            return answered
        response = self.respond(environ, given)
        # Members of enumerations are numbers that say their names.
        status = f"{int(response.status_code)} {response.reason_phrase}"
        start_response(status, _headers(response))
        return _body(environ, response)

    def __getattr__(self, name: str) -> Any:
        if name == "_handler":  # of a copy that has none yet
            raise AttributeError(name)
        return getattr(self._handler, name)

    def find(self, environ: Environ) -> Given | None:
        """Return where the path of a request leads; None if Django's handler serves it."""
        return self._routes.given(_path(environ)) if HANDLERS.are_untouched() else None

    def respond(self, environ: Environ, given: Given) -> Any:
        handler = self._handler
        set_script_prefix(_script_name(environ))
        if started.is_only_django():
            begin()
        else:
            request_started.send(sender=type(handler), environ=environ)
        request = handler.request_class(environ)
        give(request, given)
        response = handler.get_response(request)
        response._handler_class = type(handler)
        return response


def _path(environ: Environ) -> str:
    path: str = environ.get("PATH_INFO") or "/"
    # Servers hand on the bytes of a path as characters of Latin-1.
    return path if path.isascii() else get_path_info(environ)


def _script_name(environ: Environ) -> str:
    name: str = environ.get("SCRIPT_NAME", "")
    is_plain = settings.FORCE_SCRIPT_NAME is None and name.isascii()
    if is_plain and "SCRIPT_URL" not in environ and "REDIRECT_URL" not in environ:
        return name
    return get_script_name(environ)


def _headers(response: Any) -> list[tuple[str, str]]:
    headers = [*response.items()]
    if response.cookies:
        headers += [("Set-Cookie", _cookie(cookie)) for cookie in response.cookies.values()]
    return headers


def _cookie(morsel: Any) -> str:
    text: str = morsel.OutputString()
    return text if django.VERSION >= (6, 1) else f" {text}"


def _body(environ: Environ, response: Any) -> Iterable[bytes]:
    wrapper = environ.get("wsgi.file_wrapper")
    if wrapper and getattr(response, "file_to_stream", None) is not None:
        # The server closes the file only, which closes the response then.
        response.file_to_stream.close = response.close
        wrapped: Iterable[bytes] = wrapper(response.file_to_stream, response.block_size)
        return wrapped
    return Body(response)
