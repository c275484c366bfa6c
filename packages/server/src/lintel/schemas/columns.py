"""What the column behind a field says that the field does not."""

from __future__ import annotations

from typing import Any

from lintel import serializers
from lintel.fields import Field
from lintel.fields.columns import column_at


def column_behind(field: Field) -> Any:
    if not isinstance(field.parent, serializers.BaseSerializer):
        return None
    model = getattr(getattr(field.parent, "Meta", None), "model", None)
    return None if model is None or not field.source else column_at(model, field.source)


def may_be_blank(field: Field) -> bool:
    """Return whether the empty text is allowed too; a read-only field's column says it."""
    if not field.read_only:
        return bool(getattr(field, "allow_blank", False))
    column = column_behind(field)
    return not getattr(column, "is_relation", False) and getattr(column, "blank", False)


def reads_null(field: Field) -> bool:
    if field.write_only or field.source == "*":
        return False
    column = column_behind(field)
    return bool(getattr(column, "concrete", False) and not column.many_to_many and column.null)
