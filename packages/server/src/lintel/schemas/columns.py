"""What the column behind a field says that the field does not."""

import ast
import inspect
from typing import Any

from django.db import models

from lintel import serializers
from lintel.fields import Field
from lintel.fields.columns import column_at
from lintel.overrides import function_of, reached
from lintel.schemas.sources import source_of

#: The columns of text; in any other, ``blank`` only says that forms may leave it out.
TEXTS = (models.CharField, models.TextField, models.FilePathField)


def model_of_serializer(serializer: object) -> Any:
    return getattr(getattr(serializer, "Meta", None), "model", None)


def column_behind(field: Field) -> Any:
    is_inside = isinstance(field.parent, serializers.BaseSerializer) and field.source
    return column_at(model_of_serializer(field.parent), field.source) if is_inside else None


def may_be_blank(field: Field) -> bool:
    """Return whether the empty text is allowed too; a read-only field's column says it."""
    if not field.read_only:
        return bool(getattr(field, "allow_blank", False))
    column = column_behind(field)
    return isinstance(column, TEXTS) and column.blank


def reads_null(field: Field) -> bool:
    """Whether an object may have null where a field reads, whatever the field says."""
    if field.write_only or field.source == "*":
        return False
    column = column_behind(field)
    if column is None:
        return _computes_null(model_of_serializer(field.parent), field.source)
    return bool(getattr(column, "concrete", False) and not column.many_to_many and column.null)


def _computes_null(model: Any, name: str | None) -> bool:
    """Whether a property or method of a model has a plain ``return None``."""
    function = function_of(reached(model, name)) if isinstance(model, type) and name else None
    source = None if function is None else source_of(inspect.unwrap(function))
    values = [] if source is None else [statement.value for statement in source.returns]
    return any(map(_is_null, values))


def _is_null(value: ast.expr | None) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_null(value.body) or _is_null(value.orelse)
    return value is None or (isinstance(value, ast.Constant) and value.value is None)
