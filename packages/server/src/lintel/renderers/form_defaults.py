"""Initial values of a form for a new object: the defaults that would be stored without it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models import NOT_PROVIDED

from lintel import serializers
from lintel.fields import empty

#: Defaults that are called: only an empty container is the same for every new object.
_CONTAINERS = (dict, list)


def start_from_defaults(serializer: Any) -> None:
    """Let the fields of a form for a new object start with their declared defaults.

    A default of the serializer field takes precedence over one of the model or of its column in the
    database. A field with its own ``initial`` value keeps it, and computed defaults
    are left to be computed when the object is stored.
    """
    if not isinstance(serializer, serializers.Serializer) or serializer.instance is not None:
        return
    model = getattr(getattr(serializer, "Meta", None), "model", None)
    for field in serializer.fields.values():
        if field.read_only or field.initial is not type(field).initial:
            continue
        default = _declared(field, model)
        if default is not empty:
            field.initial = default


def _declared(field: Any, model: Any) -> Any:
    if field.default is not empty:
        return field.default if not callable(field.default) else empty
    column = _column(model, field.source)
    return empty if column is None else _stored(field, column)


def _column(model: Any, name: str | None) -> Any:
    if model is None or not name:
        return None
    try:
        column = model._meta.get_field(name)
    except FieldDoesNotExist:
        return None
    return column if isinstance(column, models.Field) and column.remote_field is None else None


def _stored(field: Any, column: Any) -> Any:
    """Return the default of a column as its input shows it; ``empty`` if it is computed."""
    default = column.default
    if default is NOT_PROVIDED:
        expression = getattr(column, "db_default", NOT_PROVIDED)
        default = getattr(expression, "value", expression)
    if default in _CONTAINERS:
        default = default()
    if default is NOT_PROVIDED or callable(default) or hasattr(default, "resolve_expression"):
        return empty
    try:
        return default if default is None else field.to_representation(default)
    except Exception:  # a default of a different type than the field shows
        return empty
