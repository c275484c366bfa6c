"""Columns of models: finding them, and the schemas of their values."""

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models

from lintel.fields.describing import Schema
from lintel.settings import api_settings

#: Columns whose values are plain types.
COLUMNS: list[tuple[Any, Schema]] = [
    (models.BooleanField, {"type": "boolean"}),
    (models.IntegerField, {"type": "integer"}),
    (models.AutoField, {"type": "integer"}),
    (models.FloatField, {"type": "number"}),
    (models.DecimalField, {"type": "string", "format": "decimal"}),
    (models.DateTimeField, {"type": "string", "format": "date-time"}),
    (models.DateField, {"type": "string", "format": "date"}),
    (models.UUIDField, {"type": "string", "format": "uuid"}),
    (models.EmailField, {"type": "string", "format": "email"}),
    (models.URLField, {"type": "string", "format": "uri"}),
    ((models.TimeField, models.DurationField), {"type": "string"}),
    ((models.CharField, models.TextField), {"type": "string"}),
]


#: What big integers are with COERCE_BIGINT_TO_STRING.
INTEGER_TEXT: Schema = {"type": "string", "pattern": "^-?[0-9]+$"}


def _target(column: object) -> object:
    while getattr(column, "remote_field", None) is not None and hasattr(column, "target_field"):
        column = column.target_field
    return column


def is_big(column: object) -> bool:
    return isinstance(_target(column), models.BigIntegerField)


def key_schema(column: object) -> Schema:
    """Return the schema of a column in paths: the text of a composite key, big integers as set."""
    if hasattr(column, "field_names"):
        others = len(column.field_names) - 1
        return {"type": "string", "pattern": f"^[^,/]+(?:,[^,/]+){{{others}}}$"}
    if api_settings.COERCE_BIGINT_TO_STRING and is_big(column):
        return dict(INTEGER_TEXT)
    return column_schema(column)


def column_schema(column: object) -> Schema:
    column = _target(column)
    if hasattr(column, "field_names"):
        return _composite_schema(column)
    for kinds, schema in COLUMNS:
        if isinstance(column, kinds):
            return dict(schema)
    return {}


def _composite_schema(column: Any) -> Schema:
    parts = [column_schema(part) for part in column.fields]
    distinct = [part for number, part in enumerate(parts) if part not in parts[:number]]
    items = distinct[0] if len(distinct) == 1 else {"oneOf": distinct}
    return {"type": "array", "items": items, "minItems": len(parts), "maxItems": len(parts)}


def column_of(model: object, name: str) -> Any:
    options = getattr(model, "_meta", None)
    if options is None:
        return None
    try:
        return options.get_field(name)
    except FieldDoesNotExist:
        return None


def column_at(model: object, source: str) -> Any:
    column = None
    for name in source.split("."):
        column = column_of(model, name)
        model = getattr(column, "related_model", None)
    return column
