"""The native schema: a Document whose links are the operations of the API.

    view ──its schema──▶ Link ──insert_into──▶ LinkNode tree ──distribute_links──▶ Document

The objects come from ``lintel_document``, which stands in for ``coreapi`` (Document, Link, Field)
and, with its module ``schemas``, for ``coreschema``. Fields that other libraries create with their
own classes are copied by attributes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import cleandoc, getattr_static
from itertools import takewhile
from typing import Any, TypeAlias
from urllib.parse import urljoin

from django.db import models
from django.utils.encoding import force_str

import lintel_document as coreapi
from lintel import RemovedInDRF317Warning as RemovedInDRF317Warning
from lintel import exceptions as exceptions
from lintel import serializers
from lintel.annotations import AnyView
from lintel.compat import uritemplate as uritemplate
from lintel.fields.columns import column_of
from lintel.filters import BaseFilterBackend
from lintel.generics import GenericAPIView
from lintel.inspectors import DefaultSchema, ViewInspector
from lintel.pagination import BasePagination
from lintel.request import Request
from lintel.schemas import openapi
from lintel.schemas.assembling import extensions_for, inspector_with, may_see
from lintel.schemas.components import is_circular
from lintel.schemas.extending import MISSING, Extension, OpenApiParameter, OpenApiRequest
from lintel.schemas.extension_rules import is_left_out, parameter_mapping
from lintel.schemas.foreign_operations import foreign_schema
from lintel.schemas.generators import BaseSchemaGenerator, Patterns, UrlConf
from lintel.schemas.handlers import may_read_body
from lintel.schemas.inspection import Inspection, is_full, warn_of
from lintel.schemas.openapi.contract import column_description
from lintel.schemas.standins import prepare, serializer_of
from lintel.schemas.texts import ACTIONS
from lintel.schemas.tree import Schema
from lintel.schemas.undisturbed import undisturbed
from lintel.schemas.utils import (
    LOOKUP_ACTIONS,
    allowed_parameters,
    applies_filters,
    filter_parameters,
    is_list_view,
    model_of,
    owner_of_variable,
    variables_of,
)
from lintel.schemas.utils import get_pk_description as get_pk_description
from lintel.settings import api_settings, full_version
from lintel.views import APIView
from lintel_document import schemas as coreschema

Fields: TypeAlias = list[coreapi.Field]

BODY_ENCODINGS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")

INSERT_INTO_COLLISION_FMT = (
    "The link for {value_url} cannot be placed at the keys {keys}: the link for {target_url} "
    "stands in its way. Change one of the URLs, or override SchemaGenerator.get_keys() to give "
    "the operations other names."
)

BODY_LOCATIONS = ("form", "body")


def common_path(paths: Iterable[str]) -> str:
    """Return the longest path of whole segments that all ``paths`` start with."""
    places = zip(*(path.strip("/").split("/") for path in paths), strict=False)
    shared = takewhile(lambda segments: len(set(segments)) == 1, places)
    return "/" + "/".join(segments[0] for segments in shared)


def is_custom_action(action: str | None) -> bool:
    return action != "create" and action not in LOOKUP_ACTIONS


class LinkNode(dict[str, Any]):
    """A branch of the tree under construction: its branches, and links without a name yet."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, coreapi.Link]] = []
        self.methods_counter: Counter[str] = Counter()

    def get_available_key(self, preferred_key: str) -> str:
        """Return ``preferred_key``, or with ``_0``, ``_1`` … appended if it is taken."""
        key = preferred_key
        while key in self:
            key = f"{preferred_key}_{self.methods_counter[preferred_key]}"
            self.methods_counter[preferred_key] += 1
        return key


def insert_into(target: LinkNode, keys: Sequence[str], value: coreapi.Link) -> None:
    """Put a link at the end of a path of keys. Raises ValueError if a link is in the way."""
    node = target
    for key in keys[:-1]:
        node = node.setdefault(key, LinkNode())
        if not isinstance(node, LinkNode):
            raise ValueError(
                INSERT_INTO_COLLISION_FMT.format(
                    value_url=value.url, target_url=getattr(node, "url", node), keys=list(keys)
                )
            )
    node.links.append((keys[-1], value))


def distribute_links(obj: LinkNode) -> None:
    """Give the unnamed links of a tree their keys, once all branches are known."""
    for branch in obj.values():
        distribute_links(branch)
    for preferred_key, link in obj.links:
        obj[obj.get_available_key(preferred_key)] = link


class SchemaGenerator(BaseSchemaGenerator):
    """Generates the native schema of a project.

    Views need no schema class of this format: one with a schema in another format is
    described by AutoSchema.
    """

    default_mapping: dict[str, str] = {method.lower(): action for method, action in ACTIONS.items()}

    #: Replacements for action names; SCHEMA_COERCE_METHOD_NAMES unless a subclass sets it.
    coerce_method_names: Mapping[str, str] | None = None

    def __init__(
        self,
        title: str | None = None,
        url: str | None = None,
        description: str | None = None,
        patterns: Patterns = None,
        urlconf: UrlConf = None,
        version: str | None = None,
    ) -> None:
        super().__init__(title, url, description, patterns, urlconf, version)
        if self.coerce_method_names is None:
            self.coerce_method_names = api_settings.SCHEMA_COERCE_METHOD_NAMES

    def get_links(self, request: Request | None = None) -> LinkNode | None:
        """Return the links that ``request`` may see, by key; None if there are no endpoints."""
        return placed_links(self, request, link_or_warning)

    def get_schema(
        self, request: Request | None = None, public: bool = False
    ) -> coreapi.Document | None:
        links = self.get_links(None if public else request)
        if not links:
            return None
        distribute_links(links)
        return document_of(self, links, request)

    def get_keys(self, subpath: str, method: str, view: AnyView) -> list[str]:
        """Return the keys of the operation: named segments of its path, then a name."""
        method = method.lower()
        parts = [part for part in subpath.strip("/").split("/") if "{" not in part]
        action = getattr(view, "action", None)
        if action is None:
            is_list = is_list_view(subpath, method, view)
            action = "list" if is_list else self.default_mapping.get(method, method)
        elif is_custom_action(action):
            # The handler for GET also handles HEAD.
            if len((getattr(view, "action_map", None) or {}).keys() - {"head"}) <= 1:
                return [*parts[:-1], action]
            # The last segment names the action; the method distinguishes its operations.
            action = self.default_mapping.get(method, method)
        return [*parts, (self.coerce_method_names or {}).get(action, action)]

    def determine_path_prefix(self, paths: Iterable[str]) -> str:
        """Return the common start of all paths that names no operation, such as ``/api/v1``."""
        prefixes = []
        for path in paths:
            fixed = list(takewhile(lambda part: "{" not in part, path.strip("/").split("/")))
            if len(fixed) < 2:
                return "/"
            prefixes.append("/".join(fixed[:-1]))
        return common_path(prefixes)


def document_of(
    generator: SchemaGenerator, links: Mapping[str, object], request: Request | None
) -> coreapi.Document:
    url = generator.url
    if not url and request is not None:
        url = request.build_absolute_uri()
    return coreapi.Document(url, generator.title, generator.description, content=links)


def placed_links(
    generator: SchemaGenerator,
    request: Request | None,
    make: Callable[[str, str, APIView, str | None], coreapi.Link],
) -> LinkNode | None:
    paths, endpoints = generator._get_paths_and_endpoints(request)
    if not paths:
        return None
    prefix = generator.determine_path_prefix(paths)
    links = LinkNode()
    for path, method, view in endpoints:
        if is_left_out(extensions_at(view, path, method), method, None):
            continue
        if may_see(generator, (path, method, view), warn_of):
            with undisturbed():
                link = make(path, method, view, generator.url)
            insert_into(links, generator.get_keys(path[len(prefix) :], method, view), link)
    return links


def link_or_warning(path: str, method: str, view: APIView, base_url: str | None) -> coreapi.Link:
    """Return the link of an operation; if project code fails, its path alone, with a warning."""
    prepare(view, path, method, warn_of)
    try:
        return inspector_of(view).get_link(path, method, base_url=base_url)
    except Exception as error:
        warn_of(f"{method} {path} is described by its path alone: {error!r}", type(view))
    fields = [coreapi.Field(name, True, "path") for name in variables_of(path)]
    return coreapi.Link(url=absolute(base_url, path), action=method.lower(), fields=fields)


def inspector_of(view: APIView) -> Any:
    """Return the object that creates the links of a view.

    That is its schema, if it creates links; if the view leaves that to the settings, its
    ``native_schema``, if it has one; otherwise an AutoSchema.
    """
    is_default = isinstance(getattr_static(type(view), "schema", None), DefaultSchema)
    native = getattr(view, "native_schema", None)
    if native is not None and is_default:
        return native
    return inspector_with(view, view.schema, "get_link", AutoSchema)


def extensions_at(view: APIView, path: str, method: str) -> list[Extension]:
    """What decorators say of an operation, without warnings."""
    given = view.schema
    inspector = inspector_with(view, given, "get_operation", openapi.AutoSchema)
    foreign = foreign_schema(view, given, method)
    return extensions_for(view, foreign, path, method, inspector, Inspection(warns=False))


def field_to_schema(field: Any) -> coreschema.Schema:
    is_endless = isinstance(field, serializers.Serializer) and is_circular(field)
    described = coreschema.Object() if is_endless else field.describe_native(field_to_schema)
    return replace(described, title=field.label, description=field.help_text)


class AutoSchema(ViewInspector):
    """Creates the link of an operation from the view's serializer, filters and paginator.

    ``manual_fields`` replace the fields of the same names and are added otherwise.
    """

    def __init__(self, manual_fields: Iterable[coreapi.Field] | None = None) -> None:
        super().__init__()
        self._manual_fields = [] if manual_fields is None else manual_fields

    def get_link(self, path: str, method: str, base_url: str | None) -> coreapi.Link:
        """Return the link for one operation, its URL joined to ``base_url``."""
        fields = self.get_path_fields(path, method)
        fields += self.get_serializer_fields(path, method)
        fields += self.get_pagination_fields(path, method)
        fields += self.get_filter_fields(path, method)
        fields += _declared_fields(self.view, fields)
        description = None
        for extension in extensions_at(self.view, path, method):
            fields = _extended(fields, extension, method, self.view)
            if extension.description is not None:
                description = cleandoc(force_str(extension.description))
        fields = self.update_fields(fields, self.get_manual_fields(path, method))
        has_body = any(field.location in BODY_LOCATIONS for field in fields)
        if description is None:
            description = self.get_description(path, method)
        return coreapi.Link(
            url=absolute(base_url, path),
            action=method.lower(),
            encoding=self.get_encoding(path, method) if has_body else None,
            fields=[own_field(field) for field in fields],
            description=description,
        )

    def get_path_fields(self, path: str, method: str) -> Fields:
        """Return one required field for each parameter of the path."""
        described = {name: _path_parameter(self.view, name) for name in variables_of(path)}
        return [coreapi.Field(name, True, "path", schema) for name, schema in described.items()]

    def get_serializer_fields(self, path: str, method: str) -> Fields:
        """Return fields of the body: those of the serializer that accept input."""
        view = self.view
        if method not in ("PUT", "PATCH", "POST") or not hasattr(view, "get_serializer"):
            return []
        if _describes_fully() and not may_read_body(view):
            return []
        return serializer_fields(serializer_of(view, warn_of), method)

    def get_pagination_fields(self, path: str, method: str) -> Fields:
        """Return query parameters of the paginator, if the operation returns a list."""
        pagination_class = getattr(self.view, "pagination_class", None)
        if pagination_class is None or not is_list_view(path, method, self.view):
            return []
        return query_fields(pagination_class(), self.view)

    def get_filter_fields(self, path: str, method: str) -> Fields:
        """Return query parameters of the filters, if the operation looks up objects."""
        if not self._allows_filters(path, method):
            return []
        backends = self.view.filter_backends
        return [field for backend in backends for field in query_fields(backend(), self.view)]

    def _allows_filters(self, path: str, method: str) -> bool:
        is_shown = is_list_view(path, method, self.view) or not _describes_fully()
        is_shown = is_shown or getattr(self.view, "filter_fields_everywhere", False)
        return is_shown and applies_filters(self.view, method)

    def get_manual_fields(self, path: str, method: str) -> Iterable[coreapi.Field]:
        """Return the fields given to the constructor; override it to distinguish operations."""
        return self._manual_fields

    @staticmethod
    def update_fields(fields: Fields, update_with: Iterable[coreapi.Field] | None) -> Fields:
        """Return ``fields`` with those of the same names replaced, and the others appended."""
        if not update_with:
            return fields
        by_name = {field.name: field for field in fields}
        by_name.update((field.name, field) for field in update_with)
        return list(by_name.values())

    def get_encoding(self, path: str, method: str) -> str | None:
        """Return the media type of the body: the first parser's that a client can write."""
        for parser in self.view.parser_classes:
            if parser.media_type in BODY_ENCODINGS:
                return str(parser.media_type)
            if parser.media_type == "*/*":
                return "application/octet-stream"
        return None


def _describes_fully() -> bool:
    """Whether the project asks for descriptions beyond those of the known API."""
    return is_full(full_version(api_settings.OPENAPI_VERSION))


def serializer_fields(serializer: object, method: str) -> Fields:
    if isinstance(serializer, serializers.ListSerializer):
        return [coreapi.Field("data", True, "body", coreschema.Array())]
    if not isinstance(serializer, serializers.Serializer):
        return []
    return [
        coreapi.Field(
            name=field.field_name,
            location="form",
            required=bool(field.required and method != "PATCH"),
            schema=field_to_schema(field),
        )
        for field in serializer.fields.values()
        if field.is_exchanged and not field.read_only
    ]


def _extended(fields: Fields, extension: Extension, method: str, view: APIView) -> Fields:
    if extension.request is not MISSING:
        others = [field for field in fields if field.location not in BODY_LOCATIONS]
        fields = others + _body_fields(extension.request, method)
    for given in extension.parameters or ():
        fields = _with_parameter(fields, given, view)
    return fields


def _body_fields(given: object, method: str) -> Fields:
    if isinstance(given, OpenApiRequest):
        return _body_fields(given.request, method)
    if isinstance(given, Mapping) and any("/" in str(key) for key in given):
        return _body_fields(next(iter(given.values())), method)  # by media type; a link has one
    if given is None:
        return []
    if isinstance(given, type) and issubclass(given, serializers.BaseSerializer):
        given = given()
    if isinstance(given, serializers.Serializer | serializers.ListSerializer):
        return serializer_fields(given, method)
    return [coreapi.Field(name="data", location="body", required=True)]


def _declared_fields(view: APIView, fields: Iterable[coreapi.Field]) -> Fields:
    described = {field.name for field in fields}
    names = [name for name in allowed_parameters(view) if name not in described]
    return [coreapi.Field(name=name, location="query") for name in names]


def _with_parameter(fields: Fields, given: object, view: APIView) -> Fields:
    if isinstance(given, OpenApiParameter):
        if given.response and not given.exclude:
            return fields  # a response header
        key = given.name, given.location
        others = [field for field in fields if (field.name, field.location) != key]
        if given.exclude:
            return others
        inspector = openapi.AutoSchema()
        inspector.view = view
        return [*others, _from_openapi(parameter_mapping(given, inspector))]
    if isinstance(given, Mapping):
        return AutoSchema.update_fields(fields, [_from_openapi(given)])
    serializer = given() if isinstance(given, type) else given
    body = serializer_fields(serializer, "GET")
    query = [replace(field, location="query") for field in body if field.location == "form"]
    return AutoSchema.update_fields(fields, query)


class ManualSchema(ViewInspector):
    """Describes all operations of a view by the fields and the text given here.

    Raises TypeError unless ``fields`` is a list of Field objects.
    """

    def __init__(
        self, fields: Sequence[Any], description: str = "", encoding: str | None = None
    ) -> None:
        super().__init__()
        for field in fields:
            if isinstance(field, str) or not hasattr(field, "location"):
                raise TypeError(
                    f"ManualSchema: 'fields' must be a list of Field objects, it holds {field!r}"
                )
        link_fields = [own_field(field) for field in fields]
        self._lintel_link = partial(
            coreapi.Link, fields=link_fields, description=description, encoding=encoding
        )

    def get_link(self, path: str, method: str, base_url: str | None) -> coreapi.Link:
        return self._lintel_link(url=absolute(base_url, path), action=method.lower())


def is_enabled() -> bool:
    """Return whether the setting DEFAULT_SCHEMA_CLASS asks for the native schema."""
    return issubclass(api_settings.DEFAULT_SCHEMA_CLASS, (AutoSchema, ManualSchema))


def absolute(base_url: str | None, path: str) -> str:
    if not base_url:
        return path
    return urljoin(base_url, path.removeprefix("/"))


def own_field(field: Any) -> Any:
    """Return a field of a link; one made by another library is copied, attribute by attribute."""
    if isinstance(field, coreapi.Field | str):
        return field
    return coreapi.Field(
        name=field.name,
        required=bool(field.required),
        location=field.location or "",
        schema=field.schema,
        description=getattr(field, "description", None),
        type=getattr(field, "type", None),
        example=getattr(field, "example", None),
    )


def query_fields(source: object, view: GenericAPIView) -> Fields:
    """Return the query parameters of a paginator or filter; some know OpenAPI alone."""
    of_bases = (BaseFilterBackend.get_schema_fields, BasePagination.get_schema_fields)
    if hasattr(source, "get_schema_fields") and type(source).get_schema_fields not in of_bases:
        return list(source.get_schema_fields(view))
    return [_from_openapi(parameter) for parameter in filter_parameters(source, view, Inspection())]


def _from_openapi(parameter: Schema) -> coreapi.Field:
    schema = parameter.get("schema", {})
    if schema.get("enum"):
        values: coreschema.Schema = coreschema.Enum(enum=list(schema["enum"]))
    else:
        values = coreschema.BY_TYPE_NAME.get(schema.get("type", ""), coreschema.String)()
    texts = {"title": schema.get("title"), "description": parameter.get("description")}
    return coreapi.Field(
        name=parameter["name"],
        location=parameter.get("in", "query"),
        required=bool(parameter.get("required", False)),
        schema=replace(values, **texts),
    )


def _path_parameter(view: AnyView, name: str) -> coreschema.Schema:
    view, name = owner_of_variable(view, name)
    model = model_of(view)
    if model is None:
        return coreschema.String()
    column, description = column_of(model, name), column_description(model, name)
    texts: Schema = {"title": getattr(column, "verbose_name", ""), "description": description}
    if hasattr(view, "lookup_value_regex") and view.lookup_field == name:
        return coreschema.String(pattern=view.lookup_value_regex, **texts)
    kind = coreschema.Integer if isinstance(column, models.AutoField) else coreschema.String
    return kind(**texts)
