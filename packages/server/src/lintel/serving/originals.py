"""Whether the functions of Django that the entries stand for are Django's own.

Tools that trace requests replace some of them, at any time. Then Django's handler serves
everything, so that their functions are called.
"""

import django
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIHandler
from django.dispatch import Signal
from django.http.response import HttpResponseBase
from django.urls.resolvers import (
    RegexPattern,
    ResolverMatch,
    RoutePattern,
    URLPattern,
    URLResolver,
)

from lintel.provenance import is_of_django

#: Releases whose handlers these entries are compared with by the tests.
TESTED = ((5, 2), (6, 0), (6, 1))


def _functions() -> list[object]:
    # Written out, because it runs for each request.
    return [
        WSGIHandler.__call__,
        ASGIHandler.__call__,
        ASGIHandler.handle,
        BaseHandler.resolve_request,
        URLResolver.resolve,
        URLPattern.resolve,
        RoutePattern.match,
        RegexPattern.match,
        ResolverMatch.__init__,
        HttpResponseBase.close,
        Signal.send,
        Signal.asend,
        Signal._live_receivers,
    ]


_ORIGINALS = _functions() if django.VERSION[:2] in TESTED else []
_ARE_KNOWN = bool(_ORIGINALS) and all(map(is_of_django, _ORIGINALS))


def are_untouched() -> bool:
    """Return whether Django's handlers do what they do in a release that is known."""
    return _ARE_KNOWN and _functions() == _ORIGINALS
