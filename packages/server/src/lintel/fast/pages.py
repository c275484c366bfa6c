"""Rows in place of instances: of a page, of a queryset, of a relation.

Django's converters turn database values into Python values. An *encoder* does what a field does
with these, for many rows at once. Whoever asks for rows has asked
:func:`lintel.fast.backends.finds_itself` before: Django alone converts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, TypeAlias

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

from lintel.fast.compiler.protocols import ColumnValues, Encoder, Encoders, ReadObject, Row
from lintel.fast.moments import has_moments
from lintel.fast.relations import ToMany
from lintel.fast.selections import Column, columns_of, fetched, selection_of

Step = Callable[[ColumnValues], ColumnValues]

#: Rows that are converted together; more of them would not fit into processor caches.
CHUNK = 100

#: Keys in one query if the database states no limit.
MANY_KEYS = 30_000

_NONE = type(None)


class Rows:
    """The rows of a queryset, converted once it is clear which of them are needed."""

    def __init__(self, queryset: QuerySet, names: tuple[str, ...], encoders: Encoders) -> None:
        self._queryset = queryset
        self._names = names if queryset.ordered else _all_columns(queryset.model, names)
        self._encoders = encoders
        self._columns: list[Column] | None = None

    def fetch(self) -> list[Row]:
        """Run the query. The rows are only meant for the other methods."""
        queryset = self._queryset
        selection = selection_of(queryset, self._names)
        if selection is None:
            return self._fetch_by_django(queryset.values_list(*self._names))
        self._columns = selection.columns
        return selection.rows(queryset.query, connections[queryset.db])

    def _fetch_by_django(self, queryset: QuerySet) -> list[Row]:
        compiler: SQLCompiler = queryset.query.get_compiler(queryset.db)
        try:
            sql, parameters = compiler.as_sql()
        except EmptyResultSet:
            return []
        self._columns = columns_of(compiler)
        if self._columns is None:
            return list(queryset)
        moments = has_moments([column.expression for column in self._columns], compiler.connection)
        rows = fetched(compiler.connection, sql, parameters, moments)
        return [row[: compiler.col_count] for row in rows] if compiler.has_extra_select else rows

    def value(self, row: Row, place: int) -> object:
        """Return one column of one row, as an attribute of an instance would hold it."""
        value = row[place]
        return _converted_by(self._columns[place], [value])[0] if self._columns else value

    def converted(self, rows: list[Row]) -> Iterator[Row]:
        """Return the rows with as many columns as there are encoders.

        A column that has an encoder may contain the text that its field makes of the values.
        """
        count = len(self._encoders)
        if self._columns is None:
            return (row[:count] for row in rows)
        pairs = zip(self._columns, self._encoders, strict=False)
        steps = [
            (place, _step(column, encoder))
            for place, (column, encoder) in enumerate(pairs)
            if encoder is not None or column.converters
        ]
        chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
        return chain.from_iterable(map(partial(_converted, steps=steps, count=count), chunks))


def _all_columns(model: type[Model], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, followed by all other columns.

    A database that finds all columns in an index reads that instead of the table, so
    unordered rows would come in a different order than instances.
    """
    columns = (column.attname for column in model._meta.concrete_fields)
    return (*names, *[name for name in columns if name not in names])


def _converted_by(column: Column, values: ColumnValues) -> ColumnValues:
    expression, connection = column.expression, column.connection
    for converter in column.converters:
        values = [converter(value, expression, connection) for value in values]
    return values


def _step(column: Column, encoder: Encoder | None) -> Step:
    if encoder is None:
        return partial(_converted_by, column)

    def step(values: ColumnValues) -> ColumnValues:
        """Convert all values but None; to text, unless the encoder is unsure."""
        values = _converted_by(column, values)
        has_none = _NONE in set(map(type, values))
        present = [value for value in values if value is not None] if has_none else values
        texts = encoder.texts(present) if present else None
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


#: An instance, whatever else a queryset yields, or the columns of one.
PageRow: TypeAlias = Any
Fetch = Callable[[], list[PageRow]]
KeyOf = Callable[[PageRow], Row]

#: How a paginator cuts a page out of its rows: called with a function that fetches them, and one
#: that reads the key of a row.
Take = Callable[[Fetch, KeyOf], list[PageRow]]


def take_all(fetch: Fetch, key_of: KeyOf) -> list[PageRow]:
    return fetch()


class LazyPage(Sequence[PageRow]):
    """The rows of one page; accessing one of them makes instances of all.

    ``queryset``: the query of the page. ``key``: the columns that the paginator reads from
    its rows, None if it needs instances; ``read_key`` reads them from an instance. ``take``: cuts
    the page out of the rows.
    """

    __slots__ = ("_instances", "_length", "_read_key", "_take", "fetch", "key", "queryset")

    def __init__(
        self,
        queryset: QuerySet,
        take: Take = take_all,
        key: tuple[str, ...] | None = (),
        read_key: KeyOf = tuple,
    ) -> None:
        self.queryset: QuerySet = queryset
        self.key: tuple[str, ...] | None = key
        #: Returns the representations of the rows, where columns are enough.
        self.fetch: ReadObject | None = None
        self._take = take
        self._read_key = read_key
        self._length: int | None = None
        self._instances: list[PageRow] | None = None

    def instances(self) -> list[PageRow]:
        """Return the rows as instances, or as whatever else the queryset yields."""
        if self._instances is None:
            self._instances = self._take(lambda: list(self.queryset), self._read_key)
        return self._instances

    @property
    def fetchable(self) -> QuerySet | None:
        """The queryset if columns alone are enough for the paginator, else None."""
        if self._instances is not None or not isinstance(self.queryset, QuerySet):
            return None
        return None if self.key is None else self.queryset

    def rows(self, columns: tuple[str, ...], encoders: Encoders) -> Iterator[Row]:
        """Return the rows as tuples of columns; see :func:`rows_of`."""
        key = self.key or ()
        names = (*columns, *[name for name in key if name not in columns])
        places = [names.index(name) for name in key]
        rows = Rows(self.queryset, names, encoders)

        def key_of(row: Row) -> Row:
            return [rows.value(row, place) for place in places]

        taken = self._take(rows.fetch, key_of)
        self._length = len(taken)
        return rows.converted(taken)

    @property
    def db(self) -> str:
        return self.queryset.db

    def __len__(self) -> int:
        return len(self.instances()) if self._length is None else self._length

    def __getitem__(self, index: int | slice) -> PageRow:
        return self.instances()[index]

    # Projects know the pages of cursors as lists.

    def __eq__(self, other: object) -> bool:
        return self is other or self.instances() == other

    def __add__(self, others: list[PageRow]) -> list[PageRow]:
        return self.instances() + others

    def __radd__(self, others: list[PageRow]) -> list[PageRow]:
        return others + self.instances()

    def copy(self) -> list[PageRow]:
        return self.instances().copy()


def rows_of(
    source: LazyPage | QuerySet, columns: tuple[str, ...], encoders: Encoders
) -> Iterable[Row]:
    """Return the rows of a queryset or a page, converted as attributes of instances would be.

    A column that has an encoder may contain the text that its field makes of these attributes.
    """
    if isinstance(source, QuerySet):
        rows = Rows(source, columns, encoders)
        return rows.converted(rows.fetch())
    return source.rows(columns, encoders)


def related_rows(
    queryset: QuerySet,
    relation: ToMany,
    lists: Iterable[object],
    columns: tuple[str, ...],
    encoders: Encoders,
) -> Iterator[Row]:
    """Yield the rows related to all parents in ``lists``, each starting with its parent's key."""
    keys = [key for key in lists if key is not None]
    limit = connections[queryset.db].features.max_query_params or MANY_KEYS
    for start in range(0, len(keys), limit):
        chosen = {f"{relation.lookup}__in": keys[start : start + limit]}
        yield from rows_of(relation.rows(queryset).filter(**chosen), columns, encoders)
