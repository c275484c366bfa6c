"""AutoSchema: describes a view's operations as OpenAPI.

The methods are those that projects override. What they return in each version of the document is
in ``contract`` (version 3.0.2) and ``full`` (all others).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from lintel import renderers
from lintel.bulk import BulkModelMixin
from lintel.compat import inflection
from lintel.compatible import keeps
from lintel.fields import ChoiceField, Field
from lintel.fields.describing import Schema, map_bounds
from lintel.inspectors import ViewInspector
from lintel.negotiation import parser_classes_of
from lintel.querying import QUERY, handler_name
from lintel.schemas.extended_values import (
    extended_field,
    extended_name,
    extended_serializer,
    parameters_of,
)
from lintel.schemas.inspection import MissingLibrary
from lintel.schemas.many import body_of_list, responses_of_list, takes_lists
from lintel.schemas.openapi.choices import inherited_choices
from lintel.schemas.openapi.contract import ContractForm
from lintel.schemas.overrides import serializer_options
from lintel.schemas.polymorphic import DISCRIMINATOR, describe_polymorphic
from lintel.schemas.utils import is_list_view, model_of
from lintel.serializers import Serializer

_SERIALIZER = re.compile("serializer", re.IGNORECASE)

_NO_OWN_NAME = (
    '"{name}" is an invalid class name for schema generation. Serializer\'s class name should be '
    'unique and explicit. e.g. "ItemSerializer"'
)


class AutoSchema(ViewInspector):
    """Describes the operations of a view from its attributes.

    ``tags`` replace the first part of the path, ``operation_id_base`` the name of the model in
    operation identifiers, ``component_name`` the name derived from the serializer's.
    ``document_form`` writes what depends on the version of the document: a generator describes
    each operation with a copy of the schema object, in the form of its document.
    """

    document_form: Any = ContractForm()

    request_media_types: list[str] = []
    response_media_types: list[str] = []

    method_mapping: dict[str, str] = {
        "get": "retrieve",
        "post": "create",
        "put": "update",
        "patch": "partialUpdate",
        "delete": "destroy",
        # Not looked up: @extend_schema_view of drf-spectacular finds methods by these values.
        "PATCH": "partial_update",
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
        if method == QUERY and handler_name(self.view) == "get":  # its body has the others
            operation["parameters"] = self.get_path_parameters(path, method)
        request_body = self.get_request_body(path, method)
        if request_body:
            operation["requestBody"] = request_body
        operation["responses"] = self.get_responses(path, method)
        operation["tags"] = self.get_tags(path, method)
        return operation

    def get_operation_id(self, path: str, method: str) -> str:
        """Return the operation's name, such as ``listTags``; unique unless views share a model."""
        by_path: str | None = self.document_form.operation_id(path, method)
        if by_path is not None:
            return by_path
        view = self.view
        name = getattr(view, "action", None) or method.lower()
        if method == QUERY and handler_name(view) == "get":
            return f"query{self.get_operation_id_base(path, method, 'list')}"
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
            raise MissingLibrary("OpenAPI schemas need inflection: install django-lintel[openapi]")
        return _plural(name)

    def get_tags(self, path: str, method: str) -> Any:
        """Return the groups of the operation: those given, or the resource that the path names.

        In version 3.0.2 that is its first part; in all others, the first below what paths share.
        """
        return self._tags or self.document_form.tags(path)

    def get_description(self, path: str, method: str) -> str:
        """Return the text for one operation, without indentation; empty if there is none."""
        return self.document_form.description(self, super().get_description(path, method))

    # parameters

    def get_path_parameters(self, path: str, method: str) -> list[Schema]:
        """Return the path parameters, described by the fields of the view's model."""
        return self.document_form.path_parameters(self, path)

    def get_filter_parameters(self, path: str, method: str) -> list[Schema]:
        """Return query parameters of the filters, if the operation looks up objects."""
        if not self.allows_filters(path, method):
            return []
        return [
            parameter
            for backend in self.view.filter_backends
            for parameter in parameters_of(self, backend())
        ]

    def allows_filters(self, path: str, method: str) -> bool:
        """Return whether the operation shows the filters of the view.

        In version 3.0.2, every one that looks up objects does; in all others, only lists do, unless
        the view sets ``filter_fields_everywhere``.
        """
        return bool(self.document_form.shows_filters(path, method, self.view))

    def get_pagination_parameters(self, path: str, method: str) -> Any:
        """Return query parameters of the paginator, if the operation returns a list."""
        lists = self.document_form.lists(path, method, self.view)
        paginator = self.get_paginator() if lists else None
        return [] if paginator is None else self.document_form.page_parameters(self, paginator)

    def get_paginator(self) -> Any:
        """Return the paginator of the view, None if it has none."""
        pagination_class = getattr(self.view, "pagination_class", None)
        return pagination_class() if pagination_class else None

    # bodies

    def map_parsers(self, path: str, method: str) -> list[str]:
        """Return media types that the view reads."""
        takes_patches = hasattr(self.view, "patch_parser_classes")
        parsers = (
            parser_classes_of(self.view, method) if takes_patches else self.view.parser_classes
        )
        return [parser.media_type for parser in parsers]

    def map_renderers(self, path: str, method: str) -> list[str]:
        """Return media types that the view writes, except HTML pages."""
        return [
            renderer.media_type
            for renderer in self.view.renderer_classes
            if not issubclass(renderer, renderers.BrowsableAPIRenderer)
        ]

    def get_serializer(self, path: str, method: str) -> Any:
        """Return the serializer of the view; None if it has none, or if making it fails."""
        if not hasattr(self.view, "get_serializer"):
            return None
        return self.document_form.serializer(self, path, method)

    def get_request_serializer(self, path: str, method: str) -> Any:
        """Return the serializer that reads requests; override it if it differs."""
        return self.get_serializer(path, method)

    def get_response_serializer(self, path: str, method: str) -> Any:
        """Return the serializer that writes responses; override it if it differs."""
        return self.get_serializer(path, method)

    def get_request_body(self, path: str, method: str) -> Schema:
        """Return the body by the media types that the view reads; empty without one."""
        if method == QUERY and handler_name(self.view) == "get":
            return _query_body(self, path)
        body: Schema = self.document_form.request_body(self, path, method)
        if isinstance(self.view, BulkModelMixin) and takes_lists(self.view, method):
            return body_of_list(self, path, method, body)
        return body

    def get_responses(self, path: str, method: str) -> Schema:
        """Return the response of success by its status."""
        responses: Schema = self.document_form.responses(self, path, method)
        if isinstance(self.view, BulkModelMixin) and takes_lists(self.view, method):
            return responses_of_list(self, method, responses)
        return responses

    # components

    def get_components(self, path: str, method: str) -> dict[str, Schema]:
        """Return the named schemas that the operation refers to, except those described already."""
        return self.document_form.components(self, path, method)

    def get_component_name(self, serializer: Serializer) -> str:
        """Return a name. Raises ImproperlyConfigured if the class is just called "Serializer"."""
        if self.component_name is not None:
            return self.component_name
        said = serializer_options(serializer).get("component_name")
        if not said and self.document_form.is_extended:
            said = extended_name(self, serializer)
        if not said and hasattr(serializer, DISCRIMINATOR):
            said = getattr(serializer, "component_name", None)
        if said:
            return str(said)
        class_name = type(serializer).__name__
        name = _SERIALIZER.sub("", class_name)
        if name.endswith("_") and self.document_form.is_full:
            name = class_name  # generators of clients leave the underscore out
        if not name:
            raise ImproperlyConfigured(_NO_OWN_NAME.format(name=class_name))
        return name

    def get_reference(self, serializer: Serializer) -> Schema:
        return self.document_form.reference(self, serializer)

    def map_serializer(self, serializer: Serializer) -> Schema:
        """Return the description of the objects that a serializer reads and writes."""
        if hasattr(serializer, DISCRIMINATOR):
            return describe_polymorphic(self, serializer)
        form = self.document_form
        said = extended_serializer(self, serializer) if form.is_extended else None
        return said if said is not None else form.map_serializer(self, serializer)

    def map_field(self, field: Field) -> Schema:
        """Return the description of the values of a field."""
        form = self.document_form
        said = extended_field(self, field) if form.is_extended else None
        return said if said is not None else form.map_field(self, field)

    def map_choicefield(self, field: ChoiceField) -> Schema:
        """Return the choices of a field, and the type they share."""
        return inherited_choices(self, field, "map_choicefield")

    def map_choice_field(self, field: ChoiceField) -> Schema:
        """Return the same: another name for ``map_choicefield``, which may be overridden too."""
        return inherited_choices(self, field, "map_choice_field")

    def map_field_validators(self, field: Field, schema: Schema) -> None:
        """Add the constraints of the field's validators to ``schema``."""
        self.document_form.map_field_validators(field, schema)

    def _map_min_max(self, field: Field, content: Schema) -> None:
        bounds: Any = field
        if 0 in (bounds.max_value, bounds.min_value) and keeps("schema-bounds"):
            bounds = SimpleNamespace(
                max_value=bounds.max_value or None, min_value=bounds.min_value or None
            )
        map_bounds(bounds, content)

    def _to_camel_case(self, snake_str: str) -> str:
        first, *others = snake_str.split("_")
        return first + "".join(part.title() for part in others)

    def get_field_name(self, field: Field) -> str:
        """Return the name of the property; override it if a renderer writes other names."""
        return str(field.field_name)


# It tries dozens of regular expressions.
@lru_cache(maxsize=1024)
def _plural(name: str) -> str:
    return str(inflection.pluralize(name))


def _subject(schema: AutoSchema, path: str, method: str, action: str) -> str:
    if schema.operation_id_base is not None:
        return schema.operation_id_base
    view = schema.view
    model = model_of(view)
    if model is not None:
        return str(model.__name__)
    serializer = schema.get_serializer(path, method)
    if serializer is not None:
        return type(serializer).__name__.removesuffix("Serializer")
    name = type(view).__name__
    name = name.removesuffix("APIView" if name.endswith("APIView") else "View")
    # The action is not repeated for a view named after it, such as TagList.
    return name.removesuffix(action.title())


def _query_body(schema: AutoSchema, path: str) -> Schema:
    """Describe the parameters of GET as an object: the body of QUERY has them."""
    parameters = [
        *schema.get_pagination_parameters(path, "GET"),
        *schema.get_filter_parameters(path, "GET"),
    ]
    properties = {item["name"]: item["schema"] for item in parameters if item["in"] == "query"}
    described = {"type": "object", "properties": properties}
    names = schema.map_parsers(path, QUERY)
    return {"content": {name: {"schema": described} for name in names}, "required": True}
