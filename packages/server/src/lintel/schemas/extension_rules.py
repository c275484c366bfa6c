"""Applies ``@extend_schema`` to operations of the tree."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from django.utils.encoding import force_str

from lintel import serializers
from lintel.fields.describing import Schema
from lintel.schemas.annotations import described_value
from lintel.schemas.callbacks import callbacks_of
from lintel.schemas.extended_values import parameters_of
from lintel.schemas.extending import (
    METHODS,
    MISSING,
    OPERATION,
    Amendment,
    Extension,
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
)
from lintel.schemas.inspection import is_reference
from lintel.schemas.mappings import read_operation, read_parameter
from lintel.schemas.openapi_types import named_type
from lintel.schemas.overrides import serializer_options
from lintel.schemas.path_names import renamed_list
from lintel.schemas.tree import (
    Body,
    Header,
    MediaContent,
    Operation,
    Parameter,
    ResponseDescription,
    replace,
)
from lintel.schemas.utils import is_list_view
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


NO_BODY = frozenset(["204", "205", "304"])


def extensions_of(view: APIView, method: str) -> list[Extension]:
    """Return all extensions of a view's operation in any version, the most general first."""
    name = getattr(view, "action", None) or method.lower()
    of_classes, of_methods = _extensions_of_class(type(view))
    of_handler = getattr(getattr(view, name, None), OPERATION, ())
    extensions = [*of_classes, *of_handler, *of_methods.get(name, ())]
    return [extension for extension in extensions if extension.concerns(method, None)]


def _extensions_of_class(cls: type) -> tuple[list[Extension], dict[str, list[Extension]]]:
    everything: list[Extension] = []
    by_name: dict[str, list[Extension]] = {}
    for base in reversed(cls.__mro__):
        held = base.__dict__
        if OPERATION in held:
            everything += held[OPERATION]
        if METHODS in held:
            for name, extensions in held[METHODS].items():
                by_name.setdefault(name, []).extend(extensions)
    return everything, by_name


def is_left_out(extensions: Iterable[Extension], method: str, version: object) -> bool:
    excluded = False
    for extension in extensions:
        if extension.versions is not None and version is not None:
            excluded = version not in extension.versions
        if extension.exclude is not None and extension.concerns(method, version):
            excluded = extension.exclude
    return excluded


#: Methods of our schema that a project may override to change what decorators replace.
_CHANGING = ("get_operation", "get_request_body", "get_responses")


def leave_out_said(schema: AutoSchema, extensions: Iterable[Extension]) -> None:
    """Let the form of a schema leave out what extensions of its operation replace unread."""
    form = schema.document_form
    if any(form.inspection.replaces(schema, name) for name in _CHANGING):
        return
    says_body, statuses = False, None
    for extension in extensions:
        if isinstance(extension, Amendment) or extension.operation is not None:
            break
        says_body |= extension.request is not MISSING
        if statuses is None and extension.responses is not MISSING:
            statuses = _said_statuses(extension.responses)
    if says_body or statuses is not None:
        schema.document_form = form.but(says_body=says_body, said_statuses=statuses)


def _said_statuses(given: object) -> tuple[str, ...] | None:
    """Return the statuses of success that are said; empty if one is meant, None if none is."""
    named = [key[0] if isinstance(key, tuple) else key for key in _answers_by_status(given)]
    successes = tuple(str(status) for status in named if str(status)[0] not in "45")
    return successes if successes or not named else None


def extend(operation: Operation, extension: Extension, schema: AutoSchema) -> Operation:
    if isinstance(extension, Amendment):
        amended: Operation = extension.amend(operation, schema)
        return amended
    if isinstance(extension.operation, Mapping):
        return read_operation(extension.operation, operation.path, operation.method, operation.view)
    return _extended(operation, extension, schema)


def _extended(operation: Operation, extension: Extension, schema: AutoSchema) -> Operation:
    changes: Schema = dict(_plain_changes(extension))
    if extension.filters is not None:
        operation = with_filters(operation, schema, extension.filters)
    if extension.parameters is not None:
        changes["parameters"] = merged(operation.parameters or (), extension, schema)
    if extension.request is not MISSING:
        changes["body"] = request_body(operation, extension.request, schema)
    if extension.responses is not MISSING:
        changes["responses"] = responses(operation, extension.responses, schema)
    if extension.callbacks is not None:
        changes["callbacks"] = callbacks_of(extension.callbacks, schema, extend)
    changed = with_headers(replace(operation, **changes), extension, schema)
    changed = with_list_parameters(changed, extension, schema)
    prefix = schema.document_form.inspection.id_prefix
    if prefix is not None and _returns_several(operation, extension):
        changed = renamed_list(changed, prefix)
    return with_examples(changed, extension.examples or ())


def _plain_changes(extension: Extension) -> Iterator[tuple[str, object]]:
    extra, docs = dict(extension.extensions or {}), extension.external_docs
    if docs is not None:
        extra["externalDocs"] = {"url": docs} if isinstance(docs, str) else docs
    said = {
        "identifier": extension.operation_id,
        "description": _text(extension.description),
        "summary": _text(extension.summary),
        "deprecated": extension.deprecated,
        "tags": None if extension.tags is None else tuple(extension.tags),
        "extra": extra or None,
    }
    yield from ((name, value) for name, value in said.items() if value is not None)
    if extension.auth is not MISSING and extension.auth is not None:
        ways = [{way: []} if isinstance(way, str) else way for way in extension.auth]
        yield "security", tuple(ways)


def _text(value: object) -> str | None:
    return None if value is None else inspect.cleandoc(force_str(value))


# ---- values ----


def value_schema(given: object, schema: AutoSchema) -> Schema:
    given = named_type(given)
    parts = given.values() if isinstance(given, Mapping) else ()
    if any(isinstance(part, type | serializers.Field) for part in parts):
        message = f"@extend_schema: {given!r} has no statuses and is not a schema"
        schema.document_form.inspection.warn(message, schema.view)
        return {}
    return described_value(schema, given, schema.view)


# ---- parameters ----


def merged(
    parameters: Iterable[Parameter], extension: Extension, schema: AutoSchema
) -> tuple[Parameter, ...]:
    result = {(item.name, item.location): item for item in parameters}
    for given in extension.parameters or ():
        if isinstance(given, OpenApiParameter) and given.exclude:
            result.pop((given.name, given.location), None)
            continue
        for parameter in _parameters_of(given, schema):
            result[parameter.name, parameter.location] = parameter
    return tuple(result.values())


def _parameters_of(given: object, schema: AutoSchema) -> Iterator[Parameter]:
    if isinstance(given, Mapping):
        yield read_parameter(given)
    elif not isinstance(given, OpenApiParameter):
        yield from _of_serializer(given, schema)
    elif not given.response:
        yield read_parameter(parameter_mapping(given, schema))


def parameter_mapping(given: OpenApiParameter, schema: AutoSchema) -> Schema:
    value = dict(value_schema(given.type, schema))
    for word in ("enum", "pattern"):
        if getattr(given, word) is not None:
            value[word] = getattr(given, word)
    if not given.allow_blank and value.get("type") == "string":
        value.setdefault("minLength", 1)
    of_items = given.many and not isinstance(given.default, list | tuple)
    default = {} if given.default is None else {"default": given.default}
    if given.many:
        value = {"type": "array", "items": value | (default if of_items else {})}
    value |= {} if of_items else default
    written = {
        "name": given.name,
        "in": given.location,
        "required": given.required or given.location == "path",
        "description": force_str(given.description),
        "schema": value,
        **{
            word: getattr(given, word)
            for word in ("style", "explode")
            if getattr(given, word) is not None
        },
        **({"deprecated": True} if given.deprecated else {}),
        **(given.extensions or {}),
    }
    if given.examples:
        written["examples"] = dict(map(example_mapping, given.examples))
    return written


def with_headers(operation: Operation, extension: Extension, schema: AutoSchema) -> Operation:
    responses = operation.responses or ()
    for given in extension.parameters or ():
        if isinstance(given, OpenApiParameter) and given.response and not given.exclude:
            mapping = parameter_mapping(given, schema)
            value = {word: said for word, said in mapping.items() if word not in ("name", "in")}
            header = Header(name=given.name, value=value)
            responses = tuple(_with_header(item, header, given.response) for item in responses)
    is_same = responses is (operation.responses or ())
    return operation if is_same else replace(operation, responses=responses)


def _with_header(
    response: ResponseDescription, header: Header, statuses: bool | Iterable[object]
) -> ResponseDescription:
    is_meant = isinstance(statuses, bool) or response.status in map(str, statuses)
    if response.reference is not None or not is_meant:
        return response  # shared responses are the same for all operations
    others = (item for item in response.headers if item.name.lower() != header.name.lower())
    return replace(response, headers=(*others, header))


def _of_serializer(given: object, schema: AutoSchema) -> Iterator[Parameter]:
    serializer = given() if isinstance(given, type) else given
    if not isinstance(serializer, serializers.Serializer):
        message = f"@extend_schema: {given!r} is not a parameter"
        schema.document_form.inspection.warn(message, schema.view)
        return
    for field in serializer.fields.values():
        if field.read_only:
            continue
        mapping = {
            "name": field.field_name,
            "in": "query",
            "required": field.required,
            "description": force_str(field.help_text or ""),
            "schema": dict(schema.map_field(field)),
        }
        yield read_parameter(mapping)


def with_filters(operation: Operation, schema: AutoSchema, wanted: bool) -> Operation:
    filters = _filters(schema)
    names = {(parameter.name, parameter.location) for parameter in filters}
    given = operation.parameters or ()
    others = [parameter for parameter in given if (parameter.name, parameter.location) not in names]
    return replace(operation, parameters=(*others, *(filters if wanted else ())))


def _filters(schema: AutoSchema) -> list[Parameter]:
    backends = getattr(schema.view, "filter_backends", ())
    parameters = [parameters_of(schema, backend()) for backend in backends]
    return [read_parameter(parameter) for parameter in chain.from_iterable(parameters)]


def with_list_parameters(
    operation: Operation, extension: Extension, schema: AutoSchema
) -> Operation:
    """Return an operation that answers with a list with the parameters of filters and pages."""
    path, view = operation.path, schema.view
    by_status = _answers_by_status(extension.responses) or {"200": extension.responses}
    lists = any(_is_page(answer, schema, operation, key) for key, answer in by_status.items())
    if not lists or is_list_view(path, operation.method, view):
        return operation
    paginator = schema.get_paginator()
    pages = schema.document_form.page_parameters(schema, paginator) if paginator else []
    added = [read_parameter(page) for page in pages]
    added += [] if extension.filters is False else _filters(schema)
    named = {(item.name, item.location): item for item in (*added, *(operation.parameters or ()))}
    return replace(operation, parameters=tuple(named.values()))


# ---- bodies ----

#: Methods whose requests have no body, unless an OpenApiRequest says that they have (RFC 9110,
#: sections 9.3.1, 9.3.2, 9.3.5).
BODILESS = frozenset(["GET", "HEAD", "DELETE", "OPTIONS"])


def request_body(operation: Operation, given: object, schema: AutoSchema) -> Body | None:
    if operation.method in BODILESS and not isinstance(given, OpenApiRequest):
        return operation.body
    extra: Schema = {}
    examples: Iterable[OpenApiExample] = ()
    if isinstance(given, OpenApiRequest):
        examples, encoding, given = given.examples or (), given.encoding, given.request
        extra = {"encoding": encoding} if encoding else {}
    if given is None:
        return None
    if isinstance(given, Mapping) and given and all("/" in str(key) for key in given):
        by_type = {name: value_schema(said, schema) for name, said in given.items()}
    else:
        value = value_schema(given, schema)
        by_type = dict.fromkeys(schema.map_parsers(operation.path, operation.method), value)
    content = tuple(
        MediaContent(media_type=name, schema=value, extra=extra) for name, value in by_type.items()
    )
    is_required = operation.method != "PATCH"
    return Body(
        content=_with_examples(content, examples), extra={"required": True} if is_required else {}
    )


def responses(
    operation: Operation, given: object, schema: AutoSchema
) -> tuple[ResponseDescription, ...]:
    """Return the responses that an extension describes; errors it does not mention remain.

    So does success, if it describes errors alone.
    """
    named = _answers_by_status(given)
    if isinstance(given, Mapping) and named:
        for key in given.keys() - named.keys():
            message = f"@extend_schema: {key!r} is not a status of a response"
            schema.document_form.inspection.warn(message, schema.view)
    named = named or {_success(operation, given): given}
    result: dict[str, ResponseDescription] = {}
    for key, value in named.items():
        status, media_types = (key[0], (key[1],)) if isinstance(key, tuple) else (key, None)
        described = response(str(status), value, media_types, operation, schema)
        before = result.get(described.status)
        content = (*((before.content or ()) if before else ()), *(described.content or ())) or None
        result[described.status] = replace(described, content=content)
    first = "45" if any(status[0] not in "45" for status in result) else "12345"
    others = [item for item in operation.responses or () if item.status[0] in first]
    return (*result.values(), *(item for item in others if item.status not in result))


def _answers_by_status(given: object) -> dict[object, object]:
    if not isinstance(given, Mapping):
        return {}
    return {key: value for key, value in given.items() if _is_status(key)}


#: A status, a range such as ``4XX``, and all others.
_STATUS = re.compile(r"[0-9]+|[1-5]XX|default")


def _is_status(key: object) -> bool:
    status = key[0] if isinstance(key, tuple) else key
    return isinstance(status, int) or _STATUS.fullmatch(str(status)) is not None


def _success(operation: Operation, given: object) -> str:
    """Return the status of success; nothing can be in a 204 (RFC 9110, section 15.3.5)."""
    statuses = [item.status for item in operation.responses or () if item.status.startswith("2")]
    is_empty = statuses[:1] == ["204"]
    return statuses[0] if statuses and (given is None or not is_empty) else "200"


def response(
    status: str,
    given: object,
    media_types: Iterable[str] | None,
    operation: Operation,
    schema: AutoSchema,
) -> ResponseDescription:
    description = ""
    examples: Iterable[OpenApiExample] = ()
    if isinstance(given, OpenApiResponse):
        description, examples, given = given.description, given.examples or (), given.response
    before = [answer for answer in operation.responses or () if answer.status == status]
    headers = before[0].headers if before else ()
    if given is None or status in NO_BODY:
        return ResponseDescription(status=status, description=description, headers=headers)
    if media_types is None:
        media_types = schema.map_renderers(operation.path, operation.method)
    value = value_schema(given, schema)
    if _is_page(given, schema, operation, status):
        value = schema.document_form.list_schema(schema, value.get("items", {}))
    elif is_reference(value) and _answers_with_list(given, schema, operation, status):
        value = schema.document_form.list_schema(schema, value)
    content = tuple(MediaContent(media_type=name, schema=value) for name in media_types)
    return ResponseDescription(
        status=status,
        description=force_str(description),
        headers=headers,
        content=_with_examples(content, examples),
    )


def _returns_several(operation: Operation, extension: Extension) -> bool:
    by_status = _answers_by_status(extension.responses) or {"200": extension.responses}
    successes = [answer for status, answer in by_status.items() if str(status).startswith("2")]
    is_list = any(isinstance(success, serializers.ListSerializer) for success in successes)
    return operation.method == "GET" and is_list


def _is_page(given: object, schema: AutoSchema, operation: Operation, status: object) -> bool:
    if isinstance(given, OpenApiResponse):
        given = given.response
    status = status[0] if isinstance(status, tuple) else status
    is_read = operation.method in ("GET", "HEAD", "QUERY") and str(status).startswith("2")
    is_list = isinstance(given, serializers.ListSerializer)
    return is_read and is_list and hasattr(schema.view, "paginate_queryset")


def _may_stand_for_items(given: object) -> bool:
    kind = given if isinstance(given, type) else type(given)
    if not issubclass(kind, serializers.BaseSerializer) or getattr(given, "many", True) is False:
        return False
    return serializer_options(given).get("many") is not False


def _answers_with_list(
    given: object, schema: AutoSchema, operation: Operation, status: str
) -> bool:
    view, said = schema.view, schema.document_form.returns_list
    if not _may_stand_for_items(given) or not status.startswith("2"):
        return False
    if said is not None:
        return bool(said)
    if hasattr(view, "action"):
        return bool(view.action == "list")
    is_list = hasattr(view, "list") and operation.method == "GET"
    return is_list and not operation.path.endswith("}/")


# ---- examples ----


def example_mapping(example: OpenApiExample) -> tuple[str, Schema]:
    written: Schema = {}
    if example.value is not MISSING:
        written["value"] = example.value
    if example.external_value:
        written["externalValue"] = example.external_value
    summary = example.summary or example.name
    written["summary"] = force_str(summary)
    if example.description:
        written["description"] = force_str(example.description)
    key = "".join(part[:1].upper() + part[1:] for part in example.name.split()) or "Example"
    return key, written


def _with_examples(
    content: tuple[MediaContent, ...], examples: Iterable[OpenApiExample]
) -> tuple[MediaContent, ...]:
    result = []
    for part in content:
        fitting = [example for example in examples if example.media_type in (None, part.media_type)]
        named = dict(map(example_mapping, fitting))
        before = part.extra.get("examples", {})
        extra = {**part.extra, "examples": {**before, **named}} if named else part.extra
        result.append(replace(part, extra=extra))
    return tuple(result)


def with_examples(operation: Operation, examples: Iterable[OpenApiExample]) -> Operation:
    examples = list(examples)
    if not examples:
        return operation
    parameters = tuple(_parameter_with(item, examples) for item in operation.parameters or ())
    examples = [example for example in examples if not example.parameter_only]
    body = operation.body
    sent = [example for example in examples if not example.response_only]
    if body is not None and sent:
        body = replace(body, content=_with_examples(body.content, sent))
    received = [example for example in examples if not example.request_only]
    answers = tuple(_response_with(item, received) for item in operation.responses or ())
    return replace(
        operation,
        body=body,
        parameters=parameters or operation.parameters,
        responses=answers or operation.responses,
    )


def _parameter_with(parameter: Parameter, examples: Iterable[OpenApiExample]) -> Parameter:
    place = parameter.name, parameter.location
    fitting = [item for item in examples if item.parameter_only and place == item.parameter_only]
    if not fitting:
        return parameter
    named = {**parameter.value.get("examples", {}), **dict(map(example_mapping, fitting))}
    return replace(parameter, value={**parameter.value, "examples": named})


def _response_with(
    response: ResponseDescription, examples: Iterable[OpenApiExample]
) -> ResponseDescription:
    def fits(example: OpenApiExample) -> bool:
        if example.status_codes is None:
            return response.status.startswith("2")
        return response.status in {str(status_code) for status_code in example.status_codes}

    fitting = [example for example in examples if fits(example)]
    if response.content is None or not fitting:
        return response
    return replace(response, content=_with_examples(response.content, fitting))
