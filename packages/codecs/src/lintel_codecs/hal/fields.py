"""Fields of links where HAL has no word for them: the member `fields` of a link or a form."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from lintel_codecs.references import References
from lintel_document import schemas
from lintel_document.jsonschema import JSONSchema, json_schema
from lintel_document.links import Field

__all__ = ["read_fields", "read_schema", "written_field"]

_TEXTS = ("location", "style", "content_type", "wire_name")
_NULLABLE_TEXTS = ("description", "type")
_FLAGS = ("required", "allow_reserved", "deprecated")
_MAX_DEPTH = 20


def written_field(field: Field) -> dict[str, Any]:
    """Return a field as a JSON object: attributes that say something, schemas as JSON Schema."""
    written: dict[str, Any] = {}
    for attribute in fields(field):
        value = getattr(field, attribute.name)
        if attribute.default is not MISSING and value == attribute.default:
            continue
        if attribute.name == "schema":
            # A schema that was written in JSON Schema is not taken for one of another kind.
            name = "jsonSchema" if isinstance(value, JSONSchema) else "schema"
            written[name] = json_schema(value)
        elif attribute.name == "headers":
            written["headers"] = [written_field(each) for each in value]
        else:
            written[attribute.name] = value
    return written


def read_fields(raw: Any, depth: int = 0) -> tuple[Field, ...] | None:
    """Return the fields of a member that `written_field` wrote; None for what is no list.

    Entries without a name are left out, and so are attributes of the wrong type.
    """
    if not isinstance(raw, list) or depth > 1:
        return None
    return tuple(
        _read_field(each, depth)
        for each in raw
        if isinstance(each, Mapping) and isinstance(each.get("name"), str)
    )


def _read_field(raw: Mapping[str, Any], depth: int) -> Field:
    given: dict[str, Any] = {"name": raw["name"], "example": raw.get("example")}
    for name in (*_TEXTS, *_NULLABLE_TEXTS):
        if isinstance(raw.get(name), str):
            given[name] = raw[name]
    for name in (*_FLAGS, "explode"):
        if isinstance(raw.get(name), bool):
            given[name] = raw[name]
    headers = read_fields(raw.get("headers"), depth + 1) or ()
    return Field(schema=_field_schema(raw), headers=headers, **given)


def _field_schema(raw: Mapping[str, Any]) -> Any:
    if isinstance(raw.get("schema"), Mapping):
        return read_schema(raw["schema"])
    if isinstance(raw.get("jsonSchema"), Mapping):
        return JSONSchema(raw["jsonSchema"], References(raw["jsonSchema"]))
    return None


_WORDS = {
    "title": "title",
    "description": "description",
    "default": "default",
    "maxProperties": "max_properties",
    "minProperties": "min_properties",
    "maxItems": "max_items",
    "minItems": "min_items",
    "uniqueItems": "unique_items",
    "minimum": "minimum",
    "maximum": "maximum",
    "multipleOf": "multiple_of",
    "maxLength": "max_length",
    "minLength": "min_length",
    "pattern": "pattern",
    "format": "format",
    "required": "required",
    "enum": "enum",
}
_EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def read_schema(raw: Mapping[str, Any]) -> Any:
    """Return the value schema of a JSON Schema: a JSONSchema for what the plain ones cannot say."""
    whole = JSONSchema(raw, References(raw))
    plain = _plain(raw, 0)
    return plain if plain is not None and json_schema(plain) == raw else whole


def _plain(raw: Mapping[str, Any], depth: int) -> schemas.Schema | None:
    name = "enum" if "enum" in raw else raw.get("type", "anything")
    kind = schemas.BY_TYPE_NAME.get(name) if isinstance(name, str) else None
    if kind is None or depth > _MAX_DEPTH:
        return None
    try:
        return kind(**_arguments(raw, depth))
    except TypeError:
        # A keyword that is not for this type.
        return None


def _arguments(raw: Mapping[str, Any], depth: int) -> dict[str, Any]:
    given = {_WORDS[word]: value for word, value in raw.items() if word in _WORDS}
    for word, limit in _EXCLUSIVE.items():
        if word in raw:
            given |= {limit: raw[word], f"exclusive_{limit}": True}
    for word, name in (("properties", "properties"), ("patternProperties", "pattern_properties")):
        if isinstance(raw.get(word), Mapping):
            given[name] = {key: _inner(inner, depth) for key, inner in raw[word].items()}
    if "items" in raw:
        given["items"] = _inner(raw["items"], depth)
    if isinstance(raw.get("prefixItems"), list):
        given["items"] = [_inner(inner, depth) for inner in raw["prefixItems"]]
    if "additionalProperties" in raw:
        given["additional_properties"] = _inner(raw["additionalProperties"], depth)
    return given


def _inner(raw: Any, depth: int) -> Any:
    return _plain(raw, depth + 1) if isinstance(raw, Mapping) else raw
