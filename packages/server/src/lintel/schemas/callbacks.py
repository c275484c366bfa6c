"""Requests that the service sends: callbacks of an operation, and webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from django.utils.encoding import force_str

from lintel.schemas.extending import Extension, OpenApiCallback, OpenApiWebhook
from lintel.schemas.mappings import read_operation
from lintel.schemas.tree import Callback, Operation, ResponseDescription, replace

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


#: Returns an operation as an extension describes it.
Extend = Callable[[Operation, Extension, "AutoSchema"], Operation]


def callbacks_of(
    given: Iterable[object], schema: AutoSchema, extend: Extend
) -> tuple[Callback, ...]:
    """Callbacks and webhooks; anything else causes a warning."""
    return tuple([callback for item in given for callback in _sent(item, schema, extend)])


def _sent(given: object, schema: AutoSchema, extend: Extend) -> Iterator[Callback]:
    if not isinstance(given, OpenApiCallback | OpenApiWebhook):
        message = f"@extend_schema: {given!r} is not an OpenApiCallback"
        schema.document_form.inspection.warn(message, schema.view)
        return
    path = given.path if isinstance(given, OpenApiCallback) else ""
    described = given.decorator
    by_method = described if isinstance(described, Mapping) else {"post": described}
    for method, said in by_method.items():
        operation = _operation(path, str(method).upper(), said, schema, extend)
        yield Callback(name=force_str(given.name), operation=operation)


def _operation(
    path: str, method: str, said: object, schema: AutoSchema, extend: Extend
) -> Operation:
    if isinstance(said, Mapping):
        return read_operation(said, path, method)
    answer = ResponseDescription(status="200", description="")
    operation = Operation(path=path, method=method, responses=(answer,))
    if not isinstance(said, Extension):
        message = f"@extend_schema: {said!r} does not describe a request: use extend_schema(...)"
        schema.document_form.inspection.warn(message, schema.view)
        return operation
    return _in_json(extend(operation, said, schema))


def _in_json(operation: Operation) -> Operation:
    """The operation without the other media types, which are those of the API."""
    if operation.body is None:
        return operation
    every = operation.body.content
    content = tuple([part for part in every if part.media_type == "application/json"]) or every
    return replace(operation, body=replace(operation.body, content=content))
