"""Many instances: their rows are read and converted like other rows, their constructor is left out.

Only where an instance is nothing but its columns: then the constructor of Django checks, signals
and sets one attribute after the other, which takes as long as all else in a list of instances.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet, base
from django.db.models.fields.files import FileDescriptor, ImageFileDescriptor
from django.db.models.query import get_related_populators
from django.db.models.query_utils import DeferredAttribute
from django.db.models.sql.compiler import SQLCompiler

from lintel.fast.backends import writes_itself
from lintel.fast.columns import converted
from lintel.fast.compiler.protocols import Row
from lintel.fast.originals import MANY
from lintel.fast.relations import COLUMNS, static
from lintel.fast.selections import read_by_django, selection_of
from lintel.fast.vocabulary import FETCH_ONE, fetch_modes, is_plain_model, is_unfetched
from lintel.trust.originals import is_of_django

#: Descriptors that store what a constructor sets in a new instance, and nothing else.
_STORING = {*COLUMNS, FileDescriptor, ImageFileDescriptor}


def fill(queryset: QuerySet[Model]) -> list[Model]:
    """Have a queryset keep its instances, without the relations that it loads with them.

    Return the instances; none where Django has to make them.
    """
    if _makes_plain_instances(queryset):
        # Asked once: a router may choose another replica each time.
        connection = connections[queryset.db]
        if writes_itself(connection):
            queryset._result_cache = _made(queryset, connection)
            return queryset._result_cache or []
    return []


def _makes_plain_instances(queryset: Any) -> bool:
    return (
        is_unfetched(queryset)
        and set(fetch_modes(queryset)) <= {FETCH_ONE}
        and MANY.may_be_replaced()
        and only_stores_columns(queryset.query.model)
    )


def only_stores_columns(model: Any) -> bool:
    if not is_plain_model(model) or hasattr(model, "_state"):
        return False
    kinds: Any = {type(static(model, name)) for name in columns_of_model(model)}
    if hasattr(DeferredAttribute, "__set__") or not kinds <= _STORING:
        return False
    return all(map(is_of_django, [kind.__set__ for kind in kinds - {DeferredAttribute}]))


def columns_of_model(model: type[Model]) -> tuple[str, ...]:
    return tuple([field.attname for field in model._meta.concrete_fields])


def _made(queryset: QuerySet[Model], connection: BaseDatabaseWrapper) -> list[Model] | None:
    """Return the instances; None if Django has to make them."""
    model: Any = queryset.query.model
    names = columns_of_model(model)
    selection = None if _is_more(queryset) else selection_of(queryset, names, connection)
    if selection is None:
        return _compiled(queryset, connection)
    rows = converted(selection.rows(queryset.query, connection), selection.columns, connection)
    return [*made_of(model, connection.alias, names, rows)]


def _is_more(queryset: Any) -> bool:
    query = queryset.query
    return bool(query.select_related or query.annotations or query.deferred_loading[0])


def _compiled(queryset: Any, connection: BaseDatabaseWrapper) -> list[Model] | None:
    """Do what Django's iterable does, with joined rows, annotations and deferred columns."""
    compiler: SQLCompiler = queryset.query.get_compiler(connection.alias)
    read = read_by_django(compiler)
    if read is None or not read[1]:
        return None if read is None else []
    columns, rows = read
    chosen = compiler.klass_info["select_fields"]
    start, stop = chosen[0], chosen[-1] + 1
    names = _names_of(queryset.query.model, [column[0] for column in compiler.select[start:stop]])
    if names is None:
        return None
    whole = [*converted(rows, columns, connection)]
    columns_read = (row[start:stop] for row in whole)
    instances = [*made_of(queryset.query.model, connection.alias, names, columns_read)]
    _complete(queryset, compiler, instances, whole)
    return instances


def _names_of(model: type[Model], columns: list[Any]) -> tuple[str, ...] | None:
    """Return the attributes of selected columns, as Django's ``from_db`` finds them."""
    names = columns_of_model(model)
    if len(columns) != len(names):
        selected = {column.target.attname for column in columns}
        names = tuple([name for name in names if name in selected])
    # A field of the project may select another one's column.
    return names if len(names) == len(columns) else None


def _complete(
    queryset: Any, compiler: SQLCompiler, instances: list[Model], rows: list[Row]
) -> None:
    """Set joined instances and annotations."""
    database = compiler.connection.alias
    populators = get_related_populators(
        compiler.klass_info, compiler.select, database, *fetch_modes(queryset)
    )
    annotations = compiler.annotation_col_map.items()
    for instance, row in zip(instances, rows, strict=True):
        for populator in populators:
            populator.populate(row, instance)
        for name, place in annotations:
            setattr(instance, name, row[place])


def made_of(
    model: type[Model], database: str, names: tuple[str, ...], rows: Iterable[Row]
) -> Iterator[Model]:
    # Looked up here: projects may put a class of their own in its place.
    make_state = base.ModelState
    for row in rows:
        instance = object.__new__(model)
        state = make_state()
        state.adding = False
        state.db = database
        if FETCH_ONE is not None:
            state.fetch_mode = FETCH_ONE
        held = instance.__dict__
        held["_state"] = state
        held.update(zip(names, row, strict=True))
        yield instance
