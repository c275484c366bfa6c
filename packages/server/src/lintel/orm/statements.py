"""The store of compiled statements: the connection for which they were made.

A statement replaces calls of Django's methods. Tools that patch one of these methods, to log
queries or record results, must still be called; so a statement is used only while the methods are
Django's own. Everything else it depends on is in :class:`Origin`, and compared at each use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from operator import attrgetter, contains, is_
from typing import Any, Protocol, TypeVar

from lintel.orm.memory import keep, recall
from lintel.orm.vocabulary import is_plain_compiler

_ATTRIBUTE = "_lintel_statements"


def kept_statements(connection: Any) -> dict[Any, Any]:
    """Return the statements compiled for a connection."""
    kept: dict[Any, Any] = connection.__dict__.setdefault(_ATTRIBUTE, {})
    return kept


@dataclass(frozen=True, slots=True)
class Table:
    """The parts of one model that a statement depends on."""

    model: Any
    name: str
    fields: Any
    columns: list[str]
    #: The classes of fields that convert database values, and their converters.
    converters: dict[Any, Any]
    #: The attributes of the classes of the other fields, and of their bases.
    others: tuple[Any, ...]

    @classmethod
    def of(cls, model: Any) -> Table:
        """Return its current state."""
        options = model._meta
        fields = options.concrete_fields
        kinds = set(map(type, fields))
        found = {kind: getattr(kind, _CONVERTER, None) for kind in kinds}
        converters = {kind: one for kind, one in found.items() if one is not None}
        bases = dict.fromkeys(base for kind in kinds - converters.keys() for base in kind.__mro__)
        others = tuple(base.__dict__ for base in bases if base is not object)
        return cls(model, options.db_table, fields, list(map(_column, fields)), converters, others)

    def is_current(self) -> bool:
        """Return whether everything is unchanged."""
        options = self.model._meta
        fields = options.concrete_fields
        return (
            self.fields is fields
            and self.name == options.db_table
            and self.columns == list(map(_column, fields))
            # A missing attribute of a class costs ten times as much as a missing key.
            and not any(map(contains, self.others, repeat(_CONVERTER)))
            and all(map(is_, map(_converter, self.converters), self.converters.values()))
        )


#: Most classes of fields in Django do not define this method.
_CONVERTER = "from_db_value"

_column = attrgetter("column")


def _converter(kind: Any) -> Any:
    return getattr(kind, _CONVERTER, None)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a statement was made from; the first of ``tables`` is that of its model."""

    tables: tuple[Table, ...]
    compiler: Any

    @classmethod
    def of(cls, connection: Any, model: Any) -> Origin | None:
        """Return the origin; None for a database whose SQL Django does not write alone."""
        compiler = connection.ops.compiler("SQLCompiler")
        return cls((Table.of(model),), compiler) if is_plain_compiler(compiler) else None

    @property
    def table(self) -> str:
        """Return the name of the table that the rows come from."""
        return self.tables[0].name

    def is_current(self) -> bool:
        """Return whether everything is unchanged."""
        for table in self.tables:
            if not table.is_current():
                return False
        return is_plain_compiler(self.compiler)


class Statement(Protocol):
    """Base of statements, which know their origin."""

    @property
    def origin(self) -> Origin: ...


@dataclass(frozen=True, slots=True)
class Impossible:
    """Marks that no statement could be made, as long as its origin is unchanged."""

    origin: Origin


_MISSING: Any = object()
StatementT = TypeVar("StatementT", bound=Statement)


def kept(
    connection: Any, key: Any, make: Callable[[Origin], StatementT | None]
) -> StatementT | None:
    """Return the statement that the connection keeps under a key, which begins with the model.

    It is made if missing, and again if its origin has changed; None if it cannot be
    made.
    """
    statements = kept_statements(connection)
    found: Any = recall(statements, key, _MISSING)
    if found is not _MISSING and found.origin.is_current():
        return None if type(found) is Impossible else found
    origin = Origin.of(connection, key[0])
    if origin is None:
        # Code outside of Django takes part in writing the SQL; that may change by the next call.
        return None
    made = make(origin)
    keep(statements, key, Impossible(origin) if made is None else made)
    return made
