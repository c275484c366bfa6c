"""One inspection of the views: each endpoint becomes an operation of the tree.

The schema object of a view returns its operation as OpenAPI, so that overrides in a
project take effect in every version. The full description adds what the policies of the
view imply: errors, headers, security.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lintel.fields.describing import Schema
from lintel.inspectors import query_parameter
from lintel.retirement import deprecation_of, deprecation_of_version, headers_of, moment_of
from lintel.schemas.components import numbered
from lintel.schemas.errors import (
    error_media_types,
    error_responses,
    header,
    is_structured,
    offers,
    rate_limit_headers,
)
from lintel.schemas.extending import Extension
from lintel.schemas.extension_rules import extend, leave_out_said
from lintel.schemas.inspection import Endpoint, Inspection, MissingLibrary
from lintel.schemas.mappings import KEYS, Parts, read_parameter, read_parts
from lintel.schemas.openapi.contract import path_parameter
from lintel.schemas.preconditions import with_patches, with_preconditions
from lintel.schemas.security import security_of
from lintel.schemas.standins import lacks_serializer_class
from lintel.schemas.texts import summary_of
from lintel.schemas.tree import (
    Component,
    Header,
    MediaContent,
    Operation,
    Parameter,
    ResponseDescription,
    replace,
)
from lintel.schemas.utils import allowed_parameters, is_list_view, variables_of
from lintel.schemas.versions import with_version
from lintel.settings import api_settings
from lintel.sparse import sparse_parameters
from lintel.utils import json
from lintel.utils.encoders import JSONEncoder
from lintel.versioning import BaseVersioning, QueryParameterVersioning, URLPathVersioning
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


Responses: TypeAlias = tuple[ResponseDescription, ...]


def describe(
    endpoint: Endpoint, schema: AutoSchema, extensions: Iterable[Extension] = ()
) -> Operation:
    inspection = endpoint.inspection
    extensions = [it for it in extensions if it.concerns(endpoint.method, inspection.api_version)]
    if inspection.is_full and extensions:
        leave_out_said(schema, extensions)
    operation = as_read(endpoint, schema, schema.get_operation(endpoint.path, endpoint.method))
    if hasattr(endpoint.view, "patch_parser_classes"):
        operation = with_patches(endpoint, schema, operation)
    if inspection.is_full:
        operation = with_preconditions(endpoint, schema, operation)
    operation = with_deprecation(operation, endpoint.view, inspection.api_version)
    operation = extended(endpoint, schema, operation, extensions)
    if inspection.is_full:
        shared = inspection.shared_texts.get(type(endpoint.view))
        if shared and operation.tags:
            inspection.tag_texts.setdefault(operation.tags[0], shared)
        warn_of_unknown(endpoint, operation)
        operation = without_empty_texts(operation)
    return operation


def without_empty_texts(operation: Operation) -> Operation:
    """Return the operation without descriptions that say nothing; responses have to have one."""
    parameters = operation.parameters
    texts = [parameter.value.get("description") for parameter in parameters or ()]
    if "" not in (operation.description, *texts):
        return operation
    if "" in texts:
        parameters = tuple(map(_without_empty_text, parameters or ()))
    return replace(operation, description=operation.description or None, parameters=parameters)


def _without_empty_text(parameter: Parameter) -> Parameter:
    if parameter.value.get("description") != "":
        return parameter
    said = {word: value for word, value in parameter.value.items() if word != "description"}
    return Parameter(name=parameter.name, location=parameter.location, value=said)


def extended(
    endpoint: Endpoint, schema: AutoSchema, operation: Operation, extensions: Iterable[Extension]
) -> Operation:
    for extension in extensions:
        if extension.concerns(operation.method, endpoint.inspection.api_version):
            operation = extend(operation, extension, schema)
    return operation


def as_read(endpoint: Endpoint, schema: AutoSchema, described: Schema) -> Operation:
    parts = read_parts(described)
    if endpoint.inspection.is_full:
        check_own_words(endpoint, schema, described, parts)
        is_read = endpoint.handler is not None and parts.get("body") is not None
        if is_read and schema.document_form.reads_partially(schema):
            parts["body"] = replace(parts["body"], is_partial=True)
        add_policies(endpoint, schema, parts)
        if parts.get("summary") is None:
            parts["summary"] = summary_of(schema, endpoint) or None
        parts["description"] = parts.get("description") or None
    view = type(endpoint.view).__qualname__
    return Operation(path=endpoint.path, method=endpoint.method, view=view, **parts)


class Described(NamedTuple):
    operation: Operation
    components: tuple[Component, ...] = ()


def describe_or_warn(
    endpoint: Endpoint, schema: AutoSchema, extensions: Iterable[Extension] = ()
) -> Described:
    """Return the operation; if project code fails, its path and extensions, with a warning."""
    path, method, inspection = endpoint.path, endpoint.method, endpoint.inspection
    try:
        operation = describe(endpoint, schema, extensions)
        defined = schema.get_components(path, method).items()
        components = tuple(Component(name=name, schema=value) for name, value in defined)
        return Described(operation, components)
    except MissingLibrary:
        raise
    except Exception as error:
        may_raise = not (inspection.keeps_going or inspection.is_full or extensions)
        is_known = isinstance(error, AssertionError) and lacks_serializer_class(endpoint.view)
        if is_known and may_raise:
            raise  # as the known API does, in version 3.0.2
        message = f"{method} {path} is described by its path alone: {error!r}"
        inspection.warn(message, type(endpoint.view))
    operation = operation_of_path(path, method, endpoint.view)
    with suppress(Exception):  # an extension may be what has failed
        operation = extended(endpoint, schema, operation, extensions)
    return Described(operation)


def operation_of_path(path: str, method: str, view: APIView) -> Operation:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in variables_of(path)
    ]
    return Operation(
        path=path,
        method=method,
        view=type(view).__qualname__,
        parameters=tuple(map(read_parameter, parameters)),
        responses=(ResponseDescription(status="default", description="Unknown."),),
    )


def check_own_words(
    endpoint: Endpoint, schema: AutoSchema, described: Schema, parts: Parts
) -> None:
    """Remove keys that OpenAPI lacks. Raises TypeError for values that JSON cannot represent."""
    if not endpoint.inspection.replaces(schema, "get_operation"):
        return
    json.dumps(described, cls=JSONEncoder)
    unknown = parts["extra"].keys() & KEYS.keys()
    for word in sorted(unknown):
        message = f"get_operation() says {described[word]!r} of {word}"
        endpoint.inspection.warn(message, type(endpoint.view), type(schema))
    parts["extra"] = {word: said for word, said in parts["extra"].items() if word not in unknown}


# ---- the full description ----


def add_policies(endpoint: Endpoint, schema: AutoSchema, parts: Parts) -> None:
    view, inspection = endpoint.view, endpoint.inspection
    responses = tuple(parts.get("responses") or ())
    if inspection.api_version is not None:
        responses = tuple(with_version(responses, view, inspection.api_version))
    lists = is_list_view(endpoint.path, endpoint.method, view)
    headers = [*rate_limit_headers(view), *declared_headers(endpoint, lists)]
    if headers:
        responses = tuple(_with_headers(response, headers) for response in responses)
    if inspection.shows_values:
        responses += errors_beside(
            responses, endpoint, schema, parts.get("body") is not None, lists
        )
    parts["responses"] = responses
    security = security_of(endpoint)
    if parts.get("security") is None:
        parts["security"] = security
    parts["parameters"] = with_common(endpoint, parts.get("parameters") or ())


def errors_beside(
    said: Responses, endpoint: Endpoint, schema: AutoSchema, has_body: bool, lists: bool
) -> Responses:
    """Return the errors of an operation that it does not describe itself."""
    statuses = {response.status for response in said}
    media_types = error_media_types(schema, endpoint)
    errors = error_responses(endpoint, media_types, has_body, lists)
    return tuple([error for error in errors if error.status not in statuses])


#: The hook for headers that a throttle, paginator or view adds to responses, by name, in terms
#: of OpenAPI: ``get_schema_response_headers(view)``.
HEADERS_HOOK = "get_schema_response_headers"


def declared_headers(endpoint: Endpoint, lists: bool) -> Iterator[Header]:
    view = endpoint.view
    paginator = [getattr(view, "pagination_class", None)] if lists else []
    for sender in (*getattr(view, "throttle_classes", ()), *paginator, view):
        if not hasattr(sender, HEADERS_HOOK):
            continue
        try:
            instance = sender() if isinstance(sender, type) else sender
            headers = dict(getattr(instance, HEADERS_HOOK)(view))
        except Exception as error:  # project code
            cls = sender if isinstance(sender, type) else type(sender)
            endpoint.inspection.warn(f"{HEADERS_HOOK}() failed: {error!r}", type(view), cls)
            continue
        yield from (Header(name=name, value=value) for name, value in headers.items())


RETIREMENT_HEADERS = {
    "Deprecation": "Since when the operation is deprecated (RFC 9745).",
    "Sunset": "When the operation is expected to be removed (RFC 8594).",
}


def with_deprecation(operation: Operation, view: APIView, version: str | None) -> Operation:
    deprecated = getattr(view, "deprecated", None)
    scheme = getattr(view, "versioning_class", None)
    if deprecated is None and scheme is None:
        return operation
    notice = deprecation_of(deprecated, getattr(view, "sunset", None))
    notice = notice or deprecation_of_version(scheme, version)
    if notice is None:
        return operation
    sunset = {} if notice.sunset is None else {"x-sunset": moment_of(notice.sunset).isoformat()}
    headers = [
        header(name, RETIREMENT_HEADERS[name])
        for name in headers_of(notice)
        if name in RETIREMENT_HEADERS
    ]
    return replace(
        operation,
        deprecated=True,
        deprecation=notice,
        responses=tuple(_with_headers(response, headers) for response in operation.responses or ()),
        extra={**operation.extra, **sunset},
    )


def _with_headers(response: ResponseDescription, headers: list[Header]) -> ResponseDescription:
    if response.reference is not None:
        return response
    return replace(response, headers=(*response.headers, *headers))


def with_common(endpoint: Endpoint, parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    common = [*_format_parameters(endpoint.view), *_version_parameters(endpoint)]
    if hasattr(endpoint.view, "sparse_fields"):
        common += _sparse_parameters(endpoint)
    names = allowed_parameters(endpoint.view, endpoint.inspection.warn)
    common += [{**query_parameter(name, ""), "schema": {}} for name in names]
    result = _by_place(endpoint, tuple(parameters))
    for mapping in common:
        read = read_parameter(mapping)
        if (read.name, read.location) not in result or read.location == "path":
            result[read.name, read.location] = read
    return tuple(result.values())


def _by_place(
    endpoint: Endpoint, parameters: tuple[Parameter, ...]
) -> dict[tuple[str, str], Parameter]:
    """The parameters by name and location, of which OpenAPI allows one each: the first."""
    result = {(item.name, item.location): item for item in reversed(parameters)}
    if len(result) < len(parameters):
        names = [parameter.name for parameter in parameters]
        twice = ", ".join(sorted({name for name in names if names.count(name) > 1}))
        message = f"two describe the parameter {twice}, such as its paginator and a filter"
        endpoint.inspection.warn(message, type(endpoint.view))
    return dict(reversed(result.items()))


def _sparse_parameters(endpoint: Endpoint) -> Iterator[Schema]:
    if endpoint.method != "GET":
        return
    for name, values in sparse_parameters(endpoint.view):
        item: Schema = {"type": "string", **({"enum": values} if values else {})}
        schema = {"type": "array", "items": item}
        text = "Names of fields, dotted for those inside."
        yield {**query_parameter(name, text), "schema": schema, "style": "form", "explode": False}


def _format_parameters(view: APIView) -> Iterator[Schema]:
    formats = offers(view)
    if formats:
        name = str(api_settings.URL_FORMAT_OVERRIDE)
        parameter = query_parameter(name, "The format of the response.", "string")
        parameter["schema"]["enum"] = formats
        yield parameter


def _version_parameters(endpoint: Endpoint) -> Iterator[Schema]:
    scheme: Any = getattr(endpoint.view, "versioning_class", None)
    if not isinstance(scheme, type) or not issubclass(scheme, BaseVersioning):
        return
    versions = [allowed for allowed in (scheme.allowed_versions or ()) if allowed is not None]
    default = getattr(scheme, "default_version", None)
    if versions and default is not None and default not in versions:
        versions.append(default)
    value: Schema = {"type": "string", **({"enum": versions} if versions else {})}
    name = getattr(scheme, "version_param", None)
    if issubclass(scheme, QueryParameterVersioning):
        parameter = query_parameter(str(name), "The version of the API.", "string")
        yield {**parameter, "schema": value | ({"default": default} if default else {})}
    elif issubclass(scheme, URLPathVersioning) and f"{{{name}}}" in endpoint.path:
        if endpoint.inspection.api_version is not None:
            value = {"type": "string", "enum": [endpoint.inspection.api_version]}
        yield path_parameter(str(name), value, "The version of the API.")


def warn_of_unknown(endpoint: Endpoint, operation: Operation) -> None:
    answers = [answer for answer in operation.responses or () if answer.status.startswith("2")]
    place = f"{operation.method} {operation.path}"
    if any(_is_unknown(answer.content) for answer in answers):
        endpoint.inspection.warn(
            f"nothing is known about the response of {place}. "
            "Give the view a serializer_class, or use @extend_schema(responses=…)",
            type(endpoint.view),
        )
        return
    body = None if operation.body is None else operation.body.content
    if _is_unknown(body) and endpoint.has_no_serializer:
        endpoint.inspection.warn(
            f"nothing is known about the body of {place}. "
            "Give the view a serializer_class, or use @extend_schema(request=…)",
            type(endpoint.view),
        )


def _is_unknown(contents: Iterable[MediaContent] | None) -> bool:
    return any(item.schema == {} and is_structured(item.media_type) for item in contents or ())


# ---- identifiers ----


def with_unique_identifiers(inspection: Inspection, operations: list[Operation]) -> list[Operation]:
    """Return the operations; shared identifiers get the method, then the path, appended."""
    by_name: dict[str | None, list[Operation]] = {}
    for operation in operations:
        by_name.setdefault(operation.identifier, []).append(operation)
    by_name.pop(None, None)
    shared = {name: sharing for name, sharing in by_name.items() if len(sharing) > 1}
    if not shared:
        return operations
    _warn_of_shared(inspection, shared)
    taken = {str(name) for name in by_name.keys() - shared.keys()}
    return [_unique(item, taken) if item.identifier in shared else item for item in operations]


def _unique(operation: Operation, taken: set[str]) -> Operation:
    name = _free(operation, taken)
    taken.add(name)
    return operation if name == operation.identifier else replace(operation, identifier=name)


#: The most operations named in a warning.
MAX_NAMED = 5


def _warn_of_shared(inspection: Inspection, by_name: Mapping[str | None, list[Operation]]) -> None:
    """Warn of identifiers that paths share; operations of one path are methods of one action."""
    for name, shared in by_name.items():
        count = len(shared)
        if len({item.path for item in shared}) > 1:
            named = [f"{item.method} {item.path} ({item.view})" for item in shared[:MAX_NAMED]]
            places = ", ".join([*named, *(["…"] if count > MAX_NAMED else [])])
            inspection.warn(
                f"{count} operations have the operationId {name}, and are told apart by method and "
                f"path: {places}. Use @extend_schema(operation_id=…) to choose identifiers"
            )


def _free(operation: Operation, taken: set[str]) -> str:
    base = operation.identifier or ""
    words = re.findall(r"\w+", operation.path)
    by_path = base + "".join(word[:1].upper() + word[1:] for word in words)
    candidates = (base, f"{base}{operation.method.title()}", by_path)
    return next(name for name in chain(candidates, numbered(base)) if name not in taken)
