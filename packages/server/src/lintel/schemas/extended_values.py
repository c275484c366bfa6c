"""What extensions by class say of values: they ask back as they would ask drf-spectacular."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

from lintel.fields.columns import column_schema
from lintel.fields.describing import Schema
from lintel.schemas.annotations import described_value, serializer_type
from lintel.schemas.components import add_shared, bound, name_of_reference
from lintel.schemas.extensions import (
    OpenApiFilterExtension,
    OpenApiSerializerExtension,
    OpenApiSerializerFieldExtension,
    extension_for,
)
from lintel.schemas.inspection import Inspection
from lintel.schemas.tree import REQUEST, RESPONSE

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


class Resolved(NamedTuple):
    """A component as extensions refer to it."""

    name: str | None
    ref: Schema


class Registry:
    """Takes the components that extensions define."""

    def __init__(self, inspection: Inspection) -> None:
        self.inspection = inspection

    def register(self, component: Any) -> None:
        add_shared(self.inspection, component.name, dict(component.schema or {}))

    register_on_missing = register


class SchemaForExtensions:
    """The methods of drf-spectacular's schema that extensions call, on one of ours."""

    def __init__(self, schema: AutoSchema) -> None:
        self.schema = schema
        self.view = schema.view
        self.registry = Registry(schema.document_form.inspection)
        endpoint = schema.document_form.endpoint
        self.path = endpoint.path if endpoint else ""
        self.method = endpoint.method if endpoint else "GET"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.schema, name)

    def towards(self, direction: str) -> AutoSchema:
        form = self.schema.document_form
        return bound(self.schema, form.towards(direction)) if form.is_full else self.schema

    def resolve_serializer(
        self, serializer: Any, direction: str, bypass_extensions: bool = False
    ) -> Resolved:
        reference = serializer_type(self.towards(direction), serializer)
        return Resolved(name_of_reference(reference.get("$ref")), reference)

    def _map_serializer(
        self, serializer: Any, direction: str, bypass_extensions: bool = False
    ) -> Schema:
        schema = self.towards(direction)
        instance = serializer() if isinstance(serializer, type) else serializer
        if bypass_extensions:
            return schema.document_form.map_serializer(schema, instance)
        return schema.map_serializer(instance)

    def _map_basic_serializer(self, serializer: Any, direction: str) -> Schema:
        return self._map_serializer(serializer, direction, bypass_extensions=True)

    def _map_serializer_field(
        self, field: Any, direction: str, bypass_extensions: bool = False
    ) -> Schema:
        schema = self.towards(direction)
        if bypass_extensions:
            return dict(field.describe_values(schema))
        return described_value(schema, field, self.view)

    def _map_model_field(self, model_field: Any, direction: str) -> Schema:
        return dict(column_schema(model_field))


def direction_of(schema: AutoSchema) -> str:
    form = schema.document_form
    return RESPONSE if not form.is_full or form.receives else REQUEST


def _said(
    schema: AutoSchema, kind: Any, target: object, ask: Callable[[Any, SchemaForExtensions], Any]
) -> Any:
    """Ask an extension; None without one, and if it fails."""
    inspection = schema.document_form.inspection
    # Asked first, because it is so for nearly all values.
    if (kind, type(target)) in inspection.unextended:
        return None
    extension = extension_for(inspection, kind, target)
    if extension is None:
        return None
    try:
        return ask(extension, SchemaForExtensions(schema))
    except Exception as error:  # project code
        message = f"the extension failed: {error!r}. Without it, the class describes itself"
        inspection.warn(message, type(extension))
        return None


def extended_field(schema: AutoSchema, field: object) -> Schema | None:
    """What an extension says of the values of a field; None without one."""

    def ask(extension: Any, reader: SchemaForExtensions) -> tuple[Schema, str | None]:
        return extension.map_serializer_field(reader, direction_of(schema)), extension.get_name()

    said = _said(schema, OpenApiSerializerFieldExtension, field, ask)
    if said is None:
        return None
    described, name = said
    return dict(schema.document_form.add_shared(name, described) if name else described or {})


def extended_serializer(schema: AutoSchema, serializer: object) -> Schema | None:
    """What an extension says of the objects of a serializer; None without one."""

    def ask(extension: Any, reader: SchemaForExtensions) -> Schema | None:
        return extension.map_serializer(reader, direction_of(schema))

    said = _said(schema, OpenApiSerializerExtension, serializer, ask)
    return None if said is None else dict(said)


def extended_name(schema: AutoSchema, serializer: object) -> str | None:
    """The name that an extension gives to the component of a serializer."""

    def ask(extension: Any, reader: SchemaForExtensions) -> object:
        arguments = {"auto_schema": reader, "direction": direction_of(schema)}
        asked = arguments.keys() & signature(extension.get_name).parameters.keys()
        return extension.get_name(**{name: arguments[name] for name in asked})

    name = _said(schema, OpenApiSerializerExtension, serializer, ask)
    return str(name) if name else None


def parameters_of(schema: AutoSchema, backend: object) -> list[Schema]:
    """The parameters of a filter, as an extension or the filter itself describes them."""
    form = schema.document_form
    if not form.inspection.shows_values:
        return []

    def ask(extension: Any, schema: SchemaForExtensions) -> list[Schema]:
        return list(extension.get_schema_operation_parameters(schema))

    result: list[Schema] | None = _said(schema, OpenApiFilterExtension, backend, ask)
    return list(form.filter_parameters(schema, backend)) if result is None else result
