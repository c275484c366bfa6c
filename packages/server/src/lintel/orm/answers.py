"""The rows of a queryset as its database hands them out, and how their columns are converted.

Django turns what a database hands out into Python values, one by one. A *wire* takes this step and
that of a field together, for many rows at once; where a wire is in doubt about one value, the whole
column goes through the converters of Django.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from django.db import connections
from django.db.models.expressions import Col

from lintel.orm.selections import selection_of
from lintel.orm.vocabulary import is_plain_sqlite, makes_rows_plainly
from lintel.orm.wires import Values, Wire, Wires

Step = Callable[[Values], Values]

#: Rows that are converted together; more of them would not stay in the caches of a processor.
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
        """What Django's converters make of the values."""
        for converter in self.converters:
            expression, connection = self.expression, self.connection
            values = [converter(value, expression, connection) for value in values]
        return values

    def is_known(self, wire: Wire) -> bool:
        """Tell whether the converters are just those of SQLite for a column of this kind."""
        return (
            is_plain_sqlite(self.connection)
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
        self._columns: list[ExecutedColumn] | None = None

    def fetch(self) -> list[Any]:
        """Run the query. The rows are good for the other methods only."""
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
        if not makes_rows_plainly(type(compiler)):
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
        """Return the rows with as many columns as there are wires.

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


def _columns(compiler: Any) -> list[ExecutedColumn] | None:
    """The columns of a query that has been run; None where several make up one field."""
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
