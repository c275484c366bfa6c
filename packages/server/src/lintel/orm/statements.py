"""Where compiled statements stay: with the connection for which they were made.

A statement stands for methods of Django. Tools that replace one of these methods, to log queries or
to keep their outcome, want to be called; so the statement is used as long as they are Django's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol, TypeVar, cast

from django.db.models.manager import BaseManager

#: Statements that one connection keeps, and what is kept for classes made at run time.
MAX_STATEMENTS = 256


def kept_statements(connection: Any) -> dict[Any, Any]:
    """What has been compiled for a connection."""
    kept: dict[Any, Any] = connection.__dict__.setdefault("_lintel_statements", {})
    return kept


def keep(kept: dict[Any, Any], key: Any, statement: Any) -> None:
    """Keep a statement, or what else is made once, in place of all others when there are many."""
    if len(kept) >= MAX_STATEMENTS:
        kept.clear()
    kept[key] = statement


def methods_of_django(cls: Any, *names: str) -> tuple[Any, ...]:
    """The methods of a class of Django; None in the place of one that somebody has replaced."""
    found = [getattr(cls, name) for name in names]
    return tuple(method if _is_of_django(method) else None for method in found)


def _is_of_django(method: Any) -> bool:
    function = getattr(method, "fget", method)
    # A wrapper may have the name of what it wraps, but never its globals.
    return getattr(function, "__globals__", {}).get("__name__", "").startswith("django.db.")


_MANAGING = methods_of_django(BaseManager, "get_queryset")


def makes_usual_querysets(manager: Any) -> bool:
    """Whether the querysets of a manager are what its class, database and hints make of them."""
    return (type(manager).get_queryset,) == _MANAGING


_COMPILING = ("as_sql", "execute_sql")
_compiling_of = attrgetter(*_COMPILING)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a statement was made from."""

    model: Any
    fields: Any
    table: str
    compiler: Any
    compiling: tuple[Any, ...]

    @classmethod
    def of(cls, connection: Any, model: Any, compiler: str) -> Origin | None:
        """None for a database whose texts are not made by Django alone."""
        kind = connection.ops.compiler(compiler)
        compiling = methods_of_django(kind, *_COMPILING)
        options = model._meta
        if None in compiling:
            return None
        return cls(model, options.concrete_fields, options.db_table, kind, compiling)

    def is_current(self) -> bool:
        """Whether all of it is as it was."""
        options = self.model._meta
        return (
            self.fields is options.concrete_fields
            and self.table == options.db_table
            and bool(_compiling_of(self.compiler) == self.compiling)
        )


class Statement(Protocol):
    """Knows what it was made from."""

    @property
    def origin(self) -> Origin: ...


_MISSING: Any = object()
StatementT = TypeVar("StatementT", bound=Statement)


def kept(
    connection: Any, key: Any, make: Callable[[Origin], StatementT | None], compiler: str
) -> StatementT | None:
    """The statement that the connection keeps under a key, which begins with the model.

    Made when it is missing, or made from what has changed since; None where there can be none.
    """
    statements = kept_statements(connection)
    found: Any = statements.get(key, _MISSING)
    if found is not _MISSING and (found is None or found.origin.is_current()):
        return cast("StatementT | None", found)
    origin = Origin.of(connection, key[0], compiler)
    made = None if origin is None else make(origin)
    keep(statements, key, made)
    return made
