"""The order of rows as a key: its columns, their directions, and the rows after a key.

A key holds the values of all columns that a queryset is ordered by, with the primary key
last, so that no two rows have the same key. "After a key" is a condition, never a number of
rows to skip: rows added or deleted elsewhere shift nothing.
"""

from __future__ import annotations

import datetime
import json
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import OrderBy
from django.utils import timezone

from lintel import fast
from lintel.iso8601 import datetime_text
from lintel.pagination.comparisons import WHOLE_NUMBERS, KnownRow, Row, RowAfter, RowBefore

#: Types whose text a column parses back to the same value.
PLAIN_TYPES = (str, int, float, Decimal, uuid.UUID, datetime.datetime, datetime.date, datetime.time)

#: The alias of a value of the key that rows have under no name of their own.
ALIAS = "_cursor_key_{}"

#: Databases that compare row values, and find the first match in an index.
ROW_VALUE_VENDORS = frozenset(["postgresql", "sqlite"])

#: The values of the columns of a key, or of the first of them.
Key = Sequence[Any]


class InvalidKey(ValueError):
    """A key that does not belong to these columns."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term of an ordering. ``nulls_last`` is None if the database decides."""

    expression: Any
    is_descending: bool
    nulls_last: bool | None

    @classmethod
    def of(cls, ordering: object) -> Term:
        if isinstance(ordering, str):
            return cls(F(ordering.removeprefix("-")), ordering.startswith("-"), None)
        if isinstance(ordering, OrderBy):
            explicit = ordering.nulls_last or ordering.nulls_first
            nulls_last = bool(ordering.nulls_last) if explicit else None
            return cls(ordering.expression, ordering.descending, nulls_last)
        return cls(ordering, False, None)


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """``lookup``: the name in queries and on rows. ``nulls_last``: in the column's direction."""

    lookup: str
    field: Any
    is_nullable: bool
    is_descending: bool
    nulls_last: bool
    says_nulls: bool

    def ordering(self, is_reversed: bool) -> OrderBy:
        """Nulls have a place only if it is stated: an index follows the database's default."""
        is_descending = self.is_descending is not is_reversed
        if not self.says_nulls:
            return OrderBy(F(self.lookup), descending=is_descending)
        place = "nulls_last" if self.nulls_last is not is_reversed else "nulls_first"
        return OrderBy(F(self.lookup), descending=is_descending, **{place: True})

    def value(self, row: object) -> object:
        return row[self.lookup] if isinstance(row, dict) else getattr(row, self.lookup)

    def parse(self, value: object) -> object:
        """Return the value of a column from the text in a cursor. Raises InvalidKey."""
        if type(value) is int and type(self.field) in WHOLE_NUMBERS:
            return value
        if type(value) is str and type(self.field) is models.DateTimeField:
            moment = _moment(value)
            if moment is not None:
                return moment
        if value is None and self.is_nullable:
            return None
        if value is None or isinstance(value, list | dict) or "\0" in str(value):
            raise InvalidKey
        try:
            parsed = _aware(self.field.to_python(value))
            self.field.get_prep_value(parsed)
        except (ValueError, TypeError, ArithmeticError, ValidationError) as error:
            raise InvalidKey from error
        if parsed is None or (isinstance(parsed, float) and math.isnan(parsed)):
            raise InvalidKey
        return parsed

    def equals(self, value: object) -> Q:
        if value is None:
            return Q((f"{self.lookup}__isnull", True))
        return Q((f"{self.lookup}__exact", value))

    def after(self, value: object, is_reversed: bool) -> Q | None:
        """Return the condition for rows with a later value; None if there can be none."""
        nulls_last = self.nulls_last is not is_reversed
        if value is None:
            return None if nulls_last else Q((f"{self.lookup}__isnull", False))
        comparison = "lt" if self.is_descending is not is_reversed else "gt"
        later = Q((f"{self.lookup}__{comparison}", value))
        if self.is_nullable and nulls_last:
            later |= Q((f"{self.lookup}__isnull", True))
        return later

    def bound(self, value: object, is_reversed: bool) -> Q:
        """Return a condition met by all rows from this value on, which an index can answer."""
        if self.is_nullable:
            return Q()
        comparison = "lte" if self.is_descending is not is_reversed else "gte"
        return Q((f"{self.lookup}__{comparison}", value))


def _moment(text: str) -> datetime.datetime | None:
    try:
        result = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if result.tzinfo is None or not settings.USE_TZ else result


def _aware(value: object) -> object:
    if settings.USE_TZ and isinstance(value, datetime.datetime) and timezone.is_naive(value):
        return timezone.make_aware(value)
    return value


@dataclass(frozen=True, slots=True)
class Layout:
    """The facts about a key that follow from model, ordering and database, shared by lists."""

    columns: tuple[KeyColumn, ...]

    #: The terms for ``order_by``, forwards and in reverse.
    orders: tuple[tuple[OrderBy, ...], tuple[OrderBy, ...]]

    #: Whether the database can compare all columns at once, with an index.
    is_comparable: bool

    #: That comparison for the rows after a key, forwards and in reverse.
    comparisons: tuple[type[RowAfter], type[RowAfter]]

    #: The columns of the model when this was made.
    fields: object

    #: The fields of the table, if all columns belong to the model's own table.
    own_fields: tuple[Any, ...]

    #: The names of the values on rows, if attributes of instances hold exactly the row's values.
    key: tuple[str, ...] | None

    @classmethod
    def of(
        cls, columns: Sequence[KeyColumn], model: type[Model], connection: BaseDatabaseWrapper
    ) -> Layout:
        directions = {column.is_descending for column in columns}
        is_nullable = any(column.is_nullable for column in columns)
        return cls(
            columns=tuple(columns),
            orders=(
                tuple(column.ordering(False) for column in columns),
                tuple(column.ordering(True) for column in columns),
            ),
            comparisons=(RowBefore, RowAfter)
            if columns[0].is_descending
            else (RowAfter, RowBefore),
            is_comparable=connection.vendor in ROW_VALUE_VENDORS
            and len(directions) == 1
            and not is_nullable,
            fields=model._meta.concrete_fields,
            own_fields=_own_fields(model, columns),
            key=_plain_key(model, columns),
        )

    def comparison(self, query: Any, values: Key, is_reversed: bool) -> Any:
        """None if it takes more than one comparison, or a join."""
        if not self.own_fields:
            return None
        table = query.get_initial_alias()
        first = self.columns[0]
        if len(values) > 1 and self.is_comparable:
            row = Row(field.get_col(table) for field in self.own_fields)
            return self.comparisons[is_reversed](row, KnownRow(self.own_fields, values))
        if len(values) > 1 or first.is_nullable:
            return None
        lookup = self.own_fields[0].get_lookup(
            "lt" if first.is_descending is not is_reversed else "gt"
        )
        return lookup and lookup(self.own_fields[0].get_col(table), values[0])


def _own_fields(model: Any, columns: Sequence[KeyColumn]) -> tuple[object, ...]:
    """Return the fields of the columns; none if one is a relation, or in a parent's table."""
    options = model._meta.concrete_model._meta
    local = {field.attname: field for field in options.local_concrete_fields}
    fields = tuple(local[column.lookup] for column in columns if column.lookup in local)
    is_plain = len(fields) == len(columns) and not any(field.remote_field for field in fields)
    return fields if is_plain else ()


def _plain_key(model: type[Model], columns: Sequence[KeyColumn]) -> tuple[str, ...] | None:
    names = tuple(column.lookup for column in columns)
    is_plain = all(fast.is_column(model, name) for name in names)
    return names if is_plain else None


#: Bounded: orderings chosen by clients come in many combinations.
_layouts: fast.Store[object, Layout] = fast.Store()


class Keyset:
    """The key of the rows of a queryset under an ordering."""

    def __init__(self, queryset: QuerySet[Any], ordering: Sequence[object]) -> None:
        self.queryset: Any = queryset
        self._aliases: list[str] = []
        self._connection: Any = connections[queryset.db]
        self._layout = self._known(ordering) or self._made(ordering)
        self.columns: tuple[KeyColumn, ...] = self._layout.columns

    def _known(self, ordering: Sequence[object]) -> Layout | None:
        """Return the layout if the columns need only the model, else None."""
        model, query = self.queryset.model, self.queryset.query
        if self.queryset._fields is not None or query.annotations:
            return None
        if any(type(expression) is not str for expression in ordering):
            return None
        habit = self._connection.features.order_by_nulls_first
        key = (model, tuple(ordering), self._connection.vendor, habit)
        result = _layouts.get(key)
        if result is not None and result.fields is model._meta.concrete_fields:
            return result
        made = self._made(ordering)
        if not self._aliases:
            _layouts.keep(key, made)
        return made

    def _made(self, ordering: Sequence[object]) -> Layout:
        terms = [Term.of(expression) for expression in ordering]
        columns = [self._column(term) for term in terms]
        if not any(self._is_primary_key(term) for term in terms):
            columns.append(self._column(Term.of("pk")))
        return Layout.of(columns, self.queryset.model, self._connection)

    def _column(self, term: Term) -> KeyColumn:
        lookup, field, is_nullable = self._place(term)
        habit = self._connection.features.order_by_nulls_first is term.is_descending
        return KeyColumn(
            lookup=lookup,
            field=field,
            is_nullable=is_nullable,
            is_descending=term.is_descending,
            nulls_last=habit if term.nulls_last is None else term.nulls_last,
            says_nulls=term.nulls_last is not None,
        )

    def _is_primary_key(self, term: Term) -> bool:
        # A relation to the same table holds primary keys, but not that of its own row.
        field = _model_field(self.queryset.model, getattr(term.expression, "name", None))
        return field is not None and field is self.queryset.model._meta.pk

    def _place(self, term: Term) -> tuple[str, Any, bool]:
        name = getattr(term.expression, "name", None) if isinstance(term.expression, F) else None
        annotation = self.queryset.query.annotations.get(name)
        if annotation is not None and self._has(name):
            return str(name), annotation.output_field, True
        field = _model_field(self.queryset.model, name)
        if field is not None and self._has(field.attname):
            return field.attname, getattr(field, "target_field", field), field.null
        alias = ALIAS.format(len(self._aliases))
        self._aliases.append(alias)
        self.queryset = self.queryset.annotate(**{alias: term.expression})
        output = self.queryset.query.annotations[alias].output_field
        output = getattr(output, "target_field", output)
        return alias, (field if field is not None and field.primary_key else output), True

    def _has(self, name: str | None) -> bool:
        if self.queryset._fields is None:
            return True
        query = self.queryset.query
        return name in query.values_select or name in query.annotation_select

    @property
    def key(self) -> tuple[str, ...] | None:
        return self._layout.key

    def ordered(self, is_reversed: bool) -> Any:
        return self.queryset.order_by(*self._layout.orders[is_reversed])

    def beyond(self, values: Key, is_reversed: bool) -> Any:
        """Return the rows after a key, in order, or after all rows whose keys start like this."""
        queryset = self.ordered(is_reversed)
        if queryset is not self.queryset:
            make = partial(self._layout.comparison, values=values, is_reversed=is_reversed)
            if fast.add_condition(queryset, make, self._layout.own_fields, ("gt", "lt")):
                return queryset
        return queryset.filter(self.after(values, is_reversed))

    def after(self, values: Key, is_reversed: bool) -> Q:
        """Return the condition for rows after a key, or after all keys that start like this."""
        if len(values) > 1 and self._layout.is_comparable:
            row = Row(F(column.lookup) for column in self.columns)
            start = KnownRow([column.field for column in self.columns], values)
            return Q(self._layout.comparisons[is_reversed](row, start))
        condition = Q()
        equal = Q()
        for column, value in zip(self.columns, values, strict=False):
            later = column.after(value, is_reversed)
            if later is not None:
                condition |= equal & later
            equal &= column.equals(value)
        if len(values) > 1:
            condition = self.columns[0].bound(values[0], is_reversed) & condition
        return condition or Q(pk__in=[])

    def values(self, row: object) -> Key:
        return [column.value(row) for column in self.columns]

    def visible(self, rows: list[Any]) -> list[Any]:
        """Return the rows without values added for the key, if these would be visible."""
        if not self._aliases or not rows or not isinstance(rows[0], dict):
            return list(rows)
        hidden = set(self._aliases)
        return [{name: row[name] for name in row if name not in hidden} for row in rows]

    def dump(self, values: Key) -> str:
        return f"[{','.join([_json(value) for value in values])}]"

    def load(self, text: str) -> Key:
        """Raises InvalidKey."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidKey from error
        if not isinstance(values, list) or len(values) != len(self.columns):
            raise InvalidKey
        return [column.parse(value) for column, value in zip(self.columns, values, strict=True)]


def _model_field(model: Any, name: str | None) -> Any:
    if name == "pk":
        return model._meta.pk
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return next((column for column in model._meta.fields if column.attname == name), None)
    return field if field.concrete and not field.many_to_many else None


class KeyEncoder(DjangoJSONEncoder):
    """Writes values of columns as JSON without loss: times keep their microseconds."""

    def default(self, o: object) -> object:
        if isinstance(o, datetime.datetime | datetime.time):
            return o.isoformat()
        if isinstance(o, (*PLAIN_TYPES, datetime.timedelta)):
            return super().default(o)
        return str(o)


ENCODER = KeyEncoder(separators=(",", ":"))


def _json(value: object) -> str:
    if type(value) is int:
        return str(value)
    if type(value) is not datetime.datetime:
        return ENCODER.encode(value)
    # Without a plus sign, which would need encoding and decoding.
    return f'"{datetime_text(value)}"'


def plain_text(value: object) -> str | None:
    """Return the value as the text of a one-column cursor; None if it needs a whole key."""
    is_plain = isinstance(value, PLAIN_TYPES) and not isinstance(value, bool)
    return str(value) if is_plain else None
