"""Template fields: the fields of a serializer class, which each serializer copies.

``copy.deepcopy(field)`` makes a field anew from its arguments. A field made and bound only by
this package may be copied attribute by attribute instead, which is ten times as fast.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any
from weakref import ref

from django.db.models import QuerySet
from django.utils.functional import LazyObject

from lintel.fast import tools
from lintel.fast.compiler.options import is_computed, is_computed_field
from lintel.fast.compiler.protocols import AnyField, Fields
from lintel.fast.compiler.validator_expressions import CHECKS
from lintel.overrides import package_of

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
        """None if a class has rules of its own, or a serializer has made fields for itself."""
        state = {name: value for name, value in field.__dict__.items() if name != "parent"}
        if is_computed(type(field)) or {"fields", "_lintel_fields"} & state.keys():
            return None
        members = {name: cls.of(member) for name, member in inside(field).items()}
        recipes = [(name, recipe) for name, recipe in members.items() if recipe is not None]
        copied = [
            _copier(name, value)
            for name, value in state.items()
            if type(value) not in _SHARED and name != "_kwargs" and name not in members
        ]
        return cls(type(field), state, copied, recipes) if len(recipes) == len(members) else None

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


def inside(field: AnyField) -> dict[str, AnyField]:
    """Return the fields inside a field that its copies make anew, such as the child of a list."""
    base = tools.lent.field
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
    return value if type(value) in tools.lent.shared_defaults else copy.deepcopy(value)


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


class Template:
    """One field of a class, and how it is copied; the project makes a ``computed`` one anew."""

    __slots__ = ("_unbound", "computed", "field", "name", "recipe")

    def __init__(self, name: str, field: AnyField) -> None:
        self.name: str = name
        self.field: AnyField = field
        self.recipe: Recipe | None = None
        self.computed: bool = is_computed_field(field)
        #: How to copy the field as ``get_fields()`` returns it; made on first use.
        self._unbound: Recipe | None = None
        # bind() of this package depends only on the name; it rejects a source that repeats
        # the name, in a message with the serializer's name, so only make() may call it then.
        if not self.computed and field.source != name:
            bound = clone(field)
            bound.bind(field_name=name, parent=None)
            self.recipe = Recipe.of(bound)

    def make(self, serializer: AnyField) -> AnyField:
        if self.recipe is not None:
            return self.recipe.make(serializer)
        field = copy.deepcopy(self.field) if self.computed else clone(self.field)
        field.bind(field_name=self.name, parent=serializer)
        return field

    def draft(self) -> AnyField:
        """Return a copy that is not bound yet."""
        if self.computed:
            return copy.deepcopy(self.field)
        if self._unbound is None:
            self._unbound = Recipe.of(self.field)
        return copy.deepcopy(self.field) if self._unbound is None else self._unbound.make(None)


#: Attributes that are set when a field is used, or do not affect its output.
_NOTED = frozenset({"parent", "_validators", "_lintel_validators", "_error_messages", "queryset"})


def _is_unchanged(field: object, recipe: Recipe | None) -> bool:
    if recipe is None or type(field) is not recipe.kind:
        return False
    state, made = field.__dict__, recipe.state
    if not state.keys() - _NOTED <= made.keys():
        return False
    copied = {name for name, _copy in recipe.copied}
    inside = dict(recipe.members)
    return all(_is_unchanged(state.get(name), member) for name, member in inside.items()) and all(
        state.get(name) is value
        or ((name in copied or type(value) in _PLAIN) and _are_equal(state.get(name), value))
        for name, value in made.items()
        if name not in inside and name not in _NOTED
    )


def _are_equal(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def watch(serializer: AnyField) -> Callable[[], bool]:
    """Return a function that returns whether a selection of fields may have changed since."""
    fields = serializer.fields
    taken, now = fields._lintel_taken, fields.fields
    # Nobody holds the others, until they are taken again.
    taken.intersection_update(_held_elsewhere(serializer, now))
    count = len(taken)
    taken_fields = [(name, field, _flags(field)) for name, field in now.items() if name in taken]
    if not taken_fields:
        return lambda: len(taken) != count
    return lambda: (
        len(taken) != count
        or any(
            now.get(name) is not field or _flags(field) != then
            for name, field, then in taken_fields
        )
    )


#: What ``sys.getrefcount`` says of an object to which only one container refers.
_ALONE = next(map(sys.getrefcount, {"": object()}.values()))


def _held_elsewhere(serializer: AnyField, fields: Fields) -> set[str]:
    """Return the names of fields to which more than their serializer refers."""
    # Before any name here refers to a field.
    counts = [*map(sys.getrefcount, fields.values())]
    stored = serializer._lintel_fields
    holders = [stored, stored.drafts or {}]
    return {
        name
        for (name, field), count in zip(fields.items(), counts, strict=True)
        if _is_held(field, count - sum(held.get(name) is field for held in holders))
    }


def _is_held(field: AnyField, count: int) -> bool:
    members = inside(field)
    counts = [*map(sys.getrefcount, members.values())]
    # A member refers to what it is inside of, and ``members`` to it.
    return count - len(members) > _ALONE or any(
        _is_held(member, count - 1) for member, count in zip(members.values(), counts, strict=True)
    )


def _flags(field: AnyField) -> dict[str, object]:
    return {
        name: value.copy() if type(value) in (list, dict) else value
        for name, value in field.__dict__.items()
        if not name.startswith("_")
    }


class OwnFields(dict[str, AnyField]):
    """The fields of one serializer, each made from its template on first access.

    The serializer refers to it, but not the reverse: as long as no field is made, serializers
    with their data are freed at once without the garbage collector.
    """

    __slots__ = ("drafts", "live", "owner", "templates")

    def __init__(self, serializer: AnyField, templates: Mapping[str, Template]) -> None:
        self.owner: ref[AnyField] = ref(serializer)
        self.templates: Mapping[str, Template] = templates
        #: What the project's ``get_fields()`` was given, which decides the fields then.
        self.drafts: OwnFields | None = None
        #: How objects are read while a list is.
        self.live: Any = None

    def __missing__(self, name: str) -> AnyField:
        serializer = self.owner()
        if serializer is None:
            raise KeyError(name)
        template = self.templates.get(name)
        # Without templates the serializer makes its own fields, all at once.
        field = serializer.fields[name] if template is None else template.make(serializer)
        self[name] = field
        return field

    def __reduce__(self) -> tuple[object, ...]:
        return OwnFields, (self.owner(), self.templates), None, None, iter(self.items())

    def all(self) -> dict[str, AnyField]:
        return {name: self[name] for name in self.templates}

    def unchanged(self, fields: Fields) -> frozenset[str]:
        """Return the names under which there are fields of the serializer that read as at first."""
        return frozenset(
            name
            for name, field in fields.items()
            if self.get(name) is field
            and name in self.templates
            and _is_unchanged(field, self.templates[name].recipe)
        )

    def described(self) -> dict[str, AnyField]:
        """Return the fields for descriptions: computed fields as their unbound templates."""
        return {
            name: template.field if template.computed else self[name]
            for name, template in self.templates.items()
        }


# ---- validators ----
#
# Making a field anew makes the validators of its limits anew, so that a serializer may change
# those of its fields. Validators that were passed to a declared field or belong to a column are
# shared by all serializers; those in ``Meta.extra_kwargs`` are copied for each.

#: A validator of a template field, and how each copy of the field gets its own.
Made = tuple[object, Callable[[Any], object]]


def settle_validators(owner: Any, fields: Fields) -> list[object]:
    """Record how validators are copied; return those of the project whose values texts contain."""
    result: list[object] = []
    extra_kwargs = getattr(getattr(owner, "Meta", None), "extra_kwargs", None) or {}
    for name, field in fields.items():
        if name in owner._declared_fields:
            _settle(field, {})
        else:
            _settle(field, _originals(field, extra_kwargs.get(name, {})), tools.lent.own_validators)
        result += _validators_in(field)
    return result


def _validators_in(field: AnyField) -> Iterator[object]:
    """Yield those of the project, also of the fields inside, such as the child of a list."""
    made: tuple[Made, ...] = field.__dict__.get("_lintel_validators", ())
    for validator, how in made:
        if how is not tools.lent.remade and type(validator) in CHECKS:
            yield validator
    for member in inside(field).values():
        yield from _validators_in(member)


def _settle(field: AnyField, originals: dict[int, object], owned: tuple[type, ...] = ()) -> None:
    state = field.__dict__
    for member in inside(field).values():
        _settle(member, {}, owned)
    if type(state.get("_validators")) is list:
        given = {id(validator) for validator in _given(field) if type(validator) not in owned}
        state["_lintel_validators"] = tuple(
            _made(validator, originals, given) for validator in state.pop("_validators")
        )


def _given(field: AnyField) -> Iterator[object]:
    yield from field.default_validators
    passed = field._kwargs.get("validators", ())
    yield from passed if isinstance(passed, list | tuple) else field.__dict__["_validators"]


def _made(validator: object, originals: dict[int, object], given: set[int]) -> Made:
    if id(validator) in originals:
        return originals[id(validator)], copy.deepcopy
    is_shared = id(validator) in given or type(validator) is FunctionType
    return validator, (_shared if is_shared else tools.lent.remade)


def _shared(validator: object) -> object:
    return validator


def _originals(field: AnyField, extra: Mapping[str, object]) -> dict[int, object]:
    passed, given = field._kwargs.get("validators"), extra.get("validators")
    if not (isinstance(passed, list | tuple) and isinstance(given, list | tuple)):
        return {}
    return {id(validator): original for validator, original in zip(passed, given, strict=False)}
