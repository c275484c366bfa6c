"""Security schemes: how callers authenticate, from the authentication classes of a view."""

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from lintel.authentication import BaseAuthentication
from lintel.cycle.steps import complete
from lintel.overrides import reached
from lintel.permissions import (
    OR,
    AllowAny,
    BasePermission,
    DjangoModelPermissions,
    IsAdminUser,
    IsAuthenticated,
    IsAuthenticatedOrReadOnly,
    OperandHolder,
    scope_permissions,
)
from lintel.schemas.components import valid_name
from lintel.schemas.extensions import OpenApiAuthenticationExtension, extension_for
from lintel.schemas.inspection import Endpoint, Inspection
from lintel.schemas.standins import stand_in_request
from lintel.schemas.tree import SecurityScheme
from lintel.views import APIView

#: The types of schemes whose requirements name scopes; before OpenAPI 3.1, those of others cannot.
SCOPED_TYPES = ("oauth2", "openIdConnect")

SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS", "QUERY"])


def _schemes(
    inspection: Inspection, authenticator: BaseAuthentication, view: APIView
) -> Iterator[SecurityScheme]:
    extension = extension_for(inspection, OpenApiAuthenticationExtension, authenticator)
    if extension is not None:
        yield from _extended(inspection, extension, view)
        return
    if not hasattr(authenticator, "get_openapi_security_scheme"):
        yield from _guessed(inspection, authenticator, view)
        return
    places = type(view), type(authenticator)
    try:
        scheme = authenticator.get_openapi_security_scheme()
    except Exception as error:  # project code
        inspection.warn(f"get_openapi_security_scheme() failed: {error!r}", *places)
        return
    if isinstance(scheme, Mapping) and isinstance(scheme.get("type"), str):
        yield SecurityScheme(name=_name_of(authenticator), value=dict(scheme))
    elif isinstance(scheme, Mapping):
        for name, value in scheme.items():
            yield SecurityScheme(name=str(name), value=dict(value))
    elif scheme is not None:
        inspection.warn(
            "get_openapi_security_scheme() returns a security scheme of OpenAPI, or a mapping "
            f"from names to schemes, not {type(scheme).__name__}",
            *places,
        )


def _schemes_of(endpoint: Endpoint, authenticator: BaseAuthentication) -> Iterable[SecurityScheme]:
    inspection, view = endpoint.inspection, endpoint.view
    state = getattr(authenticator, "__dict__", None)
    if state is None:
        return _schemes(inspection, authenticator, view)
    # One with another state may differ from others of its class.
    key = _schemes, type(authenticator), *((name, id(value)) for name, value in state.items())

    def make() -> tuple[object, tuple[SecurityScheme, ...]]:
        # The state is kept as well, so that nothing else gets its ids.
        return dict(state), tuple(_schemes(inspection, authenticator, view))

    return inspection.once(key, make)[1]


def _extended(inspection: Inspection, extension: Any, view: APIView) -> Iterator[SecurityScheme]:
    try:
        definition = extension.get_security_definition(view.schema)
    except Exception as error:  # project code
        inspection.warn(f"get_security_definition() failed: {error!r}", type(extension))
        return
    names, values = extension.name, definition or ()
    if isinstance(names, str):
        names, values = [names], [definition]
    for name, value in zip(names, values, strict=False):
        if isinstance(value, Mapping):
            yield SecurityScheme(name=valid_name(str(name)), value=dict(value))


def _name_of(authenticator: BaseAuthentication) -> str:
    given = getattr(authenticator, "openapi_security_name", None)
    if isinstance(given, str):
        return given
    name = type(authenticator).__name__.removesuffix("Authentication")
    return f"{name[:1].lower()}{name[1:]}Auth"


def _guessed(
    inspection: Inspection, authenticator: BaseAuthentication, view: APIView
) -> Iterator[SecurityScheme]:
    """Guess a scheme from an authenticator's challenge, whose first word names it."""
    keyword = re.match(r"[\w.~+-]+", challenge_of(authenticator) or "")
    word = keyword.group() if keyword else ""
    if not word:
        message = "nothing is known about its authentication. Give it get_openapi_security_scheme()"
        inspection.warn(message, type(authenticator))
    elif word.lower() in ("basic", "bearer", "digest"):
        value = {"type": "http", "scheme": word.lower()}
        yield SecurityScheme(name=f"{word.lower()}Auth", value=value)
    else:
        value = {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": f'A token with the word "{word}" before it: "{word} <key>".',
        }
        name = valid_name(f"{word[:1].lower()}{word[1:]}Auth")
        yield SecurityScheme(name=name, value=value)


def challenge_of(authenticator: BaseAuthentication) -> str | None:
    method = getattr(authenticator, "authenticate_header", None)
    try:
        result = method(None) if method is not None else None
    except Exception:  # project code that needs a request
        return None
    return result if isinstance(result, str) else None


def _admits(permission: object, endpoint: Endpoint) -> bool:
    """Return whether a permission is known to admit anonymous users."""
    method = endpoint.method
    if isinstance(permission, OperandHolder):
        asked = permission.op1_class, permission.op2_class
        enough: Any = any if permission.operator_class is OR else all
        return bool(enough(_admits(operand, endpoint) for operand in asked))
    if not isinstance(permission, type):
        return False
    if asks_about_objects_alone(permission):
        return True
    decides = reached(permission, "has_permission")
    if decides is AllowAny.has_permission:
        return True
    if decides is IsAuthenticatedOrReadOnly.has_permission:
        return method in SAFE_METHODS
    if decides is DjangoModelPermissions.has_permission:
        return _needs_none(permission, method)
    is_known = decides in (IsAuthenticated.has_permission, IsAdminUser.has_permission)
    return method in SAFE_METHODS and not is_known and _lets_pass(permission, endpoint)


def _lets_pass(permission: type, endpoint: Endpoint) -> bool:
    view = copy(endpoint.view)
    # It should decide as it does for a request, not as for a description.
    view.swagger_fake_view = False
    try:
        view.request = stand_in_request(view, endpoint.path, endpoint.method)
        return bool(complete(permission().has_permission(view.request, view)))
    except Exception:  # project code
        return False


def _needs_none(permission: type[DjangoModelPermissions], method: str) -> bool:
    is_open = not permission.authenticated_users_only and permission.perms_map.get(method) == []
    named = permission.get_required_permissions
    return is_open and named is DjangoModelPermissions.get_required_permissions


def asks_about_objects_alone(permission: object) -> bool:
    if not isinstance(permission, type) or not issubclass(permission, BasePermission):
        return False
    asks_nothing = permission.has_permission is BasePermission.has_permission
    return asks_nothing and permission is not BasePermission


def security_of(endpoint: Endpoint) -> tuple[Mapping[str, list[str]], ...] | None:
    """Return the alternatives in the order in which they are tried, an empty one for none."""
    scopes = _scopes_of(endpoint)
    result: dict[str, list[str]] = {}
    shown = endpoint.inspection.authentication
    for authenticator in endpoint.authenticators:
        if shown is not None and type(authenticator) not in shown:
            continue
        for scheme in _schemes_of(endpoint, authenticator):
            endpoint.inspection.security_schemes.setdefault(scheme.name, scheme)
            named = scheme.value.get("type") in SCOPED_TYPES
            carries = named or getattr(authenticator, "carries_scopes", False)
            result.setdefault(scheme.name, scopes if carries else [])
    ways: list[Mapping[str, list[str]]] = [{name: scopes} for name, scopes in result.items()]
    # An empty one, if callers without credentials are known to pass the permissions. Hooks for
    # drf-spectacular expect it even where a setting leaves out every scheme.
    if (ways or shown is not None) and all(
        _admits(cls, endpoint) for cls in endpoint.permission_classes
    ):
        ways.append({})
    return tuple(ways) if ways else None


def _scopes_of(endpoint: Endpoint) -> list[str]:
    """Return the scopes that every request needs, as far as its permissions say so."""
    result: dict[str, None] = {}
    for permission in scope_permissions(endpoint.permission_classes):
        view = endpoint.view
        request = stand_in_request(view, endpoint.path, endpoint.method)
        try:
            result.update(dict.fromkeys(permission().get_required_scopes(request, view)))
        except Exception as error:  # project code
            endpoint.inspection.warn(f"its scopes are unknown: {error}", type(view))
    return list(result)
