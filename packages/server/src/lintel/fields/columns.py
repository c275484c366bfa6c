"""Columns of models: finding them, and the schemas of their values."""

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models

from lintel.fields.describing import Schema

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


def column_schema(column: Any) -> Schema:
    while getattr(column, "remote_field", None) is not None and hasattr(column, "target_field"):
        column = column.target_field
    for kinds, schema in COLUMNS:
        if isinstance(column, kinds):
            return dict(schema)
    return {}


def column_of(model: Any, name: str) -> Any:
    options = getattr(model, "_meta", None)
    if options is None:
        return None
    try:
        return options.get_field(name)
    except FieldDoesNotExist:
        return None


def column_at(model: Any, source: str) -> Any:
    column = None
    for name in source.split("."):
        column = column_of(model, name)
        model = getattr(column, "related_model", None)
    return column
