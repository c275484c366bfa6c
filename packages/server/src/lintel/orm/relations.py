"""What the descriptors of a model lead to: columns, related rows and the way back from them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import models
from django.db.models import query_utils
from django.db.models.base import ModelState
from django.db.models.fields import related_descriptors

from lintel.orm.versions import is_known
from lintel.orm.vocabulary import (
    hands_out_all,
    has_plain_methods,
    is_plain_manager,
    is_plain_query,
)

#: Descriptors whose attribute holds exactly what the row has.
COLUMNS = (query_utils.DeferredAttribute, related_descriptors.ForeignKeyDeferredAttribute)
TO_ONE = (
    related_descriptors.ForwardManyToOneDescriptor,
    related_descriptors.ForwardOneToOneDescriptor,
)
TO_MANY = (
    related_descriptors.ManyToManyDescriptor,
    related_descriptors.ReverseManyToOneDescriptor,
)


class Attributes:
    """Attributes of models that something was made from: whether they are still the same."""

    __slots__ = ("_found", "_looks", "_sizes")

    def __init__(self) -> None:
        #: For each class that holds some, what was found in it under which names.
        self._found: dict[Any, dict[str, Any]] = {}
        #: How much the classes held that could hide them.
        self._sizes: dict[Any, int] = {}
        self._looks: list[_Look] | None = None

    def note(self, model: Any, name: str) -> None:
        """Something is made from the descriptor of Django that the class has under this name."""
        for owner in model.__mro__:
            held = vars(owner)
            self._sizes.setdefault(owner, len(held))
            if name in held:
                self._found.setdefault(owner, {})[name] = held[name]
                break
        self._looks = None

    def are_current(self) -> bool:
        """Tell whether all of them are unchanged, without running a descriptor."""
        looks = self._looks
        if looks is None:
            looks = self._looks = list(self._make_looks())
        try:
            for held, size, find, then in looks:
                if len(held) != size or find(held) != then:
                    return False
        except KeyError:
            return False
        return True

    def _make_looks(self) -> Iterator[_Look]:
        for owner, size in self._sizes.items():
            found = self._found.get(owner)
            if found is None:
                yield vars(owner), size, len, size
            else:
                values = tuple(found.values())
                yield vars(owner), size, itemgetter(*found), values if values[1:] else values[0]


#: What a class holds, how much that is, how the attributes are found in it, and what they were.
_Look = tuple[Mapping[str, Any], int, Callable[[Any], Any], Any]


def is_column(model: Any, name: str) -> bool:
    """Return whether an attribute of instances holds exactly what the row has."""
    return is_known() and type(inspect.getattr_static(model, name, None)) in COLUMNS


def has_usual_key(model: Any) -> bool:
    """Return whether ``pk`` is what Django makes of it."""
    return is_known() and inspect.getattr_static(model, "pk", None) is models.Model.pk


def to_one(model: Any, name: str) -> Any:
    """Return the foreign key behind a to-one relation with Django's own descriptor, or None."""
    descriptor = inspect.getattr_static(model, name, None)
    return descriptor.field if is_known() and type(descriptor) in TO_ONE else None


def to_many(model: Any, name: str) -> Any:
    """Django's own descriptor of a to-many relation; else None."""
    descriptor = inspect.getattr_static(model, name, None)
    return descriptor if is_known() and type(descriptor) in TO_MANY else None


def cache_name(relation: Any) -> str:
    """Return the name under which instances keep what is behind a relation."""
    # Django 5.1 made a property of what was a method.
    name: str | None = getattr(relation, "cache_name", None)
    return relation.get_cache_name() if name is None else name


def behind(descriptor: Any) -> tuple[Any, str]:
    """Return the model that a to-many relation leads to, and the name of its prefetch cache."""
    rel = descriptor.rel
    if type(descriptor) is related_descriptors.ReverseManyToOneDescriptor:
        return rel.related_model, cache_name(rel)
    if descriptor.reverse:
        return rel.related_model, rel.field.related_query_name()
    return rel.model, rel.field.name


def is_found_plainly(model: Any) -> bool:
    """Return whether all rows of a model are found by its relations to one row."""
    return is_plain_manager(model._base_manager) and has_plain_methods(
        model._base_manager._queryset_class
    )


def may_load_together(parents: Sequence[Any], name: str, related: Any) -> bool:
    """Return whether one query finds the related rows of all parents as one query each would.

    A manager of the project may look at its parent, or join the table of the relation itself.
    """
    manager = related._default_manager
    if is_plain_manager(manager) and has_plain_methods(manager._queryset_class):
        return True
    descriptor = to_many(type(parents[0]), name)
    if descriptor is None:
        return False
    first = _made_by(manager, getattr(parents[0], name))
    if first is None or not _takes_parents(first.query, descriptor):
        return False
    return _are_alike(manager, getattr(parents[0], name), getattr(parents[-1], name))


def _made_by(manager: Any, owner: Any) -> Any:
    """What a manager's own ``get_queryset()`` makes for a manager of a relation; None for more."""
    made = type(manager).get_queryset(owner)
    is_plain = isinstance(made, models.QuerySet) and has_plain_methods(type(made))
    return made if is_plain else None


def _are_alike(manager: Any, first: Any, second: Any) -> bool:
    """Whether a manager finds the same rows whether asked through the one or the other.

    Conditions may hold the time of the day: those that differ even for the same one are compared
    as text.
    """
    one, again, other = (_made_by(manager, owner) for owner in (first, first, second))
    if one is None or again is None or other is None:
        return False
    if one.query.where == again.query.where:
        return bool(one.query.where == other.query.where)
    try:
        return bool(one.query.sql_with_params()[0] == other.query.sql_with_params()[0])
    except EmptyResultSet:
        return False


def _takes_parents(query: Any, descriptor: Any) -> bool:
    if type(descriptor) is not related_descriptors.ManyToManyDescriptor:
        return is_plain_query(query) and not query.is_sliced
    joined = {join.table_name for join in query.alias_map.values()}
    rel: Any = descriptor.rel
    through = rel.through._meta.db_table
    return is_plain_query(query) and not query.is_sliced and through not in joined


@dataclass(frozen=True, slots=True)
class ToMany:
    """A to-many relation as a query of its own: the model, and the lookup back to the parent."""

    model: Any
    lookup: str
    #: Whether the way back goes through a table of its own.
    is_joined: bool
    parent: Any
    name: str

    def is_blind(self) -> bool:
        """Tell whether the manager of the related rows does not look at the parent they are for."""
        manager = self.model._default_manager
        if is_plain_manager(manager):
            return True
        try:
            return _are_alike(manager, manager, getattr(_stand_in(self.parent), self.name))
        except Exception:  # a stand-in has no more than a key
            return False

    def rows(self, queryset: Any) -> Any:
        """What the relation of an instance starts from, in the database of ``queryset``."""
        return self.model._default_manager.using(queryset.db)


def by_key(model: Any, name: str) -> ToMany | None:
    """Return a to-many relation whose rows point to the key of ``model``.

    None where it is in doubt.
    """
    descriptor = to_many(model, name)
    found = None if descriptor is None else _WAYS_BACK[type(descriptor)](descriptor)
    if found is None:
        return None
    related, lookup, target = found
    is_certain = target is model._meta.pk and hands_out_all(related._default_manager)
    is_joined = type(descriptor) is related_descriptors.ManyToManyDescriptor
    return ToMany(related, lookup, is_joined, model, name) if is_certain else None


def _stand_in(model: Any) -> Any:
    """An instance that has a key, and None in all other columns."""
    made = object.__new__(model)
    made.__dict__.update({field.attname: None for field in model._meta.concrete_fields})
    made.__dict__.update({model._meta.pk.attname: 0, "_state": ModelState()})
    return made


def _many_to_many(descriptor: Any) -> tuple[Any, str, Any] | None:
    """The related model, the lookup back, and the column of the parent that the rows point to."""
    rel = descriptor.rel
    if not rel.through._meta.auto_created:
        # A table of the project's own may point to other columns than the keys.
        return None
    if descriptor.reverse:
        return rel.related_model, rel.field.name, rel.model._meta.pk
    return rel.model, rel.field.related_query_name(), rel.related_model._meta.pk


def _reverse(descriptor: Any) -> tuple[Any, str, Any] | None:
    return descriptor.rel.related_model, descriptor.field.name, descriptor.field.target_field


_WAYS_BACK: dict[type, Callable[[Any], tuple[Any, str, Any] | None]] = {
    related_descriptors.ManyToManyDescriptor: _many_to_many,
    related_descriptors.ReverseManyToOneDescriptor: _reverse,
}
