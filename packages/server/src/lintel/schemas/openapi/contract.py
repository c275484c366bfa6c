"""The form of the contract: what ``AutoSchema`` describes unless a full description asks it.

One component for both directions, in the keywords of OpenAPI 3.0, and only the success response.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import models
from django.utils.encoding import force_str

from lintel import exceptions, serializers
from lintel.fields import Field, empty
from lintel.fields.columns import column_of
from lintel.fields.describing import Schema
from lintel.overrides import OURS, package_of
from lintel.pagination import BasePagination
from lintel.schemas import constraints
from lintel.schemas.components import reference_to
from lintel.schemas.inspection import Endpoint, Inspection
from lintel.schemas.likeness import once_per_class
from lintel.schemas.openapi.choices import choices_schema
from lintel.schemas.standins import lacks_serializer_class, serializer_instead
from lintel.schemas.utils import (
    applies_filters,
    filter_parameters,
    get_pk_description,
    is_list_view,
    model_of,
    owner_of_variable,
    variables_of,
)
from lintel.serializers import Serializer
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


@dataclass(frozen=True)
class ContractForm:
    is_full: ClassVar[bool] = False
    returns_list: ClassVar[bool | None] = None
    reader: ClassVar[None] = None

    #: The operation of a document; None for a schema object that is asked alone.
    endpoint: Endpoint | None = None
    #: Whether there are extensions by class.
    is_extended: bool = False

    @property
    def inspection(self) -> Inspection:
        return Inspection() if self.endpoint is None else self.endpoint.inspection

    def tags(self, path: str) -> list[str]:
        return [path.removeprefix("/").split("/")[0].replace("_", "-")]

    def operation_id(self, path: str, method: str) -> str | None:
        return None

    def description(self, schema: AutoSchema, text: str) -> str:
        return text

    def path_parameters(self, schema: AutoSchema, path: str) -> list[Schema]:
        owners = {name: owner_of_variable(schema.view, name) for name in variables_of(path)}
        return [
            path_parameter(
                name, {"type": "string"}, column_description(model_of(owner), column_name)
            )
            for name, (owner, column_name) in owners.items()
        ]

    def filter_parameters(self, schema: AutoSchema, backend: object) -> list[Schema]:
        return list(filter_parameters(backend, schema.view, self.inspection))

    def page_parameters(self, schema: AutoSchema, paginator: BasePagination) -> list[Schema]:
        return paginator.get_schema_operation_parameters(schema.view)

    lists = staticmethod(is_list_view)

    def shows_filters(self, path: str, method: str, view: APIView) -> bool:
        return applies_filters(view, method)

    def serializer(self, schema: AutoSchema, path: str, method: str) -> Any:
        view = schema.view
        try:
            return view.get_serializer()
        except exceptions.APIException:
            warnings.warn(
                f"{type(view).__name__}.get_serializer() raised an exception during schema "
                f"generation. Serializer fields will not be generated for {method} {path}.",
                stacklevel=2,
            )
            return None
        except Exception as error:  # project code
            if lacks_serializer_class(view) and not self.inspection.keeps_going:
                raise  # as the known API does
            return serializer_instead(view, error, self.inspection.warn)

    def request_body(self, schema: AutoSchema, path: str, method: str) -> Schema:
        if method not in ("PUT", "PATCH", "POST"):
            return {}
        # One inspector serves all threads: its state may be that of another view by now.
        names = schema.request_media_types = schema.map_parsers(path, method)
        item = _item_schema(schema, schema.get_request_serializer(path, method))
        return {"content": {name: {"schema": item} for name in names}}

    def responses(self, schema: AutoSchema, path: str, method: str) -> Schema:
        if method == "DELETE":
            return {"204": {"description": ""}}
        names = schema.response_media_types = schema.map_renderers(path, method)
        item = _item_schema(schema, schema.get_response_serializer(path, method))
        if is_list_view(path, method, schema.view):
            item = self.list_schema(schema, item)
        content = {name: {"schema": item} for name in names}
        return {"201" if method == "POST" else "200": {"content": content, "description": ""}}

    def list_schema(self, schema: AutoSchema, item: Schema) -> Schema:
        described: Schema = {"type": "array", "items": item}
        paginator = schema.get_paginator()
        if paginator is None:
            return described
        return paginator.get_paginated_response_schema(described)

    def components(self, schema: AutoSchema, path: str, method: str) -> dict[str, Schema]:
        if method == "DELETE":
            return {}
        used = [
            schema.get_request_serializer(path, method),
            schema.get_response_serializer(path, method),
        ]
        return {
            schema.get_component_name(serializer): self.component(schema, serializer)
            for serializer in used
            if isinstance(serializer, serializers.Serializer)
        }

    def component(self, schema: AutoSchema, serializer: Serializer) -> Schema:
        if package_of(type(schema)) == OURS and not any(map(callable, vars(schema).values())):
            return dict(once_per_class(schema, serializer, schema.map_serializer))
        return schema.map_serializer(serializer)

    def reference(self, schema: AutoSchema, serializer: Serializer) -> Schema:
        return reference_to(schema.get_component_name(serializer))

    def type_reference(self, schema: AutoSchema, serializer: Serializer) -> Schema:
        """Return a reference, which nothing else would define; the fields if the name is taken."""
        name, described = schema.get_component_name(serializer), schema.map_serializer(serializer)
        if self.endpoint is not None:
            defined = schema.get_components(self.endpoint.path, self.endpoint.method)
            if defined.get(name, described) != described:
                return dict(described)
        component = self.inspection.components.setdefault(name, {None: described})
        return reference_to(name) if component[None] == described else dict(described)

    def add_shared(self, name: str, schema: Schema) -> Schema:
        return dict(schema)

    def reserve_shared(self, name: str, schema: Schema) -> Schema:
        """Return what stands for an object inside itself."""
        return {"type": "object"}

    def map_serializer(self, schema: AutoSchema, serializer: Serializer) -> Schema:
        fields = [field for field in serializer.fields.values() if field.is_exchanged]
        properties = {schema.get_field_name(field): property_of(schema, field) for field in fields}
        result: Schema = {"type": "object", "properties": properties}
        required = [
            schema.get_field_name(field)
            for field in fields
            if field.required and not serializer.partial
        ]
        return {**result, "required": required} if required else result

    def map_field(self, schema: AutoSchema, field: Field) -> Schema:
        return dict(field.describe_in_contract(schema))

    def map_bounds(self, schema: AutoSchema, field: Field, described: Schema) -> None:
        schema._map_min_max(field, described)

    choices = staticmethod(choices_schema)
    map_field_validators = staticmethod(constraints.map_validators)


def property_of(schema: AutoSchema, field: Field) -> Schema:
    mapping = schema.map_field(field)
    if field.read_only:
        mapping["readOnly"] = True
    if field.write_only:
        mapping["writeOnly"] = True
    if field.allow_null:
        mapping["nullable"] = True
    if field.default is not None and field.default is not empty and not callable(field.default):
        mapping["default"] = field.default
    if field.help_text:
        mapping["description"] = str(field.help_text)
    schema.map_field_validators(field, mapping)
    return mapping


def _item_schema(schema: AutoSchema, serializer: object) -> Schema:
    if isinstance(serializer, serializers.Serializer):
        return schema.get_reference(serializer)
    return {}


def path_parameter(name: str, values: Schema, description: str) -> Schema:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": values,
    }


def column_description(model: type[models.Model] | None, name: str) -> str:
    column = column_of(model, name)
    if model is None or column is None:
        return ""
    if getattr(column, "help_text", ""):
        return force_str(column.help_text)
    return get_pk_description(model, column) if getattr(column, "primary_key", False) else ""
