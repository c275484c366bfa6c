"""To-many relations of instances, loaded as ``prefetch_related()`` does, by kept statements."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models import query as query_module
from django.db.models.fields.related_descriptors import ReverseManyToOneDescriptor

from lintel.fast.columns import converted
from lintel.fast.compiler.protocols import Row
from lintel.fast.instances import columns_of_model, fill, made_of, only_stores_columns
from lintel.fast.originals import MANY, PREFETCHED
from lintel.fast.relations import Descriptor, behind, by_key, finds_all, relates_plainly, to_many
from lintel.fast.selections import selection_of
from lintel.fast.vocabulary import FETCH_ONE, LOADING, fetch_modes, is_routed

_CACHE = "_prefetched_objects_cache"

#: Keys that are equal in Python if they are in the database.
_KEYS = {int, str, UUID}


def load(queryset: QuerySet[Model]) -> list[Any]:
    """Return ``list(queryset)``; the rows stay with the queryset as usual."""
    found, held = fill(queryset), vars(queryset)
    lookups = held.get("_prefetch_related_lookups")
    if found and lookups and LOADING.are_of_django_on(queryset):
        prefetch(found, lookups)
        held["_prefetch_done"] = True
    return list(queryset)


def prefetch(instances: Sequence[Model], lookups: Sequence[Any]) -> None:
    """Do what ``prefetch_related_objects(instances, *lookups)`` does, or raise the same.

    ``instances``: those of one query.
    """
    left: Iterable[Any] = lookups
    # Others may contradict the lookups of a name, which Django refuses.
    if {*map(type, lookups)} == {str} and MANY.may_be_replaced() and PREFETCHED.may_be_replaced():
        left = [name for name in lookups if is_routed() or not _is_loaded(instances, name)]
    if left:
        query_module.prefetch_related_objects(instances, *left)


def _is_loaded(instances: Sequence[Model], name: str) -> bool:
    descriptor = to_many(type(instances[0]), name)
    if descriptor is None or not relates_plainly(descriptor):
        return False
    model, cache_name = behind(descriptor)
    if cache_name in vars(instances[0]).get(_CACHE, ()) or not only_stores_columns(model):
        return False
    if not finds_all(model._default_manager):
        return False
    if len(instances) == 1:
        return _is_loaded_alone(instances[0], name, cache_name, descriptor)
    return _are_loaded_together(instances, name, cache_name, descriptor)


def _point_back(descriptor: Descriptor, instance: Model, rows: list[Model]) -> None:
    """Set the foreign key that led to the rows, so that it needs no query."""
    if type(descriptor) is ReverseManyToOneDescriptor:
        for row in rows:
            setattr(row, descriptor.field.name, instance)


def _keep(instance: Model, cache_name: str, queryset: Any, rows: list[Model]) -> None:
    queryset._result_cache = rows
    queryset._prefetch_done = True
    vars(instance).setdefault(_CACHE, {})[cache_name] = queryset


# ---- one parent ----


def _is_loaded_alone(instance: Model, name: str, cache_name: str, descriptor: Descriptor) -> bool:
    """Fetch the queryset of the relation, which keeps it anyway."""
    related = getattr(instance, name).get_queryset()
    if not set(fetch_modes(related)) <= {FETCH_ONE}:
        return False
    model = related.model
    names = columns_of_model(model)
    rows = _rows_of(related, names)
    if rows is None:
        return False
    found = [*made_of(model, related.db, names, rows)]
    if not _have_its_key(descriptor, instance, found):
        return False
    _point_back(descriptor, instance, found)
    _keep(instance, cache_name, related, found)
    return True


def _have_its_key(descriptor: Descriptor, instance: Model, rows: list[Model]) -> bool:
    """The database may find texts equal that Python does not, by a collation."""
    if type(descriptor) is not ReverseManyToOneDescriptor:
        return True
    key = vars(instance).get(descriptor.field.target_field.attname)
    column = descriptor.field.attname
    return type(key) is not str or all(vars(row)[column] == key for row in rows)


def _rows_of(queryset: Any, names: tuple[str, ...]) -> Iterable[Row] | None:
    connection = connections[queryset.db]
    selection = selection_of(queryset, names, connection)
    if selection is None:
        return None
    return converted(selection.rows(queryset.query, connection), selection.columns, connection)


# ---- many parents ----


def _are_loaded_together(
    instances: Sequence[Model], name: str, cache_name: str, descriptor: Descriptor
) -> bool:
    model: Any = type(instances[0])
    relation, key = by_key(model, name), model._meta.pk.attname
    parents = {vars(instance).get(key): instance for instance in instances}
    if relation is None or not {*map(type, parents)} <= _KEYS:
        return False
    chosen = {f"{relation.lookup}__in": [*parents]}
    related = relation.rows(str(instances[0]._state.db)).filter(**chosen)
    found = _by_parent(related, relation.lookup)
    if found is None:
        return False
    if not found.keys() <= parents.keys():
        # The database finds more keys equal than Python does.
        return False
    for parent, rows in found.items():
        _point_back(descriptor, parents[parent], rows)
    for instance in instances:
        rows = found.get(vars(instance)[key], [])
        _keep(instance, cache_name, getattr(instance, name).get_queryset(), rows)
    return True


def _by_parent(queryset: Any, lookup: str) -> dict[object, list[Model]] | None:
    names = columns_of_model(queryset.model)
    rows = _rows_of(queryset, (lookup, *names))
    if rows is None:
        return None
    whole = [*rows]
    result: dict[object, list[Model]] = {}
    made = made_of(queryset.model, queryset.db, names, (row[1:] for row in whole))
    for row, instance in zip(whole, made, strict=True):
        result.setdefault(row[0], []).append(instance)
    return result
