"""What the column behind a field says that the field does not."""

from typing import Any

from django.db import models

from lintel import serializers
from lintel.fields import Field
from lintel.fields.columns import column_at

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
    if field.write_only or field.source == "*":
        return False
    column = column_behind(field)
    return bool(getattr(column, "concrete", False) and not column.many_to_many and column.null)
