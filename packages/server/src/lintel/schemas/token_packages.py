"""What djangorestframework-simplejwt cannot say of itself, in the form of extensions.

Its serializers put tokens into what they validated, which no field shows, and its authentication
does not tell that the tokens are JWTs. Extensions of a project, and those of drf-spectacular, come
first.
"""

import sys
from collections.abc import Mapping
from typing import Any

from lintel.fields.describing import Schema

PACKAGE = "rest_framework_simplejwt"

_SERIALIZERS = f"{PACKAGE}.serializers"

#: The tokens in the answers of a serializer, by its class.
TOKENS: Mapping[str, tuple[str, ...]] = {
    f"{_SERIALIZERS}.TokenObtainPairSerializer": ("access", "refresh"),
    f"{_SERIALIZERS}.TokenRefreshSerializer": ("access",),
    f"{_SERIALIZERS}.TokenObtainSlidingSerializer": ("token",),
    f"{_SERIALIZERS}.TokenRefreshSlidingSerializer": ("token",),
    f"{_SERIALIZERS}.TokenVerifySerializer": (),
    f"{_SERIALIZERS}.TokenBlacklistSerializer": (),
}

REFRESHING = f"{_SERIALIZERS}.TokenRefreshSerializer"

AUTHENTICATION = f"{PACKAGE}.authentication.JWTAuthentication"

#: Methods by which a subclass takes its token from elsewhere, such as a cookie.
_TAKING = frozenset(["authenticate", "get_header", "get_raw_token"])


class TokenAnswers:
    """Describes a serializer whose answers are tokens, and what a subclass adds to them."""

    def __init__(self, target: Any, cls: type) -> None:
        self.target, self.package_class = target, cls
        self.names = TOKENS[_name(cls)]
        if _name(cls) == REFRESHING and _setting("ROTATE_REFRESH_TOKENS", False):
            self.names = (*self.names, "refresh")

    def get_name(self) -> str | None:
        return None

    def map_serializer(self, auto_schema: Any, direction: str) -> Schema | None:
        """None in version 3.0.2, which has one description for requests and answers."""
        form = auto_schema.document_form
        if not form.is_full:
            return None
        said: Schema = auto_schema._map_serializer(self.target, direction, True)
        return said if direction == "request" else self.answer(said["properties"])

    def answer(self, schema: Schema) -> Schema:
        fields = getattr(self.package_class, "_declared_fields", {})
        added = {name: field for name, field in schema.items() if name not in fields}
        tokens = {name: {"type": "string", "readOnly": True} for name in self.names}
        described = {"type": "object", "properties": {**tokens, **added}}
        # Code of a project may take tokens out, as into a cookie.
        is_sure = _cls_of(self.target).validate is getattr(self.package_class, "validate", None)
        return {**described, "required": list(tokens)} if tokens and is_sure else described


class TokenScheme:
    """Describes how a token is sent, by the settings of the package."""

    name = "jwtAuth"

    def get_security_definition(self, auto_schema: object) -> Schema:
        header = str(_setting("AUTH_HEADER_NAME", "HTTP_AUTHORIZATION")).removeprefix("HTTP_")
        header = header.replace("_", "-").title()
        types = _setting("AUTH_HEADER_TYPES", ())
        word = types if isinstance(types, str) else [*types, "Bearer"][0]
        if (header, word.lower()) == ("Authorization", "bearer"):
            return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
        about = f"`{word}`, a space, and the token"
        return {"type": "apiKey", "in": "header", "name": header, "description": about}


def is_used() -> bool:
    """Tell whether anything has imported the package."""
    return PACKAGE in sys.modules


def known_serializer(target: object) -> TokenAnswers | None:
    """What is known of a serializer, as a class or an instance, and of its subclasses."""
    cls = next((base for base in _cls_of(target).__mro__ if _name(base) in TOKENS), None)
    return TokenAnswers(target, cls) if cls else None


def known_scheme(target: object) -> TokenScheme | None:
    """What is known of an authentication; None if a subclass takes its tokens from elsewhere."""
    names = list(map(_name, _cls_of(target).__mro__))
    if AUTHENTICATION not in names:
        return None
    before = type(target).__mro__[: names.index(AUTHENTICATION)]
    is_own = any(_TAKING & vars(cls).keys() for cls in before)
    return None if is_own else TokenScheme()


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _cls_of(target: object) -> Any:
    return target if isinstance(target, type) else type(target)


def _setting(name: str, default: Any) -> Any:
    settings = getattr(sys.modules.get(f"{PACKAGE}.settings"), "api_settings", None)
    return getattr(settings, name, default)
