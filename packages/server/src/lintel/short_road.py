"""The way of a request to its handler, for views that override none of the hooks on it.

What would do nothing is not called here, and what the last request had made is not made again. The
guard looks all hooks up for each request: a method that is overridden, patched or assigned later is
called from then on, by the plain way in :mod:`lintel.views`.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from lintel.negotiation import known_choice, remember_choice
from lintel.permissions import AllowAny
from lintel.request import Request

#: The hooks before the handler.
HOOKS = frozenset(
    {
        "check_permissions",
        "check_query_params",
        "check_throttles",
        "determine_version",
        "get_authenticators",
        "get_content_negotiator",
        "get_format_suffix",
        "get_parser_context",
        "get_parsers",
        "get_permissions",
        "get_renderers",
        "get_throttles",
        "initial",
        "initialize_request",
        "perform_authentication",
        "perform_content_negotiation",
    }
)
_hooks_of = attrgetter(*sorted(HOOKS))

#: What the hooks of the classes of this package are.
_usual: list[tuple[Any, ...]] = []

_ALLOW = AllowAny.has_permission
_EVERYBODY = [AllowAny]

#: What finds out who is asking; tests put users in the place of these.
_identity_of = attrgetter("user", "auth")
_IDENTITY = _identity_of(Request)


def allow_short_road(cls: type) -> None:
    """Declare that the hooks of a class do nothing but what the short road does as well."""
    _usual.append(_hooks_of(cls))


def is_usual(view: Any) -> bool:
    """Whether a view, whose request begins, has all hooks as this package wrote them."""
    return (
        _hooks_of(type(view)) in _usual
        and HOOKS.isdisjoint(view.__dict__)
        and _identity_of(Request) == _IDENTITY
    )


def pass_policies(view: Any, request: Request) -> None:
    """What ``view.initial(request)`` does; raises to refuse the request."""
    view.format_kwarg = view.get_format_suffix(**view.kwargs) if view.kwargs else None
    classes = tuple(view.renderer_classes)
    negotiation = view.content_negotiation_class if view.format_kwarg is None else None
    choice = known_choice(request._request, negotiation, classes)
    if choice is None:
        choice = view.perform_content_negotiation(request)
        remember_choice(request._request, negotiation, classes, choice)
    request.accepted_renderer, request.accepted_media_type = choice
    _identify(view, request)
    if view.permission_classes != _EVERYBODY or AllowAny.has_permission is not _ALLOW:
        view.check_permissions(request)
    if view.throttle_classes:
        view.check_throttles(request)
    if view.strict_query_params:
        view.check_query_params(request)


def _identify(view: Any, request: Request) -> None:
    """Which version the request asks for, and who is asking."""
    if view.versioning_class is None:
        request.version = request.versioning_scheme = None
    else:
        version = view.determine_version(request, *view.args, **view.kwargs)
        request.version, request.versioning_scheme = version
    if request.authenticators:
        request._identify()
    else:
        request._not_authenticated()
