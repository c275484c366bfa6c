"""The error responses of an operation: those that its policies and validators can cause.

They are shared: an operation refers to a response by its name, and operations with equal responses
refer to the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.db import models

from lintel import permissions
from lintel.bulk import BulkModelMixin
from lintel.exceptions import ServiceUnavailable
from lintel.fields.describing import Schema
from lintel.negotiation import DefaultContentNegotiation, writes_many
from lintel.problems.catalogue import COMPONENTS, ErrorBody, error_bodies
from lintel.renderers import BrowsableAPIRenderer
from lintel.reports import REPORT
from lintel.schemas.components import reference_to, references
from lintel.schemas.failures import Failure, failures_of
from lintel.schemas.inspection import Endpoint, Inspection
from lintel.schemas.security import SAFE_METHODS, asks_about_objects_alone, challenge_of
from lintel.schemas.tree import Header, MediaContent, ResponseDescription
from lintel.schemas.utils import model_of
from lintel.settings import ALL, BOTH, DRAFT, LEGACY, api_settings
from lintel.sparse import sparse_parameters
from lintel.versioning import BaseVersioning
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


def is_structured(media_type: str) -> bool:
    return any(word in media_type for word in ("json", "yaml", "xml", "msgpack", "cbor"))


#: Permissions that refuse anonymous users alone.
FOR_USERS = (permissions.IsAuthenticated, permissions.IsAuthenticatedOrReadOnly)

TEXT: Schema = {"type": "string"}


def header(name: str, description: str, schema: Schema = TEXT) -> Header:
    return Header(name=name, value={"description": description, "schema": schema})


SECONDS: Schema = {"type": "integer", "minimum": 0}
HEADERS = {
    401: header("WWW-Authenticate", "How to authenticate."),
    429: header("Retry-After", "Seconds until the next request may pass.", SECONDS),
    503: header("Retry-After", "Seconds until it may work again.", SECONDS),
}

#: The rate limit headers: the value of RATE_LIMIT_HEADERS they belong to, and their description.
RATE_LIMIT_HEADERS: dict[str, tuple[str, str, Schema]] = {
    "RateLimit-Policy": (DRAFT, "The limits: requests per number of seconds.", {"type": "string"}),
    "RateLimit": (DRAFT, "The remaining quota of the limits.", {"type": "string"}),
    "X-RateLimit-Limit": (LEGACY, "The limit in requests.", {"type": "integer"}),
    "X-RateLimit-Remaining": (LEGACY, "Remaining requests.", {"type": "integer"}),
    "X-RateLimit-Reset": (LEGACY, "When the limit resets, in Unix time.", {"type": "integer"}),
}


def error_responses(
    endpoint: Endpoint, media_types: tuple[str, ...], has_body: bool, lists: bool
) -> Iterator[ResponseDescription]:
    statuses = set(_statuses(endpoint, has_body, lists))
    if api_settings.SERVICE_ERRORS:
        statuses.add(ServiceUnavailable.status_code)
    by_hand = failures_of(endpoint) if endpoint.handler else {}
    for status in sorted(statuses | by_hand.keys()):
        failure = by_hand.get(HTTPStatus(status))
        is_ours = status in statuses
        if failure is None or (is_ours and not (failure.bodies or failure.texts)):
            yield shared_response(endpoint, media_types, status, validates=status == 409)
        else:
            ours = [describe_error(endpoint, status, media_types, status == 400)] if is_ours else []
            yield _with_bodies(ours, status, media_types, failure)


def _with_bodies(
    ours: list[ResponseDescription], status: int, media_types: tuple[str, ...], failure: Failure
) -> ResponseDescription:
    """An error that may be ours, if there is one, and has the bodies that a handler writes."""
    named = {part.media_type: part.schema for error in ours for part in error.content or ()}
    bodies: list[Schema] = [{}] if failure.is_open and not ours else failure.bodies
    for name in filter(is_structured, media_types if bodies else ()):
        either = [*([named[name]] if name in named else []), *bodies]
        named[name] = either[0] if len(either) == 1 else {"anyOf": either}
    named = {**dict.fromkeys(failure.texts, TEXT), **named}
    content = [MediaContent(media_type=name, schema=said) for name, said in named.items()]
    return ResponseDescription(
        status=str(status),
        description=HTTPStatus(status).phrase,
        headers=ours[0].headers if ours else (),
        content=tuple(content) if content else None,
    )


def _statuses(endpoint: Endpoint, has_body: bool, lists: bool) -> Iterator[int]:
    view, looks_up = endpoint.view, "{" in endpoint.path
    if has_body:
        yield from (400, 415)
        if api_settings.UNIQUE_RACE_STATUS == 409 and may_race(_model_behind(view)):
            yield 409
    # Filters of django-filter reject invalid parameters, those of this package may.
    elif _is_strict(view) or _reads_parameters(endpoint, lists):
        yield 400
    yield from _refusals(endpoint)
    for authenticator in endpoint.authenticators:
        yield from getattr(authenticator, "further_statuses", ())
    paginator = getattr(view, "pagination_class", None) if lists else None
    may_miss = looks_up or getattr(paginator, "may_miss_page", False) or offers(view)
    if may_miss or is_subclass(view.versioning_class, BaseVersioning):
        yield 404
    if is_subclass(view.content_negotiation_class, DefaultContentNegotiation):
        yield 406
    if _throttles(view):
        yield 429


def _model_behind(view: APIView) -> Any:
    serializer = getattr(view, "serializer_class", None)
    if serializer is None:
        return model_of(view)
    return getattr(getattr(serializer, "Meta", None), "model", None)


def may_race(model: Any) -> bool:
    """Return whether a write may meet another: by a value that rows share, or a related row.

    A key that counts up is no such value.
    """
    if model is None:
        return False
    options = model._meta
    return (
        any(field.remote_field for field in (*options.fields, *options.many_to_many))
        or any(field.unique and not isinstance(field, models.AutoField) for field in options.fields)
        or bool(options.unique_together)
        or any(not isinstance(rule, models.CheckConstraint) for rule in options.constraints)
    )


def _reads_parameters(endpoint: Endpoint, lists: bool) -> bool:
    view = endpoint.view
    is_read = endpoint.method == "GET" and hasattr(view, "sparse_fields")
    is_sparse = is_read and any(sparse_parameters(view))
    return is_sparse or bool(lists and list(getattr(view, "filter_backends", None) or ()))


def _is_strict(view: APIView) -> bool:
    return bool(view.strict_query_params) and view.strict_query_params != REPORT


def offers(view: APIView) -> list[str]:
    """Return the formats that a client may select with a parameter, if there are two or more."""
    names = [
        renderer.format
        for renderer in view.renderer_classes
        if renderer.format and not issubclass(renderer, BrowsableAPIRenderer)
    ]
    chosen = list(dict.fromkeys(names))
    return chosen if api_settings.URL_FORMAT_OVERRIDE and len(chosen) > 1 else []


def is_subclass(value: object, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


def _throttles(view: APIView) -> bool:
    return any(
        throttle.may_refuse(view) if hasattr(throttle, "may_refuse") else True
        for throttle in view.throttle_classes
    )


#: The method that decides between 401 and 403.
_CHALLENGE = "authenticate_header"


def _challenges_itself(endpoint: Endpoint, authenticator: object) -> bool:
    """Return whether a method of the project says what the header of a 401 is, if anything."""
    is_own = endpoint.inspection.replaces(authenticator, _CHALLENGE)
    return is_own or _CHALLENGE in getattr(authenticator, "__dict__", ())


def _refusals(endpoint: Endpoint) -> Iterator[int]:
    """Return 401 and 403; without a challenge, each 401 is a 403.

    Code of a project may challenge some clients only: both are possible then.
    """
    method, authenticators = endpoint.method, endpoint.authenticators
    asked = authenticators if api_settings.CHALLENGES == ALL else authenticators[:1]
    challenges = any(challenge_of(item) is not None for item in asked)
    refuses = [cls for cls in endpoint.permission_classes if cls is not permissions.AllowAny]
    is_bulk = isinstance(endpoint.view, BulkModelMixin) and writes_many(endpoint.view, method)
    if "{" not in endpoint.path and not is_bulk:
        refuses = [cls for cls in refuses if not asks_about_objects_alone(cls)]
    if method in SAFE_METHODS:
        refuses = [cls for cls in refuses if cls is not permissions.IsAuthenticatedOrReadOnly]
    if refuses or any(getattr(authenticator, "may_fail", True) for authenticator in authenticators):
        if challenges or any(_challenges_itself(endpoint, item) for item in asked):
            yield 401
        if not challenges:
            yield 403
    checks_csrf = any(getattr(item, "checks_csrf", False) for item in authenticators)
    refuses_known = any(cls not in FOR_USERS for cls in refuses)
    if refuses_known or (checks_csrf and method not in SAFE_METHODS):
        yield 403


def shared_response(
    endpoint: Endpoint, media_types: tuple[str, ...], status: int, validates: bool = False
) -> ResponseDescription:
    """Return an error; ``validates``: whether it may concern single values, as 400 does."""
    errors = endpoint.inspection.errors
    key = media_types, status, validates
    if key not in errors:
        name = _response_name(status, media_types) + ("OfValues" if validates else "")
        described = describe_error(endpoint, status, media_types, validates or status == 400)
        endpoint.inspection.responses.setdefault(name, described)
        errors[key] = ResponseDescription(
            status=str(status), reference=f"#/components/responses/{name}"
        )
    return errors[key]


def _response_name(status: int, media_types: tuple[str, ...]) -> str:
    """Return ``NotFound``; with the media types if they differ from those of the settings."""
    name = HTTPStatus(status).phrase.title().replace(" ", "")
    plain = {
        renderer.media_type
        for renderer in api_settings.DEFAULT_RENDERER_CLASSES
        if not issubclass(renderer, BrowsableAPIRenderer)
    }
    if set(media_types) == plain:
        return name
    words = re.findall(r"[A-Za-z0-9]+", " ".join(media_types))
    return name + "".join(word.title() for word in words)


def error_media_types(schema: AutoSchema, endpoint: Endpoint) -> tuple[str, ...]:
    return tuple(dict.fromkeys(schema.map_renderers(endpoint.path, endpoint.method)))


def rate_limit_headers(view: APIView) -> list[Header]:
    form = api_settings.RATE_LIMIT_HEADERS
    if not form or not _throttles(view):
        return []
    return [
        header(name, text, schema)
        for name, (of_form, text, schema) in RATE_LIMIT_HEADERS.items()
        if form in (of_form, BOTH)
    ]


def describe_error(
    endpoint: Endpoint, status: int, media_types: tuple[str, ...], validates: bool
) -> ResponseDescription:
    content = [
        MediaContent(media_type=body.media_type, schema=schema_of(endpoint.inspection, body))
        for body in error_bodies(validates, media_types)
    ]
    headers = [HEADERS[status]] if status in HEADERS else []
    if status == 429:
        headers += rate_limit_headers(endpoint.view)
    return ResponseDescription(
        status=str(status),
        description=HTTPStatus(status).phrase,
        headers=tuple(headers),
        content=tuple(content),
    )


def schema_of(inspection: Inspection, body: ErrorBody) -> Schema:
    if body.component is None or not is_structured(body.media_type):
        return {"type": "string"}
    for name in (body.component, *references(COMPONENTS[body.component])):
        # A copy, because projects change documents in place.
        inspection.components[name] = {None: deepcopy(COMPONENTS[name])}
    return reference_to(body.component)
