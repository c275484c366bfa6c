"""AutoSchema: describes a view's operations as OpenAPI."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.utils.encoding import force_str

from lintel import exceptions, renderers, serializers
from lintel.compat import inflection
from lintel.inspectors import ViewInspector
from lintel.provenance import is_ours
from lintel.schemas import constraints
from lintel.schemas.annotations import serializer_type
from lintel.schemas.columns import column_of
from lintel.schemas.components import fields_of, has_fields_of_class, serializer_reference
from lintel.schemas.demands import describe_validators
from lintel.schemas.inspection import Inspection, MissingLibrary, current, memory, towards
from lintel.schemas.kinds import describe_field
from lintel.schemas.lists import list_schema, makes_pages
from lintel.schemas.markers import serializer_options
from lintel.schemas.openapi.choices import inherited_choices
from lintel.schemas.openapi.fields import FIELDS, property_of
from lintel.schemas.operations import (
    body_media_types,
    needs_body,
    path_value,
    serializer_or_warning,
    success_response,
)
from lintel.schemas.tree import PATCH, REQUEST
from lintel.schemas.utils import (
    applies_filters,
    filter_parameters,
    get_pk_description,
    is_list_view,
)
from lintel.schemas.values import describe_serializer

Schema = dict[str, Any]

_VARIABLE = re.compile(r"{(\w+)}")

_SERIALIZER = re.compile("serializer", re.IGNORECASE)

_NO_OWN_NAME = (
    '"{name}" is an invalid class name for schema generation. Serializer\'s class name should be '
    'unique and explicit. e.g. "ItemSerializer"'
)


class AutoSchema(ViewInspector):
    """Describes the operations of a view from its attributes.

    ``tags`` replace the first part of the path, ``operation_id_base`` the name of the model in
    operation identifiers, ``component_name`` the name derived from the serializer's.
    """

    request_media_types: list[str] = []
    response_media_types: list[str] = []

    #: First words of operation identifiers, by method.
    method_mapping: dict[str, str] = {
        "get": "retrieve",
        "post": "create",
        "put": "update",
        "patch": "partialUpdate",
        "delete": "destroy",
    }

    def __init__(
        self,
        tags: Sequence[str] | None = None,
        operation_id_base: str | None = None,
        component_name: str | None = None,
    ) -> None:
        if tags and not all(isinstance(tag, str) for tag in tags):
            raise ValueError("tags must be a list or tuple of string.")
        self._tags = tags
        self.operation_id_base = operation_id_base
        self.component_name = component_name
        super().__init__()

    # operations

    def get_operation(self, path: str, method: str) -> Schema:
        """Return the description of one operation."""
        operation: Schema = {
            "operationId": self.get_operation_id(path, method),
            "description": self.get_description(path, method),
            "parameters": [
                *self.get_path_parameters(path, method),
                *self.get_pagination_parameters(path, method),
                *self.get_filter_parameters(path, method),
            ],
        }
        request_body = self.get_request_body(path, method)
        if request_body:
            operation["requestBody"] = request_body
        operation["responses"] = self.get_responses(path, method)
        operation["tags"] = self.get_tags(path, method)
        return operation

    def get_operation_id(self, path: str, method: str) -> str:
        """Return the operation's name, such as ``listTags``; unique unless views share a model."""
        view = self.view
        name = getattr(view, "action", None) or method.lower()
        if is_list_view(path, method, view):
            action = "list"
        elif name in self.method_mapping:
            action = self.method_mapping[method.lower()]
        else:
            action = self._to_camel_case(name)
        return action + self.get_operation_id_base(path, method, action)

    def get_operation_id_base(self, path: str, method: str, action: str) -> str:
        """Return the second part of an operation's name: its subject, in plural for a list."""
        name = _subject(self, path, method, action)
        if action != "list":
            return name
        if inflection is None:
            raise MissingLibrary(
                "OpenAPI schemas need inflection: pip install 'django-lintel[openapi]'"
            )
        known, key = memory(), ("plural", name)
        if key not in known:
            known[key] = str(inflection.pluralize(name))
        return str(known[key])

    def get_tags(self, path: str, method: str) -> Any:
        """Return the groups of the operation: those given, or the first part of the path."""
        if self._tags:
            return self._tags
        return [path.removeprefix("/").split("/")[0].replace("_", "-")]

    # parameters

    def get_path_parameters(self, path: str, method: str) -> list[Schema]:
        """Return the path parameters, described by the fields of the view's model."""
        if "{" not in path:
            return []
        view = self.view
        model = getattr(getattr(view, "queryset", None), "model", None)
        inspection = current()
        if inspection is not None:
            return known_path_parameters(inspection, view, model, path)
        return [
            {
                "name": name,
                "in": "path",
                "required": True,
                "description": _column_description(model, name),
                "schema": {"type": "string"},
            }
            for name in dict.fromkeys(_VARIABLE.findall(path))
        ]

    def get_filter_parameters(self, path: str, method: str) -> list[Schema]:
        """Return query parameters of the filters, if the operation looks up objects."""
        if not self.allows_filters(path, method):
            return []
        return [
            parameter
            for backend in self.view.filter_backends
            for parameter in filter_parameters(backend(), self.view)
        ]

    def allows_filters(self, path: str, method: str) -> bool:
        """Return whether the operation applies the filters of the view."""
        return applies_filters(self.view, method)

    def get_pagination_parameters(self, path: str, method: str) -> Any:
        """Return query parameters of the paginator, if the operation returns a list."""
        paginator = self.get_paginator() if is_list_view(path, method, self.view) else None
        if paginator is None or (current() is not None and not makes_pages(paginator)):
            return []
        return paginator.get_schema_operation_parameters(self.view)

    def get_paginator(self) -> Any:
        """Return the paginator of the view, None if it has none."""
        pagination_class = getattr(self.view, "pagination_class", None)
        return pagination_class() if pagination_class else None

    # bodies

    def map_parsers(self, path: str, method: str) -> list[str]:
        """Return media types that the view reads."""
        return [parser.media_type for parser in self.view.parser_classes]

    def map_renderers(self, path: str, method: str) -> list[str]:
        """Return media types that the view writes, except HTML pages."""
        return [
            renderer.media_type
            for renderer in self.view.renderer_classes
            if not issubclass(renderer, renderers.BrowsableAPIRenderer)
        ]

    def get_serializer(self, path: str, method: str) -> Any:
        """Return the serializer of the view; None if it has none, or if making it fails."""
        view = self.view
        if not hasattr(view, "get_serializer"):
            return None
        if current() is not None:
            return serializer_or_warning(view)
        try:
            return view.get_serializer()
        except exceptions.APIException:
            warnings.warn(
                f"{type(view).__name__}.get_serializer() raised an exception during schema "
                f"generation. Serializer fields will not be generated for {method} {path}.",
                stacklevel=2,
            )
            return None

    def get_request_serializer(self, path: str, method: str) -> Any:
        """Return the serializer that reads requests; override it if it differs."""
        return self.get_serializer(path, method)

    def get_response_serializer(self, path: str, method: str) -> Any:
        """Return the serializer that writes responses; override it if it differs."""
        return self.get_serializer(path, method)

    def get_request_body(self, path: str, method: str) -> Schema:
        """Return the body of a request, in each media type that the view reads.

        Empty without one.
        """
        is_full = current() is not None
        if method not in ("PUT", "PATCH", "POST") and not (is_full and method == "QUERY"):
            return {}
        if is_full:
            return _full_request_body(self, path, method)
        # One inspector serves all threads: its state may be that of another view by now.
        names = self.request_media_types = self.map_parsers(path, method)
        item = _item_schema(self, self.get_request_serializer(path, method))
        return {"content": {name: {"schema": item} for name in names}}

    def get_responses(self, path: str, method: str) -> Schema:
        """Return the response of success by its status."""
        if current() is not None:
            return _full_responses(self, path, method)
        if method == "DELETE":
            return {"204": {"description": ""}}
        names = self.response_media_types = self.map_renderers(path, method)
        schema = _item_schema(self, self.get_response_serializer(path, method))
        if is_list_view(path, method, self.view):
            schema = {"type": "array", "items": schema}
            paginator = self.get_paginator()
            if paginator is not None:
                schema = paginator.get_paginated_response_schema(schema)
        content = {name: {"schema": schema} for name in names}
        return {"201" if method == "POST" else "200": {"content": content, "description": ""}}

    # components

    def get_components(self, path: str, method: str) -> dict[str, Schema]:
        """Return the named descriptions that the operation refers to.

        None for those described already.
        """
        if method == "DELETE" or current() is not None:
            return {}
        used = [
            self.get_request_serializer(path, method),
            self.get_response_serializer(path, method),
        ]
        return {
            self.get_component_name(serializer): _known_component(self, serializer)
            for serializer in used
            if isinstance(serializer, serializers.Serializer)
        }

    def get_component_name(self, serializer: Any) -> str:
        """Return the component name of a serializer.

        Raises ImproperlyConfigured if its class is just called "Serializer".
        """
        if self.component_name is not None:
            return self.component_name
        said = serializer_options(serializer).get("component_name")
        if said:
            return str(said)
        class_name = type(serializer).__name__
        name = _SERIALIZER.sub("", class_name)
        if not name:
            raise ImproperlyConfigured(_NO_OWN_NAME.format(name=class_name))
        return name

    def get_reference(self, serializer: Any) -> Schema:
        """Return the reference to the component of a serializer."""
        inspection = current()
        if inspection is not None:
            return serializer_reference(self, serializer) if inspection.shows_values else {}
        return {"$ref": f"#/components/schemas/{self.get_component_name(serializer)}"}

    def map_serializer(self, serializer: Any) -> Schema:
        """Return the description of the objects that a serializer reads and writes."""
        if current() is not None:
            return describe_serializer(self, serializer)
        fields = [
            field
            for field in fields_of(serializer).values()
            if not isinstance(field, serializers.HiddenField)
        ]
        result: Schema = {
            "type": "object",
            "properties": {
                self.get_field_name(field): property_of(self, field) for field in fields
            },
        }
        required = [
            self.get_field_name(field)
            for field in fields
            if field.required and not serializer.partial
        ]
        if required:
            result["required"] = required
        return result

    def map_field(self, field: Any) -> Schema:
        """Return the description of the values of a field."""
        if current() is not None:
            return describe_field(self, field)
        for kinds, make in FIELDS:
            if isinstance(field, kinds):
                return make(self, field)
        return {"type": "string"}

    def map_choicefield(self, field: Any) -> Schema:
        """Return the choices of a field, and the type they share."""
        found: Schema = inherited_choices(self, field, "map_choicefield")
        return found

    def map_choice_field(self, field: Any) -> Schema:
        """Return the same: another name for ``map_choicefield``, which may be overridden too."""
        found: Schema = inherited_choices(self, field, "map_choice_field")
        return found

    def map_field_validators(self, field: Any, schema: Schema) -> None:
        """Add the constraints of the field's validators to ``schema``."""
        if current() is not None:
            describe_validators(field, schema)
            return
        constraints.map_validators(field, schema)

    def _map_min_max(self, field: Any, content: Schema) -> None:
        constraints.map_bounds(field, content)

    def _to_camel_case(self, snake_str: str) -> str:
        first, *others = snake_str.split("_")
        return first + "".join(part.title() for part in others)

    def get_field_name(self, field: Any) -> str:
        """Return the name of the property; override it if a renderer writes other names."""
        return str(field.field_name)


def _known_component(schema: AutoSchema, serializer: Any) -> Schema:
    """Return the component of a serializer, made once if only its class determines it."""
    known = memory()
    if type(schema) is not AutoSchema or not has_fields_of_class(known, serializer):
        return schema.map_serializer(serializer)
    key = "contract", type(serializer), serializer.partial
    if key not in known or not is_ours(AutoSchema.map_serializer):
        known[key] = schema.map_serializer(serializer)
    return dict(known[key])


def _subject(schema: AutoSchema, path: str, method: str, action: str) -> str:
    """Return the subject of an operation in one word."""
    if schema.operation_id_base is not None:
        return schema.operation_id_base
    view = schema.view
    model = getattr(getattr(view, "queryset", None), "model", None)
    if model is not None:
        return str(model.__name__)
    serializer = schema.get_serializer(path, method)
    if serializer is not None:
        return type(serializer).__name__.removesuffix("Serializer")
    name = type(view).__name__
    name = name.removesuffix("APIView" if name.endswith("APIView") else "View")
    # The action is not repeated for a view named after it, such as TagList.
    return name.removesuffix(action.title())


def _item_schema(schema: AutoSchema, serializer: Any) -> Schema:
    if isinstance(serializer, serializers.Serializer):
        return schema.get_reference(serializer)
    return {}


def _full_request_body(schema: AutoSchema, path: str, method: str) -> Schema:
    serializer = schema.get_request_serializer(path, method)
    names = schema.request_media_types = schema.map_parsers(path, method)
    if serializer is None:
        return {"content": {name: {"schema": {}} for name in names}}
    with towards(PATCH if method == "PATCH" else REQUEST):
        item = serializer_type(schema, serializer)
    content = {name: {"schema": item} for name in body_media_types(names, serializer)}
    is_required = method != "PATCH" and needs_body(serializer)
    return {"content": content, **({"required": True} if is_required else {})}


def _full_responses(schema: AutoSchema, path: str, method: str) -> Schema:
    if method == "DELETE":
        return success_response(schema, path, method, {})
    serializer = schema.get_response_serializer(path, method)
    item = each = serializer_type(schema, serializer)
    # Without serializers, nothing shows that a view lists objects.
    lists = is_list_view(path, method, schema.view) and hasattr(schema.view, "get_serializer")
    if serializer_options(serializer).get("many", lists):
        item = list_schema(schema, item)
    return success_response(schema, path, method, item, each)


def known_path_parameters(
    inspection: Inspection, view: Any, model: type[models.Model] | None, path: str
) -> list[Schema]:
    """Return the parameters of a path, described once for all its methods."""
    # The converters outlive the description, so their id is not reused.
    key = (
        "path",
        path,
        model,
        id(inspection.converters),
        *[getattr(view, each, None) for each in _LOOKUPS],
    )
    if key not in inspection.known:
        names = dict.fromkeys(_VARIABLE.findall(path))
        inspection.known[key] = [_path_parameter(view, model, name) for name in names]
    return [dict(each) for each in inspection.known[key]]


#: The attributes of views that decide how a path parameter is looked up.
_LOOKUPS = ("lookup_field", "lookup_url_kwarg", "lookup_value_regex")


def _path_parameter(view: Any, model: type[models.Model] | None, name: str) -> Schema:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": _column_description(model, name),
        "schema": path_value(view, model, name),
    }


def _column_description(model: type[models.Model] | None, name: str) -> str:
    column = column_of(model, name)
    if model is None or column is None:
        return ""
    if getattr(column, "help_text", ""):
        return force_str(column.help_text)
    return get_pk_description(model, column) if getattr(column, "primary_key", False) else ""
