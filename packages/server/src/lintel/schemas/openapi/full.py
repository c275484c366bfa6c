"""The full description of operations: by direction, with shared components and named choices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, cast

from django.db.models import Model
from django.urls.converters import (
    IntConverter,
    PathConverter,
    SlugConverter,
    StringConverter,
    UUIDConverter,
)

from lintel import serializers
from lintel.annotations import AnyView
from lintel.fields import Field
from lintel.fields.columns import column_of, key_schema
from lintel.fields.describing import Schema, map_bounds
from lintel.mixins import CreateModelMixin
from lintel.pagination import BasePagination
from lintel.parsers import NestedMultiPartParser
from lintel.schemas import components
from lintel.schemas.annotations import describe_field, method_values, returned, serializer_type
from lintel.schemas.columns import model_of_serializer
from lintel.schemas.constraints import describe_validators, ecma_pattern
from lintel.schemas.enums import enum_reference
from lintel.schemas.errors import header, is_structured
from lintel.schemas.handlers import USUAL, only_status, writes_pages
from lintel.schemas.inspection import Endpoint, Inspection, body_is_read, is_reference
from lintel.schemas.openapi.contract import column_description, path_parameter
from lintel.schemas.openapi.nested_forms import with_nested_form
from lintel.schemas.overrides import serializer_options
from lintel.schemas.path_names import is_named_list, name_by_path
from lintel.schemas.returned import reads_partially, written_by
from lintel.schemas.standins import chooses_rows, lacks_serializer_class, queryset_of
from lintel.schemas.texts import resource_of
from lintel.schemas.tree import PATCH, REQUEST, RESPONSE
from lintel.schemas.utils import (
    applies_filters,
    filter_parameters,
    is_list_view,
    model_of,
    owner_of_variable,
    variables_of,
)
from lintel.schemas.values import describe_serializer
from lintel.serializers import Serializer
from lintel.settings import api_settings
from lintel.streaming import StreamingListMixin, streams
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


@dataclass(frozen=True)
class FullForm:
    """Describes the operation of an endpoint, and values that are sent in a direction."""

    is_full: ClassVar[bool] = True

    endpoint: Endpoint
    direction: str = RESPONSE
    #: The components being described, by serializer class: those inside them refer to them.
    around: Mapping[type, str] = field(default_factory=dict)
    #: Whether there are extensions by class.
    is_extended: bool = False
    #: Whether a project says that the operation returns a list; None if it says nothing.
    returns_list: bool | None = None
    #: What a project overrides in terms of drf-spectacular; None if it overrides nothing.
    reader: Any = None
    #: What decorators say instead: whether of the body, and of which statuses of success; empty if
    #: of that of the method, None if they say nothing.
    says_body: bool = False
    said_statuses: tuple[str, ...] | None = None

    @cached_property
    def inspection(self) -> Inspection:
        return self.endpoint.inspection

    @cached_property
    def receives(self) -> bool:
        return self.direction == RESPONSE

    def towards(self, direction: str, around: Mapping[type, str] | None = None) -> FullForm:
        around = self.around if around is None else around
        return self.but(direction=direction, receives=direction == RESPONSE, around=around)

    def but(self, **changes: object) -> FullForm:
        # What has been found out stays; creating frozen objects anew takes long.
        form = object.__new__(FullForm)
        vars(form).update(vars(self), **changes)
        return form

    def operation_id(self, path: str, method: str) -> str | None:
        """Return the identifier of the operation if its path names it; None if its model does."""
        prefix, view = self.inspection.id_prefix, self.endpoint.view
        if prefix is None:
            return None
        return name_by_path(path, method, is_named_list(view, method), prefix)

    def tags(self, path: str) -> list[str]:
        return resource_of(path, self.inspection)

    def description(self, schema: AutoSchema, text: str) -> str:
        # What is about all operations of the class is about their tag.
        shared = self.endpoint.inspection.shared_texts.get(type(self.endpoint.view))
        return "" if text == shared else text

    def path_parameters(self, schema: AutoSchema, path: str) -> list[Schema]:
        names = variables_of(path) if self.inspection.shows_values else []
        model = _model_behind(self.endpoint) if names else None
        return [_path_parameter(self.endpoint, name, model) for name in names]

    def filter_parameters(self, schema: AutoSchema, backend: object) -> list[Schema]:
        return list(filter_parameters(backend, self.endpoint.view, self.inspection))

    def page_parameters(self, schema: AutoSchema, paginator: BasePagination) -> list[Schema]:
        if makes_pages(paginator) is False or not self.inspection.shows_values:
            return []
        return paginator.get_schema_operation_parameters(self.endpoint.view)

    def lists(self, path: str, method: str, view: APIView) -> bool:
        if self.returns_list is not None:
            return self.returns_list
        action = getattr(view, "action", None)
        if action is None or action in USUAL:
            return is_list_view(path, method, view)
        return writes_pages(view)

    def shows_filters(self, path: str, method: str, view: APIView) -> bool:
        # One object has been chosen by its key: clients take a filter beside it for a value.
        if getattr(view, "filter_fields_everywhere", False):
            return applies_filters(view, method)
        is_read = method in ("GET", "QUERY") and self.inspection.shows_values
        return is_read and applies_filters(view, "get") and self.lists(path, method, view)

    def serializer(self, schema: AutoSchema, path: str, method: str) -> Any:
        return self.endpoint.serializer

    def request_body(self, schema: AutoSchema, path: str, method: str) -> Schema:
        is_usual = getattr(schema.view, "action", None) in USUAL
        if method not in BODY_METHODS or not (
            is_usual or body_is_read(self.inspection, schema.view)
        ):
            return {}
        is_shown = self.inspection.shows_values and not self.says_body
        serializer = schema.get_request_serializer(path, method) if is_shown else None
        names = schema.request_media_types = schema.map_parsers(path, method)
        if serializer is None:
            return {"content": {name: {"schema": {}} for name in names}}
        is_partial = method == "PATCH" or self.reads_partially(schema)
        sent = self.towards(PATCH if is_partial else REQUEST)
        item = serializer_type(components.bound(schema, sent), serializer)
        content = {
            name: {"schema": item} for name in self.body_media_types(schema, names, serializer)
        }
        is_required = not is_partial and self.needs_body(schema, serializer)
        return self.as_parsed({"content": content}, is_required, serializer)

    def as_parsed(self, body: Schema, is_required: bool, serializer: object) -> Schema:
        """Return a body with what its parsers read in a way of their own."""
        body |= {"required": True} if is_required else {}
        for parser in getattr(self.endpoint.view, "parser_classes", ()):
            if isinstance(parser, type) and issubclass(parser, NestedMultiPartParser):
                return with_nested_form(body, parser, serializer)
        return body

    def reads_partially(self, schema: AutoSchema) -> bool:
        handler = self.endpoint.handler
        if handler is None or not reads_partially(handler):
            return False
        # The project may say otherwise what is read.
        names = ("get_operation", "get_request_body", "get_request_serializer")
        return not any(self.inspection.replaces(schema, name) for name in names)

    def body_media_types(
        self, schema: AutoSchema, names: Iterable[str], serializer: object
    ) -> list[str]:
        """Return the media types for a serializer's input: files can only be sent in forms."""
        every, facts = list(names), self.facts_of(schema, serializer)
        if facts is None or not facts.needs_file:
            return every
        return [name for name in every if name.startswith("multipart/")] or every

    def needs_body(self, schema: AutoSchema, serializer: object) -> bool:
        facts = self.facts_of(schema, serializer)
        return facts.needs_body if facts else not isinstance(serializer, serializers.Serializer)

    def facts_of(self, schema: AutoSchema, serializer: object) -> components.Facts | None:
        """Return facts about a serializer; None if it has no fields, or they are not shown."""
        if not self.inspection.shows_values or not isinstance(serializer, serializers.Serializer):
            return None
        return components.facts_of(schema, serializer)

    def responses(self, schema: AutoSchema, path: str, method: str) -> Schema:
        view = self.endpoint.view
        if not self.inspection.shows_values:
            return _without_values(schema, path, method, status_of(view, method))
        # Headers of what is created depend on its serializer.
        is_told = self.said_statuses is not None and not creates(view, method)
        if is_told and self.said_statuses:
            return {status: {"description": ""} for status in self.said_statuses}
        # The project may say otherwise what is returned.
        is_said = self.returns_list is not None or self.inspection.replaces(
            schema, "get_response_serializer"
        )
        handler = None if is_said else self.endpoint.handler
        written = written_by(self.inspection, view, handler) if handler else None
        status = HTTPStatus(written.status) if written else status_of(view, method)
        if status == HTTPStatus.NO_CONTENT or (written is not None and written.is_empty):
            return {str(int(status)): {"description": status.phrase}}
        if is_told:
            return {str(int(status)): {"description": ""}}
        serializer = schema.get_response_serializer(path, method)
        if written is not None and written.serializer is not None:
            serializer = written.serializer
        row = {} if written and written.described else serializer_type(schema, one_of(serializer))
        if written is not None and (written.described or written.many is not None):
            many = written.many or one_of(serializer) is not serializer
            item: Schema = written.described or ({"type": "array", "items": row} if many else row)
        else:
            item = self.item_or_page(schema, path, method, serializer, row)
        names = schema.response_media_types = schema.map_renderers(path, method)
        content = {name: {"schema": content_in(name, view, item)} for name in names}
        for name in streamed_media_types(view, method) & content.keys():
            content[name] = {"schema": {"type": "array", "items": row}}
        headers = self.success_headers(schema, serializer, method)
        return {str(int(status)): {**headers, "content": content, "description": status.phrase}}

    def item_or_page(
        self, schema: AutoSchema, path: str, method: str, serializer: object, item: Schema
    ) -> Schema:
        view = self.endpoint.view
        # Without serializers, nothing shows that a view lists objects.
        is_shown = hasattr(view, "get_serializer") and not (
            serializer is None and lacks_serializer_class(view)
        )
        lists = is_shown and self.lists(path, method, view)
        if serializer_options(serializer).get("many", lists):
            return self.list_schema(schema, item)
        return item if one_of(serializer) is serializer else serializer_type(schema, serializer)

    def success_headers(self, schema: AutoSchema, serializer: object, method: str) -> Schema:
        """Return ``Location`` of a created object, if its serializer writes the URL."""
        view = self.endpoint.view
        headers_of = getattr(type(view), "get_success_headers", None)
        if not creates(view, method) or headers_of is not CreateModelMixin.get_success_headers:
            return {}
        facts = self.facts_of(schema, serializer)
        if facts is None or not facts.has_address:
            return {}
        # Absolute if the request is known, else a path (RFC 9110, section 10.2.2).
        value = {"type": "string", "format": "uri-reference"}
        location = header("Location", "The URL of the created object.", value)
        return {"headers": {location.name: location.value}}

    def list_schema(self, schema: AutoSchema, item: Schema) -> Any:
        """Return a list of items, in the envelope of the paginator.

        The envelope is a component, named after its items and the paginator. A list without pages
        is described if the paginator may return one.
        """
        rows: Schema = {"type": "array", "items": item}
        paginator = schema.get_paginator()
        page = rows if paginator is None else paginator.get_paginated_response_schema(rows)
        if paginator is None or not isinstance(page, Mapping) or page == rows:
            return page
        is_paged = makes_pages(paginator)
        if is_paged is False:
            return rows
        name = components.name_of_reference(item["$ref"]) if is_reference(item) else None
        if name is not None:
            page = self.add_shared(f"{_style(type(paginator))}Paginated{name}List", dict(page))
        return page if is_paged else {"oneOf": [page, rows]}

    def components(self, schema: AutoSchema, path: str, method: str) -> dict[str, Schema]:
        return {}

    def reference(self, schema: AutoSchema, serializer: Serializer) -> Schema:
        if not self.inspection.shows_values:
            return {}
        return components.serializer_reference(schema, serializer)

    def type_reference(self, schema: AutoSchema, serializer: Serializer) -> Schema:
        return schema.get_reference(serializer)

    def add_shared(self, name: str, schema: Schema) -> Schema:
        return components.add_shared(self.inspection, name, schema)

    def reserve_shared(self, name: str, schema: Schema) -> Schema:
        return components.reserve_shared(self.inspection, name, schema)

    def map_bounds(self, schema: AutoSchema, field: Field, described: Schema) -> None:
        if not (self.receives and field.parent):
            map_bounds(field, described)

    def map_field_validators(self, field: Field, described: Schema) -> None:
        # What is stored may be older than a rule, or come from elsewhere.
        if not self.receives:
            describe_validators(field, described)

    map_serializer = staticmethod(describe_serializer)
    map_field = staticmethod(describe_field)
    choices = staticmethod(enum_reference)
    returned = staticmethod(returned)
    method_values = staticmethod(method_values)


def _without_values(schema: AutoSchema, path: str, method: str, status: HTTPStatus) -> Schema:
    """Return a response for lists of operations; code of a project may look for its parts."""
    content: Schema = {name: {"schema": {}} for name in schema.map_renderers(path, method)}
    return {str(int(status)): {"content": content, "description": status.phrase}}


def one_of(serializer: Any) -> Any:
    """Return the serializer of each object, if one of a list was given."""
    return serializer.child if isinstance(serializer, serializers.ListSerializer) else serializer


BODY_METHODS = ("PUT", "PATCH", "POST", "QUERY")


def status_of(view: APIView, method: str) -> HTTPStatus:
    """Return the status of success: that of the method, or the one that an action names."""
    if method == "DELETE":
        return HTTPStatus.NO_CONTENT
    status = HTTPStatus.CREATED if creates(view, method) else HTTPStatus.OK
    named = None if getattr(view, "action", None) in USUAL else only_status(view)
    return named or status


def creates(view: APIView, method: str) -> bool:
    action = getattr(view, "action", None)
    is_create = action == "create" if action is not None else isinstance(view, CreateModelMixin)
    return method == "POST" and is_create


def _model_behind(endpoint: Endpoint) -> type[Model] | None:
    """Return the model of a view: its own, that of its rows, or that of its serializer."""
    view = endpoint.view
    result, unsaid = model_of(view), list[Any]()
    if result is not None or not hasattr(view, "get_serializer"):
        return result
    if chooses_rows(view):
        rows = queryset_of(view, lambda *said: unsaid.extend(said))
        result = getattr(rows, "model", None)
    result = result or model_of_serializer(endpoint.serializer)
    if unsaid and result is None:
        endpoint.inspection.warn(*unsaid)
    return result


def column_text(inspection: Inspection, model: type[Model] | None, name: str) -> str:
    key = column_text, model, name
    return inspection.once(key, column_description, model, name)


def _path_parameter(endpoint: Endpoint, name: str, model: type[Model] | None) -> Schema:
    view: AnyView = endpoint.view
    column_name = name
    if getattr(view, "parent_route", None) is not None:
        view, column_name = owner_of_variable(view, name)
        model = model if view is endpoint.view else model_of(view)
    text = column_text(endpoint.inspection, model, column_name)
    return path_parameter(name, _path_value(endpoint, view, model, column_name), text)


def _path_value(endpoint: Endpoint, view: object, model: type[Model] | None, name: str) -> Schema:
    lookup = getattr(view, "lookup_field", None)
    is_lookup = name in (getattr(view, "lookup_url_kwarg", None), lookup) or (
        view is not endpoint.view
    )
    column_name = lookup if is_lookup and lookup else name
    pattern = getattr(view, "lookup_value_regex", None) if is_lookup else None
    if pattern and (translated := ecma_pattern(pattern)):
        return {"type": "string", "pattern": f"^(?:{translated})$"}
    if model is not None and column_name == "pk":
        column = model._meta.pk
    else:
        column = column_of(model, column_name)
    described = key_schema(column) if column is not None else {}
    converter = endpoint.converters.get(name)
    # <slug:event> is not the number in a column called event.
    is_text = isinstance(converter, SlugConverter) and not is_lookup
    if not described or (is_text and described.get("type") != "string"):
        return _converted_value(converter)
    return described


def _converted_value(converter: Any) -> Schema:
    if isinstance(converter, IntConverter):
        return {"type": "integer", "minimum": 0}
    if isinstance(converter, UUIDConverter):
        return {"type": "string", "format": "uuid"}
    if converter is None or converter.regex in (StringConverter.regex, PathConverter.regex):
        return {"type": "string"}
    pattern = ecma_pattern(converter.regex)
    return {"type": "string", **({"pattern": f"^(?:{pattern})$"} if pattern else {})}


def content_in(media_type: str, view: APIView, item: Schema) -> Schema:
    """Return an item as a renderer writes it: text or bytes if the format has no structure."""
    if is_structured(media_type):
        return item
    writers = [cls for cls in view.renderer_classes if cls.media_type == media_type]
    is_binary = bool(writers) and getattr(writers[0], "render_style", "text") == "binary"
    return {"type": "string", **({"format": "binary"} if is_binary else {})}


def streamed_media_types(view: APIView, method: str) -> set[str]:
    if not isinstance(view, StreamingListMixin) or not streams(view, method):
        return set()
    renderers = getattr(view, "renderer_classes", ())
    return {renderer.media_type for renderer in renderers if renderer.format in view.stream_formats}


_SUFFIX = re.compile(r"(?<=.)(Pagination|Paginator|Pages)$")


def _style(paginator: type) -> str:
    """Return the prefix of component names, which depends on the class alone."""
    if paginator is api_settings.DEFAULT_PAGINATION_CLASS:
        return ""
    return _SUFFIX.sub("", paginator.__name__)


def makes_pages(paginator: BasePagination) -> bool | None:
    hook = getattr(paginator, "makes_pages", None)
    return True if hook is None else cast("bool | None", hook())
