"""Whether the functions of Django that the entries stand for are Django's own.

Tools that trace requests replace some of them, at any time. Then Django's handler serves
everything, so that their functions are called.
"""

import django
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import connections
from django.dispatch import Signal
from django.http.response import HttpResponseBase
from django.urls.resolvers import (
    RegexPattern,
    ResolverMatch,
    RoutePattern,
    URLPattern,
    URLResolver,
)
from django.utils.deprecation import MiddlewareMixin

from lintel.provenance import is_of_django

#: Releases whose handlers these entries are compared with by the tests.
TESTED = ((5, 2), (6, 0), (6, 1))


def _functions() -> list[object]:
    # Written out, because it runs for each request.
    return [
        WSGIHandler.__call__,
        WSGIHandler.resolve_request,
        ASGIHandler.__call__,
        ASGIHandler.handle,
        ASGIHandler.read_body,
        ASGIHandler.create_request,
        ASGIHandler.listen_for_disconnect,
        ASGIHandler.resolve_request,
        ASGIHandler.request_class.__init__,
        MiddlewareMixin.__call__,
        MiddlewareMixin.__acall__,
        URLResolver.resolve,
        URLPattern.resolve,
        RoutePattern.match,
        RegexPattern.match,
        ResolverMatch.__init__,
        HttpResponseBase.close,
        Signal._live_receivers,
        # Of these objects, because they may be replaced there as well.
        request_started.send,
        request_started.asend,
        request_finished.send,
        request_finished.asend,
        connections.all,
    ]


_ORIGINALS = _functions() if django.VERSION[:2] in TESTED else []
_ARE_KNOWN = bool(_ORIGINALS) and all(map(is_of_django, _ORIGINALS))


def are_untouched() -> bool:
    """Return whether Django's handlers do what they do in a release that is known."""
    return _ARE_KNOWN and _functions() == _ORIGINALS
