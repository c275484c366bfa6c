"""Load what a plan reads from the instances of a list: one query per relation.

A plan names the relations that will be read. Before a list of instances is read, those not
yet loaded are fetched for all instances together. Afterwards the instances are as if they had been
read one by one: related objects stay loaded, to-many relations are unloaded again. If code of the
project writes while the list is read, all of it is dropped, and the rest is read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from django.db import connections
from django.db.models import Model

from lintel.fast.backends import writes_itself
from lintel.fast.compiler.access import ModelAccess, access_for
from lintel.fast.compiler.loadables import Loadable
from lintel.fast.compiler.plan import FieldPlan, SerializerPlan
from lintel.fast.compiler.reads import add_declared
from lintel.fast.originals import MANY
from lintel.fast.pages import MANY_KEYS
from lintel.fast.prefetched import PREFETCHED, are_rows, drop, rows_in
from lintel.fast.prefetching import prefetch
from lintel.fast.relations import Attributes, always_finds, cache_name
from lintel.fast.vocabulary import is_routed
from lintel.fast.watching import watching
from lintel.settings import NEVER, RAISE, api_settings
from lintel.trust.store import Store

#: Kinds of to-one relations that read more than the key column.
_OF_ROWS = ("string_related", "slug_related")


@dataclass(frozen=True, slots=True)
class ModelRelations:
    """The relations that are read from instances of one model.

    ``deep``: those that lead to many objects which have relations themselves. ``attributes``:
    what all this was derived from.
    """

    all: dict[str, Loadable]
    deep: dict[str, Loadable]
    attributes: Attributes


@dataclass(slots=True)
class Loading:
    """The relations that one serializer plan reads, by model of the instances."""

    plan: SerializerPlan
    by_model: Store[type[Model], ModelRelations] = field(default_factory=Store)
    #: Whether a field reads relations of related objects.
    reaches_further: bool = field(init=False)

    def __post_init__(self) -> None:
        self.reaches_further = any(
            plan.nested is not None or plan.reads or _slugs(plan) or _slugs(plan.child)
            for plan in self.plan.fields
        )

    def relations(self, model: type[Model]) -> ModelRelations:
        result = self.by_model.get(model)
        if result is None or not result.attributes.still_holds():
            attributes = Attributes()
            relations = _relations(self.plan, model, attributes)
            deep = {name: relation for name, relation in relations.items() if _is_deep(relation)}
            result = ModelRelations(relations, deep, attributes)
            self.by_model.keep(model, result)
        return result

    def load(self, instances: Sequence[Model]) -> Callable[[], None]:
        """Return a function that unloads the to-many relations again."""
        if not instances or api_settings.AUTO_FETCH == NEVER:
            return _nothing
        model = type(instances[0])
        relations = self.relations(model).all
        return _load(instances, model, relations) if relations else _nothing

    def load_one(self, instance: Model) -> Callable[[], None] | None:
        """Do the same for one instance, where only rows behind its lists can be read together."""
        if not self.reaches_further or api_settings.AUTO_FETCH == NEVER:
            return None
        relations = self.relations(type(instance)).deep
        return _load([instance], type(instance), relations) if relations else None


def _nothing() -> None:
    """Do nothing, because nothing was loaded."""


# ---- the relations that are read ----


def _relations(
    plan: SerializerPlan, model: type[Model], attributes: Attributes
) -> dict[str, Loadable]:
    relations: dict[str, Loadable] = {}
    access = access_for(model)
    if isinstance(access, ModelAccess):
        access.attributes = attributes
        for inner in plan.fields:
            if not inner.write_only:
                _add(relations, access, inner)
    return relations


def _add(relations: dict[str, Loadable], access: ModelAccess, plan: FieldPlan) -> None:
    kind, how, path = plan.reading_kind, plan.access_kind, plan.source_attrs
    for declared in plan.reads:
        add_declared(relations, access.model, declared, access.attributes)
    if how == "many_related" or (how == "attribute" and kind == "list_serializer"):
        many = access.to_many(*path)
        if many is None:
            return
        to_many = Loadable(path[0], many.attname, "", many.model)
        relation: Loadable | None = relations.setdefault(path[0], to_many)
    elif how == "attribute" or (how == "related" and kind in _OF_ROWS):
        relation = _add_path(relations, access.model, path, access.attributes)
    else:
        return
    if relation is None:
        return
    slugs = _slugs(plan.child if how == "many_related" else plan)
    if slugs:
        _add_path(relation.inside, relation.model, slugs, access.attributes)
    elif plan.nested is not None:
        _merge(relation.inside, _relations(plan.nested, relation.model, access.attributes))


def _slugs(plan: FieldPlan | None) -> tuple[str, ...]:
    if plan is None or plan.reading_kind != "slug_related":
        return ()
    return tuple(plan.option("slug_field").split("__")[:-1])


def _add_path(
    relations: dict[str, Loadable],
    model: type[Model],
    path: tuple[str, ...],
    attributes: Attributes,
) -> Loadable | None:
    relation = None
    for name in path:
        access = access_for(model)
        key = None
        if isinstance(access, ModelAccess):
            access.attributes = attributes
            key = access.foreign_key(name)
        if key is None or key.remote_field.parent_link or not always_finds(key):
            # These relations are read already. A parent needs no query, and a row missing from
            # the database raises an error of its own.
            return None
        model = key.related_model
        relation = relations.setdefault(name, Loadable(name, cache_name(key), key.attname, model))
        relations = relation.inside
    return relation


def _merge(relations: dict[str, Loadable], others: dict[str, Loadable]) -> None:
    for name, other in others.items():
        if name in relations:
            _merge(relations[name].inside, other.inside)
        else:
            relations[name] = other


def _is_deep(relation: Loadable) -> bool:
    to_many = not relation.column and bool(relation.inside)
    return to_many or any(map(_is_deep, relation.inside.values()))


# ---- loading ----


def _load(
    instances: Sequence[Model], model: type[Model], relations: dict[str, Loadable]
) -> Callable[[], None]:
    """Load relations of instances that come from one database, without asking a router."""
    loader = Loader(alone=api_settings.AUTO_FETCH == RAISE)
    loader.load([instance for instance in instances if type(instance) is model], relations)
    return loader.watched() if loader.filled else _nothing


@dataclass(slots=True)
class Loader:
    """Loads relations, and records which caches it filled, with which objects."""

    filled: list[tuple[dict[str, object], Loadable, object]] = field(default_factory=list)
    #: Whether a relation is loaded for one object as well, where it saves no query.
    alone: bool = False

    def load(self, instances: list[Model], relations: dict[str, Loadable]) -> None:
        for relation in relations.values():
            missing = relation.missing(instances)
            if len(missing) > 1 or (missing and (relation.inside or self.alone)):
                self._fill(missing, relation)
            if relation.inside:
                self.load(relation.objects(instances), relation.inside)

    def _fill(self, missing: list[Model], relation: Loadable) -> None:
        databases = {instance._state.db for instance in missing}
        if len(databases) != 1 or is_routed() or not MANY.may_be_replaced():
            return
        if not relation.may_be_loaded(missing):
            return
        database = databases.pop()
        if database and not writes_itself(connections[database]):
            return
        limit = connections[database].features.max_query_params if database else None
        # In batches, because databases limit the parameters of a query.
        step = (limit or MANY_KEYS) // 2
        for start in range(0, len(missing), step):
            prefetch(missing[start : start + step], [relation.name])
        for instance in missing:
            state = instance.__dict__
            cache = instance._state.fields_cache if relation.column else state[PREFETCHED]
            self.filled.append((cache, relation, rows_in(cache, relation.cache)))

    def watched(self) -> Callable[[], None]:
        """Begin to notice what makes the objects outdated; return the function for the end."""
        stack = ExitStack()
        stack.callback(self.unload)
        stack.enter_context(watching(self.drop))
        return stack.close

    def unload(self) -> None:
        for caches, relation, _ in self.filled:
            if not relation.column:
                drop(caches, relation.cache)

    def drop(self) -> None:
        """Clear all caches with what was loaded, so that the next reading is a query."""
        filled, self.filled = self.filled, []
        for caches, relation, loaded in filled:
            if are_rows(rows_in(caches, relation.cache), loaded):
                drop(caches, relation.cache)
