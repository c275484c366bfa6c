"""One inspection of the views: each endpoint becomes an operation of the tree.

The schema object of a view is asked for its operation, in the words of OpenAPI, so that what a
project overrides there acts in every version. The full description adds what the policies of the
view tell: errors, headers, ways to authenticate.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.urls.converters import IntConverter, PathConverter, StringConverter, UUIDConverter

from lintel import serializers
from lintel.mixins import CreateModelMixin
from lintel.pagination.base import query_parameter
from lintel.provenance import is_ours
from lintel.retirement import deprecation_of, deprecation_of_version, headers_of, moment_of
from lintel.schemas.columns import column_of, column_schema
from lintel.schemas.components import facts_of
from lintel.schemas.errors import STRUCTURED, error_responses, offers, rate_limit_headers
from lintel.schemas.extension_rules import extend, extensions_of
from lintel.schemas.inspection import Inspection, current, warn_of
from lintel.schemas.mappings import read_operation, read_parameter
from lintel.schemas.preconditions import with_preconditions
from lintel.schemas.security import security_of
from lintel.schemas.tree import Component, Header, Operation, Parameter, ResponseDescription
from lintel.schemas.utils import is_list_view
from lintel.schemas.values import ecma_pattern
from lintel.schemas.versions import with_version
from lintel.settings import api_settings
from lintel.versioning import BaseVersioning, QueryParameterVersioning, URLPathVersioning


def describe(inspection: Inspection, schema: Any, path: str, method: str, view: Any) -> Operation:
    """The operation of one endpoint, as its schema object and its extensions describe it."""
    inspection.path, inspection.method, inspection.view = path, method, view
    inspection.schema = schema
    inspection.converters = inspection.routes.get(getattr(view, "_lintel_callback", None), {})
    inspection.known.pop("serializer", None)
    inspection.properties.clear()
    described = schema.get_operation(path, method)
    operation = read_operation(described, path, method, type(view).__qualname__)
    if inspection.is_full:
        operation = with_policies(inspection, operation, schema, view)
    operation = with_deprecation(operation, view, inspection.api_version)
    for extension in extensions_of(view, method, inspection.api_version):
        operation = extend(operation, extension, schema, view)
    if inspection.is_full:
        warn_of_unknown(operation, view, schema)
    return operation


def describe_or_warn(
    inspection: Inspection, schema: Any, path: str, method: str, view: Any
) -> Operation:
    """The operation; its path alone, with a warning, where code of the project fails."""
    try:
        return describe(inspection, schema, path, method, view)
    except ImproperlyConfigured:
        raise
    except Exception as error:
        warn_of(f"{method} {path} is described by its path alone: {error!r}", type(view))
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


def components_of(schema: Any, path: str, method: str) -> Iterator[Component]:
    """The components that a schema object names by itself."""
    for name, value in schema.get_components(path, method).items():
        yield Component(name=name, schema=value)


# ---- the full description ----


def with_policies(
    inspection: Inspection, operation: Operation, schema: Any, view: Any
) -> Operation:
    """The operation with what the policies of its view tell of it."""
    answers = with_version(operation.responses or (), view, inspection.api_version)
    limits = rate_limit_headers(view)
    known = tuple(_with_headers(each, limits) for each in answers)
    lists = is_list_view(operation.path, operation.method, view)
    given = {each.status for each in known}
    has_body, looks_up = operation.body is not None, "{" in operation.path
    key = policies_of(inspection, view, has_body, looks_up, lists)
    errors = known_errors(inspection, view, key, has_body, looks_up, lists)
    found = (*known, *(each for each in errors if each.status not in given))
    changes: dict[str, Any] = {"responses": found}
    if operation.security is None:
        changes["security"] = known_security(inspection, view, key)
    changes["parameters"] = with_common(operation, schema, view)
    return with_preconditions(inspection, replace(operation, **changes), view)


#: The headers of what goes away, in the words of OpenAPI.
RETIREMENT_HEADERS = {
    "Deprecation": {
        "description": "Since when the operation is deprecated (RFC 9745).",
        "schema": {"type": "string"},
    },
    "Sunset": {
        "description": "When the operation is expected to be gone (RFC 8594).",
        "schema": {"type": "string"},
    },
}


def known_errors(
    inspection: Inspection, view: Any, key: Any, *facts: bool
) -> tuple[ResponseDescription, ...]:
    """The errors of an operation, found once for all views of the same policies."""
    if key is None:
        return tuple(error_responses(inspection, view, *facts))
    if ("errors", key) not in inspection.known:
        inspection.known["errors", key] = tuple(error_responses(inspection, view, *facts))
    found: tuple[ResponseDescription, ...] = inspection.known["errors", key]
    return found


def known_security(inspection: Inspection, view: Any, key: Any) -> Any:
    """The ways into an operation, found once for all views of the same policies."""
    if key is None:
        return security_of(inspection, view, inspection.method)
    if ("security", key) not in inspection.known:
        inspection.known["security", key] = security_of(inspection, view, inspection.method)
    return inspection.known["security", key]


#: The attributes of views that errors and ways to authenticate follow from.
POLICIES = (
    "permission_classes",
    "authentication_classes",
    "throttle_classes",
    "renderer_classes",
    "filter_backends",
    "pagination_class",
    "versioning_class",
    "content_negotiation_class",
    "strict_query_params",
    "throttle_scope",
)


def policies_of(inspection: Inspection, view: Any, *facts: bool) -> Any:
    """What tells the policies of a view; None where code of the project chooses them."""
    if not has_plain_policies(inspection, view):
        return None
    values = [getattr(view, name, None) for name in POLICIES]
    listed = (tuple(each) if isinstance(each, list | tuple) else each for each in values)
    return inspection.method, *facts, *listed


def has_plain_policies(inspection: Inspection, view: Any) -> bool:
    """Whether the attributes of a view tell its policies, found once for each class."""
    hooks = view.get_authenticators, view.get_permissions, inspection.schema.map_renderers
    key = "plain", *(getattr(hook, "__func__", hook) for hook in hooks)
    if key not in inspection.known:
        inspection.known[key] = all(map(is_ours, hooks))
    return bool(inspection.known[key])


def with_deprecation(operation: Operation, view: Any, version: Any) -> Operation:
    """The operation, deprecated as its view or its version is; ``x-sunset`` has the last day."""
    scheme = getattr(view, "versioning_class", None)
    found = deprecation_of(getattr(view, "deprecated", None), getattr(view, "sunset", None))
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


def with_common(operation: Operation, schema: Any, view: Any) -> tuple[Parameter, ...]:
    """The parameters of an operation, and those that formats and versions bring."""
    found = {(each.name, each.location): each for each in operation.parameters or ()}
    for mapping in (*_format_parameters(view), *_version_parameters(operation, view)):
        read = read_parameter(mapping)
        if (read.name, read.location) not in found or read.location == "path":
            found[read.name, read.location] = read
    return tuple(found.values())


def _format_parameters(view: Any) -> Iterator[dict[str, Any]]:
    formats = offers(view)
    if formats:
        name = str(api_settings.URL_FORMAT_OVERRIDE)
        parameter = query_parameter(name, "The format of the answer.", "string")
        parameter["schema"]["enum"] = formats
        yield parameter


def _version_parameters(operation: Operation, view: Any) -> Iterator[dict[str, Any]]:
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
    elif issubclass(scheme, URLPathVersioning) and f"{{{name}}}" in operation.path:
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


def warn_of_unknown(operation: Operation, view: Any, schema: Any) -> None:
    """Warn where nothing is known of what an operation answers."""
    for response in operation.responses or ():
        for content in response.content or ():
            structured = any(word in content.media_type for word in STRUCTURED)
            if response.status.startswith("2") and structured and content.schema == {}:
                warn_of(
                    f"nothing is known of what {operation.method} {operation.path} answers. Give "
                    "the view a serializer_class, or use @extend_schema(responses=…)",
                    type(view),
                )
                return


# ---- what AutoSchema answers in a full description ----


def handler_of(view: Any, method: str) -> Any:
    """The method of the view that answers."""
    return getattr(view, getattr(view, "action", None) or method.lower(), None)


def creates(view: Any, method: str) -> bool:
    """Whether the operation makes a row in the way of the mixins."""
    action = getattr(view, "action", None)
    is_create = action == "create" if action is not None else isinstance(view, CreateModelMixin)
    return method == "POST" and is_create


def success_status(view: Any, method: str) -> str:
    """The status of success: 201 of what creates, 204 of what destroys."""
    if method == "DELETE":
        return "204"
    return "201" if creates(view, method) else "200"


def success_response(schema: Any, path: str, method: str, item: Any) -> dict[str, Any]:
    """The response of success, in the words of OpenAPI."""
    status = success_status(schema.view, method)
    described: dict[str, Any] = {"description": HTTPStatus(int(status)).phrase}
    if status == "204":
        return {status: described}
    names = schema.response_media_types = schema.map_renderers(path, method)
    content = {
        name: {"schema": item if is_structured(name) else {"type": "string"}} for name in names
    }
    headers = success_headers(schema, path, method)
    return {status: {**described, **({"headers": headers} if headers else {}), "content": content}}


def is_structured(media_type: str) -> bool:
    """Whether a body of this type has the values of the serializer, and is no page or file."""
    return any(word in media_type for word in STRUCTURED)


def success_headers(schema: Any, path: str, method: str) -> dict[str, Any]:
    """``Location`` of what has been made, where its serializer writes the address."""
    view = schema.view
    if not creates(view, method) or not is_ours(getattr(view, "get_success_headers", None)):
        return {}
    serializer = schema.get_response_serializer(path, method)
    if not isinstance(serializer, serializers.Serializer):
        return {}
    if not facts_of(serializer).has_address:
        return {}
    value = {"type": "string", "format": "uri"}
    return {"Location": {"description": "The address of what was made.", "schema": value}}


def needs_body(serializer: Any) -> bool:
    """Whether a request without a body is refused."""
    is_known = isinstance(serializer, serializers.Serializer)
    return facts_of(serializer).needs_body if is_known else True


def body_media_types(names: Iterable[str], serializer: Any) -> list[str]:
    """The media types that a serializer can be read from: files travel in forms alone."""
    known = list(names)
    if not isinstance(serializer, serializers.Serializer) or not facts_of(serializer).needs_file:
        return known
    return [name for name in known if name.startswith("multipart/")] or known


# ---- identifiers ----


def with_unique_identifiers(operations: list[Operation]) -> list[Operation]:
    """The operations, those that share an identifier told apart by method, then by path."""
    counts = Counter(each.identifier for each in operations if each.identifier)
    taken = {name for name, count in counts.items() if count == 1}
    found = []
    for operation in operations:
        name = operation.identifier
        if name is not None and counts[name] > 1:
            name = _free(operation, taken)
            taken.add(name)
        found.append(operation if name == operation.identifier else _renamed(operation, name))
    return found


def _free(operation: Operation, taken: set[str]) -> str:
    """The identifier, with the method and the path as far as they are needed."""
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


def _renamed(operation: Operation, name: str | None) -> Operation:
    return replace(operation, identifier=name)


# ---- what views tell, and what they fail to ----


def serializer_or_warning(view: Any) -> Any:
    """The serializer of a view, once for each operation; None, with a warning, where it fails."""
    inspection = current()
    known = {} if inspection is None else inspection.known
    if "serializer" not in known:
        try:
            known["serializer"] = view.get_serializer()
        except Exception as error:  # project code that expects a request
            warn_of(f"get_serializer() failed, its fields are not known: {error!r}", type(view))
            known["serializer"] = None
    return known["serializer"]


def path_value(view: Any, model: Any, name: str) -> dict[str, Any]:
    """The values of a parameter of a path, by the column that they are looked up in."""
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
    """The values that the converter of a route takes; any text where there is none."""
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
