"""To-many relations of instances, loaded as ``prefetch_related()`` does, by kept statements."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Model, Prefetch, QuerySet
from django.db.models import query as query_module
from django.db.models.constants import LOOKUP_SEP
from django.db.models.fields.related_descriptors import (
    ForwardManyToOneDescriptor,
    ReverseManyToOneDescriptor,
)

from lintel.fast.columns import converted
from lintel.fast.compiler.protocols import Row
from lintel.fast.conditions import compares_column
from lintel.fast.instances import fill, made_of, only_stores_columns
from lintel.fast.originals import JOINED, MANY, PREFETCHED
from lintel.fast.prefetched import PREFETCHED as CACHE
from lintel.fast.prefetched import keep
from lintel.fast.querysets import is_whole
from lintel.fast.relations import (
    Descriptor,
    behind,
    by_key,
    cache_name,
    finds_all,
    made_blindly,
    relates_plainly,
    static,
    to_many,
    to_one,
)
from lintel.fast.selections import Selection, fetched, order_of, selection_of
from lintel.fast.statements import Origin, kept
from lintel.fast.vocabulary import (
    FETCH_ONE,
    LOADING,
    columns_of_model,
    fetch_modes,
    is_of_one_table,
    is_routed,
)

#: Keys that are equal in Python if they are in the database.
_KEYS = {int, str, UUID}


def load(queryset: QuerySet[Model]) -> list[Any]:
    """Return ``list(queryset)``; the rows stay with the queryset as usual."""
    instances, held = fill(queryset), vars(queryset)
    lookups = held.get("_prefetch_related_lookups")
    if instances and lookups and LOADING.are_of_django_on(queryset):
        prefetch(instances, lookups)
        held["_prefetch_done"] = True
    return list(queryset)


def prefetch(instances: Sequence[Model], lookups: Sequence[Any]) -> None:
    """Do what ``prefetch_related_objects(instances, *lookups)`` does, or raise the same.

    ``instances``: those of one query.
    """
    left: Sequence[Any] = lookups
    if _are_apart(lookups) and MANY.may_be_replaced() and PREFETCHED.may_be_replaced():
        left = _left_of(instances, lookups)
    if left:
        query_module.prefetch_related_objects(instances, *left)


def _are_apart(lookups: Sequence[Any]) -> bool:
    """Return whether none contradicts another one, as only Django knows."""
    kinds = {*map(type, lookups)}
    if kinds == {str}:
        return True
    return kinds <= {str, Prefetch} and len({*map(_path, lookups)}) == len(lookups)


def _path(lookup: Any) -> str:
    path: str = lookup if type(lookup) is str else lookup.prefetch_to
    return path


def _left_of(instances: Sequence[Model], lookups: Sequence[Any]) -> list[Any]:
    """Load what can be loaded here; return what Django has to follow from the instances."""
    left: list[Any] = []
    for name, group in _by_first_step(lookups).items():
        alone = _first_of(name, group)
        steps = [_path(lookup) for lookup in group if lookup != alone]
        further = [path.removeprefix(f"{name}{LOOKUP_SEP}") for path in steps]
        rows = None
        if alone is not None and not is_routed():
            rows = _loaded(instances, alone)
            rows = _followed(instances, name, further) if rows is None else rows
        if rows is None:
            left += group
            continue
        if rows and further:
            left += [f"{name}{LOOKUP_SEP}{lookup}" for lookup in _left_of(rows, further)]
    return [lookup for lookup in lookups if lookup in left]


def _followed(instances: Sequence[Model], name: str, further: list[str]) -> list[Model] | None:
    """Have Django load a relation to one that leads to many; return its rows.

    None for any other relation, or if something was prefetched for the rows.
    """
    relation = to_one(type(instances[0]), name)
    steps = [path.partition(LOOKUP_SEP)[0] for path in further]
    if relation is None or not any(to_many(relation.related_model, step) for step in steps):
        return None
    query_module.prefetch_related_objects(instances, name)
    cache = cache_name(relation)
    related = [instance._state.fields_cache.get(cache) for instance in instances]
    rows = [*{id(row): row for row in related if row is not None}.values()]
    is_new = len({*map(type, rows)}) == 1 and not any(CACHE in vars(row) for row in rows)
    return rows if is_new else None


def _by_first_step(lookups: Sequence[Any]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for lookup in lookups:
        groups.setdefault(_path(lookup).partition(LOOKUP_SEP)[0], []).append(lookup)
    return groups


def _first_of(name: str, group: list[Any]) -> Any:
    """Return the lookup of the first step; None if only Django knows how others continue it."""
    if {*map(type, group)} == {str}:
        return name
    return group[0] if len(group) == 1 and _path(group[0]) == name else None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A relation that is loaded: all of its rows, or those of a queryset that is ``chosen``."""

    name: str
    to_attr: str
    chosen: Any
    descriptor: Descriptor
    model: type[Model]
    cache_name: str

    @classmethod
    def of(cls, instance: Model, lookup: Any) -> "_Wanted | None":
        """None for a lookup of anything but a plain relation to many."""
        is_name = type(lookup) is str
        name = lookup if is_name else lookup.prefetch_through
        to_attr = (not is_name and lookup.to_attr != name and lookup.to_attr) or ""
        descriptor = to_many(type(instance), name)
        if descriptor is None or not relates_plainly(descriptor):
            return None
        chosen, (model, cache) = None if is_name else lookup.queryset, behind(descriptor)
        if chosen is None and not finds_all(model._default_manager):
            # Rows that a manager of the project hides from all parents alike.
            chosen = made_blindly(model._default_manager, getattr(instance, name))
            if chosen is None:
                return None
        return cls(name, to_attr, chosen, descriptor, model, cache)

    def is_new(self, instance: Model) -> bool:
        if self.to_attr:
            # Django refuses names of columns, and looks whether others were loaded.
            return not hasattr(instance, self.to_attr)
        return self.cache_name not in vars(instance).get(CACHE, ())

    def is_plain(self) -> bool:
        if not only_stores_columns(self.model):
            return False
        if self.chosen is None:
            return True
        return is_whole(self.chosen, columns_of_model(self.model)) and (
            self.chosen.model is self.model
            and (not hasattr(self.descriptor.rel, "through") or is_of_one_table(self.chosen.query))
        )

    def queryset_of(self, manager: Any) -> QuerySet[Any]:
        chosen = self.chosen
        made = (
            manager.get_queryset()
            if chosen is None
            else manager._apply_rel_filters(chosen._chain())
        )
        queryset: QuerySet[Any] = made
        return queryset

    def keep(self, instance: Model, rows: list[Model]) -> None:
        if self.to_attr:
            vars(instance).setdefault(CACHE, {})
            setattr(instance, self.to_attr, rows)
        else:
            keep(instance, self.cache_name, rows, self.queryset_of, self.name)


def _loaded(instances: Sequence[Model], lookup: Any) -> list[Model] | None:
    """Load a relation; return its rows, None if only Django can load it."""
    wanted = _Wanted.of(instances[0], lookup)
    if wanted is None or not wanted.is_new(instances[0]) or not wanted.is_plain():
        return None
    if len(instances) == 1:
        return _loaded_alone(instances[0], wanted)
    return _loaded_together(instances, wanted)


def _point_back(descriptor: Descriptor, instance: Model, rows: list[Model]) -> None:
    """Set the foreign key that led to the rows, so that it needs no query."""
    if type(descriptor) is not ReverseManyToOneDescriptor:
        return
    field = descriptor.field
    if type(static(field.model, field.name)) is ForwardManyToOneDescriptor:
        # The column has the key already.
        cache = cache_name(field)
        for row in rows:
            row._state.fields_cache[cache] = instance
    else:
        for row in rows:
            setattr(row, field.name, instance)


# ---- one parent ----


def _loaded_alone(instance: Model, wanted: _Wanted) -> list[Model] | None:
    """Fetch the queryset of the relation, which keeps it anyway."""
    related: Any = wanted.queryset_of(getattr(instance, wanted.name))
    if not set(fetch_modes(related)) <= {FETCH_ONE}:
        return None
    model = related.model
    names = columns_of_model(model)
    rows = _rows_of_parent(related, names, instance, wanted)
    if rows is None:
        return None
    objects = [*made_of(model, related.db, names, rows)]
    if not _have_its_key(wanted.descriptor, instance, objects):
        return None
    _point_back(wanted.descriptor, instance, objects)
    wanted.keep(instance, objects)
    return objects


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


@dataclass(frozen=True, slots=True)
class _OfParent:
    """The SQL of the rows of one parent, and the condition that names it."""

    origin: Origin
    selection: Selection
    sql: str
    condition: Any
    placeholders: str
    #: A part of the key, by identity.
    relation: object

    def rows(self, parent: object, connection: Any) -> Iterable[Row] | None:
        placeholders, parameters = _compared(self.condition, parent, connection)
        if placeholders != self.placeholders:
            return None
        rows, _ = fetched(connection, self.sql, parameters, self.selection.has_moments)
        return converted(rows, self.selection.columns, connection)


def _rows_of_parent(
    related: Any, names: tuple[str, ...], instance: Model, wanted: _Wanted
) -> Iterable[Row] | None:
    """Return the same as ``_rows_of``, without Django's search for the way to the parent."""
    rows = None
    with suppress(EmptyResultSet):
        rows = _known_rows(related, names, instance, wanted)
    return _rows_of(related, names) if rows is None else rows


def _known_rows(
    related: Any, names: tuple[str, ...], instance: Model, wanted: _Wanted
) -> Iterable[Row] | None:
    negated, others, conditions = related._deferred_filter or (False, (), {})
    order = order_of(related._query)
    if wanted.chosen is not None or order is None or negated or others or len(conditions) != 1:
        return None
    ((name, parent),) = conditions.items()
    if parent is not instance and type(parent) not in _KEYS:
        return None
    if not JOINED.may_be_replaced():
        return None
    connection, relation = connections[related.db], wanted.descriptor.rel
    key = (related.model, "of one parent", names, order, name, id(relation))
    make = partial(_made_of_parent, related, names, parent, connection, relation)
    statement = kept(connection, key, make)
    return None if statement is None else statement.rows(parent, connection)


def _compared(condition: Any, parent: object, connection: Any) -> tuple[str, Row]:
    """Return how the condition compares with another parent."""
    compared = type(condition)(condition.lhs, parent)
    placeholders, parameters = compared.process_rhs(None, connection)
    return placeholders, tuple(parameters)


def _made_of_parent(
    related: Any,
    names: tuple[str, ...],
    parent: object,
    connection: Any,
    relation: object,
    origin: Origin,
) -> _OfParent | None:
    """None if the way to the parent is more than one condition of a column."""
    selection, query = selection_of(related, names, connection), related.query
    if selection is None or len(query.where.children) != 1:
        return None
    condition: Any = query.where.children[0]
    if not compares_column(condition):
        return None
    models = [condition.lhs.target.model, condition.lhs.output_field.model]
    whole = selection.origin.reading(models)
    sql, parameters = selection.statement(query, connection)
    placeholders, sent = _compared(condition, parent, connection)
    if whole is None or sent != parameters:
        return None
    return _OfParent(whole, selection, sql, condition, placeholders, relation)


# ---- many parents ----


def _loaded_together(instances: Sequence[Model], wanted: _Wanted) -> list[Model] | None:
    model: Any = type(instances[0])
    relation, key = by_key(model, wanted.name), model._meta.pk.attname
    parents = {vars(instance).get(key): instance for instance in instances}
    if relation is None or not {*map(type, parents)} <= _KEYS:
        return None
    related = relation.rows(str(instances[0]._state.db), wanted.chosen)
    lists = _by_parent(related.filter(**{f"{relation.lookup}__in": [*parents]}), relation.lookup)
    if lists is None:
        return None
    if not lists.keys() <= parents.keys():
        # The database finds more keys equal than Python does.
        return None
    for parent, rows in lists.items():
        _point_back(wanted.descriptor, parents[parent], rows)
    for instance in instances:
        wanted.keep(instance, lists.get(vars(instance)[key], []))
    return [row for rows in lists.values() for row in rows]


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
