"""Who writes the SQL of a database and of the columns of a model, and who converts their values.

A database has a compiler, operations and features; each column has a field. The names are those of
:mod:`lintel.fast.participants`, looked up on the class of each object as a call does. What a single
object has of its own, in its ``__dict__``, counts as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from types import FunctionType
from typing import Any

from django.db import connections
from django.db.models.options import Options

from lintel.fast.originals import (
    Originals,
    Place,
    is_itself,
    is_original,
    listed,
    places_of_backend,
)
from lintel.fast.participants import names_of
from lintel.provenance import package_of, reached
from lintel.trust.store import keep_of_class

_COMPILER = names_of("SQLCompiler")
_OPERATIONS = names_of("DatabaseOperations", "BaseDatabaseOperations")
#: Methods that convert values of the database, or say what does.
_CONVERTS = re.compile(r"^convert_|_converters?$")

_CONVERTER = "from_db_value"
#: What Django asks a field while it selects and converts the column.
OF_COLUMN = frozenset(
    [
        "get_col",
        "select_format",
        "get_db_converters",
        _CONVERTER,
        "get_internal_type",
        "db_type",
        "db_type_parameters",
        "rel_db_type",
        "__eq__",
        "__hash__",
        "__getattribute__",
        "__getattr__",
        # What it asks a relation that it joins:
        "get_extra_restriction",
        "get_joining_columns",
        "get_joining_fields",
        "get_path_info",
        "get_reverse_joining_columns",
        "get_reverse_joining_fields",
        "get_reverse_path_info",
        "resolve_related_fields",
    ]
)
#: The same, as data: of the object, unless a class of the project computes it.
_DATA = frozenset(
    [
        "cached_col",
        "target_field",
        "column",
        "attname",
        "decimal_places",
        "output_field",
        "path_infos",
        "related_fields",
        "reverse_path_infos",
    ]
)


# ---- the database ----

#: By the classes of compiler, operations and features, and by the functions of the driver.
_verdicts: dict[tuple[Any, ...], Originals] = {}


def writes_itself(connection: Any) -> bool:
    """Return whether Django alone writes the SQL of a database, and converts its values.

    Asked beside :func:`lintel.fast.originals.is_itself`, which covers what all databases share.
    """
    operations = connection.ops
    classes = operations.compiler("SQLCompiler"), type(operations), type(connection.features)
    verdict = _verdicts.get(classes)
    if verdict is None:
        # The lists name what any database has; each has some of it.
        found = dict.fromkeys(_places_behind(connection, *classes))
        places = [place for place in found if hasattr(*place)]
        verdict = Originals("of a database", lambda: places, is_original, listed)
        keep_of_class(_verdicts, classes, verdict)
    return verdict.are_untouched() and _has_no_own_methods(operations)


def finds_itself(use: Originals, database: str) -> bool:
    """Return whether Django alone finds rows in a database, or counts them."""
    return is_itself(use) and writes_itself(connections[database])


def _places_behind(
    connection: Any, compiler: type, operations: type, features: type
) -> Iterator[Place]:
    yield from places_of_backend(connection)
    yield from ((compiler, name) for name in sorted(_COMPILER))
    yield from ((operations, name) for name in sorted(_OPERATIONS))
    yield from ((operations, name) for name in dir(operations) if _CONVERTS.search(name))
    yield from ((cls, "__getattribute__") for cls in (compiler, operations, features))
    yield from ((features, name) for name in _added(features))


def _added(features: type) -> Iterator[str]:
    """Yield what a project's class says about its database."""
    for base in features.__mro__[:-1]:
        if package_of(base) != "django":
            yield from (name for name in vars(base) if not name.startswith("__"))


def _has_no_own_methods(operations: Any) -> bool:
    own = vars(operations)
    # Django itself keeps its connection there, and the compilers.
    return own.keys() <= _KEPT_BY_DJANGO or not any(map(_is_method, own))


_KEPT_BY_DJANGO = frozenset(["connection", "_cache"])


def _is_method(name: str) -> bool:
    return name in _OPERATIONS or bool(_CONVERTS.search(name))


def guard_of_instances(connection: Any) -> Callable[[], bool]:
    """Return a function that tells whether a connection has the same operations and features."""
    operations, features = connection.ops, connection.features
    switches = vars(features)
    then = dict(switches)

    def are_current() -> bool:
        return connection.ops is operations and connection.features is features and switches == then

    return are_current


# ---- columns ----


def fields_of(model: Any) -> list[Any]:
    """Return the fields of a model, and those that convert values in their place.

    The values of a foreign key are those of its target; a generated column has an output field.
    """
    fields = model._meta.fields
    selected = [each for each in model._meta.concrete_fields if _is_plain_field(each)]
    found = [*fields, *[field.get_col("").output_field for field in selected]]
    # By identity: fields of one name in two models may be equal.
    return [*{id(field): field for field in found}.values()]


def kinds_of(model: Any) -> list[type]:
    """Return the classes of these fields."""
    return [*dict.fromkeys(map(type, fields_of(model)))]


def places_of_columns(model: Any) -> Iterator[Place]:
    """Yield the functions that select the columns of a model and convert their values."""
    return (place for kind in kinds_of(model) for place in _places_of(kind))


def _places_of(kind: type) -> Iterator[Place]:
    return ((kind, name) for name in sorted(OF_COLUMN | _DATA))


def has_plain_table(model: Any) -> bool:
    """Return whether the name of a table is a text that nothing computes."""
    return type(model._meta) is Options and type(model._meta.db_table) is str


def _has_plain_names(model: Any) -> bool:
    """Return whether table and columns have names of their own."""
    names = [vars(one).get("column") for one in model._meta.concrete_fields]
    return has_plain_table(model) and all(type(name) is str for name in names)


class Held:
    """Objects whose ``__dict__`` has none of some names; notices one that is added later."""

    __slots__ = ("_dicts", "_names", "_objects", "_sizes", "_types")

    def __init__(self, objects: Iterable[Any], names: frozenset[str]) -> None:
        self._objects = [*objects]
        self._types = [*map(type, self._objects)]
        self._dicts = [*map(vars, self._objects)]
        self._names = names
        self._sizes = [*map(len, self._dicts)]

    def are_current(self) -> bool:
        """Return whether they are of the same classes, and still have none of the names."""
        if [*map(type, self._objects)] != self._types:
            return False
        sizes = [*map(len, self._dicts)]
        # Objects keep some of their properties from the first access on.
        if sizes != self._sizes and all(map(self._names.isdisjoint, self._dicts)):
            self._sizes = sizes
        return sizes == self._sizes


class Named:
    """Fields with their columns, and with what stands for these in SQL."""

    __slots__ = ("_dicts", "_then")

    def __init__(self, fields: Sequence[Any]) -> None:
        self._then = [(field.column, field.cached_col) for field in fields]
        self._dicts = [*map(vars, fields)]

    def are_current(self) -> bool:
        """Return whether they are the same. Raises KeyError if one has been taken away."""
        return [*map(_column_of, self._dicts)] == self._then


_column_of = itemgetter("column", "cached_col")


def selects_itself(model: Any) -> bool:
    """Return whether Django alone selects the columns of a model, and converts their values."""
    return _has_plain_names(model) and all(map(_is_plain_field, fields_of(model)))


def _is_plain_field(field: Any) -> bool:
    return OF_COLUMN.isdisjoint(vars(field)) and all(map(_is_plain, _places_of(type(field))))


def _is_plain(place: Place) -> bool:
    # A plain from_db_value of the project converts each value anew.
    is_converter = place[1] == _CONVERTER and type(reached(*place)) is FunctionType
    return is_converter or is_original(place)
