"""What view mixins add to operations: conditional headers, ETags, and idempotency keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from lintel.conditional import ConditionalMixin, reads, writes
from lintel.idempotency import REPLAYED, IdempotentMixin, counts_keys
from lintel.schemas.errors import error_media_types, shared_response
from lintel.schemas.inspection import Endpoint
from lintel.schemas.mappings import read_parameter
from lintel.schemas.tree import Header, Operation, Parameter, ResponseDescription

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

_TEXT = {"type": "string"}
#: Keys without quotes, which are accepted too.
_KEY = {"type": "string", "pattern": "^[!#-~](?:[ -~]{0,253}[!-~])?$"}
_ETAG = Header(
    name="ETag", value={"description": "Identifies the state of the response.", "schema": _TEXT}
)
_MODIFIED = Header(
    name="Last-Modified", value={"description": "When it was last changed.", "schema": _TEXT}
)

_REPLAYED = Header(
    name=REPLAYED,
    value={
        "description": "`true` if the response repeats that to an earlier request.",
        "schema": _TEXT,
    },
)


def with_preconditions(endpoint: Endpoint, schema: AutoSchema, operation: Operation) -> Operation:
    if not isinstance(endpoint.view, ConditionalMixin | IdempotentMixin):
        return operation
    media_types = error_media_types(schema, endpoint)
    return _with_key(endpoint, media_types, _with_conditions(endpoint, media_types, operation))


def _with_key(endpoint: Endpoint, media_types: tuple[str, ...], operation: Operation) -> Operation:
    view = endpoint.view
    if not isinstance(view, IdempotentMixin) or not counts_keys(view, operation.method):
        return operation
    answers = [
        replace(each, headers=(*each.headers, _REPLAYED)) if each.status[0] == "2" else each
        for each in operation.responses or ()
    ]
    given = {each.status for each in answers}
    errors = [each for each in (400, 409, 422) if str(each) not in given]
    responses = [*answers, *(shared_response(endpoint, media_types, each) for each in errors)]
    required = view.idempotency_key_required
    return _with(operation, responses, ["Idempotency-Key"], required=required)


def _with_conditions(
    endpoint: Endpoint, media_types: tuple[str, ...], operation: Operation
) -> Operation:
    view = endpoint.view
    if not isinstance(view, ConditionalMixin):
        return operation
    if operation.method == "GET" and reads(view, "GET"):
        return _conditional_read(endpoint, media_types, operation)
    if writes(view, operation.method):
        return _conditional_write(endpoint, media_types, operation)
    return operation


def _conditional_read(
    endpoint: Endpoint, media_types: tuple[str, ...], operation: Operation
) -> Operation:
    view = endpoint.view
    headers = (_ETAG, _MODIFIED) if view.last_modified_field else (_ETAG,)
    names = ["If-None-Match", *(["If-Modified-Since"] if view.last_modified_field else [])]
    unchanged = HTTPStatus.NOT_MODIFIED
    responses = [
        replace(each, headers=(*each.headers, *headers)) if each.status == "200" else each
        for each in operation.responses or ()
    ]
    responses.append(
        ResponseDescription(
            status=str(int(unchanged)), description=unchanged.phrase, headers=headers
        )
    )
    responses.append(shared_response(endpoint, media_types, 412))
    return _with(operation, responses, names, required=False)


def _conditional_write(
    endpoint: Endpoint, media_types: tuple[str, ...], operation: Operation
) -> Operation:
    view = endpoint.view
    names = ["If-Match", *(["If-Unmodified-Since"] if view.last_modified_field else [])]
    statuses = [412, *([428] if view.require_preconditions else [])]
    given = {each.status for each in operation.responses or ()}
    added = [
        shared_response(endpoint, media_types, each) for each in statuses if str(each) not in given
    ]
    responses = [*(operation.responses or ()), *added]
    # No single header is required, because If-None-Match is a condition too.
    return _with(operation, responses, names, required=False)


def _with(
    operation: Operation, responses: list[ResponseDescription], names: list[str], required: bool
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
    taken = {each.name for each in operation.parameters or () if each.location == "header"}
    for name in names:
        if name not in taken:
            described = {"name": name, "in": "header", "description": _MEANINGS[name]}
            value = _KEY if name == "Idempotency-Key" else _TEXT
            yield read_parameter({**described, "required": required, "schema": value})
