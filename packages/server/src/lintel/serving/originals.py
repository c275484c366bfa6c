"""Whether the functions of Django that the entries stand for are Django's own.

Tools that trace requests replace some of them, at any time. Then Django's handler serves
everything, so that their functions are called.
"""

from collections.abc import Iterator

import django
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import connections
from django.dispatch import Signal
from django.http.response import HttpResponseBase
from django.urls.resolvers import RegexPattern, ResolverMatch, RoutePattern, URLPattern, URLResolver
from django.utils.deprecation import MiddlewareMixin

from lintel.trust.originals import TESTED, Originals, Place, is_original

_NAMES: dict[object, str] = {
    WSGIHandler: "__call__ resolve_request",
    ASGIHandler: (
        "__call__ handle read_body create_request listen_for_disconnect resolve_request "
        "request_class"
    ),
    MiddlewareMixin: "__call__ __acall__",
    URLResolver: "resolve",
    URLPattern: "resolve",
    RoutePattern: "match",
    RegexPattern: "match",
    ResolverMatch: "__init__",
    HttpResponseBase: "close",
    Signal: "_live_receivers",
    # Of these objects, because they may be replaced there as well.
    request_started: "send asend",
    request_finished: "send asend",
    connections: "all",
}


def _places() -> Iterator[Place]:
    yield ASGIHandler.request_class, "__init__"
    for owner, names in _NAMES.items():
        yield from ((owner, name) for name in names.split())


#: What handlers do in a release that is known.
HANDLERS = Originals(
    "of Django's handlers",
    _places,
    is_original if django.VERSION[:2] in TESTED else lambda place: False,
)
