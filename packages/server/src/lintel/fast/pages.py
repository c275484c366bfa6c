"""Rows in place of instances: of a page, of a queryset, of a relation.

Django's converters turn database values into Python values. An *encoder* does what a field does
with these, for many rows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from django.core.paginator import Page, Paginator
from django.db import connections
from django.db.models import QuerySet

from lintel.fast.backends import writes_itself
from lintel.fast.columns import Column, converted, value_of
from lintel.fast.compiler.protocols import Encoders, Row
from lintel.fast.plain import PLAIN, Plain
from lintel.fast.prefetching import load
from lintel.fast.relations import ToMany
from lintel.fast.selections import read_by_django, selection_of
from lintel.fast.sent import NOTHING_SENT, SentColumns
from lintel.fast.vocabulary import loaded_columns
from lintel.fast.wholes import Whole, whole_of
from lintel.trust.originals import is_of_django

#: Keys in one query if the database states no limit.
MANY_KEYS = 30_000


class Rows:
    """The rows of an examined queryset, or of a page: found and converted by Django alone.

    Made where the queryset is examined, and handed on to where its rows are read. No code of a
    project may run in between, so that nothing has to be asked again.
    """

    def __init__(
        self,
        queryset: QuerySet[Any],
        columns: tuple[str, ...],
        encoders: Encoders,
        page: LazyPage | None = None,
    ) -> None:
        key = () if page is None or page.key is None else page.key
        names = (*columns, *[name for name in key if name not in columns])
        self.database: str = queryset.db
        self._page = page
        self._queryset = queryset
        is_whole = queryset.ordered or bool(queryset.query.annotations)
        self._names = names if is_whole else _all_columns(queryset, names)
        self._key_places = [names.index(name) for name in key]
        self._encoders = encoders
        self._columns: list[Column] | None = None
        #: The columns that are still as the database has sent them.
        self._sent: SentColumns = NOTHING_SENT
        #: The rows that the project chose for relations, by the identity of these.
        self.chosen: dict[int, QuerySet[Any]] = {}
        #: Whether each row has all that is asked for.
        self.has_all: bool = True
        #: Whether a kept statement finds them.
        self.is_kept: bool = False
        if not queryset.query.annotations:
            self._selection = selection_of(queryset, self._names, connections[self.database])
            self.is_kept = self._selection is not None

    @classmethod
    def of(cls, *args: Any) -> Rows | None:
        """Return the rows; None unless Django alone writes the query and converts the values."""
        computes = bool(args[0].query.annotations)
        rows = ComputedRows(*args) if computes else cls(*args)
        # A kept statement holds only as long as that is so.
        is_found = rows.is_kept or writes_itself(connections[rows.database])
        return rows if is_found and rows.has_all else None

    def read(self) -> Iterator[Row]:
        """Run the query. A column with an encoder may contain the text that its field makes."""
        page = self._page
        rows = self._fetch() if page is None else page.cut_out(self._fetch, self._key_of)
        return self._converted(rows)

    def _fetch(self) -> list[Row]:
        queryset, selection = self._queryset, self._selection
        if selection is None:
            return self._fetch_by_django(queryset.using(self.database).values_list(*self._names))
        self._columns = selection.columns
        connection = connections[self.database]
        if connection.vendor != "postgresql":
            return selection.rows(queryset.query, connection)
        rows, self._sent = selection.rows_as_sent(queryset.query, connection, self._encoders)
        return rows

    def _fetch_by_django(self, queryset: QuerySet[Any]) -> list[Row]:
        read = read_by_django(queryset.query.get_compiler(queryset.db))
        if read is None:
            return list(queryset)
        self._columns, rows = read
        return rows

    def _key_of(self, row: Row) -> Row:
        columns = self._columns
        connection = connections[self.database]
        values = {place: row[place] for place in self._key_places}
        for place in self._sent.keys() & values.keys():
            (values[place],) = self._sent[place].load([values[place]])
        return [
            value_of(columns[place], value, connection) if columns else value
            for place, value in values.items()
        ]

    def _converted(self, rows: list[Row]) -> Iterator[Row]:
        count = len(self._encoders)
        if self._columns is None:
            return (row[:count] for row in rows)
        connection = connections[self.database]
        columns = self._columns[:count]
        return converted(rows, columns, connection, self._encoders, self._sent)


class ComputedRows(Rows):
    """Rows with annotations: Django's own statement for instances, with all that it selects."""

    _columns: list[Column]
    _whole: Whole | None
    _pick: Callable[[Row], Row]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        whole = self._whole = whole_of(self._queryset, connections[self.database])
        places = {} if whole is None else whole.layout.places
        self.has_all = whole is not None and all(name in places for name in self._names)
        if whole is not None and self.has_all:
            chosen = [places[name] for name in self._names]
            self._columns = [whole.read_columns[place] for place in chosen]
            self._pick = itemgetter(*chosen) if len(chosen) > 1 else partial(_one, chosen[0])
            self.is_kept = whole.is_kept

    def _fetch(self) -> list[Row]:
        whole = self._whole
        if whole is None:
            raise ValueError("these rows have no statement")
        return [*map(self._pick, whole.rows(self._queryset.query, connections[self.database]))]


def _one(place: int, row: Row) -> Row:
    return (row[place],)


def _all_columns(queryset: QuerySet[Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """A database may read an index with all columns instead of the table, in another order."""
    columns = [column.attname for column in loaded_columns(queryset.query)]
    return (*names, *[name for name in columns if name not in names])


#: An instance, whatever else a queryset yields, or the columns of one.
PageRow: TypeAlias = Any
Fetch = Callable[[], list[PageRow]]
KeyOf = Callable[[PageRow], Row]

#: How a paginator cuts a page out of its rows: called with a function that fetches them, and one
#: that reads the key of a row.
Take = Callable[[Fetch, KeyOf], list[PageRow]]


class LazyPage(Sequence[PageRow]):
    """The rows of one page; accessing one of them makes instances of all.

    ``queryset``: the query of the page. ``key``: the columns that the paginator reads from
    its rows, None if it needs instances or has made them; ``read_key`` reads them from an instance.
    ``take``: cuts the page out of the rows; None if they are the page.
    """

    __slots__ = ("_instances", "_length", "_read_key", "_take", "fetch", "key", "queryset")

    def __init__(
        self,
        queryset: QuerySet[Any],
        take: Take | None = None,
        key: tuple[str, ...] | None = (),
        read_key: KeyOf = tuple,
    ) -> None:
        self.queryset: QuerySet[Any] = queryset
        self.key: tuple[str, ...] | None = key
        #: Returns the representations of the rows, once, where columns are enough.
        self.fetch: Fetch | None = None
        self._take = take
        self._read_key = read_key
        self._length: int | None = None
        self._instances: list[PageRow] | None = None

    def instances(self) -> list[PageRow]:
        """Return the rows as instances, or as whatever else the queryset yields."""
        if self._instances is None:
            self.key, take = None, self._take
            fetch = partial(load, self.queryset)
            self._instances = fetch() if take is None else take(fetch, self._read_key)
        return self._instances

    def cut_out(self, fetch: Fetch, key_of: KeyOf) -> list[PageRow]:
        taken = fetch() if self._take is None else self._take(fetch, key_of)
        self._length = len(taken)
        return taken

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


def related_rows(
    rows: Rows,
    relation: ToMany,
    lists: Iterable[object],
    columns: tuple[str, ...],
    encoders: Encoders,
) -> Iterator[Row]:
    """Yield the rows related to all parents in ``lists``, each starting with its parent's key."""
    keys = [key for key in lists if key is not None]
    database, related = rows.database, rows.chosen.get(id(relation))
    limit = connections[database].features.max_query_params or MANY_KEYS
    for start in range(0, len(keys), limit):
        chosen = {f"{relation.lookup}__in": keys[start : start + limit]}
        queryset = relation.rows(database, related).filter(**chosen)
        yield from Rows(queryset, columns, encoders).read()


#: Django's own: whatever else a class has in their place is called.
_COUNT, _ROW = (
    value if is_of_django(value) else object() for value in (Paginator.count, Page.__getitem__)
)


def counts_rows(paginator: object) -> bool:
    """Whether the count of a paginator of Django is that of its rows."""
    return getattr(type(paginator), "count", None) is _COUNT


def page_rows(page: Any) -> Sequence[object] | Plain:
    """Return the rows of a page of Django, later or at once, but not one by one."""
    if type(page).__getitem__ is not _ROW or type(page).__iter__ is not Sequence.__iter__:
        return PLAIN
    rows = page.object_list
    if not isinstance(rows, QuerySet):
        return list(rows)
    page.object_list = LazyPage(rows)
    return page.object_list
