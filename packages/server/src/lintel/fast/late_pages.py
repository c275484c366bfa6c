"""Pages that are fetched late: once it is known whether instances or only columns are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from lintel.fast import row_lists
from lintel.fast.answers import Answer
from lintel.fast.wires import Wires

#: How a paginator cuts a page out of its rows: called with a function that fetches them, and one
#: that reads the key of a row.
Take = Callable[[Callable[[], list[Any]], Callable[[Any], Sequence[Any]]], list[Any]]


def take_all(fetch: Callable[[], list[Any]], key_of: Callable[[Any], Sequence[Any]]) -> list[Any]:
    """Return all rows that the query finds."""
    return fetch()


class LatePage(Sequence[Any]):
    """The rows of one page; accessing one of them makes instances of all.

    ``queryset``: the query of the page. ``key``: the columns that the paginator reads from
    its rows, None if it needs instances; ``read_key`` reads them from an instance. ``take``: cuts
    the page out of the rows.
    """

    __slots__ = ("_instances", "_length", "_read_key", "_take", "fetch", "key", "queryset")

    def __init__(
        self,
        queryset: Any,
        take: Take = take_all,
        key: tuple[str, ...] | None = (),
        read_key: Callable[[Any], Sequence[Any]] = tuple,
    ) -> None:
        self.queryset: Any = queryset
        self.key: tuple[str, ...] | None = key
        #: Returns the representations of the rows, if it is known that columns are enough.
        self.fetch: Callable[[Any], list[object]] | None = None
        self._take = take
        self._read_key = read_key
        self._length: int | None = None
        self._instances: list[Any] | None = None

    def instances(self) -> list[Any]:
        """Return the rows as instances, or as whatever else the queryset yields."""
        if self._instances is None:
            self._instances = self._take(lambda: list(self.queryset), self._read_key)
        return self._instances

    @property
    def fetchable(self) -> Any:
        """Return the queryset if columns alone are enough for the paginator, else None."""
        if self._instances is not None or not isinstance(self.queryset, QuerySet):
            return None
        return None if self.key is None else self.queryset

    def rows(self, columns: tuple[str, ...], wires: Wires) -> Iterator[tuple[Any, ...]]:
        """Return the rows as tuples of columns; see :func:`lintel.fast.row_lists.rows`."""
        key = self.key or ()
        names = (*columns, *[each for each in key if each not in columns])
        places = [names.index(each) for each in key]
        answer = Answer(self.queryset, names, wires)

        def key_of(row: Any) -> list[Any]:
            return [answer.value(row, place) for place in places]

        found = self._take(answer.fetch, key_of)
        self._length = len(found)
        return answer.converted(found)

    @property
    def db(self) -> str:
        """Return the database that the rows come from."""
        name: str = self.queryset.db
        return name

    def __len__(self) -> int:
        return len(self.instances()) if self._length is None else self._length

    def __getitem__(self, index: Any) -> Any:
        return self.instances()[index]

    # Projects know the pages of cursors as lists.

    def __eq__(self, other: object) -> bool:
        return self is other or self.instances() == other

    def __add__(self, others: list[Any]) -> list[Any]:
        return self.instances() + others

    def __radd__(self, others: list[Any]) -> list[Any]:
        return others + self.instances()

    def copy(self) -> list[Any]:
        """Return the instances in a list of their own."""
        return self.instances().copy()


def rows(source: Any, columns: tuple[str, ...], wires: Wires) -> Iterable[tuple[Any, ...]]:
    """Return the rows of a queryset or of a page; see :func:`lintel.fast.row_lists.rows`."""
    if type(source) is LatePage:
        return source.rows(columns, wires)
    return row_lists.rows(source, columns, wires)
