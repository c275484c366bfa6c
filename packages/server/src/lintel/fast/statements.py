"""The store of compiled statements, of one connection or of all that are alike.

A statement stands for calls of Django's functions. It is made only if Django alone writes the SQL
and converts the values, and used only while that is so (:mod:`lintel.fast.originals`). The warrants
of :class:`Origin` compare the classes of the database, the fields and the model at each use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import call
from typing import Any, Protocol, TypeAlias, TypeVar

from django.db.models.expressions import Col

from lintel.fast.backends import (
    Columns,
    fields_of,
    has_plain_table,
    places_of_columns,
    selects_itself,
    warrant_of_database,
    writes_itself,
)
from lintel.fast.originals import USES
from lintel.trust.originals import warrant_of
from lintel.trust.store import Store

_ATTRIBUTE = "_lintel_statements"

Warrant: TypeAlias = Callable[[], bool]

#: By database, for the connections of all threads: on an event loop each request has its own. With
#: the settings of the connections.
_shared: Store[tuple[type, str], tuple[Any, Store[Any, Any]]] = Store()


def kept_statements(connection: Any) -> Store[Any, Any]:
    statements: Store[Any, Any] | None = connection.__dict__.get(_ATTRIBUTE)
    if statements is None:
        statements = _shared_by_likes(connection) if _is_like_others(connection) else Store()
        connection.__dict__[_ATTRIBUTE] = statements
    return statements


def _is_like_others(connection: Any) -> bool:
    """Return whether nothing in a statement belongs to this connection alone.

    On PostgreSQL no method of its operations converts values. Operators may be its own.
    """
    is_known = type(connection).__module__ == "django.db.backends.postgresql.base"
    return is_known and "operators" not in vars(connection)


def _shared_by_likes(connection: Any) -> Store[Any, Any]:
    key, settings = (type(connection), connection.alias), connection.settings_dict
    held = _shared.get(key)
    if held is None or held[0] is not settings:
        held = settings, Store()
        _shared.keep(key, held)
    return held[1]


@dataclass(frozen=True, slots=True)
class Origin:
    """What a statement was made from: a model, and warrants that tell whether anything changed."""

    model: Any
    #: Asked of the connection at hand.
    of_database: Callable[[Any], bool]
    #: For each model whose columns are read.
    warrants: tuple[Warrant, ...]

    @classmethod
    def of(cls, connection: Any, model: Any) -> Origin | None:
        """None if code outside of Django selects or converts columns."""
        of_columns = _warrant_of(model, is_joined=False)
        if of_columns is None:
            return None
        return cls(model, warrant_of_database(connection), (of_columns,))

    @classmethod
    def of_table(cls, connection: Any, model: Any) -> Origin | None:
        """The same for a statement that selects no columns; None for an odd table."""
        if not has_plain_table(model):
            return None
        return cls(model, warrant_of_database(connection), (_warrant_of_table(model),))

    def joined(self, related: Sequence[Any]) -> Origin | None:
        if not related:
            return self
        warrants = [_warrant_of(model, is_joined=True) for model in (self.model, *related)]
        return self._with((), warrants)

    def reading(self, models: Sequence[Any]) -> Origin | None:
        """The same for a statement that compares columns of these models as well."""
        others = [_warrant_of(model, is_joined=False) for model in models if model != self.model]
        return self._with(self.warrants, others)

    def _with(
        self, warrants: tuple[Warrant, ...], others: Sequence[Warrant | None]
    ) -> Origin | None:
        current = [still_holds for still_holds in others if still_holds is not None]
        is_whole = len(current) == len(others)
        return replace(self, warrants=(*warrants, *current)) if is_whole else None


#: What converters of decimals are made from.
_PLACES = "decimal_places"

#: By model and whether it is joined, for the connections of all threads: the warrant, and whether
#: Django alone selects it.
_verdicts: Store[tuple[Any, bool], tuple[Callable[[], bool], bool]] = Store()


def _warrant_of_table(model: Any) -> Callable[[], bool]:
    options, name = model._meta, model._meta.db_table
    return lambda: options.db_table is name


def _warrant_of(model: Any, is_joined: bool) -> Callable[[], bool] | None:
    """None if code outside of Django selects the columns of the model or converts their values."""
    verdict = _verdicts.get((model, is_joined))
    if verdict is None or not verdict[0]():
        is_plain = selects_itself(model, is_joined)
        still_holds = _warrant_of_columns(model, is_joined, is_plain)
        # Asked again: what another thread patches meanwhile must not become part of the warrant.
        verdict = still_holds, is_plain and selects_itself(model, is_joined)
        _verdicts.keep((model, is_joined), verdict)
    return verdict[0] if verdict[1] else None


def _warrant_of_columns(model: Any, is_joined: bool, is_plain: bool) -> Callable[[], bool]:
    options = model._meta
    concrete = options.concrete_fields if is_plain else ()
    # Since Django 6.1 it is looked up once for all related rows.
    joined = [(model, "from_db")] if is_joined else []
    return warrant_of(
        # Without the name of the model: models made at run time share their text.
        "columns of a model",
        [*places_of_columns(model, is_joined), *joined],
        entries=[
            (options, "concrete_fields"),
            (options, "fields"),
            (options, "db_table"),
            *((parent._meta, "db_table") for parent in options.get_parent_list()),
            *((field, _PLACES) for field in fields_of(model) if _PLACES in vars(field)),
        ],
        others=[Columns(model, concrete, is_joined).still_holds],
    )


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


def _holds(origin: Origin, connection: Any) -> bool:
    return origin.of_database(connection) and all(map(call, origin.warrants))


_MISSING: Any = object()
StatementT = TypeVar("StatementT", bound=Statement)


def kept(
    connection: Any,
    key: Any,
    make: Callable[[Origin], StatementT | None],
    find: Callable[[Any, Any], Origin | None] = Origin.of,
) -> StatementT | None:
    """Return the statement that the connection keeps under a key, which begins with the model.

    Whoever asks has asked ``may_be_replaced()`` of Django's functions before. The statement is made
    if missing, and again if its origin has changed; None if it cannot be made.
    """
    statements = kept_statements(connection)
    statement: Any = statements.get(key, _MISSING)
    if statement is not _MISSING and _holds(statement.origin, connection):
        return None if type(statement) is Impossible else statement
    origin = find(connection, key[0]) if writes_itself(connection) else None
    if origin is None:
        # Code outside of Django takes part in writing the SQL; that may change by the next call.
        return None
    made = make(origin)
    is_unchanged = all(use.may_be_replaced() for use in USES) and writes_itself(connection)
    if not is_unchanged or not _holds(origin, connection):
        # Patched meanwhile, by another thread: the text may be made by that code.
        return None
    statements.keep(key, Impossible(origin) if made is None else made)
    return made
