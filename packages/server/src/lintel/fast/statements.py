"""The store of compiled statements: the connection for which they were made.

A statement stands for calls of Django's functions. It is made only if Django alone writes the SQL
and converts the values, and used only while that is so (:mod:`lintel.fast.originals`). The guards
of :class:`Origin` compare the classes of the database, the fields and the model at each use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from operator import call
from typing import Any, Protocol, TypeVar

from django.db.models.expressions import Col

from lintel.fast.backends import (
    OF_COLUMN,
    Held,
    Named,
    fields_of,
    guard_of_instances,
    has_plain_table,
    places_of_columns,
    selects_itself,
    writes_itself,
)
from lintel.fast.instances import stores_columns_plainly
from lintel.fast.originals import are_untouched, compared, guard_of
from lintel.fast.relations import COLUMNS
from lintel.fast.vocabulary import MAKING_NAMES
from lintel.trust.guards import guard
from lintel.trust.store import keep, keep_of_class, recall

_ATTRIBUTE = "_lintel_statements"


def kept_statements(connection: Any) -> dict[Any, Any]:
    """Return the statements compiled for a connection."""
    kept: dict[Any, Any] = connection.__dict__.setdefault(_ATTRIBUTE, {})
    return kept


@dataclass(frozen=True, slots=True)
class Origin:
    """What a statement was made from: a table, and guards that tell whether anything changed."""

    #: The name of the table that the rows come from.
    table: str
    #: For the instances behind the connection, and each model whose columns are read.
    guards: tuple[Callable[[], bool], ...]

    @classmethod
    def of(cls, connection: Any, model: Any) -> Origin | None:
        """Return the origin; None if code outside of Django selects or converts columns."""
        origin = cls(model._meta.db_table, (guard_of_instances(connection),))
        return origin.joined([model])

    @classmethod
    def of_table(cls, connection: Any, model: Any) -> Origin | None:
        """Return the origin of a statement that selects no columns; None for an odd table."""
        guards = (guard_of_instances(connection), _guard_of_table(model))
        return cls(model._meta.db_table, guards) if has_plain_table(model) else None

    def joined(self, related: Iterable[Any]) -> Origin | None:
        """Return the origin of a statement that also selects columns of related models."""
        guards = [_guard_of(model) for model in related]
        known = [each for each in guards if each is not None]
        if len(known) < len(guards):
            return None
        return replace(self, guards=(*self.guards, *known))


#: What converters of decimals are made from.
_PLACES = "decimal_places"

#: By model, for the connections of all threads: the guard, and whether Django alone selects it.
_verdicts: dict[Any, tuple[Callable[[], bool], bool]] = {}


def _guard_of_table(model: Any) -> Callable[[], bool]:
    options, name = model._meta, model._meta.db_table

    def is_current() -> bool:
        return options.db_table is name

    return is_current


def _guard_of(model: Any) -> Callable[[], bool] | None:
    """Return the guard of everything in a model that SQL and rows depend on.

    None if code outside of Django selects its columns or converts their values.
    """
    verdict = _verdicts.get(model)
    if verdict is None or not verdict[0]():
        is_plain = selects_itself(model)
        found = _guard_of_columns(model, [_guard_of_rows(model)] if is_plain else [])
        # Asked again: what another thread patches meanwhile must not become part of the guard.
        verdict = found, is_plain and selects_itself(model)
        keep_of_class(_verdicts, model, verdict)
    return verdict[0] if verdict[1] else None


def _guard_of_columns(model: Any, others: Iterable[Callable[[], bool]]) -> Callable[[], bool]:
    """Return the guard of the classes of a model's fields."""
    options = model._meta
    return guard_of(
        # Without the name of the model: models made at run time share their text.
        "columns of a model",
        places_of_columns(model),
        known=compared(),
        entries=[
            (options, "concrete_fields"),
            (options, "fields"),
            (options, "db_table"),
            *((one, _PLACES) for one in fields_of(model) if _PLACES in vars(one)),
        ],
        others=[Held(fields_of(model), OF_COLUMN).are_current, *others],
    )


def _guard_of_rows(model: Any) -> Callable[[], bool]:
    """Return the guard of what columns are called, and of how a row becomes an instance."""
    options = model._meta
    fields = options.concrete_fields
    # The descriptors of columns, which Django only sets on the class that has the column.
    columns = [field.attname for field in fields if field.attname in vars(model)]
    return guard(
        "rows of a model",
        [(type(model), "__call__"), (model, "from_db")],
        entries=[
            *((model, name) for name in MAKING_NAMES if _is_steady(model, name)),
            *((parent._meta, "db_table") for parent in options.get_parent_list()),
        ],
        missing=[(vars(COLUMNS[0]), "__set__")] if stores_columns_plainly() else (),
        members=[(model, columns)] if columns else (),
        others=[Named(fields).are_current],
    )


def _is_steady(model: Any, name: str) -> bool:
    """Return whether two accesses find the same; if not, it is a descriptor of the project."""
    return getattr(model, name) is getattr(model, name)


def selects_columns(compiler: Any) -> bool:
    """Return whether a compiled query selects nothing but columns, as Django writes them."""
    return all(type(selected[0]) is Col for selected in compiler.select)


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
    connection: Any,
    key: Any,
    make: Callable[[Origin], StatementT | None],
    find: Callable[[Any, Any], Origin | None] = Origin.of,
) -> StatementT | None:
    """Return the statement that the connection keeps under a key, which begins with the model.

    Whoever asks has asked :func:`lintel.fast.originals.is_itself` before. The statement is made if
    missing, and again if its origin has changed; None if it cannot be made.
    """
    if not writes_itself(connection):
        return None
    statements = kept_statements(connection)
    found: Any = recall(statements, key, _MISSING)
    if found is not _MISSING and all(map(call, found.origin.guards)):
        return None if type(found) is Impossible else found
    origin = find(connection, key[0])
    if origin is None:
        # Code outside of Django takes part in writing the SQL; that may change by the next call.
        return None
    made = make(origin)
    if not (are_untouched() and writes_itself(connection) and all(map(call, origin.guards))):
        # Patched meanwhile, by another thread: the text may be made by that code.
        return None
    keep(statements, key, Impossible(origin) if made is None else made)
    return made
