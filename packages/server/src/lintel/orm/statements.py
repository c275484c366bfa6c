"""The store of compiled statements: the connection for which they were made.

A statement replaces calls of Django's methods. Tools that patch one of these methods, to log
queries or record results, must still be called; so a statement is used only while the methods are
Django's own. The guards of :class:`Origin` compare them, and everything else that it depends on,
at each use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from operator import call
from typing import Any, Protocol, TypeVar

from django.db.models.query import RelatedPopulator

from lintel.codegen.guards import guard
from lintel.orm.instances import stores_columns_plainly
from lintel.orm.memory import keep, keep_of_class, recall
from lintel.orm.relations import COLUMNS
from lintel.orm.vocabulary import COMPILING, MAKING_NAMES, is_plain_compiler
from lintel.provenance import package_of

_ATTRIBUTE = "_lintel_statements"

#: Most classes of fields in Django do not define this method.
_CONVERTER = "from_db_value"


def kept_statements(connection: Any) -> dict[Any, Any]:
    """Return the statements compiled for a connection."""
    kept: dict[Any, Any] = connection.__dict__.setdefault(_ATTRIBUTE, {})
    return kept


@dataclass(frozen=True, slots=True)
class Origin:
    """What a statement was made from: a table, and guards that tell whether anything changed."""

    #: The name of the table that the rows come from.
    table: str
    #: One for each model whose columns are read; all of them check the compiler too.
    guards: tuple[Callable[[], bool], ...]

    @classmethod
    def of(cls, connection: Any, model: Any) -> Origin | None:
        """Return the origin; None for a database whose SQL Django does not write alone."""
        if not is_plain_compiler(connection.ops.compiler("SQLCompiler")):
            return None
        return cls(model._meta.db_table, (_guard_of(connection, model),))

    def joined(self, connection: Any, related: Iterable[Any]) -> Origin:
        """Return the origin of a statement that also selects columns of related models."""
        guards = [_guard_of(connection, model) for model in related]
        return replace(self, guards=(*self.guards, *guards))


#: Guards by compiler, operations and model, for the connections of all threads.
_guards: dict[tuple[Any, Any, Any], Callable[[], bool]] = {}


def _guard_of(connection: Any, model: Any) -> Callable[[], bool]:
    """Return the guard of everything in a database and a model that SQL and rows depend on."""
    key = connection.ops.compiler("SQLCompiler"), type(connection.ops), model
    found = _guards.get(key)
    if found is None or not found():
        found = _make_guard(*key)
        keep_of_class(_guards, key, found)
    return found


def _make_guard(compiler_class: Any, operations: Any, model: Any) -> Callable[[], bool]:
    options = model._meta
    fields = options.concrete_fields
    kinds = dict.fromkeys(map(type, fields))
    own = [field for field in fields if _CONVERTER in vars(field)]
    # The descriptors of columns, which Django only sets on the class that has the column.
    columns = [field.attname for field in fields if field.attname in vars(model)]
    deferred, foreign = COLUMNS
    converting = [kind for kind in kinds if hasattr(kind, _CONVERTER)]
    others = dict.fromkeys(
        base for kind in kinds if kind not in converting for base in kind.__mro__[:-1]
    )
    return guard(
        # Without the name of the model: models made at run time share their text.
        "SQL of a model",
        [
            *COMPILING.lookups(compiler_class),
            *((operations, name) for name in dir(operations) if _CONVERTS.search(name)),
            *((kind, _GIVES_CONVERTERS) for kind in kinds),
            (type(model), "__call__"),
            (model, "from_db"),
            (foreign, "__set__"),
            (RelatedPopulator, "populate"),
        ],
        entries=[
            (options, "concrete_fields"),
            (options, "db_table"),
            *((model, name) for name in MAKING_NAMES if _is_steady(model, name)),
            *((field, "column") for field in fields),
            *((parent._meta, "db_table") for parent in options.get_parent_list()),
            # Nobody gives Django's own fields other bases.
            *((kind, "__mro__") for kind in kinds if package_of(kind) != "django"),
            *((kind, _CONVERTER) for kind in converting),
            *((field, _CONVERTER) for field in own),
        ],
        # A missing attribute of a class costs ten times as much as a missing key.
        missing=[
            *((vars(base), _CONVERTER) for base in others),
            *((vars(field), _CONVERTER) for field in fields if field not in own),
            *([(vars(deferred), "__set__")] if stores_columns_plainly() else ()),
        ],
        members=[(model, columns)] if columns else (),
    )


def _is_steady(model: Any, name: str) -> bool:
    """Return whether two accesses find the same; if not, it is a descriptor of the project."""
    return getattr(model, name) is getattr(model, name)


#: Methods that convert values of the database, or say what does.
_GIVES_CONVERTERS = "get_db_converters"
_CONVERTS = re.compile(r"^convert_|_converters?$")


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
    if found is not _MISSING and all(map(call, found.origin.guards)):
        return None if type(found) is Impossible else found
    origin = Origin.of(connection, key[0])
    if origin is None:
        # Code outside of Django takes part in writing the SQL; that may change by the next call.
        return None
    made = make(origin)
    keep(statements, key, Impossible(origin) if made is None else made)
    return made
