"""Who writes the SQL of a database and of the columns of a model, and who converts their values.

A database has a compiler, operations and features; each column has a field. The names are those of
:mod:`lintel.fast.participants`, looked up on the class of each object as a call does. What a single
object has of its own, in its ``__dict__``, counts as well.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from operator import itemgetter
from types import FunctionType
from typing import Any

from django.db.models.options import Options

from lintel.fast.originals import places_of_backend
from lintel.fast.participants import names_of
from lintel.overrides import package_of, reached
from lintel.trust.originals import Originals, Place, is_original
from lintel.trust.store import Store

_COMPILER = names_of("SQLCompiler")
_OPERATIONS = names_of("DatabaseOperations", "BaseDatabaseOperations")
#: Methods that convert values of the database, or say what does.
_CONVERTS = re.compile(r"^convert_|_converters?$")

_CONVERTER = "from_db_value"
#: What Django asks a field while it selects and converts the column.
OF_COLUMN = frozenset(
    [
        *("get_col", "select_format", "get_db_converters", _CONVERTER),
        *("get_internal_type", "db_type", "db_type_parameters", "rel_db_type"),
        *("resolve_related_fields", "__eq__", "__hash__", "__getattribute__", "__getattr__"),
    ]
)
#: What Django asks a relation while it joins the related rows.
OF_JOIN = frozenset(
    [
        *("get_extra_restriction", "get_joining_columns", "get_joining_fields", "get_path_info"),
        *("get_reverse_joining_columns", "get_reverse_joining_fields", "get_reverse_path_info"),
    ]
)
#: The same, as data: of the object, unless a class of the project computes it.
_DATA = frozenset(
    [
        *("cached_col", "column", "attname", "decimal_places"),
        *("target_field", "output_field", "related_fields"),
    ]
)
_DATA_OF_JOIN = frozenset(["path_infos", "reverse_path_infos"])


# ---- the database ----

#: By the classes of compiler, operations and features, and by the functions of the driver.
_verdicts: Store[tuple[Any, ...], Originals] = Store()


def writes_itself(connection: Any) -> bool:
    """Return whether Django alone writes the SQL of a database, and converts its values."""
    has_own_methods = any(map(_is_method, vars(connection.ops)))
    return not has_own_methods and _writers(connection).are_untouched()


def _writers(connection: Any) -> Originals:
    classes = _classes_of(connection)
    writers = _verdicts.get(classes)
    if writers is None:
        # The lists name what any database has; each has some of it.
        behind = dict.fromkeys(_places_behind(connection, *classes))
        places = [place for place in behind if hasattr(*place)]
        writers = Originals("of a database", lambda: places, is_original)
        _verdicts.keep(classes, writers)
    return writers


def _classes_of(connection: Any) -> tuple[type, type, type]:
    operations = connection.ops
    return operations.compiler("SQLCompiler"), type(operations), type(connection.features)


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
    for base in features.__mro__[:-1]:
        if package_of(base) != "django":
            yield from (name for name in vars(base) if not name.startswith("__"))


#: What Django itself keeps on the features and operations of a connection.
_KEPT_BY_DJANGO = {"connection": None, "_cache": None}


def _is_method(name: str) -> bool:
    return name in _OPERATIONS or bool(_CONVERTS.search(name))


def warrant_of_database(connection: Any) -> Callable[[Any], bool]:
    """Asked of a connection instead of :func:`writes_itself`, which held when the SQL was made."""
    classes, switches = _classes_of(connection), _switches(connection)
    operators = connection.operators
    writers_still_hold = _writers(connection).still_holds

    def still_holds(connection: Any) -> bool:
        return (
            connection.operators is operators
            and _switches(connection) == switches
            and _classes_of(connection) == classes
            and writers_still_hold()
        )

    return still_holds


def _switches(connection: Any) -> dict[str, Any]:
    """Return what the features and operations of one connection say of their own."""
    return {**vars(connection.features), **vars(connection.ops), **_KEPT_BY_DJANGO}


# ---- columns ----


def fields_of(model: Any) -> list[Any]:
    """Return a model's fields, targets of foreign keys, and output fields of generated columns."""
    fields = list(model._meta.fields)
    for field in model._meta.concrete_fields:
        places = product([type(field)], OF_COLUMN | _DATA)
        if OF_COLUMN.isdisjoint(vars(field)) and all(map(_is_plain, places)):
            fields.append(field.get_col("").output_field)
    # By identity: fields of one name in two models may be equal.
    return [*{id(field): field for field in fields}.values()]


def places_of_columns(model: Any, is_joined: bool) -> Iterator[Place]:
    names = sorted(_names(is_joined) | _DATA | (_DATA_OF_JOIN if is_joined else frozenset()))
    kinds = dict.fromkeys(map(type, fields_of(model)))
    return ((kind, name) for kind in kinds for name in names)


def _names(is_joined: bool) -> frozenset[str]:
    return OF_COLUMN | OF_JOIN if is_joined else OF_COLUMN


def has_plain_table(model: Any) -> bool:
    return type(model._meta) is Options and type(model._meta.db_table) is str


class Columns:
    """The fields of a model, as a statement found them; ``concrete`` are those with a column."""

    __slots__ = ("_concrete", "_fields", "_names", "_namespaces", "_sizes", "_then", "_types")

    def __init__(self, model: Any, concrete: Sequence[Any], is_joined: bool) -> None:
        # Read first: fields keep what stands for them in SQL.
        self._then = [(field.column, field.cached_col) for field in concrete]
        self._concrete = [*map(vars, concrete)]
        self._fields = fields_of(model)
        self._types = [*map(type, self._fields)]
        self._namespaces = [*map(vars, self._fields)]
        self._sizes = [*map(len, self._namespaces)]
        self._names = _names(is_joined)

    def still_holds(self) -> bool:
        """Raises KeyError if a column has been taken away."""
        if [*map(type, self._fields)] != self._types:
            return False
        sizes = [*map(len, self._namespaces)]
        if sizes != self._sizes:
            # Objects keep some of their properties from the first access on.
            if not all(map(self._names.isdisjoint, self._namespaces)):
                return False
            self._sizes = sizes
        return [*map(_column_of, self._concrete)] == self._then


#: The column, and what stands for it in SQL.
_column_of = itemgetter("column", "cached_col")


def selects_itself(model: Any, is_joined: bool = False) -> bool:
    """Return whether Django alone selects, converts and (``is_joined``) joins a model's columns."""
    return (
        has_plain_table(model)
        and all(type(vars(field).get("column")) is str for field in model._meta.concrete_fields)
        and all(_names(is_joined).isdisjoint(vars(field)) for field in fields_of(model))
        and all(map(_is_plain, places_of_columns(model, is_joined)))
    )


def joins_itself(query: Any) -> bool:
    """Return whether Django alone joins the tables of a query.

    Relations with a column are among the fields of their models, and examined with them.
    """
    joins = (getattr(table, "join_field", None) for table in query.alias_map.values())
    return all(_is_joined_by_django(relation) for relation in joins if relation is not None)


def _is_joined_by_django(relation: Any) -> bool:
    behind = getattr(relation, "field", relation)
    return all(part.concrete or _joins_as_django(part) for part in (relation, behind))


def _joins_as_django(relation: Any) -> bool:
    kind = type(relation)
    places = ((kind, name) for name in OF_JOIN if hasattr(kind, name))
    is_known = package_of(kind) == "django" and OF_JOIN.isdisjoint(vars(relation))
    return is_known and all(map(is_original, places))


def _is_plain(place: Place) -> bool:
    # A plain from_db_value of the project converts each value anew.
    is_converter = place[1] == _CONVERTER and type(reached(*place)) is FunctionType
    return is_converter or is_original(place)
