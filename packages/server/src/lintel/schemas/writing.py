"""From the tree to an OpenAPI document of one version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from lintel.schemas import dialects
from lintel.schemas.components import Names, name_of_reference, reference_to, used_from
from lintel.schemas.inspection import CONTRACT_VERSION, number_of
from lintel.schemas.mappings import Translate, write_callbacks, write_operation, write_response
from lintel.schemas.tree import PATCH, REQUEST, RESPONSE, Operation, Schema, Service

Document = dict[str, Any]

SINCE_3_0 = (3, 0)
SINCE_3_1 = (3, 1)
SINCE_3_2 = (3, 2)

#: The methods that path items have keys for; others are supported since version 3.2.
METHODS = frozenset(["get", "put", "post", "delete", "options", "head", "patch", "trace"])


def write_contract(service: Service) -> Document:
    paths: Document = {}
    for operation in service.operations:
        written = write_operation(operation, _unchanged, _unchanged)
        item = paths.setdefault(operation.path, {})
        place_operation(item, operation.method.lower(), written, SINCE_3_0)
    document = {"openapi": CONTRACT_VERSION, "info": dict(service.info), "paths": paths}
    if service.components:
        schemas = {component.name: component.schema for component in service.components}
        document["components"] = {"schemas": schemas}
    return document


def _unchanged(schema: object) -> object:
    return schema


def direction_sent(operation: Operation) -> str:
    """The direction of an operation's body: PATCH if nothing in it is required."""
    is_partial = operation.body is not None and operation.body.is_partial
    return PATCH if is_partial or operation.method == "PATCH" else REQUEST


def write_full(service: Service, version: str) -> Document:
    number = number_of(version)
    writer = Writer(service.schemas, number)
    given = {direction: writer.towards(direction) for direction in (PATCH, REQUEST)}
    received = writer.towards(RESPONSE)
    paths: Document = {}
    for operation in service.operations:
        written = write_operation(operation, given[direction_sent(operation)], received)
        if number >= SINCE_3_2:
            written = with_items(written)
        if number < SINCE_3_1 and "security" in written:
            written["security"] = [_without_roles(need, service) for need in written["security"]]
        item = paths.setdefault(operation.path, {})
        place_operation(item, operation.method.lower(), written, number)
    document: Document = {"openapi": version, "info": _info(service.info, number), "paths": paths}
    if service.webhooks and number >= SINCE_3_1:
        written = write_callbacks(service.webhooks, given[REQUEST], received)
        document["webhooks"] = {name: item[""] for name, item in written.items()}
    if service.tags:
        document["tags"] = [{"name": name, "description": said} for name, said in service.tags]
    components = write_components(service, writer)
    if components:
        document["components"] = components
    return document


def _info(given: Mapping[str, Any], number: tuple[int, ...]) -> Document:
    """Return the info section; a licence has one of URL and, since 3.1, identifier."""
    said = given.get("license")
    if not isinstance(said, Mapping) or (number >= SINCE_3_1 and "url" not in said):
        return dict(given)
    return {**given, "license": {name: said[name] for name in said if name != "identifier"}}


def _without_roles(way: Mapping[str, list[str]], service: Service) -> Document:
    """Return a security requirement; before 3.1 only scopes of OAuth 2 are named in it."""
    types = {scheme.name: scheme.value.get("type") for scheme in service.security_schemes}
    named = {name: types.get(name, "oauth2") in ("oauth2", "openIdConnect") for name in way}
    return {name: list(scopes) if named[name] else [] for name, scopes in way.items()}


#: Media types of value sequences, which OpenAPI 3.2 describes by their items.
SEQUENTIAL = frozenset(
    ["application/jsonl", "application/x-ndjson", "application/json-seq", "text/event-stream"]
)


def with_items(operation: Document) -> Document:
    """Return the operation with streamed bodies described item by item (OpenAPI 3.2 on)."""
    bodies = [operation.get("requestBody"), *operation.get("responses", {}).values()]
    for body in bodies:
        content = body.get("content", {}) if isinstance(body, dict) else {}
        for media_type, value in content.items():
            if media_type.partition(";")[0] in SEQUENTIAL and "schema" in value:
                schema = value["schema"]
                is_list = isinstance(schema, dict) and schema.get("type") == "array"
                rest = {key: said for key, said in value.items() if key != "schema"}
                item = schema.get("items", {}) if is_list else schema
                content[media_type] = {"itemSchema": item, **rest}
    return operation


def place_operation(
    item: Document, method: str, written: Document, version: tuple[int, ...]
) -> None:
    """Put an operation in its place: since 3.2 there is ``query``, and one for other methods.

    In earlier versions an extension contains them, which clients may not know.
    """
    if method in METHODS or (method == "query" and version >= SINCE_3_2):
        item[method] = written
    else:
        key = "additionalOperations" if version >= SINCE_3_2 else "x-additionalOperations"
        item.setdefault(key, {})[method.upper()] = written


def write_components(service: Service, writer: Writer) -> Document:
    received = writer.towards(RESPONSE)
    written: Document = {}
    if service.responses:
        written["responses"] = {
            name: write_response(response, received)
            for name, response in sorted(service.responses.items())
        }
    schemas = writer.components()
    if schemas:
        written["schemas"] = dict(sorted(schemas.items(), key=_place))
    if service.security_schemes:
        written["securitySchemes"] = {
            scheme.name: dict(scheme.value) for scheme in service.security_schemes
        }
    return written


def _place(component: tuple[str, Schema]) -> tuple[bool, str]:
    """Choices come first: generated code may refer only to those that it has declared before."""
    name, schema = component
    return "enum" not in schema, name


class Writer:
    """Writes schemas in the form of a version, and records the components they refer to."""

    def __init__(
        self, schemas: Mapping[str, Mapping[str | None, Schema]], number: tuple[int, ...]
    ) -> None:
        self.names = Names(schemas)
        self.translate = dialects.to_3_0 if number < (3, 1) else dialects.to_3_1
        self.used: set[tuple[str, str]] = set()

    def towards(self, direction: str) -> Translate:
        translate, refer = self.translate, partial(self.refer, direction)
        return lambda schema: translate(schema, refer)

    def refer(self, direction: str, reference: str) -> str:
        name = name_of_reference(reference)
        if name is None:
            return reference
        self.used.add((name, direction))
        address: str = reference_to(self.names.name(name, direction))["$ref"]
        return address

    def components(self) -> Document:
        writers = {direction: self.towards(direction) for direction in (RESPONSE, REQUEST, PATCH)}
        return {
            self.names.name(name, direction): writers[direction](self.names.schema(name, direction))
            for name, direction in list(used_from(self.names, sorted(self.used)))
        }
