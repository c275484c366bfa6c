"""What the policies of a view add to its operations: errors, security, and headers."""

from __future__ import annotations

from collections.abc import Iterator

from lintel.schemas.inspection import Endpoint
from lintel.schemas.tree import Header

#: The hook for headers that a throttle, paginator or view adds to responses, by name, in terms
#: of OpenAPI: ``get_schema_response_headers(view)``.
HEADERS_HOOK = "get_schema_response_headers"


def declared_headers(endpoint: Endpoint, lists: bool) -> Iterator[Header]:
    """Yield the headers that the view, its throttles and, for lists, its paginator declare."""
    view = endpoint.view
    paginator = [getattr(view, "pagination_class", None)] if lists else []
    for sender in (*getattr(view, "throttle_classes", ()), *paginator, view):
        if not hasattr(sender, HEADERS_HOOK):
            continue
        try:
            instance = sender() if isinstance(sender, type) else sender
            headers = dict(getattr(instance, HEADERS_HOOK)(view))
        except Exception as error:  # project code
            cls = sender if isinstance(sender, type) else type(sender)
            endpoint.inspection.warn(f"{HEADERS_HOOK}() failed: {error!r}", type(view), cls)
            continue
        yield from (Header(name=name, value=value) for name, value in headers.items())
