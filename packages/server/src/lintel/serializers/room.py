"""Values that a column has no room for, which some databases refuse and others store.

The bounds of fields are those of the default database. What another one refuses shows when it does.
"""

from django.core.exceptions import FieldDoesNotExist
from django.db import connections, models

from lintel import fast
from lintel.exceptions import ErrorDetail
from lintel.fields.types import Native
from lintel.serializers.types import Errors, OfModel, ReadValues


def too_large(serializer: OfModel, values: ReadValues, database: str) -> Errors:
    """Return errors for the values of fields that do not fit into their columns in a database."""
    errors: Errors = {}
    for field in fast.current_fields(serializer).values():
        if field.source in values:
            code, limit = _broken(serializer.Meta.model, field.source, values, database)
            text = field.error_messages.get(code)
            if text is not None:
                errors[field.field_name] = [ErrorDetail(text.format(**{code: limit}), code)]
    return errors


def _broken(
    model: type[models.Model], name: str, values: ReadValues, database: str
) -> tuple[str, object]:
    """Return the code of the limit that a value exceeds, and the limit."""
    try:
        column: Native = model._meta.get_field(name)
    except FieldDoesNotExist:
        return "", None
    value, most = values[name], getattr(column, "max_length", None)
    if isinstance(column, models.IntegerField) and isinstance(value, int):
        return _beyond(value, *_range_of(column, database))
    is_long = most is not None and isinstance(value, str) and len(value) > most
    return ("max_length", most) if is_long else ("", None)


def _range_of(column: models.IntegerField, database: str) -> tuple[int | None, int | None]:
    kind = column.get_internal_type()
    lowest, highest = connections[database].ops.integer_field_range(kind)
    return lowest, highest


def _beyond(value: int, lowest: int | None, highest: int | None) -> tuple[str, object]:
    if highest is not None and value > highest:
        return "max_value", highest
    if lowest is not None and value < lowest:
        return "min_value", lowest
    return "", None
