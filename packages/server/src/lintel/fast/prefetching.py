"""To-many relations of one instance, loaded as ``prefetch_related()`` does, by kept statements.

Django writes a query for all parents and sorts its rows by parent. One parent has them all, so
the queryset of its own relation is fetched, which the relation keeps anyway.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connections
from django.db.models import Model
from django.db.models import query as query_module
from django.db.models.fields.related_descriptors import ReverseManyToOneDescriptor

from lintel.fast.columns import converted
from lintel.fast.instances import columns_of_model, made_of, only_stores_columns
from lintel.fast.originals import MANY, PREFETCHED, is_itself
from lintel.fast.relations import Descriptor, behind, finds_all, relates_plainly, to_many
from lintel.fast.selections import selection_of
from lintel.fast.vocabulary import FETCH_ONE, fetch_modes, is_routed

_CACHE = "_prefetched_objects_cache"


def prefetch(instance: Model, lookups: Sequence[Any]) -> None:
    """Do what ``prefetch_related_objects([instance], *lookups)`` does, or raise the same."""
    left: Iterable[Any] = lookups
    # Others may contradict the lookups of a name, which Django refuses.
    if {*map(type, lookups)} == {str} and is_itself(MANY) and is_itself(PREFETCHED):
        left = [name for name in lookups if is_routed() or not _is_loaded(instance, name)]
    if left:
        query_module.prefetch_related_objects([instance], *left)


def _is_loaded(instance: Model, name: str) -> bool:
    descriptor = to_many(type(instance), name)
    if descriptor is None or not relates_plainly(descriptor):
        return False
    model, cache_name = behind(descriptor)
    if cache_name in instance.__dict__.get(_CACHE, ()) or not only_stores_columns(model):
        return False
    if not finds_all(model._default_manager):
        return False
    rows = getattr(instance, name).get_queryset()
    if not _is_fetched(rows):
        return False
    _point_back(descriptor, instance, rows._result_cache)
    instance.__dict__.setdefault(_CACHE, {})[cache_name] = rows
    return True


def _is_fetched(rows: Any) -> bool:
    if not set(fetch_modes(rows)) <= {FETCH_ONE}:
        return False
    model, connection = rows.model, connections[rows.db]
    names = columns_of_model(model)
    selection = selection_of(rows, names, connection)
    if selection is None:
        return False
    values = converted(selection.rows(rows.query, connection), selection.columns)
    rows._result_cache = [*made_of(model, connection.alias, names, values)]
    rows._prefetch_done = True
    return True


def _point_back(descriptor: Descriptor, instance: Model, rows: list[Model]) -> None:
    """Set the foreign key that led to the rows, so that it needs no query."""
    if type(descriptor) is ReverseManyToOneDescriptor:
        for row in rows:
            setattr(row, descriptor.field.name, instance)
