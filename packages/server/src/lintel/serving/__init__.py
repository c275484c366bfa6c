"""Entry points for servers: Django's, with less work for the requests that reach views of lintel.

In ``wsgi.py`` or ``asgi.py``, import ``get_wsgi_application`` or ``get_asgi_application`` from here
instead of from ``django.core``. Everything else goes to Django's own handler.
"""

from lintel.serving.entries import get_asgi_application, get_wsgi_application

__all__ = ["get_asgi_application", "get_wsgi_application"]
