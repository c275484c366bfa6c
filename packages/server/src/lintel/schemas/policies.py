"""What the policies of a view add to its operations: errors, security, and headers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from lintel.schemas.errors import error_responses
from lintel.schemas.inspection import Inspection, warn_of
from lintel.schemas.security import security_of
from lintel.schemas.tree import Header, ResponseDescription

#: The hook for headers that a throttle, paginator or view adds to responses, by name, in terms
#: of OpenAPI: ``get_schema_response_headers(view)``.
HEADERS_HOOK = "get_schema_response_headers"


def declared_headers(schema: Any, view: Any, lists: bool) -> Iterator[Header]:
    """Yield the headers that the view, its throttles and, for lists, its paginator declare."""
    paginator = [getattr(view, "pagination_class", None)] if lists else []
    classes = [*getattr(view, "throttle_classes", ()), *paginator]
    for one in (*classes, view):
        if not hasattr(one, HEADERS_HOOK):
            continue
        try:
            sender = one() if isinstance(one, type) else one
            found = dict(getattr(sender, HEADERS_HOOK)(view))
        except Exception as error:  # project code
            name = one if isinstance(one, type) else type(one)
            warn_of(f"{HEADERS_HOOK}() failed: {error!r}", type(view), name)
            continue
        yield from (Header(name=name, value=value) for name, value in found.items())


class Policies(NamedTuple):
    """What the policies of a view add to an operation."""

    errors: tuple[ResponseDescription, ...]
    security: Any


def policies_of(inspection: Inspection, view: Any, facts: tuple[bool, ...]) -> Policies:
    """Return the errors and security of an operation."""
    errors = tuple(error_responses(inspection, view, *facts))
    return Policies(errors, security_of(inspection, view, inspection.method))
