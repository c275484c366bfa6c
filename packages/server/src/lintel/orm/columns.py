"""The values that a row is written with, as the database takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db import models

from lintel.orm.statements import methods_of_django

#: A type of values, and what makes them fit for the database; None where the field has to do it.
Known = tuple[type | None, Callable[[Any], Any] | None]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; ``kind`` is the type of values of which ``get_db_prep_save()`` is known.

    It is what ``adapt`` does, or nothing.
    """

    field: Any
    attname: str
    keeps_own: bool
    kind: type | None
    adapt: Callable[[Any], Any] | None

    @classmethod
    def of(cls, field: Any, connection: Any) -> Column:
        return cls(field, field.attname, _keeps_own(field), *_known_kind(field, connection))


def written(
    columns: Iterable[Column], instance: Any, connection: Any, is_new: bool
) -> list[Any] | None:
    """The values for the columns; None where the database has to work one of them out."""
    values = []
    for column in columns:
        if column.keeps_own:
            value = column.field.pre_save(instance, is_new)
        else:
            value = getattr(instance, column.attname)
        if type(value) is not column.kind:
            if hasattr(value, "resolve_expression") or isinstance(value, models.Model):
                return None
            value = column.field.get_db_prep_save(value, connection=connection)
            if hasattr(value, "as_sql"):
                return None
        elif column.adapt is not None:
            value = column.adapt(value)
        values.append(value)
    return values


def is_plain(field: Any) -> bool:
    """Whether its placeholder is that of any column, and its values are made in Python.

    A ``pre_save()`` of the project runs once for a row, whatever other columns turn out to hold.
    """
    return _prepares_plainly(field) and not (
        field.generated
        or field.has_db_default()
        or hasattr(field, "get_placeholder")
        or hasattr(field, "get_placeholder_sql")
    )


def _prepares_plainly(field: Any) -> bool:
    return "pre_save" not in vars(field) and None not in methods_of_django(type(field), "pre_save")


AUTO_FIELDS = (models.AutoField, models.BigAutoField, models.SmallAutoField)
_NUMBERS = (
    *AUTO_FIELDS,
    models.BigIntegerField,
    models.IntegerField,
    models.PositiveBigIntegerField,
    models.PositiveIntegerField,
    models.PositiveSmallIntegerField,
    models.SmallIntegerField,
)
_DATED = (models.DateField.pre_save, models.DateTimeField.pre_save, models.TimeField.pre_save)


def _keeps_own(field: Any) -> bool:
    """Whether ``pre_save()`` does more than read the attribute."""
    method = type(field).pre_save
    if method in _DATED:
        return bool(field.auto_now or field.auto_now_add)
    return method is not models.Field.pre_save


def _known_kind(field: Any, connection: Any) -> Known:
    while type(field) in (models.ForeignKey, models.OneToOneField):
        field = field.target_field
    if type(field) in _NUMBERS:
        # PostgreSQL is told the size of each integer.
        return (int, None) if connection.vendor == "sqlite" else (None, None)
    known = _KINDS.get(type(field))
    return (None, None) if known is None else known(field, connection)


def _as_it_is(kind: type) -> Callable[[Any, Any], Known]:
    return lambda field, connection: (kind, None)


def _date(field: Any, connection: Any) -> Known:
    return date, connection.ops.adapt_datefield_value


def _datetime(field: Any, connection: Any) -> Known:
    def adapt(value: datetime) -> Any:
        if value.utcoffset() is None:
            return field.get_db_prep_save(value, connection=connection)
        return connection.ops.adapt_datetimefield_value(value)

    return datetime, adapt


def _decimal(field: Any, connection: Any) -> Known:
    def adapt(value: Decimal) -> Any:
        if not value.is_finite():
            return field.get_db_prep_save(value, connection=connection)
        return connection.ops.adapt_decimalfield_value(
            value, field.max_digits, field.decimal_places
        )

    return Decimal, adapt


def _uuid(field: Any, connection: Any) -> Known:
    return UUID, None if connection.features.has_native_uuid_field else attrgetter("hex")


_KINDS: dict[type, Callable[[Any, Any], Known]] = {
    models.BooleanField: _as_it_is(bool),
    models.CharField: _as_it_is(str),
    models.DateField: _date,
    models.DateTimeField: _datetime,
    models.DecimalField: _decimal,
    models.EmailField: _as_it_is(str),
    models.FloatField: _as_it_is(float),
    models.SlugField: _as_it_is(str),
    models.TextField: _as_it_is(str),
    models.URLField: _as_it_is(str),
    models.UUIDField: _uuid,
}
