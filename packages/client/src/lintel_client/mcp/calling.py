"""Calls one operation for an agent, with rules in place of human checks."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from lintel_client.client import Client
from lintel_client.errors import NetworkError, ParameterError
from lintel_client.mcp.inputs import Inputs
from lintel_client.mcp.operations import Operation
from lintel_client.messages import Request, Response
from lintel_client.origins import origin_of, same_home
from lintel_document.document import Document
from lintel_document.uritemplates import variables
from lintel_document.urls import resolve

__all__ = ["WatchedTransport", "call"]

# Locations whose values become part of the path.
_PATH_OPERATORS = frozenset({"", "+", "/", ".", ";"})
_MAX_ENCODINGS = 5


class WatchedTransport:
    """A transport that passes each request, as it is sent, to a function."""

    def __init__(self, inner: Any, watch: Callable[[Request], None]) -> None:
        self.schemes: tuple[str, ...] = inner.schemes
        self._inner = inner
        self._watch = watch

    def send(self, request: Request) -> Response:
        self._watch(self._inner.prepared(request))
        response: Response = self._inner.send(request)
        return response

    def close(self) -> None:
        self._inner.close()


def call(
    client: Client,
    document: Document,
    operation: Operation,
    inputs: Inputs,
    arguments: Mapping[str, Any],
) -> Any:
    """Call an operation and return its result.

    Writes have an Idempotency-Key. Raises ParameterError for arguments that do not fit or that
    would leave their place in the path, NetworkError for a URL that an argument would direct to
    another host, and what Client.action raises.
    """
    params = inputs.parameters(arguments)
    _check_path(operation, inputs, params)
    # The result is used alone, even if the link belongs to an embedded document.
    overrides = {"fields": inputs.fields, "transform": "new"}
    request = client.request(document, operation.keys, params, overrides=overrides)
    _check_origin(document, operation, request)
    key = None if operation.is_safe else str(uuid.uuid4())
    return client.action(document, operation.keys, params, overrides=overrides, idempotency_key=key)


def _check_path(operation: Operation, inputs: Inputs, params: Mapping[str, Any]) -> None:
    """Reject dot segments in path values, however they are encoded.

    Percent-encoded slashes keep values in place, but some servers decode those first.
    """
    names = {
        variable.name
        for variable in variables(operation.link.url)
        if variable.operator in _PATH_OPERATORS
    }
    wrong = {
        name: "This argument must not contain dot segments."
        for name, value in params.items()
        if _wire_name(name, inputs) in names and any(map(_leaves, _texts(value)))
    }
    if wrong:
        raise ParameterError(wrong)


def _wire_name(parameter: str, inputs: Inputs) -> str:
    for field in inputs.fields:
        if field.location == "path" and parameter in (field.name, f"path.{field.name}"):
            return field.sent_name
    return parameter


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [str(part) for pair in value.items() for part in pair]
    return [str(part) for part in value] if isinstance(value, list) else [str(value)]


def _leaves(text: str) -> bool:
    for _ in range(_MAX_ENCODINGS):
        if {".", ".."} & set(text.replace("\\", "/").split("/")):
            return True
        decoded = unquote(text)
        if decoded == text:
            return False
        text = decoded
    # Legitimate values are not encoded this often.
    return True


def _check_origin(document: Document, operation: Operation, request: Request) -> None:
    """Reject a URL whose host comes from an argument."""
    target = origin_of(request.url)
    template = resolve(document.url, operation.link.url)
    start, separator, rest = template.partition("://")
    authority = rest.partition("/")[0].partition("?")[0]
    if separator and "{" not in start + authority:
        expected = origin_of(f"{start}://{authority}/")
    else:
        expected = origin_of(document.url)
    if not same_home(target, expected):
        raise NetworkError("The arguments lead to another host, so nothing was sent")
