"""What view mixins add to operations: conditional headers, ETags, idempotency keys, patches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from lintel.conditional import ConditionalMixin, knows_moments, reads, writes
from lintel.idempotency import REPLAYED, IdempotentMixin, counts_keys
from lintel.negotiation import parser_classes_of, takes_patches, writes_many
from lintel.patching import PatchMixin
from lintel.schemas.errors import TEXT, error_media_types, header, shared_response
from lintel.schemas.inspection import Endpoint
from lintel.schemas.mappings import read_parameter
from lintel.schemas.tree import Operation, Parameter, ResponseDescription, replace

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

#: Keys without quotes, which are accepted too.
_KEY = {"type": "string", "pattern": "^[!#-~](?:[ -~]{0,253}[!-~])?$"}

_ETAG = header("ETag", "Identifies the state of the response.")
_MODIFIED = header("Last-Modified", "When it was last changed.")
_REPLAYED = header(REPLAYED, "`true` if the response repeats that to an earlier request.")

Shared = Callable[[int], ResponseDescription]


def with_preconditions(endpoint: Endpoint, schema: AutoSchema, operation: Operation) -> Operation:
    view, method = endpoint.view, operation.method
    if not isinstance(view, ConditionalMixin | IdempotentMixin | PatchMixin):
        return operation
    shared = partial(shared_response, endpoint, error_media_types(schema, endpoint))
    if isinstance(view, ConditionalMixin):
        if method in ("GET", "QUERY") and reads(view, "GET"):
            operation = _conditional_read(view, operation, shared)
        elif writes(view, method):
            operation = _conditional_write(view, operation, shared)
        elif writes_many(view, method):
            refused = [412, *([428] if view.require_preconditions else [])]
            said = list(operation.responses or ())
            operation = replace(operation, responses=(*said, *_missing(said, refused, shared)))
    if isinstance(view, IdempotentMixin) and counts_keys(view, method):
        operation = _with_key(view, operation, shared)
    if isinstance(view, PatchMixin) and takes_patches(view, method):
        operation = _patch(operation, partial(shared, validates=True))
    return operation


def _patch(operation: Operation, shared: Shared) -> Operation:
    refusals = {"409": shared(409), "422": shared(422)}
    said = [response for response in operation.responses or () if response.status not in refusals]
    return replace(operation, responses=(*said, *refusals.values()))


def with_patches(endpoint: Endpoint, schema: AutoSchema, operation: Operation) -> Operation:
    """Describe bodies that say themselves what they are, whatever the serializer takes."""
    if operation.body is None or not takes_patches(endpoint.view, operation.method):
        return operation
    add, described = schema.document_form.add_shared, {}
    for parser in parser_classes_of(endpoint.view, "PATCH"):
        if hasattr(parser, "body_schema"):
            described[parser.media_type] = add(parser.body_name, parser.body_schema)
    content = [
        replace(item, schema=described.get(item.media_type, item.schema))
        for item in operation.body.content
    ]
    return replace(operation, body=replace(operation.body, content=tuple(content)))


def _with_key(view: IdempotentMixin, operation: Operation, shared: Shared) -> Operation:
    responses = [
        replace(item, headers=(*item.headers, _REPLAYED)) if item.status[0] == "2" else item
        for item in operation.responses or ()
    ]
    responses += _missing(responses, (400, 409, 422), shared)
    required = view.idempotency_key_required
    return _with(operation, responses, ["Idempotency-Key"], required=required)


def _conditional_read(view: ConditionalMixin, operation: Operation, shared: Shared) -> Operation:
    headers = (_ETAG, _MODIFIED) if knows_moments(view) else (_ETAG,)
    names = ["If-None-Match", *(["If-Modified-Since"] if knows_moments(view) else [])]
    responses = [
        replace(item, headers=(*item.headers, *headers)) if item.status == "200" else item
        for item in operation.responses or ()
    ]
    unchanged = ResponseDescription(status="304", description="Not Modified", headers=headers)
    return _with(operation, [*responses, unchanged, shared(412)], names)


def _conditional_write(view: ConditionalMixin, operation: Operation, shared: Shared) -> Operation:
    names = ["If-Match", *(["If-Unmodified-Since"] if knows_moments(view) else [])]
    statuses = [412, *([428] if view.require_preconditions else [])]
    headers = (_ETAG, _MODIFIED) if knows_moments(view) else (_ETAG,)
    responses = [
        replace(item, headers=(*item.headers, *headers)) if item.status == "200" else item
        for item in operation.responses or ()
    ]
    # If-Match is, unless a time does as well.
    required = view.require_preconditions and not knows_moments(view)
    return _with(operation, [*responses, *_missing(responses, statuses, shared)], names, required)


def _missing(
    responses: list[ResponseDescription], statuses: Iterable[int], shared: Shared
) -> list[ResponseDescription]:
    given = {response.status for response in responses}
    return [shared(status) for status in statuses if str(status) not in given]


def _with(
    operation: Operation,
    responses: list[ResponseDescription],
    names: list[str],
    required: bool = False,
) -> Operation:
    parameters = (*(operation.parameters or ()), *_parameters(operation, names, required))
    return replace(operation, responses=tuple(responses), parameters=parameters)


_MEANINGS = {
    "Idempotency-Key": "Identifies the request: it is carried out once, however often it arrives.",
    "If-None-Match": "The ETag of the known state: 304 if it is still current.",
    "If-Modified-Since": "The Last-Modified of the known state: 304 if it is still current.",
    "If-Match": "The ETag of the object to write: 412 if it has changed.",
    "If-Unmodified-Since": "The Last-Modified of the object: 412 if it has changed since.",
}


def _parameters(operation: Operation, names: list[str], required: bool) -> Iterator[Parameter]:
    taken = {item.name for item in operation.parameters or () if item.location == "header"}
    for name in names:
        if name not in taken:
            described = {"name": name, "in": "header", "description": _MEANINGS[name]}
            value = _KEY if name == "Idempotency-Key" else TEXT
            yield read_parameter({**described, "required": required, "schema": value})
