"""Read OpenAPI 2.0, where parameters contain bodies and types, in the form of later versions."""

from __future__ import annotations

from typing import Any

from lintel_contract.messages import Body, Content, Parameter, Response, media_type
from lintel_contract.places import Document, Place

#: Members of a parameter that are not part of its schema.
_NOT_SCHEMA = {"name", "in", "required", "collectionFormat", "allowEmptyValue", "description"}

_STYLES = {
    "csv": "in one",
    "multi": "exploded",
    "ssv": "separated by spaces",
    "tsv": "separated by tabs",
    "pipes": "separated by pipes",
}

_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")


def _schema(place: Place) -> Place:
    members = place.value if isinstance(place.value, dict) else {}
    value = {name: member for name, member in members.items() if name not in _NOT_SCHEMA}
    if value.get("type") == "file":
        value.update(type="string", format="binary")
    return Place(place.pointer, value)


def _media_types(document: Document, operation: Place, keyword: str) -> list[str]:
    place = operation if operation.has(keyword) else document.root
    names = [name for name in place.get(keyword, list, []) if isinstance(name, str)]
    return list(map(media_type, names))


def _style(place: Place, location: str) -> str:
    style = "form" if location in ("query", "cookie", "formData") else "simple"
    if place.get("type") != "array":
        return style
    return f"{style}, {_STYLES.get(place.get('collectionFormat', str, 'csv'), 'in one')}"


def _parameter(place: Place, name: str = "", location: str = "") -> Parameter:
    location = location or place.get("in", str, "")
    return Parameter(
        name=name or place.get("name", str, ""),
        location=location,
        place=place,
        schema=_schema(place),
        is_required=place.get("required") is True,
        style=_style(place, location),
        allows_empty=place.get("allowEmptyValue") is True,
    )


def read_parameters(
    document: Document, operation: Place, places: list[Place]
) -> tuple[list[Parameter], Body | None]:
    """Return the parameters of an operation, and the body that some of them describe."""
    parameters = [
        _parameter(place) for place in places if place.get("in") not in ("body", "formData")
    ]
    bodies = [place for place in places if place.get("in") == "body"]
    fields = [place for place in places if place.get("in") == "formData"]
    consumes = _media_types(document, operation, "consumes")
    if bodies:
        schema = bodies[-1].at("schema")
        content = {
            name: Content(bodies[-1], (schema,)) for name in consumes or ["application/json"]
        }
        return parameters, Body(bodies[-1], bodies[-1].get("required") is True, content)
    if fields:
        return parameters, _form(operation, fields, consumes)
    return parameters, None


def _form(operation: Place, fields: list[Place], consumes: list[str]) -> Body:
    required = [field.get("name", str, "") for field in fields if field.get("required") is True]
    properties = {field.get("name", str, ""): _schema(field).value for field in fields}
    value: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    schema = Place(f"{operation.pointer}/parameters", value)
    names = [name for name in consumes if name in _FORMS] or [_FORMS[1]]
    content = {name: Content(schema, (schema,)) for name in names}
    return Body(schema, bool(required), content)


def read_responses(document: Document, operation: Place) -> dict[str, Response]:
    produces = _media_types(document, operation, "produces") or ["application/json"]
    responses = {}
    for status, place in operation.members("responses").items():
        place = document.follow(place)
        content = {}
        if place.has("schema"):
            content = {name: Content(place, (place.at("schema"),)) for name in produces}
        headers = {
            name.lower(): _parameter(header, name, "header")
            for name, header in place.members("headers").items()
        }
        responses[status.upper()] = Response(place, content, headers, {})
    return responses


def servers(document: Document) -> list[str]:
    host, base = document.root.get("host", str, ""), document.root.get("basePath", str, "")
    if not host:
        return [base] if base else []
    stated = document.root.get("schemes", list, [])
    schemes = [scheme for scheme in stated if isinstance(scheme, str)]
    return [f"{scheme}://{host}{base}" for scheme in schemes or ["https"]]
