"""The accounts of django-allauth (registration, passwords, codes, passkeys) beside an API.

Its headless views do the work. This module lets views know its sessions, and descriptions its
endpoints: ``SPECTACULAR_SETTINGS = {"POSTPROCESSING_HOOKS": ["lintel.accounts.with_accounts"]}``.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from lintel.annotations import AnyRequest, HookResult
from lintel.authentication import BaseAuthentication
from lintel.exceptions import AuthenticationFailed

try:
    from allauth.headless import app_settings
    from allauth.headless.spec.internal.schema import get_schema
except ImportError as error:
    message = "lintel.accounts needs django-allauth: install django-lintel[accounts]"
    raise ImportError(message) from error

Document: TypeAlias = dict[str, Any]

#: What begins the names of components, so that they are not those of the project.
PREFIX = "Accounts"

#: The components whose names are not changed: requirements name them without a reference.
_SCHEMES = "securitySchemes"

#: Longer tokens are none.
MAX_TOKEN = 4096


class SessionTokenAuthentication(BaseAuthentication):
    """The session of an app or a script, in the header that django-allauth gives it."""

    header = "X-Session-Token"

    def authenticate(self, request: AnyRequest) -> HookResult:
        token = request.headers.get(self.header)
        if not token:
            return None
        is_possible = len(token) <= MAX_TOKEN and token.isascii() and token.isprintable()
        session = app_settings.TOKEN_STRATEGY.lookup_session(token) if is_possible else None
        if session is None:
            raise AuthenticationFailed(_("Invalid token."))
        # Django checks that the password is still the one of the login.
        holder = HttpRequest()
        holder.session = session
        user = get_user(holder)
        if not user.is_authenticated:
            raise AuthenticationFailed(_("Invalid token."))
        if not user.is_active:
            raise AuthenticationFailed(_("User inactive or deleted."))
        # As with other sessions: what limits tokens does not limit this.
        return user, None

    def authenticate_header(self, request: AnyRequest) -> str | None:
        return self.header

    def get_openapi_security_scheme(self) -> dict[str, Any]:
        return {"SessionToken": {"type": "apiKey", "in": "header", "name": self.header}}


def with_accounts(result: Document, generator: Any, request: Any, public: bool) -> Document:
    """Add the endpoints of accounts to an OpenAPI document; what it has already stays."""
    number = tuple(map(int, str(result["openapi"]).split(".")[:2]))
    accounts = _converted(get_schema(), number >= (3, 1))
    paths = result.setdefault("paths", {})
    for path, item in accounts["paths"].items():
        paths.setdefault(path, item)
    for kind, members in accounts["components"].items():
        entries = result.setdefault("components", {}).setdefault(kind, {})
        for name, member in members.items():
            entries.setdefault(name if kind == _SCHEMES else f"{PREFIX}{name}", member)
    named = {tag["name"] for tag in result.get("tags", ())}
    tags = [tag for tag in accounts.get("tags", ()) if tag["name"] not in named]
    if tags:
        result["tags"] = [*result.get("tags", ()), *tags]
    return result


def _converted(value: Any, is_3_1: bool) -> Any:
    """Return a part of a document of 3.0 with other references, maybe in terms of 3.1."""
    if isinstance(value, list):
        return [_converted(inner, is_3_1) for inner in value]
    if not isinstance(value, Mapping):
        return value
    result = {key: _converted(inner, is_3_1) for key, inner in value.items()}
    reference = result.get("$ref")
    if isinstance(reference, str):
        place, _slash, name = reference.rpartition("/")
        result["$ref"] = f"{place}/{PREFIX}{name}"
    if is_3_1 and result.pop("nullable", False) is True and isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
    return result
