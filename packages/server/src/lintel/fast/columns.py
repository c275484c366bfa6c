"""The columns of a statement, and how their values are converted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice, zip_longest
from operator import attrgetter

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import BaseExpression
from django.db.models.sql.compiler import SQLCompiler

from lintel.fast.compiler.protocols import ColumnValues, Encoder, Encoders, Row
from lintel.fast.sent import NOTHING_SENT, Sent, SentColumns
from lintel.trust.originals import is_of_django

Step = Callable[[ColumnValues], ColumnValues]

#: Rows that are converted together; more of them would not fit into processor caches.
CHUNK = 100

_NONE = type(None)


@dataclass(frozen=True)
class Column:
    """A column of a query, with Django's converters for its values."""

    expression: BaseExpression
    converters: list[Callable[[object, BaseExpression, BaseDatabaseWrapper], object]]

    @cached_property
    def type_name(self) -> str:
        """Django's name of its type; a foreign key has that of the key."""
        return str(self.expression.output_field.get_internal_type())

    @cached_property
    def is_foreign(self) -> bool:
        """Whether code of the project converts the values."""
        return not all(map(is_of_django, self.converters))


def columns_of(compiler: SQLCompiler) -> list[Column] | None:
    """Return the columns of a compiled query; None if several make up one field."""
    expressions = [selected[0] for selected in compiler.select[: compiler.col_count]]
    if compiler.has_composite_fields(expressions):
        return None
    converters = compiler.get_converters(expressions)
    return [
        Column(expression, converters.get(place, ([],))[0])
        for place, expression in enumerate(expressions)
    ]


def numbers_of(columns: Sequence[Column], encoders: Encoders) -> list[int]:
    """Return PostgreSQL's types of which no value is needed: an encoder makes text of them all."""
    made = {encoder.column_type: encoder.number for encoder in encoders if encoder is not None}
    for column, encoder in zip(columns, encoders, strict=False) if made else ():
        if encoder is None or column.converters:
            made.pop(column.type_name, None)
    return [*made.values()]


def converted(
    rows: list[Row],
    columns: Sequence[Column],
    connection: BaseDatabaseWrapper,
    encoders: Encoders = (),
    sent: SentColumns = NOTHING_SENT,
) -> Iterator[Row]:
    """Return these columns of rows, as attributes of instances would hold them, or as text.

    ``sent``: columns with an encoder that are still as the database sent them.
    """
    if not rows:
        return iter(())
    if [*map(_IS_FOREIGN, columns)].count(True) > 1:
        rows, columns = _converted_in_order(rows, columns, connection)
    steps = [
        (place, _step(column, connection, encoder, sent.get(place)))
        for place, (column, encoder) in enumerate(zip_longest(columns, encoders))
        if encoder is not None or column.converters
    ]
    if len(rows) <= CHUNK:
        return _converted(rows, steps, len(columns))
    chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
    return chain.from_iterable(map(partial(_converted, steps=steps, count=len(columns)), chunks))


_IS_FOREIGN = attrgetter("is_foreign")


def _converted_in_order(
    rows: list[Row], columns: Sequence[Column], connection: BaseDatabaseWrapper
) -> tuple[list[Row], list[Column]]:
    """Call the project's converters row by row: one may prepare what the next one needs."""
    foreign = [(place, column) for place, column in enumerate(columns) if column.is_foreign]
    changed: list[Row] = []
    for row in rows:
        values = list(row)
        for place, column in foreign:
            values[place] = value_of(column, values[place], connection)
        changed.append(values)
    rest = [replace(column, converters=[]) if column.is_foreign else column for column in columns]
    return changed, rest


def value_of(column: Column, value: object, connection: BaseDatabaseWrapper) -> object:
    """Return one value as an attribute of an instance would hold it."""
    return _converted_by(column, connection, [value])[0]


def _converted_by(
    column: Column, connection: BaseDatabaseWrapper, values: ColumnValues
) -> ColumnValues:
    expression = column.expression
    for converter in column.converters:
        values = [converter(value, expression, connection) for value in values]
    return values


def _step(
    column: Column,
    connection: BaseDatabaseWrapper,
    encoder: Encoder | None,
    sent: Sent | None,
) -> Step:
    if encoder is None:
        return partial(_converted_by, column, connection)

    texts_of = encoder.texts if sent is None else encoder.sent_texts

    def step(values: ColumnValues) -> ColumnValues:
        """Convert all values but None; to text, unless the encoder is unsure."""
        values = _converted_by(column, connection, values)
        has_none = _NONE in set(map(type, values))
        present = [value for value in values if value is not None] if has_none else values
        texts = texts_of(present) if present else None
        if texts is None and sent is not None:
            return _step(column, connection, encoder, None)(sent.load(values))
        if texts is None:
            return values
        if not has_none:
            return texts
        rest = iter(texts)
        return [None if value is None else next(rest) for value in values]

    return step


def _converted(rows: list[Row], steps: list[tuple[int, Step]], count: int) -> Iterator[Row]:
    columns: list[ColumnValues] = [*islice(zip(*rows, strict=True), count)]
    for place, step in steps:
        columns[place] = step(columns[place])
    return zip(*columns, strict=True)
