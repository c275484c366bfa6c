"""Descriptors of a model: columns, related rows and their reverse lookups."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import ForeignKey, Manager, Model, QuerySet, query_utils
from django.db.models.base import ModelState
from django.db.models.fields import related_descriptors
from django.db.models.manager import BaseManager
from django.db.models.sql import Query

from lintel.fast.vocabulary import (
    MANAGING,
    READING,
    Methods,
    hands_out_all,
    is_plain_query,
    is_unfetched,
)
from lintel.overrides import reached
from lintel.trust.originals import is_known, is_of_django
from lintel.trust.store import Store
from lintel.trust.warrants import warrant

#: Descriptors whose attribute holds exactly the value in the row.
COLUMNS = (query_utils.DeferredAttribute, related_descriptors.ForeignKeyDeferredAttribute)
TO_ONE = (
    related_descriptors.ForwardManyToOneDescriptor,
    related_descriptors.ForwardOneToOneDescriptor,
)
TO_MANY = (related_descriptors.ManyToManyDescriptor, related_descriptors.ReverseManyToOneDescriptor)

#: A column or a relation of a model, and what stands for one in the class: Django's or others.
Relation: TypeAlias = Any
Descriptor: TypeAlias = Any


class Attributes:
    """Attributes of models that something was derived from, and whether they are unchanged."""

    __slots__ = ("_found", "still_holds")

    def __init__(self) -> None:
        #: What was found in the namespaces; None for nothing.
        self._found: dict[tuple[type[Model], str], object] = {}
        self.still_holds: Callable[[], bool] = lambda: True

    def note(self, model: type[Model], name: str) -> None:
        self._found[model, name] = reached(model, name)
        self.still_holds = self._first_holds

    def _first_holds(self) -> bool:
        """Make the warrant, before a look at what may have changed since the notes."""
        lookups = [lookup for lookup, held in self._found.items() if held is not None]
        still_holds = warrant(
            "attributes of models", lookups, classes={model for model, _ in self._found}
        )
        is_same = all(reached(*lookup) is held for lookup, held in self._found.items())
        self.still_holds = still_holds if is_same else lambda: False
        return is_same and still_holds()


def static(model: type[Model], name: str) -> Descriptor:
    """None if Django is not known."""
    return inspect.getattr_static(model, name, None) if is_known() else None


def is_column(model: type[Model], name: str) -> bool:
    """Return whether an attribute of instances holds exactly the value in the row."""
    return type(static(model, name)) in COLUMNS


def has_plain_key(model: type[Model]) -> bool:
    return static(model, "pk") is Model.pk


def to_one(model: type[Model], name: str) -> Relation:
    """Return the foreign key behind a to-one relation with Django's own descriptor, or None."""
    descriptor = static(model, name)
    return descriptor.field if type(descriptor) in TO_ONE else None


def always_finds(relation: Relation) -> bool:
    kind: Any = type(relation)
    return (
        issubclass(kind, ForeignKey)
        and is_of_django(kind.get_extra_restriction)
        and relation.db_constraint
        # Django creates no constraints in tables that it does not manage.
        and relation.model._meta.managed
        and relation.related_model._meta.managed
    )


def may_hide_rows(connection: BaseDatabaseWrapper) -> bool:
    """Row security may hide rows that constraints find."""
    return connection.vendor not in ("sqlite", "mysql")


#: Relations on the path to a column.
Path = tuple[str, ...]


def selects_all(
    model: type[Model], selected: object, joined: frozenset[Path] | None, path: Path = ()
) -> bool:
    """Return whether no row is hidden by the joins of ``select_related()`` alone.

    ``selected`` is what a query holds: False, True for all relations, or names in dicts. ``joined``
    are the paths that are joined anyway; None if a constraint is enough.
    """
    if not isinstance(selected, dict):
        return not selected
    return all(
        _selects_all(model, inside, joined, (*path, name)) for name, inside in selected.items()
    )


def _selects_all(
    model: type[Model], inside: object, joined: frozenset[Path] | None, path: Path
) -> bool:
    relation = to_one(model, path[-1])
    if relation is None:
        return False
    # Outer joins hide nothing, and what is joined to them is joined by outer joins.
    if relation.null:
        return True
    return (
        (joined is None or path in joined)
        and always_finds(relation)
        and selects_all(relation.related_model, inside, joined, path)
    )


def to_many(model: type[Model], name: str) -> Descriptor:
    descriptor = static(model, name)
    return descriptor if type(descriptor) in TO_MANY else None


def cache_name(relation: Relation) -> str:
    # Django 5.1 turned a method into a property.
    name: str | None = getattr(relation, "cache_name", None)
    return relation.get_cache_name() if name is None else name


def behind(descriptor: Descriptor) -> tuple[type[Model], str]:
    """Return the related model of a to-many relation, and the name of its prefetch cache."""
    rel = descriptor.rel
    if type(descriptor) is related_descriptors.ReverseManyToOneDescriptor:
        return rel.related_model, cache_name(rel)
    if descriptor.reverse:
        return rel.related_model, rel.field.related_query_name()
    return rel.model, rel.field.name


def finds_all(manager: Any) -> bool:
    """Return whether no row is hidden by a manager: a model's base one finds those of relations."""
    return (
        is_known()
        and issubclass(type(manager), BaseManager)
        and MANAGING.are_of_django_on(manager)
        and READING.are_of_django(manager._queryset_class)
    )


def may_load_together(parents: Sequence[Model], name: str, related: type[Model]) -> bool:
    """Return whether one query for all parents finds the same related rows as one per parent.

    A manager of the project may inspect its parent, or join the table of the relation itself.
    """
    manager = related._default_manager
    if finds_all(manager):
        return True
    descriptor = to_many(type(parents[0]), name)
    if descriptor is None:
        return False
    made = made_blindly(manager, getattr(parents[0], name))
    return made is not None and _takes_parents(made.query, descriptor)


_LOOKED = "_lintel_looked"


class _Watching:
    """A manager of a relation that notes whether its code looks at what the relation gave it."""

    def __getattribute__(self, name: str) -> object:
        held = super().__getattribute__("__dict__")
        if name in held[_LOOKED][0]:
            held[_LOOKED][1].append(name)
        return super().__getattribute__(name)


#: By the class of the manager of a relation.
_watching: Store[type, type] = Store()


def _watched(owner: Manager, names: set[str], looked: list[str]) -> Manager:
    kind = type(owner)
    cls = _watching.get(kind)
    if cls is None:
        cls = type(kind.__name__, (_Watching, kind), {})
        _watching.keep(kind, cls)
    made: Manager = object.__new__(cls)
    object.__getattribute__(made, "__dict__").update(vars(owner), **{_LOOKED: (names, looked)})
    return made


def made_blindly(manager: Manager, owner: Manager) -> QuerySet[Any] | None:
    """Return the plain queryset that a manager's own ``get_queryset()`` makes for a relation.

    None if it is not plain, or if it looks at the parent or anything else that only the manager of
    a relation has: it would be another queryset for other parents.
    """
    looked: list[str] = []
    names = {"__dict__", *(vars(owner).keys() - vars(manager).keys())}
    made = type(manager).get_queryset(_watched(owner, names, looked))
    return made if is_unfetched(made) and not looked else None


def _takes_parents(query: Query, descriptor: Descriptor) -> bool:
    through = getattr(descriptor.rel, "through", None)
    joined = {join.table_name for join in query.alias_map.values()}
    is_joined = through is not None and through._meta.db_table in joined
    return is_plain_query(query) and not query.is_sliced and not is_joined


#: What the manager of a relation adds to that of the related model.
_FINDING = ("__init__", "_apply_rel_filters", "get_queryset", "get_prefetch_querysets")
_RELATING: dict[type, Methods] = {
    related_descriptors.ManyToManyDescriptor: Methods(*_FINDING, "get_prefetch_cache"),
    related_descriptors.ReverseManyToOneDescriptor: Methods(*_FINDING),
}


def relates_plainly(descriptor: Descriptor) -> bool:
    """Return whether the manager of a to-many relation finds its rows as Django's own does."""
    return _RELATING[type(descriptor)].are_of_django(descriptor.related_manager_cls)


@dataclass(frozen=True, slots=True)
class ToMany:
    """A to-many relation as a separate query: the model, and the reverse lookup to the parent."""

    model: type[Model]
    lookup: str
    #: Whether the reverse lookup goes through a table of its own.
    is_joined: bool
    parent: type[Model]
    name: str
    descriptor: Descriptor

    def is_blind(self) -> bool:
        """Return whether the manager of the related rows does not inspect their parent."""
        if not relates_plainly(self.descriptor):
            return False
        manager = self.model._default_manager
        if finds_all(manager):
            return True
        try:
            return made_blindly(manager, getattr(_stand_in(self.parent), self.name)) is not None
        except Exception:  # a stand-in has only a key
            return False

    def rows(self, database: str, chosen: Any = None) -> QuerySet[Any]:
        """Return all related rows, or those of a queryset that is ``chosen`` in place of all."""
        queryset: QuerySet[Any]
        if chosen is None:
            # A relation of Django asks its manager for no more than the queryset.
            queryset = self.model._default_manager.get_queryset().using(database)
        else:
            queryset = chosen.using(chosen._db or database)
        return queryset


def by_key(model: type[Model], name: str) -> ToMany | None:
    """Return a to-many relation whose rows surely point to the key of ``model``, else None."""
    descriptor = to_many(model, name)
    way = None if descriptor is None else _way_back(descriptor)
    if way is None:
        return None
    related, lookup, target = way
    is_joined = type(descriptor) is related_descriptors.ManyToManyDescriptor
    is_key = target is model._meta.pk
    return ToMany(related, lookup, is_joined, model, name, descriptor) if is_key else None


def shown_by_key(model: type[Model], name: str) -> ToMany | None:
    """Return the same if ``all()`` of the manager is that of Django, else None."""
    relation = by_key(model, name)
    is_plain = relation is not None and hands_out_all(relation.model._default_manager)
    return relation if is_plain else None


def _stand_in(model: type[Model]) -> Model:
    made = object.__new__(model)
    made.__dict__.update({field.attname: None for field in model._meta.concrete_fields})
    made.__dict__.update({model._meta.pk.attname: 0, "_state": ModelState()})
    return made


def _way_back(descriptor: Descriptor) -> tuple[type[Model], str, Relation] | None:
    rel = descriptor.rel
    if type(descriptor) is related_descriptors.ReverseManyToOneDescriptor:
        return rel.related_model, rel.field.name, rel.field.target_field
    if not rel.through._meta.auto_created:
        # An explicit table may refer to columns other than the keys.
        return None
    if descriptor.reverse:
        return rel.related_model, rel.field.name, rel.model._meta.pk
    return rel.model, rel.field.related_query_name(), rel.related_model._meta.pk
