"""Many values of a unique column, one query: which rows have them is read before each is checked.

Inside :func:`prefetch_unique_values` a uniqueness check of a value that was read costs no query.
Only columns that compare in Python as in the database take part, and only while nothing is written;
every other check asks the database as before.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from threading import get_ident
from typing import Any, TypeAlias

from django.db import DataError, connections

from lintel.fast.keys import CHUNK_SIZE, prepared
from lintel.fast.plain import PLAIN
from lintel.fast.rows import bounds
from lintel.fast.unique_columns import unique_column
from lintel.fast.watching import watching

#: A model, the name of its column, and the alias of the database.
_Key = tuple[type, str, str]

#: A manager or queryset, and a column of its model.
Rows: TypeAlias = Any
Column: TypeAlias = Any
#: A value as the column has it.
Native: TypeAlias = Any

#: Where text is equal only if its bytes are.
_VENDORS = ("sqlite", "postgresql")


class _Holders:
    """The keys of the rows that have some values of a column."""

    def __init__(self, column: Column, keys: dict[Hashable, set[Hashable]]) -> None:
        self.column = column
        self.keys = keys
        self.thread = get_ident()


_active: ContextVar[Mapping[_Key, _Holders] | None] = ContextVar(
    "lintel_prefetched_unique_values", default=None
)


def holders_of(rows: Rows, name: str, value: object) -> Any:
    """Return the keys of the rows of a manager or queryset that have a value; PLAIN if unknown."""
    active = _active.get()
    column = None if active is None else unique_column(rows, name)
    if active is None or column is None:
        return PLAIN
    holders = active.get((rows.model, name, rows.db))
    if holders is None or holders.column is not column or holders.thread != get_ident():
        return PLAIN
    return holders.keys.get(prepared(column, value), PLAIN)


def prefetch_unique_values(
    rows: Rows, name: str, values: Iterable[object]
) -> AbstractContextManager[object]:
    """Return a context in which it is known which rows have the values."""
    column = unique_column(rows, name)
    if column is None or getattr(column, "db_collation", None):
        return nullcontext()
    connection = connections[rows.db]
    is_django = all(type(part).__module__.startswith("django.") for part in (column, connection))
    if not is_django or connection.vendor not in _VENDORS:
        return nullcontext()
    lowest, highest = bounds(column, connection)
    keys = dict.fromkeys(prepared(column, value) for value in values)
    wanted = [key for key in keys if key is not None and _is_between(key, lowest, highest)]
    if len(wanted) < 2 or _holds_all((rows.model, name, rows.db), wanted):
        return nullcontext()
    try:
        holders = _read(rows, name, column, wanted)
    except DataError:
        return nullcontext()
    return _opened((rows.model, name, rows.db), _Holders(column, holders))


def _holds_all(key: _Key, values: Iterable[Hashable]) -> bool:
    holders = (_active.get() or {}).get(key)
    return holders is not None and holders.keys.keys() >= set(values)


def _is_between(value: Native, lowest: int | None, highest: int | None) -> bool:
    return lowest is None or highest is None or lowest <= value <= highest


def _read(
    rows: Rows, name: str, column: Column, values: list[Any]
) -> dict[Hashable, set[Hashable]]:
    keys: dict[Hashable, set[Hashable]] = {value: set() for value in values}
    for start in range(0, len(values), CHUNK_SIZE):
        chosen = rows.filter(**{f"{name}__in": values[start : start + CHUNK_SIZE]}).order_by()
        for value, key in chosen.values_list(name, "pk"):
            keys.setdefault(column.get_prep_value(value), set()).add(key)
    return keys


@contextmanager
def _opened(key: _Key, holders: _Holders) -> Iterator[None]:
    token = _active.set({**(_active.get() or {}), key: holders})
    try:
        with watching(holders.keys.clear):
            yield
    finally:
        _active.reset(token)
