"""Converts version 2.0 to the terms of 3.x, so that both are read in one way."""

from collections.abc import Iterable, Mapping
from typing import Any

from lintel_codecs.openapi.description import Description, Part, as_list, as_mapping, as_text

__all__ = ["TAB_DELIMITED", "new_body", "new_parameter", "new_responses"]

TAB_DELIMITED = "tabDelimited"
"""The style of ``tsv``, which 3.x has no name for."""

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

# Members of the parameter itself; all others describe its value.
_OF_PARAMETER = frozenset(
    {"name", "in", "required", "description", "collectionFormat", "allowEmptyValue", "x-example"}
)
_DELIMITED = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": TAB_DELIMITED}


def new_parameter(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a parameter outside of body and form as 3.x writes it."""
    kept = {key: raw[key] for key in ("name", "in", "required", "description") if key in raw}
    schema = _value_schema(raw)
    if raw.get("type") == "array":
        kept |= _style(raw)
    return {**kept, "schema": schema}


def new_body(
    description: Description, operation: Mapping[str, Any], parts: Iterable[Part]
) -> Mapping[str, Any] | None:
    """Return the request body that parameters in "body" and "formData" make together."""
    bodies: list[Part] = []
    forms: list[Part] = []
    for part in parts:
        (bodies if part.inner("in") == "body" else forms).append(part)
    consumes = _types(description, operation, "consumes")
    if forms:
        return _form(forms, consumes)
    if not bodies:
        return None
    first = bodies[0].node
    content = {
        kind: {"schema": first.get("schema", {})} for kind in consumes or ["application/json"]
    }
    kept = {"required": first.get("required") is True, "content": content}
    return {**kept, "description": first.get("description")}


def new_responses(
    description: Description, operation: Mapping[str, Any], response: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a response with its schema under each media type that the operation produces."""
    produces = _types(description, operation, "produces") or ["application/json"]
    if "schema" not in response:
        return response
    content = {kind: {"schema": response["schema"]} for kind in produces}
    return {**response, "content": content}


def _types(description: Description, operation: Mapping[str, Any], key: str) -> list[str]:
    found = operation.get(key, description.root.get(key))
    return [kind for kind in as_list(found) if isinstance(kind, str)]


def _value_schema(raw: Mapping[str, Any]) -> dict[str, Any]:
    schema = {key: value for key, value in raw.items() if key not in _OF_PARAMETER}
    if schema.get("type") == "file":
        return {**schema, "type": "string", "format": "binary"}
    return schema


def _style(raw: Mapping[str, Any]) -> dict[str, Any]:
    kind = as_text(raw.get("collectionFormat"))
    if kind in _DELIMITED:
        return {"style": _DELIMITED[kind], "explode": False}
    if kind == "multi":
        return {"style": "form", "explode": True}
    in_query = raw.get("in") in ("query", "formData")
    return {"style": "form" if in_query else "simple", "explode": False}


def _form(forms: list[Part], consumes: list[str]) -> Mapping[str, Any]:
    named = [part.node for part in forms if isinstance(part.inner("name"), str)]
    types = [kind for kind in consumes if kind in (FORM, MULTIPART)]
    if any(raw.get("type") == "file" for raw in named):
        types = [MULTIPART]
    schema = {
        "type": "object",
        "properties": {
            raw["name"]: {**_value_schema(raw), "description": raw.get("description")}
            for raw in named
        },
        "required": [raw["name"] for raw in named if raw.get("required") is True],
    }
    encoding = {raw["name"]: _style(raw) for raw in named if raw.get("type") == "array"}
    media = {"schema": schema, "encoding": encoding}
    required = bool(as_list(schema["required"]))
    content = dict.fromkeys(types or [FORM], as_mapping(media))
    return {"required": required, "content": content}
