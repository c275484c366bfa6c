"""The values of fields in the form of the contract: one description for both directions.

The full description of values is in ``lintel.schemas.values``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import models

from lintel import serializers
from lintel.fields import _UnvalidatedField, empty
from lintel.schemas import constraints
from lintel.schemas.openapi.choices import choices_schema
from lintel.settings import api_settings

Schema = dict[str, Any]


def property_of(schema: Any, field: Any) -> Schema:
    """Return the description of a field, including its flags."""
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


def _nested(schema: Any, field: Any) -> Schema:
    return schema.map_serializer(field)


def _array_of_children(schema: Any, field: Any) -> Schema:
    return {"type": "array", "items": schema.map_field(field.child)}


def _list(schema: Any, field: Any) -> Schema:
    # A list without an explicit child accepts anything.
    if isinstance(field.child, _UnvalidatedField):
        return {"type": "array", "items": {}}
    return _array_of_children(schema, field)


def _related_many(schema: Any, field: Any) -> Schema:
    return {"type": "array", "items": schema.map_field(field.child_relation)}


def _primary_key(schema: Any, field: Any) -> Schema:
    if getattr(field, "pk_field", None):
        return schema.map_field(field.pk_field)
    model = getattr(field.queryset, "model", None)
    is_number = model is not None and isinstance(model._meta.pk, models.AutoField)
    return {"type": "integer" if is_number else "string"}


def _many_choices(schema: Any, field: Any) -> Schema:
    return {"type": "array", "items": choices_schema(schema, field)}


def _choice(schema: Any, field: Any) -> Schema:
    return choices_schema(schema, field)


def _of_format(name: str) -> Callable[[Any, Any], Schema]:
    return lambda schema, field: {"type": "string", "format": name}


def _ip_address(schema: Any, field: Any) -> Schema:
    if field.protocol == "both":
        return {"type": "string"}
    return {"type": "string", "format": field.protocol}


def _decimal(schema: Any, field: Any) -> Schema:
    mapping: Schema = {"type": "number"}
    if getattr(field, "coerce_to_string", api_settings.COERCE_DECIMAL_TO_STRING):
        mapping = {"type": "string", "format": "decimal"}
    constraints.map_digits(field.max_digits, field.decimal_places, mapping)
    schema._map_min_max(field, mapping)
    return mapping


def _float(schema: Any, field: Any) -> Schema:
    mapping: Schema = {"type": "number"}
    schema._map_min_max(field, mapping)
    return mapping


def _integer(schema: Any, field: Any) -> Schema:
    mapping: Schema = {"type": "integer"}
    schema._map_min_max(field, mapping)
    constraints.map_integer_size(mapping)
    return mapping


#: Kinds of fields and their descriptions; the first match applies.
FIELDS: list[tuple[Any, Callable[[Any, Any], Schema]]] = [
    (serializers.ListSerializer, _array_of_children),
    (serializers.Serializer, _nested),
    (serializers.ManyRelatedField, _related_many),
    (serializers.PrimaryKeyRelatedField, _primary_key),
    (serializers.MultipleChoiceField, _many_choices),
    (serializers.ChoiceField, _choice),
    (serializers.ListField, _list),
    (serializers.DateField, _of_format("date")),
    (serializers.DateTimeField, _of_format("date-time")),
    (serializers.EmailField, _of_format("email")),
    (serializers.URLField, _of_format("uri")),
    (serializers.UUIDField, _of_format("uuid")),
    (serializers.IPAddressField, _ip_address),
    (serializers.DecimalField, _decimal),
    (serializers.FloatField, _float),
    (serializers.IntegerField, _integer),
    (serializers.FileField, _of_format("binary")),
    (serializers.BooleanField, lambda schema, field: {"type": "boolean"}),
    (
        (serializers.JSONField, serializers.DictField),
        lambda schema, field: {"type": "object"},
    ),
]
