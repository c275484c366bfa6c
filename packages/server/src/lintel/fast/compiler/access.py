"""How generated text reads one attribute of an instance, and what is known about relations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models

from lintel.fast.originals import DESCRIPTORS
from lintel.fast.relations import Attributes, behind, cache_name, is_column, to_many, to_one
from lintel.fast.vocabulary import hands_out_all
from lintel.overrides import looks_up_plainly
from lintel.trust.source import Source, is_identifier


@dataclass(frozen=True, slots=True)
class Relation:
    """A to-one relation: the related model, and the key column or the prefetch cache name."""

    model: Any
    attname: str


class AttributeAccess:
    """Read objects of any type, by attribute."""

    name = "attributes"
    head: tuple[str, ...] = ()

    def still_holds(self) -> bool:
        return True

    def step(self, source: Source, owner: str, name: str) -> str:
        if is_identifier(name):
            return f"{owner}.{name}"
        read = source.bind("read_attribute", getattr)
        return f"{read}({owner}, {source.bind('attribute_name', name)})"

    def first(self, source: Source, name: str) -> str:
        return self.step(source, "instance", name)

    def is_stored(self, name: str) -> bool:
        """Return whether the instance normally holds the attribute: reading then runs no code."""
        return False

    def to_one(self, *path: str) -> Relation | None:
        return None

    def to_many(self, *path: str) -> Relation | None:
        return None


class ItemAccess(AttributeAccess):
    """Read plain dicts, by key."""

    name = "items"

    def first(self, source: Source, name: str) -> str:
        return f"instance[{key_text(source, name)}]"


class ModelAccess(AttributeAccess):
    """Read instances of exactly one model: columns come straight from ``__dict__``."""

    head: tuple[str] = ("state = instance.__dict__",)

    def __init__(self, model: type[models.Model]) -> None:
        self.model = model
        self.name: str = f"model {model.__module__}.{model.__qualname__}"
        self.attributes: Attributes = Attributes()

    def still_holds(self) -> bool:
        return DESCRIPTORS.may_be_replaced() and self.attributes.still_holds()

    def first(self, source: Source, name: str) -> str:
        if is_column(self.model, name):
            self.attributes.note(self.model, name)
            return f"state[{key_text(source, name)}]"
        relation = to_one(self.model, name)
        if relation is not None:
            self.attributes.note(self.model, name)
            cache = key_text(source, cache_name(relation))
            # Django's descriptor handles relations that are not loaded or None.
            loaded = f'state["_state"].fields_cache.get({cache})'
            return f"{loaded} or {super().first(source, name)}"
        return super().first(source, name)

    def is_stored(self, name: str) -> bool:
        return is_column(self.model, name)

    def foreign_key(self, name: str) -> Any:
        relation = to_one(self.model, name)
        if relation is not None:
            self.attributes.note(self.model, name)
        return relation

    def to_one(self, *path: str) -> Relation | None:
        relation = self.foreign_key(path[0]) if len(path) == 1 else None
        return None if relation is None else Relation(relation.related_model, relation.attname)

    def to_many(self, *path: str) -> Relation | None:
        if len(path) != 1:
            return None
        descriptor = to_many(self.model, path[0])
        if descriptor is None:
            return None
        self.attributes.note(self.model, path[0])
        related, cache = behind(descriptor)
        # A manager with its own all() decides what the relation contains.
        return Relation(related, cache) if hands_out_all(related._default_manager) else None


def access_for(kind: type, specific: bool = True) -> AttributeAccess | None:
    """Return how instances of ``kind`` are read; None for mappings other than plain dicts."""
    if kind is dict:
        return ItemAccess()
    if issubclass(kind, Mapping):
        return None
    if (
        specific
        and DESCRIPTORS.may_be_replaced()
        and issubclass(kind, models.Model)
        and looks_up_plainly(kind)
    ):
        return ModelAccess(kind)
    return AttributeAccess()


def key_text(source: Source, name: str) -> str:
    return f'"{name}"' if is_identifier(name) else source.bind("key", name)
