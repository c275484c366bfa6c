"""One inspection of the views: each endpoint becomes an operation of the tree.

The schema object of a view returns its operation as OpenAPI, so that overrides in a
project take effect in every version. The full description adds what the policies of the
view imply: errors, headers, security.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any, NamedTuple

from django.urls.converters import IntConverter, PathConverter, StringConverter, UUIDConverter

from lintel import serializers
from lintel.mixins import CreateModelMixin
from lintel.pagination.base import query_parameter
from lintel.provenance import is_ours, reached
from lintel.retirement import deprecation_of, deprecation_of_version, headers_of, moment_of
from lintel.schemas.columns import column_of, column_schema
from lintel.schemas.components import (
    facts_of,
)
from lintel.schemas.demands import ecma_pattern
from lintel.schemas.errors import STRUCTURED, offers, rate_limit_headers
from lintel.schemas.extending import Extension
from lintel.schemas.extension_rules import extend
from lintel.schemas.inspection import Inspection, MissingLibrary, current, warn_of
from lintel.schemas.lists import streamed_media_types
from lintel.schemas.mappings import KEYS, NOTHING, read_parameter, read_parts
from lintel.schemas.policies import declared_headers, policies_of
from lintel.schemas.preconditions import with_preconditions
from lintel.schemas.tree import (
    Component,
    Header,
    Operation,
    Parameter,
    ResponseDescription,
)
from lintel.schemas.utils import allowed_parameters, is_list_view
from lintel.schemas.versions import with_version
from lintel.settings import api_settings
from lintel.utils import json
from lintel.utils.encoders import JSONEncoder
from lintel.versioning import BaseVersioning, QueryParameterVersioning, URLPathVersioning

#: The attributes of an operation under construction.
Parts = dict[str, Any]


def describe(
    inspection: Inspection,
    schema: Any,
    path: str,
    method: str,
    view: Any,
    extensions: Iterable[Extension] = (),
) -> Operation:
    """Return the operation of one endpoint, from its schema object and its extensions."""
    inspection.path, inspection.method, inspection.view = path, method, view
    inspection.schema, inspection.view_serializers = schema, []
    inspection.converters = inspection.routes.get(getattr(view, "_lintel_callback", None), NOTHING)
    described = schema.get_operation(path, method)
    operation = as_read(inspection, described, view)
    if inspection.is_full:
        operation = with_preconditions(inspection, operation, view)
    operation = with_deprecation(operation, view, inspection.api_version)
    operation = extended(inspection, operation, extensions)
    if inspection.is_full:
        warn_of_unknown(operation, view)
    return operation


def extended(
    inspection: Inspection, operation: Operation, extensions: Iterable[Extension]
) -> Operation:
    """Return the operation with what its extensions say."""
    for extension in extensions:
        if extension.concerns(operation.method, inspection.api_version):
            operation = extend(operation, extension, inspection.schema, inspection.view)
    return operation


def as_read(inspection: Inspection, described: Any, view: Any) -> Operation:
    """Return the operation, parsed from its description, with the policies of its view."""
    parts = read_parts(described)
    if inspection.is_full:
        check_own_words(inspection, described, parts)
        add_policies(inspection, parts, inspection.schema, view)
    path, method = inspection.path, inspection.method
    return Operation(path=path, method=method, view=type(view).__qualname__, **parts)


class Described(NamedTuple):
    """An operation, and the components that its schema object defines itself."""

    operation: Operation
    components: tuple[Component, ...] = ()


def describe_or_warn(
    inspection: Inspection,
    schema: Any,
    path: str,
    method: str,
    view: Any,
    extensions: Iterable[Extension] = (),
) -> Described:
    """Return the operation; if project code fails, its path and extensions, with a warning.

    In version 3.0.2 the error of a view without extensions is raised, as in the known API.
    """
    try:
        operation = describe(inspection, schema, path, method, view, extensions)
        return Described(operation, tuple(components_of(schema, path, method)))
    except MissingLibrary:
        raise
    except Exception as error:
        if not (inspection.is_full or extensions):
            raise
        warn_of(f"{method} {path} is described by its path alone: {error!r}", type(view))
    operation = operation_of_path(path, method, view)
    with suppress(Exception):  # an extension may be what has failed
        operation = extended(inspection, operation, extensions)
    return Described(operation)


def operation_of_path(path: str, method: str, view: Any) -> Operation:
    """Return an operation of which nothing but the path is known."""
    names = re.findall(r"{(\w+)}", path)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in dict.fromkeys(names)
    ]
    return Operation(
        path=path,
        method=method,
        view=type(view).__qualname__,
        parameters=tuple(map(read_parameter, parameters)),
        responses=(ResponseDescription(status="default", description="Unknown."),),
    )


def check_own_words(inspection: Inspection, described: Any, parts: Parts) -> None:
    """Remove, with a warning, keys from project code that OpenAPI lacks.

    Raises TypeError for values that JSON cannot represent.
    """
    cls = type(inspection.schema)
    if is_ours(reached(cls, "get_operation")):
        return
    json.dumps(described, cls=JSONEncoder)
    unknown = parts["extra"].keys() & KEYS.keys()
    for word in sorted(unknown):
        warn_of(f"get_operation() says {described[word]!r} of {word}", type(inspection.view), cls)
    parts["extra"] = {word: said for word, said in parts["extra"].items() if word not in unknown}


def components_of(schema: Any, path: str, method: str) -> Iterator[Component]:
    """Yield the components that a schema object defines itself."""
    for name, value in schema.get_components(path, method).items():
        yield Component(name=name, schema=value)


# ---- the full description ----


def add_policies(inspection: Inspection, parts: Parts, schema: Any, view: Any) -> None:
    """Add what the policies of the view imply for its operation."""
    path, method = inspection.path, inspection.method
    known = parts.get("responses") or ()
    if inspection.api_version is not None:
        known = with_version(known, view, inspection.api_version)
    lists = is_list_view(path, method, view)
    headers = [*rate_limit_headers(view), *declared_headers(schema, view, lists)]
    known = tuple([_with_headers(each, headers) for each in known] if headers else known)
    facts = parts.get("body") is not None, "{" in path, lists
    policies = policies_of(inspection, view, facts)
    given = {each.status for each in known}
    parts["responses"] = (*known, *[each for each in policies.errors if each.status not in given])
    if parts.get("security") is None:
        parts["security"] = policies.security
    parts["parameters"] = with_common(parts.get("parameters") or (), path, view)


#: The headers of deprecated operations, in OpenAPI.
RETIREMENT_HEADERS = {
    "Deprecation": {
        "description": "Since when the operation is deprecated (RFC 9745).",
        "schema": {"type": "string"},
    },
    "Sunset": {
        "description": "When the operation is expected to be removed (RFC 8594).",
        "schema": {"type": "string"},
    },
}


def with_deprecation(operation: Operation, view: Any, version: Any) -> Operation:
    """Return the operation, marked as deprecated if its view or version is.

    ``x-sunset`` is the last day.
    """
    deprecated = getattr(view, "deprecated", None)
    scheme = getattr(view, "versioning_class", None)
    if deprecated is None and scheme is None:
        return operation
    found = deprecation_of(deprecated, getattr(view, "sunset", None))
    found = found or deprecation_of_version(scheme, version)
    if found is None:
        return operation
    sunset = {} if found.sunset is None else {"x-sunset": moment_of(found.sunset).isoformat()}
    headers = [
        Header(name=name, value=RETIREMENT_HEADERS[name])
        for name in headers_of(found)
        if name in RETIREMENT_HEADERS
    ]
    return replace(
        operation,
        deprecated=True,
        deprecation=found,
        responses=tuple(_with_headers(each, headers) for each in operation.responses or ()),
        extra={**operation.extra, **sunset},
    )


def _with_headers(response: ResponseDescription, headers: list[Header]) -> ResponseDescription:
    if response.reference is not None:
        return response
    return replace(response, headers=(*response.headers, *headers))


def with_common(known: Iterable[Parameter], path: str, view: Any) -> tuple[Parameter, ...]:
    """Return the parameters of an operation, including those of formats and versions."""
    common = [
        *_format_parameters(view),
        *_version_parameters(path, view),
        *_declared_parameters(view),
    ]
    if not common:
        return tuple(known)
    found = {(each.name, each.location): each for each in known}
    for mapping in common:
        read = read_parameter(mapping)
        if (read.name, read.location) not in found or read.location == "path":
            found[read.name, read.location] = read
    return tuple(found.values())


def _format_parameters(view: Any) -> Iterator[dict[str, Any]]:
    formats = offers(view)
    if formats:
        name = str(api_settings.URL_FORMAT_OVERRIDE)
        parameter = query_parameter(name, "The format of the response.", "string")
        parameter["schema"]["enum"] = formats
        yield parameter


def _version_parameters(path: str, view: Any) -> Iterator[dict[str, Any]]:
    scheme: Any = getattr(view, "versioning_class", None)
    if not isinstance(scheme, type) or not issubclass(scheme, BaseVersioning):
        return
    versions = [each for each in (scheme.allowed_versions or ()) if each is not None]
    default = getattr(scheme, "default_version", None)
    if versions and default is not None and default not in versions:
        versions.append(default)
    value: dict[str, Any] = {"type": "string", **({"enum": versions} if versions else {})}
    name = getattr(scheme, "version_param", None)
    if issubclass(scheme, QueryParameterVersioning):
        parameter = query_parameter(str(name), "The version of the API.", "string")
        yield {**parameter, "schema": value | ({"default": default} if default else {})}
    elif issubclass(scheme, URLPathVersioning) and f"{{{name}}}" in path:
        inspection = current()
        if inspection is not None and inspection.api_version is not None:
            value = {"type": "string", "enum": [inspection.api_version]}
        described = "The version of the API."
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": described,
            "schema": value,
        }


def _declared_parameters(view: Any) -> Iterator[dict[str, Any]]:
    """Return parameters of which a view declares only the names."""
    for name in allowed_parameters(view):
        yield {"name": name, "required": False, "in": "query", "description": "", "schema": {}}


def warn_of_unknown(operation: Operation, view: Any) -> None:
    """Warn if nothing is known about an operation's response."""
    for response in operation.responses or ():
        for content in response.content or ():
            if content.schema != {} or not response.status.startswith("2"):
                continue
            if is_structured(content.media_type):
                warn_of(
                    f"nothing is known about the response of {operation.method} {operation.path}. "
                    "Give the view a serializer_class, or use @extend_schema(responses=…)",
                    type(view),
                )
                return


# ---- AutoSchema in a full description ----


def handler_of(view: Any, method: str) -> Any:
    """Return the view's handler method."""
    return getattr(view, getattr(view, "action", None) or method.lower(), None)


def creates(view: Any, method: str) -> bool:
    """Return whether the operation creates a row as the mixins do."""
    action = getattr(view, "action", None)
    is_create = action == "create" if action is not None else isinstance(view, CreateModelMixin)
    return method == "POST" and is_create


def success_status(view: Any, method: str) -> str:
    """Return the success status: 201 for creation, 204 for deletion."""
    if method == "DELETE":
        return "204"
    return "201" if creates(view, method) else "200"


#: The reason phrase of each status.
_PHRASES = {str(int(each)): each.phrase for each in HTTPStatus}


def success_response(
    schema: Any, path: str, method: str, item: Any, each: Any = None
) -> dict[str, Any]:
    """Return the success response as OpenAPI.

    ``each`` is the schema of a stream's items.
    """
    view = schema.view
    status = success_status(view, method)
    if status == "204":
        return {status: {"description": _PHRASES[status]}}
    names = schema.response_media_types = schema.map_renderers(path, method)
    content = {
        name: {"schema": item if is_structured(name) else {"type": "string"}} for name in names
    }
    for name in streamed_media_types(view, method) & content.keys():
        content[name] = {"schema": {"type": "array", "items": each}}
    headers = success_headers(schema, path, method)
    described = {"content": content, "description": _PHRASES[status]}
    return {status: {"headers": headers, **described} if headers else described}


def is_structured(media_type: str) -> bool:
    """Return whether a body of this type has the serializer's values, and is no page or file."""
    return any(word in media_type for word in STRUCTURED)


def success_headers(schema: Any, path: str, method: str) -> dict[str, Any]:
    """Return ``Location`` of a created object, if its serializer writes the URL."""
    view = schema.view
    if not creates(view, method) or not is_ours(getattr(view, "get_success_headers", None)):
        return {}
    serializer = schema.get_response_serializer(path, method)
    if not isinstance(serializer, serializers.Serializer):
        return {}
    if not facts_of(serializer).has_address:
        return {}
    # Absolute if the request is known, else a path (RFC 9110, section 10.2.2).
    value = {"type": "string", "format": "uri-reference"}
    return {"Location": {"description": "The URL of the created object.", "schema": value}}


def needs_body(serializer: Any) -> bool:
    """Return whether a request without a body is rejected."""
    is_known = isinstance(serializer, serializers.Serializer)
    return facts_of(serializer).needs_body if is_known else True


def body_media_types(names: Iterable[str], serializer: Any) -> list[str]:
    """Return the media types for a serializer's input: files can only be sent in forms."""
    known = list(names)
    if not isinstance(serializer, serializers.Serializer) or not facts_of(serializer).needs_file:
        return known
    return [name for name in known if name.startswith("multipart/")] or known


# ---- identifiers ----


def with_unique_identifiers(operations: list[Operation]) -> list[Operation]:
    """Return the operations; shared identifiers get the method, then the path, appended."""
    by_name: dict[str | None, list[Operation]] = {}
    for operation in operations:
        by_name.setdefault(operation.identifier, []).append(operation)
    by_name.pop(None, None)
    shared = {name: found for name, found in by_name.items() if len(found) > 1}
    if not shared:
        return operations
    _warn_of_shared(shared)
    taken = {str(name) for name in by_name.keys() - shared.keys()}
    return [_unique(each, taken) if each.identifier in shared else each for each in operations]


def _unique(operation: Operation, taken: set[str]) -> Operation:
    """Return the operation with an unused identifier, and mark it as used."""
    name = _free(operation, taken)
    taken.add(name)
    return operation if name == operation.identifier else replace(operation, identifier=name)


#: The most operations named in a warning.
MAX_NAMED = 5


def _warn_of_shared(by_name: Mapping[str | None, list[Operation]]) -> None:
    """Warn about identifiers shared by operations of several paths, and name the operations.

    Operations of one path are methods of one action, such as ``@action(methods=["get", "post"])``.
    """
    for name, shared in by_name.items():
        count = len(shared)
        if len({each.path for each in shared}) > 1:
            named = [f"{each.method} {each.path} ({each.view})" for each in shared[:MAX_NAMED]]
            places = ", ".join([*named, *(["…"] if count > MAX_NAMED else [])])
            warn_of(
                f"{count} operations have the operationId {name}, and are told apart by method and "
                f"path: {places}. Use @extend_schema(operation_id=…) to choose identifiers"
            )


def _free(operation: Operation, taken: set[str]) -> str:
    """Return the identifier, with the method and the path if necessary."""
    base = operation.identifier or ""
    words = re.findall(r"\w+", operation.path)
    for candidate in (
        base,
        f"{base}{operation.method.title()}",
        base + "".join(word[:1].upper() + word[1:] for word in words),
    ):
        if candidate not in taken:
            return candidate
    number = 2
    while f"{base}{number}" in taken:
        number += 1
    return f"{base}{number}"


# ---- calls of views that may fail ----


def serializer_or_warning(view: Any) -> Any:
    """Return the serializer of a view, asked once per operation; None, with a warning, if it fails.

    The view may return serializers of other classes each time.
    """
    inspection = current()
    if inspection is None or not inspection.view_serializers:
        try:
            serializer = view.get_serializer()
        except Exception as error:  # project code that expects a request
            warn_of(f"get_serializer() failed, its fields are not known: {error!r}", type(view))
            serializer = None
        if inspection is None:
            return serializer
        inspection.view_serializers.append(serializer)
    return inspection.view_serializers[0]


def path_value(view: Any, model: Any, name: str) -> dict[str, Any]:
    """Return the schema of a path parameter, by the column it is looked up in."""
    lookup = getattr(view, "lookup_field", None)
    is_lookup = name in (getattr(view, "lookup_url_kwarg", None), lookup)
    column_name = lookup if is_lookup and lookup else name
    pattern = getattr(view, "lookup_value_regex", None) if is_lookup else None
    if pattern and (translated := ecma_pattern(pattern)):
        return {"type": "string", "pattern": f"^(?:{translated})$"}
    is_key = model is not None and column_name == "pk"
    column = model._meta.pk if is_key else column_of(model, column_name)
    found = column_schema(column) if column is not None else {}
    return found or converted_value(name)


def converted_value(name: str) -> dict[str, Any]:
    """Return the schema of a route converter's values; any text if there is none."""
    inspection = current()
    converter = None if inspection is None else inspection.converters.get(name)
    if isinstance(converter, IntConverter):
        return {"type": "integer", "minimum": 0}
    if isinstance(converter, UUIDConverter):
        return {"type": "string", "format": "uuid"}
    if converter is None or converter.regex in (StringConverter.regex, PathConverter.regex):
        return {"type": "string"}
    pattern = ecma_pattern(converter.regex)
    return {"type": "string", **({"pattern": f"^(?:{pattern})$"} if pattern else {})}
