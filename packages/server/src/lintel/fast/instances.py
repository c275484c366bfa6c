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
from django.db.models.query_utils import DeferredAttribute

from lintel.fast.backends import writes_itself
from lintel.fast.columns import converted
from lintel.fast.compiler.protocols import Row
from lintel.fast.originals import JOINED, MANY
from lintel.fast.relations import COLUMNS, static
from lintel.fast.selections import selection_of
from lintel.fast.vocabulary import (
    FETCH_ONE,
    columns_of_model,
    fetch_modes,
    is_plain_model,
    is_unfetched,
)
from lintel.fast.wholes import whole_of
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


def _made(queryset: QuerySet[Model], connection: BaseDatabaseWrapper) -> list[Model] | None:
    """Return the instances; None if Django has to make them."""
    model: Any = queryset.query.model
    names = columns_of_model(model)
    selection = None if _is_more(queryset) else selection_of(queryset, names, connection)
    if selection is None:
        return _composed(queryset, connection)
    rows = converted(selection.rows(queryset.query, connection), selection.columns, connection)
    return [*made_of(model, connection.alias, names, rows)]


def _is_more(queryset: Any) -> bool:
    query = queryset.query
    return bool(query.select_related or query.annotations or query.deferred_loading[0])


def _composed(queryset: Any, connection: BaseDatabaseWrapper) -> list[Model] | None:
    """Do what Django's iterable does, with joined rows, annotations and deferred columns."""
    whole = whole_of(queryset, connection)
    if whole is None:
        return None
    layout = whole.layout
    rows = [*converted(whole.rows(queryset.query, connection), whole.read_columns, connection)]
    values = (row[layout.columns] for row in rows)
    instances = [*made_of(queryset.query.model, connection.alias, layout.names, values)]
    relates = _relate if layout.related and JOINED.may_be_replaced() else _relate_by_django
    for populator in layout.related:
        relates(populator, instances, rows)
    for name, place in layout.annotations.items():
        for instance, row in zip(instances, rows, strict=True):
            setattr(instance, name, row[place])
    return instances


def _relate_by_django(populator: Any, instances: list[Any], rows: list[Row]) -> None:
    for instance, row in zip(instances, rows, strict=True):
        populator.populate(row, instance)


def _relate(populator: Any, instances: list[Any], rows: list[Row]) -> None:
    """Set the instances that a populator of Django makes from joined rows."""
    model, names = populator.model_cls, tuple(populator.init_list)
    if populator.reorder_for_init or not _holds(model, names):
        _relate_by_django(populator, instances, rows)
        return
    columns = slice(populator.cols_start, populator.cols_end)
    key = populator.cols_start + populator.pk_idx
    present = [row for row in rows if row[key] is not None]
    related = [*made_of(model, populator.db, names, (row[columns] for row in present))]
    for inner in populator.related_populators:
        _relate(inner, related, present)
    parts = iter(related)
    joined = [None if row[key] is None else next(parts) for row in rows]
    _join(populator, instances, joined)


def _join(populator: Any, instances: list[Any], related: list[Any]) -> None:
    for instance, part in zip(instances, related, strict=True):
        populator.local_setter(instance, part)
        if part is not None:
            populator.remote_setter(part, instance)


def _holds(model: type[Model], names: tuple[str, ...]) -> bool:
    """Return whether instances of a model only store columns, in the order of these names."""
    columns = columns_of_model(model)
    in_order = (
        columns if len(names) == len(columns) else tuple([n for n in columns if n in {*names}])
    )
    return in_order == names and only_stores_columns(model)


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
