"""The functions that ``wsgi.py`` and ``asgi.py`` call."""

from typing import Any

from django.core import asgi, wsgi
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler

from lintel.serving.asgi import ASGIApplication
from lintel.serving.wsgi import WSGIApplication


def get_wsgi_application() -> Any:
    """Return the WSGI application of the project, as ``django.core.wsgi`` does.

    Sets Django up and loads the middleware. If another tool has replaced Django's handler, what it
    provides is returned unchanged.
    """
    handler = wsgi.get_wsgi_application()
    return WSGIApplication(handler) if type(handler) is WSGIHandler else handler


def get_asgi_application() -> Any:
    """Return the ASGI application of the project, as ``django.core.asgi`` does.

    Sets Django up and loads the middleware. If another tool has replaced Django's handler, what it
    provides is returned unchanged.
    """
    handler = asgi.get_asgi_application()
    return ASGIApplication(handler) if type(handler) is ASGIHandler else handler
