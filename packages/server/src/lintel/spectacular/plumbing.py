"""Building blocks of schemas, for extensions and hooks."""

from collections.abc import Iterable, Mapping
from typing import Any

from lintel import serializers
from lintel.fields.describing import Schema
from lintel.schemas.components import reference_to
from lintel.schemas.openapi_types import PLAIN, named_type


class ResolvedComponent:
    """A named part of the document; ``ref`` refers to it."""

    SCHEMA = "schemas"
    SECURITY_SCHEMA = "securitySchemes"

    def __init__(
        self, name: str, type: str, schema: Schema | None = None, object: Any = None
    ) -> None:
        self.name, self.type, self.schema, self.object = name, type, schema, object

    @property
    def ref(self) -> Schema:
        return reference_to(self.name)


def build_basic_type(obj: object) -> Schema | None:
    """The schema of a Python type or of an OpenApiTypes; None for one that has none."""
    named = named_type(obj)
    if isinstance(named, Mapping):
        return dict(named)
    if not isinstance(named, type):
        return None
    return next((dict(schema) for kind, schema in PLAIN if issubclass(named, kind)), None)


def build_array_type(
    schema: Schema, min_length: int | None = None, max_length: int | None = None
) -> Schema:
    """The schema of a list of values."""
    bounds = {"minItems": min_length, "maxItems": max_length}
    return {"type": "array", "items": schema, **_given(bounds)}


def build_object_type(
    properties: Schema | None = None,
    required: Iterable[str] | None = None,
    description: str | None = None,
    **kwargs: Any,
) -> Schema:
    """The schema of an object; further arguments are keywords of it."""
    words = {
        "description": (description or "").strip() or None,
        "properties": properties or None,
        "required": sorted(required) if required else None,
    }
    return {"type": "object", **_given(words), **kwargs}


def build_parameter_type(
    name: str,
    schema: Schema,
    location: str,
    required: bool = False,
    description: str | None = None,
    **kwargs: Any,
) -> Schema:
    """A parameter; ``enum``, ``pattern`` and ``default`` are about its values."""
    values = {word: kwargs.pop(word, None) for word in ("enum", "pattern", "default")}
    kwargs.pop("allow_blank", None)
    return {
        "in": location,
        "name": name,
        "schema": {**schema, **_given(values)},
        **_given({"description": description, "required": required or location == "path" or None}),
        **(kwargs.pop("extensions", None) or {}),
        **{word: value for word, value in kwargs.items() if value},
    }


def build_media_type_object(
    schema: Schema, examples: object = None, encoding: object = None
) -> Schema:
    """The content of a body in one media type."""
    return {"schema": schema, **_given({"examples": examples, "encoding": encoding})}


def build_bearer_security_scheme_object(
    header_name: str, token_prefix: str, bearer_format: str | None = None
) -> Schema:
    """The security scheme of a token in a header."""
    if token_prefix == "Bearer" and header_name == "Authorization":  # noqa: S105 -- a word, no token
        return {"type": "http", "scheme": "bearer", **_given({"bearerFormat": bearer_format})}
    description = f'A token with the word "{token_prefix}" before it.' if token_prefix else None
    where = {"type": "apiKey", "in": "header", "name": header_name}
    return {**where, **_given({"description": description})}


def _given(words: Mapping[str, object]) -> dict[str, object]:
    return {word: value for word, value in words.items() if value is not None}


def append_meta(schema: Schema, meta: Schema) -> Schema:
    """A schema with further keywords; OpenAPI 3.0 has none beside a reference."""
    if "$ref" in schema and meta:
        return {"allOf": [schema], **meta}
    return {**schema, **meta}


def force_instance(serializer_or_field: object) -> object:
    """An instance of a serializer or field class; anything else unchanged."""
    given = serializer_or_field
    return given() if isinstance(given, type) and issubclass(given, serializers.Field) else given


def get_class(obj: object) -> type:
    """A class itself, or that of an object."""
    return obj if isinstance(obj, type) else type(obj)


def is_field(obj: object) -> bool:
    """Whether it is a field, or a field class, and no serializer."""
    return issubclass(get_class(obj), serializers.Field) and not is_serializer(obj)


def is_serializer(obj: object, strict: bool = False) -> bool:
    """Whether it is a serializer or its class; ``strict``: with fields."""
    kind = serializers.Serializer if strict else serializers.BaseSerializer
    return issubclass(get_class(obj), kind)


def is_list_serializer(obj: object) -> bool:
    """Whether it is the serializer of a list, or its class."""
    return issubclass(get_class(obj), serializers.ListSerializer)
