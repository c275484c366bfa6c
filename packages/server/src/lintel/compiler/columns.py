"""Columns of rows → primitives, a whole column at a time.

Django turns what a database hands out into Python values, one by one, and the fields of a
serializer turn these into text. Where both steps are certain, they are taken together and for many
rows at once: :data:`WIRES` names the kinds of fields that have such a way. A wire that is in doubt
about one value answers None, and the whole column goes the usual way; text that has been made
already is of type ``str``, which no value of these kinds is.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice, repeat
from operator import attrgetter, itemgetter
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import orjson
from django.conf import settings
from django.db import connections
from django.db.models.expressions import Col
from django.db.models.sql.compiler import SQLCompiler

from lintel.compiler.plan import Conversion
from lintel.compiler.runtime import iso_text, zone_of
from lintel.orm.selections import selection_of

Values = Sequence[Any]
Step = Callable[[Values], Values]

#: Where Django converts what SQLite hands out; extensions of it may do so in other ways.
SQLITE_OPERATIONS = "django.db.backends.sqlite3.operations"

#: Digits of a number that SQLite keeps exactly, and Django therefore hands out.
SQLITE_DIGITS = 15

#: Rows that are converted together; more of them would not stay in the caches of a processor.
CHUNK = 100

_IN_UTC = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC
_NAIVE_EPOCH = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - SQLite hands out such moments
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
#: Since then, all zones are whole minutes away from UTC; the JSON library writes no seconds.
_WHOLE_MINUTES = datetime.datetime(1973, 1, 1, tzinfo=datetime.UTC)
_PARTS = itemgetter(slice(0, 8), slice(8, 12), slice(12, 16), slice(16, 20), slice(20, 32))
_NONE = type(None)
_zone_of_moment = attrgetter("tzinfo")


class Wire(Protocol):
    """How a column of one kind becomes text. Both methods get values that are not None."""

    @property
    def column_type(self) -> str:
        """What Django calls the columns that ``from_sqlite`` is about."""

    def from_sqlite(self, values: Values, column: Any) -> Values | None:
        """Primitives for what SQLite hands out; None where that is not certain."""

    def from_python(self, values: Values) -> Values | None:
        """Primitives for what Django's converters have made; None where that is not certain."""


#: An entry for each column of a query.
Wires = Sequence[Wire | None]


@dataclass(frozen=True, slots=True)
class _Unchanged:
    """Values that SQLite hands out as Python has them, so that no converter is needed."""

    kind: type
    column_type: str

    def from_sqlite(self, values: Values, column: Any) -> Values | None:
        return values if _all_are(values, self.kind) else None

    def from_python(self, values: Values) -> Values | None:
        return values


@dataclass(frozen=True, slots=True)
class _Date:
    """``.isoformat()`` of dates."""

    column_type: str = "DateField"

    def from_sqlite(self, values: Values, column: Any) -> Values | None:
        return self.from_python(values)

    def from_python(self, values: Values) -> Values | None:
        return _texts(values) if _all_are(values, datetime.date) else None


@dataclass(frozen=True, slots=True)
class _Datetime:
    """Moments in the zone of the field, or in the current one."""

    zone: datetime.tzinfo | None
    column_type: str = "DateTimeField"

    def from_sqlite(self, values: Values, column: Any) -> Values | None:
        """SQLite keeps the moments in the zone of the connection, without naming it."""
        if not _all_are(values, datetime.datetime) or _zones(values) != {None}:
            return None
        is_utc = settings.USE_TZ and column.connection.timezone is datetime.UTC
        return self._written(values, _NAIVE_EPOCH) if is_utc else None

    def from_python(self, values: Values) -> Values | None:
        if not _all_are(values, datetime.datetime) or _zones(values) != {datetime.UTC}:
            return None
        return self._written(values, _EPOCH) if settings.USE_TZ else None

    def _written(self, values: Values, start: datetime.datetime) -> Values | None:
        """Text for moments in UTC; ``start`` is a moment that has a zone if the others have one."""
        zone = zone_of(self.zone)
        if zone is datetime.UTC:
            return _texts(values)
        try:
            # Adding a distance gives them their zone in a twentieth of the time of replace().
            local = [(_EPOCH + (value - start)).astimezone(zone) for value in values]
        except OverflowError:
            return None
        if type(zone) is ZoneInfo and min(local) > _WHOLE_MINUTES:
            return _texts(local)
        return list(map(iso_text(zone), local))


@dataclass(frozen=True, slots=True)
class _UUID:
    """UUIDs with hyphens."""

    column_type: str = "UUIDField"

    def from_sqlite(self, values: Values, column: Any) -> Values | None:
        """SQLite keeps 32 digits, or whatever another program has written."""
        if not _all_are(values, str) or set(map(len, values)) != {32}:
            return None
        digits = "".join(values)
        # Nothing but digits leaves half as many bytes; capitals would be made small.
        if digits.lower() != digits or len(_bytes_of(digits)) * 2 != len(digits):
            return None
        return list(map("-".join, map(_PARTS, values)))

    def from_python(self, values: Values) -> Values | None:
        return _texts(values) if _all_are(values, uuid.UUID) else None


@dataclass(frozen=True, slots=True)
class _Decimal:
    """Numbers with as many places as their column has."""

    max_digits: int
    places: int
    column_type: str = "DecimalField"

    def from_sqlite(self, values: Values, column: Any) -> Values | None:
        """SQLite keeps floats and integers: text is right where it stands for the same number."""
        field = column.field
        # Since Django 6.1 a column may have no limits, and be text.
        if field.max_digits is None or field.decimal_places != self.places:
            return None
        if not set(map(type, values)) <= {float, int}:
            return None
        digits = min(SQLITE_DIGITS, self.max_digits, field.max_digits)
        if not max(map(abs, values)) < 10 ** (digits - self.places):
            return None
        texts = list(map(format, values, repeat(f".{self.places}f")))
        return texts if list(map(float, texts)) == list(values) else None

    def from_python(self, values: Values) -> Values | None:
        if not _all_are(values, Decimal):
            return None
        texts = list(map(str, values))
        point = -self.places - 1
        # A sign counts as a digit, so that some go the usual way without need.
        if max(map(len, texts)) > self.max_digits + 1 or any("E" in text for text in texts):
            return None
        return texts if {text[point : -self.places] for text in texts} == {"."} else None


def _all_are(values: Values, kind: type) -> bool:
    return set(map(type, values)) == {kind}


def _bytes_of(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return b""


def _zones(values: Values) -> set[Any]:
    return set(map(_zone_of_moment, values))


def _texts(values: Values) -> list[str]:
    """ISO 8601 and hyphened text, by the JSON library, which writes a whole list at once."""
    return orjson.dumps(values, None, _IN_UTC)[2:-2].decode().split('","')


# ---- which fields have a wire ----


def _iso(conversion: Conversion) -> bool:
    form = conversion.option("format")
    return isinstance(form, str) and form.lower() == "iso-8601"


def _date(conversion: Conversion) -> Wire | None:
    return _Date() if _iso(conversion) else None


def _datetime(conversion: Conversion) -> Wire | None:
    return _Datetime(conversion.option("timezone")) if _iso(conversion) else None


def _uuid(conversion: Conversion) -> Wire | None:
    return _UUID() if conversion.option("uuid_format") == "hex_verbose" else None


def _decimal(conversion: Conversion) -> Wire | None:
    option = conversion.option
    if option("localize") or option("normalize_output") or not option("coerce_to_string"):
        return None
    digits, places = option("max_digits"), option("decimal_places")
    return _Decimal(digits, places) if digits and places else None


def _boolean(conversion: Conversion) -> Wire | None:
    return _Unchanged(bool, "BooleanField")


def _time(conversion: Conversion) -> Wire | None:
    return _Unchanged(datetime.time, "TimeField")


#: Kind of ``to_representation`` → the wire for a conversion, or None.
WIRES: dict[str, Callable[[Conversion], Wire | None]] = {
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "decimal": _decimal,
    "time": _time,
    "uuid": _uuid,
}


def wire_of(conversion: Conversion | None) -> Wire | None:
    """The wire of a field that converts its values like this; None where there is none."""
    make = None if conversion is None else WIRES.get(conversion.kind)
    return None if make is None or conversion is None else make(conversion)


# ---- rows ----


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of a query, with what Django does to its values."""

    expression: Any
    converters: list[Any]
    connection: Any

    @property
    def field(self) -> Any:
        return self.expression.output_field

    def convert(self, values: Values) -> Values:
        """What Django's converters make of the values."""
        for converter in self.converters:
            expression, connection = self.expression, self.connection
            values = [converter(value, expression, connection) for value in values]
        return values

    def is_known(self, wire: Wire) -> bool:
        """Whether the converters are those of SQLite for a column of this kind, and no more."""
        return (
            type(self.connection.ops).__module__ == SQLITE_OPERATIONS
            and type(self.expression) is Col
            and not self.expression.get_db_converters(self.connection)
            and self.field.get_internal_type() == wire.column_type
        )

    def step(self, wire: Wire | None) -> Step | None:
        """What turns values of the database into those for the text; None for nothing."""
        if wire is None:
            return self.convert if self.converters else None
        known = wire if self.converters and self.is_known(wire) else None

        def step(values: Values) -> Values:
            if known is not None:
                found = _beside_none(lambda some: known.from_sqlite(some, self), values)
                if found is not None:
                    return found
            converted = self.convert(values)
            found = _beside_none(wire.from_python, converted)
            return converted if found is None else found

        return step


def _beside_none(make: Callable[[Values], Values | None], values: Values) -> Values | None:
    """``make(values)``, with None left where it is."""
    if _NONE not in set(map(type, values)):
        return make(values)
    present = [value for value in values if value is not None]
    made = make(present) if present else present
    if made is None:
        return None
    rest = iter(made)
    return [None if value is None else next(rest) for value in values]


class Answer:
    """The rows of a queryset, which are converted when it is known which of them are wanted."""

    def __init__(self, queryset: Any, names: tuple[str, ...], wires: Wires) -> None:
        self._queryset = queryset
        self._names = names if queryset.ordered else _whole_rows(queryset.model, names)
        self._wires = wires
        self._columns: list[_Column] | None = None

    def fetch(self) -> list[Any]:
        """Run the query. The rows are good for the other methods only."""
        queryset = self._queryset
        selection = selection_of(queryset, self._names)
        if selection is None:
            return self._fetch_by_django(queryset.values_list(*self._names))
        connection: Any = connections[queryset.db]
        self._columns = selection.memory.get("columns")
        if self._columns is None:
            made = [_Column(*each, connection) for each in selection.columns]
            self._columns = selection.memory["columns"] = made
        return selection.rows(queryset.query, connection)

    def _fetch_by_django(self, queryset: Any) -> list[Any]:
        compiler = queryset.query.get_compiler(queryset.db)
        if not _reads_as_usual(type(compiler)):
            return list(compiler.results_iter(tuple_expected=True))
        chunks: Any = compiler.execute_sql()
        self._columns = _columns(compiler)
        if self._columns is None:
            return list(compiler.results_iter(chunks, tuple_expected=True))
        return list(chain.from_iterable(chunks))

    def value(self, row: Any, place: int) -> Any:
        """One column of one row, as an attribute of an instance would hold it."""
        value = row[place]
        column = self._columns[place] if self._columns else None
        return column.convert([value])[0] if column and column.converters else value

    def converted(self, rows: list[Any]) -> Iterator[Any]:
        """The rows with as many columns as there are wires.

        A column that has a wire may consist of the text that its field makes of the values.
        """
        count = len(self._wires)
        if self._columns is None:
            return (row[:count] for row in rows)
        chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
        return _stepwise(chunks, _steps(self._columns, self._wires), count)


def _whole_rows(model: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, and all other columns.

    A database that finds all it is asked for in an index goes through that instead of the table, so
    that rows without an order would come in another one than instances do.
    """
    columns = (column.attname for column in model._meta.concrete_fields)
    return (*names, *[name for name in columns if name not in names])


def _columns(compiler: Any) -> list[_Column] | None:
    """The columns of a query that has been run; None where several make up one field."""
    fields = [selected[0] for selected in compiler.select[: compiler.col_count]]
    if compiler.has_composite_fields(fields):
        return None
    converters = compiler.get_converters(fields)
    return [
        _Column(field, converters[place][0] if place in converters else [], compiler.connection)
        for place, field in enumerate(fields)
    ]


def _steps(columns: list[_Column], wires: Wires) -> list[tuple[int, Step]]:
    steps = [column.step(wire) for column, wire in zip(columns, wires, strict=False)]
    return [(position, step) for position, step in enumerate(steps) if step is not None]


def _reads_as_usual(cls: Any) -> bool:
    """Whether a database changes nothing of how Django makes rows of its answers."""
    return (
        cls.results_iter is SQLCompiler.results_iter
        and cls.apply_converters is SQLCompiler.apply_converters
    )


def _stepwise(chunks: Any, steps: list[tuple[int, Step]], count: int) -> Iterator[Any]:
    for chunk in chunks:
        columns: list[Values] = [*islice(zip(*chunk, strict=True), count)]
        for position, step in steps:
            columns[position] = step(columns[position])
        yield from zip(*columns, strict=True)
