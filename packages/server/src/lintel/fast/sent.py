"""Columns that stay the text in which PostgreSQL sends them.

JSON wants moments, dates, decimals and UUIDs as text, and text is what PostgreSQL sends. So where
an encoder makes text of a column, the driver makes nothing of it; a column that the encoder is not
sure of is loaded then, by the loader that the driver would have taken. Only cursors of
:mod:`lintel.fast` do so, and only where nobody but Django and psycopg's C code handles the values:
what a project reads, or could see on the way, is loaded by the driver.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from lintel.fast.compiler.protocols import ColumnValues, Row
from lintel.fast.moments import TEXT, is_compiled, loads_utc
from lintel.overrides import package_of, packages_of, reached
from lintel.trust.originals import Originals, Place
from lintel.trust.store import Store

#: PostgreSQL's number of the type.
_TEXT_TYPE = 25


@dataclass(frozen=True, slots=True)
class Sent:
    """How a column that stayed text is loaded after all."""

    number: int
    loader: Any
    connection: BaseDatabaseWrapper

    def load(self, texts: ColumnValues) -> ColumnValues:
        """Return what the driver would have made of these. Raises what it would have raised."""
        load = self.loader(self.number, self.connection.connection).load
        with self.connection.wrap_database_errors:
            return [None if text is None else load(_bytes(text)) for text in texts]


def _bytes(text: str | bytes) -> bytes:
    # psycopg hands over bytes where the database tells no encoding.
    return text.encode() if isinstance(text, str) else text


#: By place in the rows.
SentColumns = Mapping[int, Sent]
NOTHING_SENT: SentColumns = MappingProxyType({})


def keep_texts(cursor: Any, numbers: Iterable[int]) -> dict[int, Any]:
    """Have a new cursor keep these types as text where it can; return their loaders, by type."""
    if not _reads_unseen(cursor):
        return {}
    adapters: Any = cursor.cursor.adapters
    text = adapters.get_loader(_TEXT_TYPE, TEXT)
    if not is_compiled(text) or text.__name__ != "TextLoader":
        return {}
    loaders = {number: adapters.get_loader(number, TEXT) for number in numbers}
    replaced = {
        number: loader
        for number, loader in loaders.items()
        if is_compiled(loader) or (isinstance(loader, type) and loads_utc(loader))
    }
    for number in replaced:
        adapters.register_loader(number, text)
    return replaced


def sent_columns(
    cursor: Any, replaced: Mapping[int, Any], connection: BaseDatabaseWrapper
) -> SentColumns:
    """Return which columns of a result have stayed text, whatever the model says of them."""
    result = cursor.cursor.pgresult
    return {
        place: Sent(number, replaced[number], connection)
        for place, number in enumerate(map(result.ftype, range(result.nfields)))
        if number in replaced
    }


def loaded(rows: list[Row], sent: SentColumns, places: Collection[int]) -> list[Row]:
    """Return the rows with these columns loaded."""
    columns: list[ColumnValues] = [*zip(*rows, strict=True)]
    for place in places if rows else ():
        columns[place] = sent[place].load(columns[place])
    return [*zip(*columns, strict=True)]


# ---- who sees the rows ----

#: By the classes of Django's cursor and of the driver's: what hands on the rows.
_readers: Store[tuple[type, type], Originals] = Store()


def _reads_unseen(cursor: Any) -> bool:
    """Return whether nobody but Django and the driver sees the rows of a cursor."""
    inner: Any = getattr(cursor, "cursor", None)
    if _FETCH in getattr(cursor, "__dict__", ()) or _FETCH in getattr(inner, "__dict__", ()):
        return False
    classes = type(cursor), type(inner)
    readers = _readers.get(classes)
    if readers is None:
        places = [(classes[0], "__getattr__"), (classes[1], _FETCH)]
        readers = Originals("of a cursor", lambda: places, _hands_on_unseen)
        _readers.keep(classes, readers)
    return readers.may_be_replaced() and _is_of_psycopg(inner.row_factory)


_FETCH = "fetchmany"


def _hands_on_unseen(place: Place) -> bool:
    owner, name = place
    if package_of(owner) != "django":
        return False
    is_outer = name == "__getattr__"
    # Django's cursor has no such method, but a tool may put one there.
    is_covered = is_outer and reached(owner, _FETCH) is not None
    return not is_covered and packages_of(reached(*place)) == {"django" if is_outer else "psycopg"}


def _is_of_psycopg(factory: Any) -> bool:
    return getattr(factory, "__globals__", {}).get("__name__") == "psycopg.rows"
