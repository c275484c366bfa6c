"""Which operation of the OpenAPI document a request is: its operationId, for the line.

All identifiers are found once, in a thread of their own, after the first request whose line is
written. Requests never wait for them: lines have no identifier until they are there.
"""

import logging
import threading

from django.conf import settings
from django.db import connections
from django.http import HttpRequest
from django.urls import get_resolver

from lintel.schemas.generators import is_api_view, path_of
from lintel.schemas.identifiers import Identifiers, identifiers_of, served_generator

logger = logging.getLogger("lintel.requestlog")

#: The name of the thread that finds identifiers.
THREAD = "lintel-operations"


class _Found:
    """The identifiers of one URL configuration, and whether they are being looked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.source: object = None
        self.identifiers: Identifiers = {}
        self.thread: threading.Thread | None = None

    def current(self) -> Identifiers:
        """Those found so far; begins to look for them if the URL configuration is another one."""
        source = get_resolver(settings.ROOT_URLCONF)
        if self.source is not source:
            with self.lock:
                if self.source is not source:
                    self.source, self.identifiers = source, {}
                    self.thread = threading.Thread(
                        target=self._find, args=[source], name=THREAD, daemon=True
                    )
                    self.thread.start()
        return self.identifiers

    def _find(self, source: object) -> None:
        try:
            identifiers = identifiers_of(served_generator())
            if self.source is source:
                self.identifiers = identifiers
        except Exception as error:
            logger.warning("lines have no operation_id, the API cannot be described: %r", error)
        finally:
            connections.close_all()


identifiers = _Found()


def operation_of(request: HttpRequest) -> str | None:
    """Return the operationId of a request; None for what the document does not describe."""
    match = request.resolver_match
    if match is None or not is_api_view(match.func) or getattr(request, "urlconf", None):
        return None
    return identifiers.current().get((path_of(match.route), request.method or ""))
