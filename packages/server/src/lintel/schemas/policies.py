"""What the policies of a view add to its operations: errors, security, and headers."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from lintel.schemas.components import all_ours
from lintel.schemas.errors import error_responses, offers, rate_limit_headers
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
    """The parts shared by operations whose views have the same policies.

    ``values``: the policies, kept alive so that their ids are not reused. ``adds_more``: whether
    headers, formats or versions must be described as well.
    """

    values: tuple[Any, ...]
    errors: tuple[ResponseDescription, ...]
    security: Any
    adds_more: bool


def known_policies(inspection: Inspection, view: Any, facts: tuple[bool, ...]) -> Policies:
    """Return the errors and security of an operation, computed once per kind of view."""
    if not has_plain_policies(inspection, view):
        return policies_of(inspection, view, (), facts)
    return shared_policies(inspection, view, facts)


def shared_policies(inspection: Inspection, view: Any, facts: tuple[bool, ...]) -> Policies:
    """Return the policies of a view whose attributes determine them, computed once per kind."""
    values = (*_OF_ALL(view), *[getattr(view, name, None) for name in _OF_SOME])
    key = "policies", inspection.method, facts, *map(id, values)
    if key not in inspection.known:
        inspection.known[key] = policies_of(inspection, view, values, facts)
    found: Policies = inspection.known[key]
    return found


def policies_of(
    inspection: Inspection, view: Any, values: tuple[Any, ...], facts: tuple[bool, ...]
) -> Policies:
    """Return the errors and security of an operation."""
    errors = tuple(error_responses(inspection, view, *facts))
    security = security_of(inspection, view, inspection.method)
    return Policies(values, errors, security, _adds_more(view))


def _adds_more(view: Any) -> bool:
    senders = (*view.throttle_classes, getattr(view, "pagination_class", None))
    return bool(
        view.versioning_class is not None
        or offers(view)
        or rate_limit_headers(view)
        or any(hasattr(each, HEADERS_HOOK) for each in senders)
    )


#: The attributes of views that errors and security depend on.
POLICIES = (
    "permission_classes",
    "authentication_classes",
    "throttle_classes",
    "renderer_classes",
    "versioning_class",
    "content_negotiation_class",
    "filter_backends",
    "pagination_class",
    "strict_query_params",
    "throttle_scope",
)

#: Those that all views have, and those that some have.
_OF_ALL = attrgetter(*POLICIES[:6])
_OF_SOME = POLICIES[6:]


def has_plain_policies(inspection: Inspection, view: Any) -> bool:
    """Return whether only attributes of a view determine its policies, cached per class."""
    known, schema = inspection.known, inspection.schema
    return (
        all_ours(known, type(view), _POLICY_HOOKS)
        and _POLICY_HOOKS.isdisjoint(view.__dict__)
        and all_ours(known, type(schema), _MEDIA_TYPE_HOOKS)
        and _MEDIA_TYPE_HOOKS.isdisjoint(schema.__dict__)
    )


_POLICY_HOOKS = frozenset(["get_authenticators", "get_permissions"])
_MEDIA_TYPE_HOOKS = frozenset(["map_renderers"])
