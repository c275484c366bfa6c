"""How one attribute of an instance is read: as text, and what is certain about relations."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import query_utils
from django.db.models.fields import related_descriptors

from lintel.compiler import runtime
from lintel.compiler.source import Source, is_plain_name

COLUMNS = (query_utils.DeferredAttribute, related_descriptors.ForeignKeyDeferredAttribute)
TO_ONE = (
    related_descriptors.ForwardManyToOneDescriptor,
    related_descriptors.ForwardOneToOneDescriptor,
)
TO_MANY = (
    related_descriptors.ManyToManyDescriptor,
    related_descriptors.ReverseManyToOneDescriptor,
)


@dataclass(frozen=True, slots=True)
class Relation:
    """The related model; the column of the key, or the name of the prefetch cache."""

    model: Any
    attname: str


class AttributeAccess:
    """Any object: attributes."""

    name = "attributes"
    head: tuple[str, ...] = ()

    def step(self, source: Source, owner: str, name: str) -> str:
        """The expression that reads one attribute."""
        if is_plain_name(name):
            return f"{owner}.{name}"
        return f"{_getattr(source)}({owner}, {source.bind('attribute_name', name)})"

    def first(self, source: Source, name: str) -> str:
        return self.step(source, "instance", name)

    def to_one(self, *path: str) -> Relation | None:
        """The to-one relation that a source leads to, if that is certain."""
        return None

    def to_many(self, *path: str) -> Relation | None:
        """The to-many relation that a source leads to, if that is certain."""
        return None


class ItemAccess(AttributeAccess):
    """Plain dicts: keys."""

    name = "items"

    def first(self, source: Source, name: str) -> str:
        return f"instance[{key_text(source, name)}]"


class ModelAccess(AttributeAccess):
    """Instances of exactly one model: columns straight from the state of the instance."""

    head = ("state = instance.__dict__",)

    def __init__(self, model: type[models.Model]) -> None:
        self.model = model
        self.name = f"model {model.__module__}.{model.__qualname__}"

    def _descriptor(self, name: str) -> Any:
        return inspect.getattr_static(self.model, name, None)

    def first(self, source: Source, name: str) -> str:
        descriptor = self._descriptor(name)
        if type(descriptor) in COLUMNS:
            return f"state[{key_text(source, name)}]"
        if type(descriptor) in TO_ONE:
            cache = key_text(source, cache_name(descriptor.field))
            # A relation that is not loaded, or None, is left to the descriptor of Django.
            loaded = f'state["_state"].fields_cache.get({cache})'
            return f"{loaded} or {super().first(source, name)}"
        return super().first(source, name)

    def foreign_key(self, name: str) -> Any:
        """The field behind a to-one relation that has a descriptor of Django; else None."""
        descriptor = self._descriptor(name)
        return descriptor.field if type(descriptor) in TO_ONE else None

    def to_one(self, *path: str) -> Relation | None:
        found = self.foreign_key(path[0]) if len(path) == 1 else None
        return None if found is None else Relation(found.related_model, found.attname)

    def to_many(self, *path: str) -> Relation | None:
        descriptor = self._descriptor(path[0]) if len(path) == 1 else None
        if type(descriptor) not in TO_MANY:
            return None
        related, cache = _behind(descriptor)
        # A manager with an all() of its own has the last word about what is in the relation.
        if type(related._default_manager).all is not models.Manager.all:
            return None
        return Relation(related, cache)


def _behind(descriptor: Any) -> tuple[Any, str]:
    """The model that a to-many relation leads to, and the name of its prefetch cache."""
    rel = descriptor.rel
    if type(descriptor) is related_descriptors.ReverseManyToOneDescriptor:
        return rel.related_model, cache_name(rel)
    if descriptor.reverse:
        return rel.related_model, rel.field.related_query_name()
    return rel.model, rel.field.name


def cache_name(relation: Any) -> str:
    """The name under which instances keep what is behind a relation."""
    # Django 5.1 made a property of what was a method.
    name: str | None = getattr(relation, "cache_name", None)
    return relation.get_cache_name() if name is None else name


def access_for(kind: type, specific: bool = True) -> AttributeAccess | None:
    """How instances of ``kind`` are read; None for mappings that are not plain dicts."""
    if kind is dict:
        return ItemAccess()
    if runtime.is_mapping(kind):
        return None
    plain_lookup = getattr(kind, "__getattribute__", None) is object.__getattribute__
    if specific and issubclass(kind, models.Model) and plain_lookup:
        return ModelAccess(kind)
    return AttributeAccess()


def _getattr(source: Source) -> str:
    return source.bind("read_attribute", getattr)


def key_text(source: Source, name: str) -> str:
    """A name as text: in quotes if it is a plain identifier, else bound."""
    return f'"{name}"' if is_plain_name(name) else source.bind("key", name)
