"""The rows of a queryset as the database returns them, and how their columns are converted.

Django's converters turn database values into Python values. A *wire* does what a field does with
these, for many rows at once. Whoever asks for rows has asked
:func:`lintel.fast.backends.finds_itself` before: Django alone converts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

from django.db import connections

from lintel.fast.selections import Column, columns_of, selection_of
from lintel.fast.wires import Values, Wire, Wires

Step = Callable[[Values], Values]

#: Rows that are converted together; more of them would not fit into processor caches.
CHUNK = 100

_NONE = type(None)


def _step(column: Column, wire: Wire | None) -> Step | None:
    """Return the conversion of database values; None for no conversion."""
    if wire is None:
        return column.convert if column.converters else None

    def step(values: Values) -> Values:
        return _texts_beside_none(wire, column.convert(values))

    return step


def _texts_beside_none(wire: Wire, values: Values) -> Values:
    """Return text for all values but None; the values themselves if the wire is unsure."""
    if _NONE not in set(map(type, values)):
        texts = wire.texts(values)
        return values if texts is None else texts
    present = [value for value in values if value is not None]
    texts = wire.texts(present) if present else None
    if texts is None:
        return values
    rest = iter(texts)
    return [None if value is None else next(rest) for value in values]


class Answer:
    """The rows of a queryset, converted once it is known which of them are needed."""

    def __init__(self, queryset: Any, names: tuple[str, ...], wires: Wires) -> None:
        self._queryset = queryset
        self._names = names if queryset.ordered else _whole_rows(queryset.model, names)
        self._wires = wires
        self._columns: list[Column] | None = None

    def fetch(self) -> list[Any]:
        """Run the query. The rows are only meant for the other methods."""
        queryset = self._queryset
        selection = selection_of(queryset, self._names)
        if selection is None:
            return self._fetch_by_django(queryset.values_list(*self._names))
        self._columns = selection.columns
        return selection.rows(queryset.query, connections[queryset.db])

    def _fetch_by_django(self, queryset: Any) -> list[Any]:
        compiler = queryset.query.get_compiler(queryset.db)
        chunks: Any = compiler.execute_sql()
        self._columns = columns_of(compiler)
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
        steps = _steps(self._columns, self._wires)
        chunks = (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))
        return chain.from_iterable(_in_steps(chunk, steps, count) for chunk in chunks)


def _whole_rows(model: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, followed by all other columns.

    A database that finds all columns in an index reads that instead of the table, so
    unordered rows would come in a different order than instances.
    """
    columns = (column.attname for column in model._meta.concrete_fields)
    return (*names, *[name for name in columns if name not in names])


def _steps(columns: list[Column], wires: Wires) -> list[tuple[int, Step]]:
    steps = [_step(column, wire) for column, wire in zip(columns, wires, strict=False)]
    return [(position, step) for position, step in enumerate(steps) if step is not None]


def _in_steps(rows: list[Any], steps: list[tuple[int, Step]], count: int) -> Iterator[Any]:
    columns: list[Values] = [*islice(zip(*rows, strict=True), count)]
    for position, step in steps:
        columns[position] = step(columns[position])
    return zip(*columns, strict=True)
