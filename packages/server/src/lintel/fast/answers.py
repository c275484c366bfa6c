"""The rows of a queryset as the database returns them, and how their columns are converted.

Django turns database values into Python values one by one. A *wire* combines this step with
that of a field, for many rows at once; if a wire is unsure about one value, the whole
column goes through Django's converters. Whoever asks for rows has asked
:func:`lintel.fast.backends.finds_itself` before: Django alone converts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from django.db import connections
from django.db.models.expressions import Col

from lintel.fast.selections import selection_of
from lintel.fast.wires import Values, Wire, Wires

Step = Callable[[Values], Values]

#: Rows that are converted together; more of them would not fit into processor caches.
CHUNK = 100

_NONE = type(None)


@dataclass(frozen=True, slots=True)
class ExecutedColumn:
    """One column of a query, with what Django does to its values."""

    expression: Any
    converters: list[Any]
    connection: Any

    @property
    def field(self) -> Any:
        return self.expression.output_field

    def convert(self, values: Values) -> Values:
        """Return the values after Django's converters."""
        for converter in self.converters:
            expression, connection = self.expression, self.connection
            values = [converter(value, expression, connection) for value in values]
        return values

    def is_known(self, wire: Wire) -> bool:
        """Return whether the converters are exactly those of SQLite for a column of this kind."""
        return (
            self.connection.vendor == "sqlite"
            and type(self.expression) is Col
            and not self.expression.get_db_converters(self.connection)
            and self.field.get_internal_type() == wire.column_type
        )

    def step(self, wire: Wire | None) -> Step | None:
        """Return the conversion of database values for the text; None for no conversion."""
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
    """Return ``make(values)`` with None left in place."""
    if _NONE not in set(map(type, values)):
        return make(values)
    present = [value for value in values if value is not None]
    made = make(present) if present else present
    if made is None:
        return None
    rest = iter(made)
    return [None if value is None else next(rest) for value in values]


class Answer:
    """The rows of a queryset, converted once it is known which of them are needed."""

    def __init__(self, queryset: Any, names: tuple[str, ...], wires: Wires) -> None:
        self._queryset = queryset
        self._names = names if queryset.ordered else _whole_rows(queryset.model, names)
        self._wires = wires
        self._columns: list[ExecutedColumn] | None = None

    def fetch(self) -> list[Any]:
        """Run the query. The rows are only meant for the other methods."""
        queryset = self._queryset
        selection = selection_of(queryset, self._names)
        if selection is None:
            return self._fetch_by_django(queryset.values_list(*self._names))
        connection: Any = connections[queryset.db]
        self._columns = selection.memory.get("columns")
        if self._columns is None:
            made = [ExecutedColumn(*each, connection) for each in selection.columns]
            self._columns = selection.memory["columns"] = made
        return selection.rows(queryset.query, connection)

    def _fetch_by_django(self, queryset: Any) -> list[Any]:
        compiler = queryset.query.get_compiler(queryset.db)
        chunks: Any = compiler.execute_sql()
        self._columns = _columns(compiler)
        if self._columns is None:
            return list(compiler.results_iter(chunks, tuple_expected=True))
        return list(chain.from_iterable(chunks))

    def value(self, row: Any, place: int) -> Any:
        """Return one column of one row, as an attribute of an instance would hold it."""
        value = row[place]
        column = self._columns[place] if self._columns else None
        return column.convert([value])[0] if column and column.converters else value

    def converted(self, rows: list[Any]) -> Iterator[Any]:
        """Return the rows with as many columns as there are wires.

        A column that has a wire may contain the text that its field makes of the values.
        """
        count = len(self._wires)
        if self._columns is None:
            return (row[:count] for row in rows)
        chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
        return _stepwise(chunks, _steps(self._columns, self._wires), count)


def _whole_rows(model: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, followed by all other columns.

    A database that finds all columns in an index reads that instead of the table, so
    unordered rows would come in a different order than instances.
    """
    columns = (column.attname for column in model._meta.concrete_fields)
    return (*names, *[name for name in columns if name not in names])


def _columns(compiler: Any) -> list[ExecutedColumn] | None:
    """Return the columns of an executed query; None if several make up one field."""
    fields = [selected[0] for selected in compiler.select[: compiler.col_count]]
    if compiler.has_composite_fields(fields):
        return None
    converters = compiler.get_converters(fields)
    return [
        ExecutedColumn(
            field, converters[place][0] if place in converters else [], compiler.connection
        )
        for place, field in enumerate(fields)
    ]


def _steps(columns: list[ExecutedColumn], wires: Wires) -> list[tuple[int, Step]]:
    steps = [column.step(wire) for column, wire in zip(columns, wires, strict=False)]
    return [(position, step) for position, step in enumerate(steps) if step is not None]


def _stepwise(chunks: Any, steps: list[tuple[int, Step]], count: int) -> Iterator[Any]:
    for chunk in chunks:
        columns: list[Values] = [*islice(zip(*chunk, strict=True), count)]
        for position, step in steps:
            columns[position] = step(columns[position])
        yield from zip(*columns, strict=True)
