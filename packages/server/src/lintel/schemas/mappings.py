"""Converts the mappings that a view's schema object returns to the tree, and back.

The keys are those of OpenAPI. Anything else is kept unchanged.
"""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any

from lintel.schemas.tree import (
    Body,
    Callback,
    Header,
    MediaContent,
    Operation,
    Parameter,
    ResponseDescription,
    Schema,
)

Parts = dict[str, Any]

Translate = Callable[[Any], Any]

#: Attributes of an operation by key, in the order of the output.
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

#: The extra members of most objects: one mapping shared by all.
NOTHING: Schema = MappingProxyType({})


def _rest(mapping: Schema, names: AbstractSet[str]) -> Schema:
    if mapping.keys() <= names:
        return NOTHING
    return {key: value for key, value in mapping.items() if key not in names}


def read_operation(mapping: Schema, path: str, method: str, view: str = "") -> Operation:
    return Operation(path=path, method=method, view=view, **read_parts(mapping))


def read_parts(mapping: Schema) -> Parts:
    parts: Parts = {}
    extra: Parts = {}
    for key, value in mapping.items():
        attribute = KEYS.get(key)
        if attribute is None:
            extra[key] = value
        elif attribute not in READERS:
            parts[attribute] = value
        else:
            try:
                parts[attribute] = READERS[attribute](value)
            except (TypeError, AttributeError, ValueError, KeyError):
                extra[key] = value
    parts["extra"] = extra or NOTHING
    return parts


def read_parameter(mapping: Schema) -> Parameter:
    name, location = mapping.get("name", mapping.get("$ref", "")), mapping.get("in", "")
    return Parameter(name=name, location=location, value=mapping)


def read_body(mapping: Schema) -> Body:
    return Body(content=read_content(mapping["content"]), extra=_rest(mapping, {"content"}))


def read_content(mapping: Schema) -> tuple[MediaContent, ...]:
    contents = [
        MediaContent(media_type=name, schema=value.get("schema"), extra=_rest(value, {"schema"}))
        for name, value in mapping.items()
    ]
    return tuple(contents)


def read_response(status: object, mapping: Schema) -> ResponseDescription:
    if "$ref" in mapping:
        return ResponseDescription(status=str(status), reference=mapping["$ref"])
    content = read_content(mapping["content"]) if "content" in mapping else None
    headers = mapping.get("headers", {})
    return ResponseDescription(
        status=str(status),
        description=mapping.get("description"),
        headers=tuple(Header(name=name, value=value) for name, value in headers.items()),
        content=content,
        extra=_rest(mapping, {"description", "headers", "content"}),
    )


READERS: dict[str, Callable[[Any], object]] = {
    "parameters": lambda value: tuple(map(read_parameter, value)),
    "body": read_body,
    "responses": lambda value: tuple([read_response(*item) for item in value.items()]),
    "tags": tuple,
    "security": tuple,
}


def write_operation(operation: Operation, given: Translate, received: Translate) -> Parts:
    """Return a mapping; ``given`` translates what clients send, ``received`` the rest."""
    texts = {
        "operationId": operation.identifier,
        "summary": operation.summary,
        "description": operation.description,
    }
    written: Parts = {key: text for key, text in texts.items() if text is not None}
    if operation.parameters is not None:
        written["parameters"] = [_translated(item.value, given) for item in operation.parameters]
    if operation.body is not None:
        content = write_content(operation.body.content, given)
        written["requestBody"] = {"content": content, **operation.body.extra}
    if operation.responses is not None:
        responses = {item.status: write_response(item, received) for item in operation.responses}
        written["responses"] = responses
    if operation.tags is not None:
        written["tags"] = list(operation.tags)
    if operation.deprecated:
        written["deprecated"] = operation.deprecated
    if operation.security is not None:
        written["security"] = [dict(requirement) for requirement in operation.security]
    if operation.callbacks:
        written["callbacks"] = write_callbacks(operation.callbacks, given, received)
    written.update(operation.extra)
    return written


def write_callbacks(
    callbacks: Iterable[Callback], given: Translate, received: Translate
) -> dict[str, dict[str, Parts]]:
    """Return path items by name and path: the service sends what it writes elsewhere."""
    written: dict[str, dict[str, Parts]] = {}
    for call in callbacks:
        item = written.setdefault(call.name, {}).setdefault(call.operation.path, {})
        item[call.operation.method.lower()] = write_operation(call.operation, received, given)
    return written


def _translated(mapping: Schema, translate: Translate) -> Parts:
    written = dict(mapping)
    if "schema" in written:
        written["schema"] = translate(written["schema"])
    return written


def write_content(content: Iterable[MediaContent], translate: Translate) -> Parts:
    written: Parts = {}
    for part in content:
        schema = {} if part.schema is None else {"schema": translate(part.schema)}
        written[part.media_type] = {**schema, **part.extra}
    return written


def write_response(response: ResponseDescription, translate: Translate) -> Parts:
    if response.reference is not None:
        return {"$ref": response.reference}
    written: Parts = {}
    if response.headers:
        headers = {header.name: _translated(header.value, translate) for header in response.headers}
        written["headers"] = headers
    if response.content is not None:
        written["content"] = write_content(response.content, translate)
    if response.description is not None:
        written["description"] = response.description
    written.update(response.extra)
    return written
