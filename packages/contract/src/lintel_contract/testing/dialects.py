"""A description with schemas in JSON Schema 2020-12, for one direction of messages."""

from __future__ import annotations

from typing import Any

#: Keywords that hold schemas by name.
_MAPS = {"properties", "patternProperties", "schemas", "definitions", "$defs", "dependentSchemas"}

#: Keywords that hold values, not schemas.
_VALUES = {"default", "enum", "const", "example", "examples"}

#: What never occurs in a request, and in a response.
READ_ONLY, WRITE_ONLY = "readOnly", "writeOnly"


def as_json_schema(description: Any, absent: str) -> Any:
    """Return a copy in which properties marked ``absent`` (readOnly, writeOnly) are not required.

    OpenAPI 3.0 writes null and exclusive bounds differently; they are rewritten.
    """
    old = str(description.get("openapi", "")).startswith("3.0")
    return _copied(description, absent, old)


def _copied(value: Any, absent: str, old: bool, *, by_name: bool = False) -> Any:
    if isinstance(value, list):
        return [_copied(member, absent, old) for member in value]
    if not isinstance(value, dict):
        return value
    copy = {
        key: member
        if key in _VALUES and not by_name
        else _copied(member, absent, old, by_name=key in _MAPS and not by_name)
        for key, member in value.items()
    }
    return copy if by_name else _schema(copy, absent, old)


def _schema(schema: dict[str, Any], absent: str, old: bool) -> dict[str, Any]:
    required, properties = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and isinstance(properties, dict):
        schema["required"] = [name for name in required if not _is(properties.get(name), absent)]
    return _rewritten(schema) if old else schema


def _is(schema: Any, mark: str) -> bool:
    return isinstance(schema, dict) and schema.get(mark) is True


def _rewritten(schema: dict[str, Any]) -> dict[str, Any]:
    if isinstance(schema.get("$ref"), str):
        return {"$ref": schema["$ref"]}
    for bound in ("Minimum", "Maximum"):
        limit = schema.get(bound.lower())
        if schema.get(f"exclusive{bound}") is True and limit is not None:
            schema[f"exclusive{bound}"] = schema.pop(bound.lower())
        elif isinstance(schema.get(f"exclusive{bound}"), bool):
            del schema[f"exclusive{bound}"]
    if schema.pop("nullable", None) is True:
        return {"anyOf": [schema, {"type": "null"}]}
    return schema
