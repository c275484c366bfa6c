"""Copies of fields: each serializer gets its own, and changes to one do not affect another.

``copy.deepcopy(field)`` makes a field anew from its arguments. A field made and bound only by
this package may be copied attribute by attribute instead, which is ten times as fast.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import LazyObject

from lintel.fast.compiler.options import is_computed
from lintel.fast.compiler.protocols import AnyField
from lintel.fast.tools import lent
from lintel.provenance import package_of

#: The name of an attribute, and what copies its value.
Copier = tuple[str, Callable[[Any], object]]

# Immutable values, which two fields may share, and so may containers of them.
_PLAIN = frozenset({type(None), bool, int, float, str})
_SHARED = _PLAIN | {complex, bytes, type, tuple, frozenset, FunctionType, range}

# Attributes that cache a result of the first use, and mutable ones.
_OWNED = (list, dict, set, QuerySet, LazyObject)

# Objects of the project are copied like their arguments; those of other packages are shared.
_SHARED_PACKAGES = frozenset(
    {"django", "lintel", "datetime", "zoneinfo", "decimal", "re", "uuid", "json", "builtins"}
)


def clone(field: AnyField) -> AnyField:
    """Return a copy of a field that is not bound yet."""
    recipe = Recipe.of(field)
    return copy.deepcopy(field) if recipe is None else recipe.make(None)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to copy a field: shared attributes, own attributes, fields inside."""

    kind: type
    state: dict[str, object]
    copied: list[Copier]
    members: list[tuple[str, Recipe]]

    @classmethod
    def of(cls, field: AnyField) -> Recipe | None:
        """Return the recipe for copies of a field.

        None if its class or that of a field inside has its own rules for fields or copies, or if a
        serializer has made fields for itself.
        """
        state = {name: value for name, value in field.__dict__.items() if name != "parent"}
        if is_computed(type(field)) or {"fields", "_lintel_fields"} & state.keys():
            return None
        members = {name: cls.of(member) for name, member in members_of(field).items()}
        known = [(name, recipe) for name, recipe in members.items() if recipe is not None]
        copied = [
            _copier(name, value)
            for name, value in state.items()
            if type(value) not in _SHARED and name != "_kwargs" and name not in members
        ]
        return cls(type(field), state, copied, known) if len(known) == len(members) else None

    def make(self, parent: AnyField) -> AnyField:
        field: AnyField = object.__new__(self.kind)
        state = field.__dict__
        state.update(self.state)
        for name, copied in self.copied:
            state[name] = copied(state[name])
        for name, member in self.members:
            state[name] = member.make(field)
        state["parent"] = parent
        return field


def members_of(field: AnyField) -> dict[str, AnyField]:
    """Return the fields that copies of a field make anew, such as the child of a list."""
    base = lent().field
    state = field.__dict__.items()
    # By the class itself, because isinstance would evaluate a lazy object.
    return {
        name: value for name, value in state if name != "parent" and issubclass(type(value), base)
    }


def _copier(name: str, value: Any) -> Copier:
    if type(value) is list and _PLAIN.issuperset(map(type, value)):
        return name, list.copy
    if type(value) is dict and _PLAIN.issuperset(map(type, value.values())):
        return name, dict.copy
    return name, _COPIERS.get(name, _copied)


def _copied(value: object) -> object:
    kind = type(value)
    is_shared = not issubclass(kind, _OWNED) and package_of(kind) in _SHARED_PACKAGES
    return value if is_shared else copy.deepcopy(value)


def _copied_groups(groups: dict[object, object]) -> dict[object, object]:
    return {key: dict(value) if type(value) is dict else value for key, value in groups.items()}


def _copied_default(value: object) -> object:
    return value if type(value) in lent().shared_defaults else copy.deepcopy(value)


# Attributes copied shallowly: their members are shared by contract, or never changed.
_COPIERS: dict[str, Callable[[Any], object]] = {
    "_validators": list,
    "_error_messages": dict,
    "default": _copied_default,
    "default_empty_html": _copied_default,
    # A field may have thousands of choices: only the assignable levels are copied.
    "_choices": dict,
    "choice_strings_to_values": dict,
    "grouped_choices": _copied_groups,
    # Classes and functions, and the model's own field.
    "model_field": lambda value: value,
    "reverse": lambda value: value,
}
