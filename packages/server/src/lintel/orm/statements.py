"""Where compiled statements stay: with the connection for which they were made.

A statement stands for methods of Django. Tools that replace one of these methods, to log queries or
to keep their outcome, want to be called; so the statement is used as long as they are Django's own.
What else it was made from stands beside it in :class:`Origin`, and is compared at each use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol, TypeVar, cast

from lintel.orm.memory import keep, recall
from lintel.orm.vocabulary import is_plain_compiler

_ATTRIBUTE = "_lintel_statements"


def kept_statements(connection: Any) -> dict[Any, Any]:
    """What has been compiled for a connection."""
    kept: dict[Any, Any] = connection.__dict__.setdefault(_ATTRIBUTE, {})
    return kept


@dataclass(frozen=True, slots=True)
class Table:
    """What a statement takes from one model."""

    model: Any
    name: str
    fields: Any
    columns: list[str]
    #: The classes of fields that convert values of the database, and by what.
    converters: dict[Any, Any]
    #: The attributes of the classes of the other fields, and of their bases.
    others: tuple[Any, ...]

    @classmethod
    def of(cls, model: Any) -> Table:
        """As it is now."""
        options = model._meta
        fields = options.concrete_fields
        kinds = set(map(type, fields))
        found = {kind: getattr(kind, _CONVERTER, None) for kind in kinds}
        converters = {kind: one for kind, one in found.items() if one is not None}
        bases = dict.fromkeys(base for kind in kinds - converters.keys() for base in kind.__mro__)
        others = tuple(base.__dict__ for base in bases if base is not object)
        return cls(model, options.db_table, fields, _columns(fields), converters, others)

    def is_current(self) -> bool:
        """Return whether all of it is as it was."""
        options = self.model._meta
        fields = options.concrete_fields
        return (
            self.fields is fields
            and self.name == options.db_table
            and self.columns == _columns(fields)
            and self._converts_as_before()
        )

    def _converts_as_before(self) -> bool:
        # To miss an attribute of a class costs ten times as much as to miss a key.
        for attributes in self.others:
            if _CONVERTER in attributes:
                return False
        for kind, found in self.converters.items():
            if getattr(kind, _CONVERTER, None) is not found:
                return False
        return True


#: Django has no such method on most classes of fields.
_CONVERTER = "from_db_value"

_column = attrgetter("column")


def _columns(fields: Iterable[Any]) -> list[str]:
    return list(map(_column, fields))


@dataclass(frozen=True, slots=True)
class Origin:
    """What a statement was made from; ``tables`` begins with that of its model."""

    tables: tuple[Table, ...]
    compiler: Any

    @classmethod
    def of(cls, connection: Any, model: Any) -> Origin | None:
        """None for a database whose texts are not made by Django alone."""
        compiler = connection.ops.compiler("SQLCompiler")
        return cls((Table.of(model),), compiler) if is_plain_compiler(compiler) else None

    @property
    def table(self) -> str:
        """The name of the table that the rows come from."""
        return self.tables[0].name

    def is_current(self) -> bool:
        """Return whether all of it is as it was."""
        for table in self.tables:
            if not table.is_current():
                return False
        return is_plain_compiler(self.compiler)


class Statement(Protocol):
    """Knows what it was made from."""

    @property
    def origin(self) -> Origin: ...


@dataclass(frozen=True, slots=True)
class Impossible:
    """Stands where no statement could be made, as long as its origin is what it was."""

    origin: Origin


_MISSING: Any = object()
StatementT = TypeVar("StatementT", bound=Statement)


def kept(
    connection: Any, key: Any, make: Callable[[Origin], StatementT | None]
) -> StatementT | None:
    """Return the statement that the connection keeps under a key, which begins with the model.

    Made when it is missing, and again once what it was made from has changed; None where there can
    be none.
    """
    statements = kept_statements(connection)
    found: Any = recall(statements, key, _MISSING)
    if found is not _MISSING and found.origin.is_current():
        return None if type(found) is Impossible else cast("StatementT", found)
    origin = Origin.of(connection, key[0])
    if origin is None:
        # Somebody takes part in making texts; that may be over by the next time.
        return None
    made = make(origin)
    keep(statements, key, Impossible(origin) if made is None else made)
    return made
