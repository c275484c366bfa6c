"""The full description of a field: what the project says of it, else what the field says.

The project says it in ``@extend_schema_field``, or in the annotation of a method.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lintel import serializers
from lintel.fields import Field
from lintel.fields.describing import Schema
from lintel.provenance import is_class_of_ours, is_ours, reached
from lintel.schemas.annotations import described_value, return_type, type_schema
from lintel.schemas.extending import NamedOverride, field_override

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


def describe_field(schema: AutoSchema, field: Field) -> Schema:
    override = field_override(type(field))
    if override is not None:
        return override_schema(schema, override, field)
    if _may_convert(type(field)):
        described = _own_conversion(schema, field)
        if described is not None:
            return described
    return dict(field.describe_values(schema))


def _may_convert(cls: type) -> bool:
    if is_class_of_ours(cls) or issubclass(cls, serializers.BaseSerializer):
        return False
    return is_ours(reached(cls, "describe_values"))


def override_schema(schema: AutoSchema, override: object, field: Field) -> Schema:
    if isinstance(override, NamedOverride):
        inner = override_schema(schema, override.described, field)
        return dict(schema.document_form.add_shared(override.component_name, inner))
    return described_value(schema, override, *places_of(schema, field))


def places_of(schema: AutoSchema, field: Field) -> tuple[object, ...]:
    places = (schema.document_form.endpoint.view, field.parent, field)
    return tuple(place for place in places if place is not None)


def _own_conversion(schema: AutoSchema, field: Field) -> Schema | None:
    """Return the schema of a conversion in project code; None if the conversion is ours."""
    name = "to_representation" if schema.document_form.receives else "to_internal_value"
    method = reached(type(field), name)
    is_abstract = type(field).describe_values is serializers.Field.describe_values
    if is_ours(method) and not is_abstract:
        return None
    found = (
        return_type(schema.document_form.inspection, method, *places_of(schema, field))
        if method is not None
        else Any
    )
    # The parsed value is a Python object, whose type says nothing about the input.
    if name == "to_representation" and found is not inspect.Signature.empty and found is not Any:
        return type_schema(schema, found, *places_of(schema, field))
    if name == "to_representation":
        schema.document_form.inspection.warn(
            "nothing is known about the values it writes. Annotate what to_representation() "
            "returns, or use @extend_schema_field",
            *places_of(schema, field),
            type(field),
        )
    return {}


def returned(schema: AutoSchema, function: Callable[..., object], field: Field) -> Schema | None:
    places = places_of(schema, field)
    kind = return_type(schema.document_form.inspection, function, *places)
    if kind is inspect.Signature.empty:
        return None
    return type_schema(schema, kind, *places)


def method_values(schema: AutoSchema, field: Field, name: str) -> Schema:
    warn = schema.document_form.inspection.warn
    method = getattr(type(field.parent), name, None)
    if method is None:
        warn(f"there is no method {name}()", *places_of(schema, field))
        return {}
    override = field_override(method)
    if override is not None:
        return override_schema(schema, override, field)
    described = returned(schema, method, field)
    if described is None:
        warn(
            f"nothing is known about its values. Annotate what {name}() returns, "
            "or use @extend_schema_field",
            *places_of(schema, field),
        )
    return described or {}
