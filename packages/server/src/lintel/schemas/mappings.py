"""From the mappings that a schema object of a view makes, to the tree, and back.

The words are those of OpenAPI. What is not understood is kept as it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from lintel.schemas.tree import (
    Body,
    Header,
    MediaContent,
    Operation,
    Parameter,
    ResponseDescription,
)

#: Turns a schema of values into the words of a version.
Translate = Callable[[Any], Any]

#: Attributes of an operation by their keys, in the order in which they are written.
KEYS = {
    "operationId": "identifier",
    "summary": "summary",
    "description": "description",
    "parameters": "parameters",
    "requestBody": "body",
    "responses": "responses",
    "tags": "tags",
    "deprecated": "deprecated",
    "security": "security",
}


#: What is said beyond the attributes, as a rule: one mapping for all.
NOTHING: Mapping[str, Any] = MappingProxyType({})


def _rest(mapping: Mapping[str, Any], known: Iterable[str]) -> Mapping[str, Any]:
    rest = {key: value for key, value in mapping.items() if key not in known}
    return rest or NOTHING


def read_operation(mapping: Mapping[str, Any], path: str, method: str, view: str = "") -> Operation:
    """The operation of a path and a method, with all that a mapping says of it."""
    found: dict[str, Any] = {}
    extra = dict(_rest(mapping, KEYS))
    for key, attribute in KEYS.items():
        if key in mapping:
            try:
                found[attribute] = READERS.get(key, _as_is)(mapping[key])
            except (TypeError, AttributeError, ValueError, KeyError):
                extra[key] = mapping[key]
    return Operation(path=path, method=method, view=view, **found, extra=extra)


def _as_is(value: Any) -> Any:
    return value


def read_parameter(mapping: Mapping[str, Any]) -> Parameter:
    """A parameter, or a reference to one."""
    name, location = mapping.get("name", mapping.get("$ref", "")), mapping.get("in", "")
    return Parameter(name=name, location=location, value=mapping)


def read_body(mapping: Mapping[str, Any]) -> Body:
    """The body of a request."""
    return Body(content=read_content(mapping["content"]), extra=_rest(mapping, ["content"]))


def read_content(mapping: Mapping[str, Any]) -> tuple[MediaContent, ...]:
    """The bodies by media type."""
    return tuple(
        MediaContent(media_type=name, schema=value.get("schema"), extra=_rest(value, ["schema"]))
        for name, value in mapping.items()
    )


def read_response(status: Any, mapping: Mapping[str, Any]) -> ResponseDescription:
    """One response, or a reference to a shared one."""
    if "$ref" in mapping:
        return ResponseDescription(status=str(status), reference=mapping["$ref"])
    content = read_content(mapping["content"]) if "content" in mapping else None
    headers = mapping.get("headers", {})
    return ResponseDescription(
        status=str(status),
        description=mapping.get("description"),
        headers=tuple(Header(name=name, value=value) for name, value in headers.items()),
        content=content,
        extra=_rest(mapping, ["description", "headers", "content"]),
    )


READERS: dict[str, Callable[[Any], Any]] = {
    "parameters": lambda value: tuple(read_parameter(each) for each in value),
    "requestBody": read_body,
    "responses": lambda value: tuple(read_response(*each) for each in value.items()),
    "tags": tuple,
    "security": tuple,
}


# ---- back again ----


def write_operation(operation: Operation, given: Translate, received: Translate) -> dict[str, Any]:
    """The mapping of an operation; ``given`` translates what is sent, ``received`` the rest."""
    values: dict[str, Any] = {
        "operationId": operation.identifier,
        "summary": operation.summary,
        "description": operation.description,
        "parameters": _each(operation.parameters, lambda each: write_parameter(each, given)),
        "requestBody": None if operation.body is None else write_body(operation.body, given),
        "responses": None
        if operation.responses is None
        else {each.status: write_response(each, received) for each in operation.responses},
        "tags": _each(operation.tags, _as_is),
        "deprecated": operation.deprecated or None,
        "security": _each(operation.security, dict),
    }
    written = {key: value for key, value in values.items() if value is not None}
    return written | dict(operation.extra)


def _each(values: Iterable[Any] | None, write: Callable[[Any], Any]) -> list[Any] | None:
    return None if values is None else [write(value) for value in values]


def write_parameter(parameter: Parameter, translate: Translate) -> dict[str, Any]:
    """The mapping of a parameter."""
    return _translated(parameter.value, translate)


def _translated(mapping: Mapping[str, Any], translate: Translate) -> dict[str, Any]:
    written = dict(mapping)
    if "schema" in written:
        written["schema"] = translate(written["schema"])
    return written


def write_body(body: Body, translate: Translate) -> dict[str, Any]:
    """The mapping of the body of a request."""
    return {"content": write_content(body.content, translate), **body.extra}


def write_content(content: Iterable[MediaContent], translate: Translate) -> dict[str, Any]:
    """The mapping of bodies by media type."""
    written: dict[str, Any] = {}
    before: MediaContent | None = None
    for each in content:
        # One schema stands for all types as a rule, and is written once.
        if before is None or before.schema is not each.schema:
            schema = {} if each.schema is None else {"schema": translate(each.schema)}
        written[each.media_type] = {**schema, **each.extra}
        before = each
    return written


def write_response(response: ResponseDescription, translate: Translate) -> dict[str, Any]:
    """The mapping of a response."""
    if response.reference is not None:
        return {"$ref": response.reference}
    written: dict[str, Any] = {}
    if response.headers:
        headers = {each.name: _translated(each.value, translate) for each in response.headers}
        written["headers"] = headers
    if response.content is not None:
        written["content"] = write_content(response.content, translate)
    if response.description is not None:
        written["description"] = response.description
    return written | dict(response.extra)
