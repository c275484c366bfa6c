"""The operations of a description, in one form for all versions of OpenAPI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lintel_contract import swagger
from lintel_contract.messages import (
    Body,
    Parameter,
    Response,
    read_body,
    read_parameter,
    read_response,
)
from lintel_contract.places import Document, DocumentError, Place

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

#: Maximum operations of one description, callbacks and webhooks included.
MOST_OPERATIONS = 50_000

_TEMPLATE = re.compile(r"\{([^{}]*)\}")

#: Parameters of these names are described elsewhere (OpenAPI 3.1, section 4.8.12).
_IGNORED_HEADERS = {"accept", "content-type", "authorization"}


@dataclass(slots=True)
class Operation:
    """One method of one path.

    ``label`` names it in reports. ``inverted`` is true if the service calls the client.
    ``names`` are those of the path parameters, in order.
    """

    label: str
    place: Place
    inverted: bool
    names: list[str]
    parameters: dict[tuple[str, str], Parameter] = field(default_factory=dict)
    body: Body | None = None
    responses: dict[str, Response] = field(default_factory=dict)

    @property
    def tags(self) -> list[str]:
        return [tag for tag in self.place.get("tags", list, []) if isinstance(tag, str)]

    @property
    def identifier(self) -> str | None:
        identifier: str | None = self.place.get("operationId", str)
        return identifier

    @property
    def is_deprecated(self) -> bool:
        return self.place.get("deprecated") is True

    @property
    def sunset(self) -> str | None:
        """Return the date of its end, from the extension ``x-sunset``."""
        date = self.place.get("x-sunset", str)
        return None if date is None else date[:10]


Key = tuple[str, str]


def operations(document: Document) -> dict[Key, Operation]:
    """Return the operations by their path, without names of parameters, and method.

    Raises DocumentError for more than 50,000 of them.
    """
    result: dict[Key, Operation] = {}
    for prefix, path, item, inverted in _path_items(document):
        for method, place in _methods(item):
            key = (prefix + _TEMPLATE.sub("{}", path), method)
            label = f"{prefix}{method.upper()} {path}"
            names = _TEMPLATE.findall(path)
            result.setdefault(key, Operation(label, place, inverted, names))
            if result[key].place is place:
                _fill(document, result[key], item)
        if len(result) > MOST_OPERATIONS:
            raise DocumentError(f"{document.name} has more than {MOST_OPERATIONS} operations.")
    return result


def _path_items(document: Document) -> Iterator[tuple[str, str, Place, bool]]:
    for path, item in document.root.members("paths").items():
        item = document.follow(item)
        if path.startswith("x-"):
            continue
        yield "", path, item, False
        yield from _callbacks(document, path, item)
    for name, item in document.root.members("webhooks").items():
        yield "webhook ", name, document.follow(item), True


def _callbacks(
    document: Document, path: str, item: Place
) -> Iterator[tuple[str, str, Place, bool]]:
    for method, operation in _methods(item):
        for name, callback in operation.members("callbacks").items():
            for address, inner in document.follow(callback).members().items():
                prefix = f"callback {name} of {method.upper()} {path} "
                yield prefix, address, document.follow(inner), True


def _methods(item: Place) -> Iterator[tuple[str, Place]]:
    for method in METHODS:
        if isinstance(item.get(method), dict):
            yield method, item.at(method)
    further = item.members("additionalOperations"), item.members("x-additionalOperations")
    for method, place in [pair for each in further for pair in each.items()]:
        if isinstance(place.value, dict):
            yield method.lower(), place


def _fill(document: Document, operation: Operation, item: Place) -> None:
    places = [*item.elements("parameters"), *operation.place.elements("parameters")]
    resolved = [document.follow(place) for place in places]
    if document.is_swagger:
        parameters, operation.body = swagger.read_parameters(document, operation.place, resolved)
        operation.responses = swagger.read_responses(document, operation.place)
    else:
        parameters = list(map(read_parameter, resolved))
        operation.body = read_body(document, operation.place)
        operation.responses = {
            status.upper(): read_response(document, place)
            for status, place in operation.place.members("responses").items()
        }
    operation.parameters = {
        (parameter.location, _parameter_key(parameter, operation.names)): parameter
        for parameter in parameters
        if parameter.name and not _is_described_elsewhere(parameter)
    }


def _is_described_elsewhere(parameter: Parameter) -> bool:
    return parameter.location == "header" and parameter.name.lower() in _IGNORED_HEADERS


def _parameter_key(parameter: Parameter, names: list[str]) -> str:
    """Return the key of a parameter: path parameters by position, headers in lower case."""
    if parameter.location == "path" and parameter.name in names:
        return str(names.index(parameter.name))
    return parameter.name.lower() if parameter.location == "header" else parameter.name


def servers(document: Document, operation: Operation | None = None) -> list[str]:
    """Return the URLs of the servers, of one operation or of the whole description."""
    if document.is_swagger:
        return [] if operation is not None else swagger.servers(document)
    place = document.root if operation is None else operation.place
    return [url for server in place.elements("servers") if (url := server.get("url", str))]


def security(document: Document, operation: Operation) -> list[dict[str, frozenset[str]]]:
    """Return the alternatives of authentication, each with its schemes and their scopes.

    An empty list and ``[{}]`` both mean that none is needed.
    """
    place = operation.place if operation.place.has("security") else document.root
    alternatives: list[dict[str, frozenset[str]]] = []
    for alternative in place.elements("security"):
        schemes: dict[str, Any] = alternative.value if isinstance(alternative.value, dict) else {}
        alternatives.append({name: _scopes(scopes) for name, scopes in schemes.items()})
    return alternatives


def _scopes(scopes: Any) -> frozenset[str]:
    return frozenset(map(str, scopes)) if isinstance(scopes, list) else frozenset()
