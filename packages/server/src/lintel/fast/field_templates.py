"""Template fields: the fields of a serializer class, which each serializer copies."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any
from weakref import ref

from lintel.fast.compiler.options import is_computed_field
from lintel.fast.compiler.protocols import AnyField, Fields
from lintel.fast.compiler.validator_expressions import is_inlined
from lintel.fast.copies import Recipe, clone, members_of
from lintel.fast.tools import lent


def inside(field: AnyField) -> list[AnyField]:
    return list(members_of(field).values())


class Template:
    """One field of a class, and the fastest way to copy it for a serializer.

    A ``computed`` field is made anew for each serializer, by the project's code.
    """

    __slots__ = ("computed", "field", "name", "recipe")

    def __init__(self, name: str, field: AnyField) -> None:
        self.name: str = name
        self.field: AnyField = field
        self.recipe: Recipe | None = None
        self.computed: bool = is_computed_field(field)
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


#: Attributes that are set when a field is used, or do not affect its output.
_NOTED = frozenset({"parent", "_validators", "_lintel_validators", "_error_messages", "queryset"})


def _is_unchanged(field: object, recipe: Recipe | None) -> bool:
    """Return whether a field, if it is one, still reads like the one its template made."""
    if recipe is None or type(field) is not recipe.kind:
        return False
    state, made = field.__dict__, recipe.state
    if not state.keys() - _NOTED <= made.keys():
        return False
    copied = {name for name, _copy in recipe.copied}
    inside = dict(recipe.members)
    return all(_is_unchanged(state.get(name), member) for name, member in inside.items()) and all(
        state.get(name) is value or (name in copied and state.get(name) == value)
        for name, value in made.items()
        if name not in inside and name not in _NOTED
    )


def watch(serializer: AnyField) -> Callable[[], bool]:
    """Return a function that returns whether a selection of fields may have changed since."""
    fields = serializer.fields
    taken, now = fields._lintel_taken, fields.fields
    count = len(taken)
    # Nobody holds the others.
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

    __slots__ = ("owner", "templates")

    def __init__(self, serializer: AnyField, templates: Mapping[str, Template]) -> None:
        self.owner: ref[AnyField] = ref(serializer)
        self.templates: Mapping[str, Template] = templates

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

    def are_unchanged(self, fields: Fields) -> bool:
        """Return whether all of these are fields of the serializer, which read as at first."""
        return bool(self.templates) and all(
            self.get(name) is field
            and name in self.templates
            and _is_unchanged(field, self.templates[name].recipe)
            for name, field in fields.items()
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
    """Record in template fields how their validators are copied.

    Return those of the project whose values generated text contains.
    """
    result: list[object] = []
    extra_kwargs = getattr(getattr(owner, "Meta", None), "extra_kwargs", None) or {}
    for name, field in fields.items():
        if name in owner._declared_fields:
            _settle(field, {})
        else:
            _settle(field, _originals(field, extra_kwargs.get(name, {})), lent().own_validators)
        made: tuple[Made, ...] = field.__dict__.get("_lintel_validators", ())
        result += [
            validator
            for validator, how in made
            if how is not lent().remade and is_inlined(validator)
        ]
    return result


def _settle(field: AnyField, originals: dict[int, object], owned: tuple[type, ...] = ()) -> None:
    state = field.__dict__
    for member in inside(field):
        _settle(member, {}, owned)
    if type(state.get("_validators")) is list:
        given = {id(validator) for validator in _given(field) if type(validator) not in owned}
        state["_lintel_validators"] = tuple(
            _made(validator, originals, given) for validator in state.pop("_validators")
        )


def _given(field: AnyField) -> Iterator[object]:
    """Yield the validators that the field did not make by itself."""
    yield from field.default_validators
    passed = field._kwargs.get("validators", ())
    yield from passed if isinstance(passed, list | tuple) else field.__dict__["_validators"]


def _made(validator: object, originals: dict[int, object], given: set[int]) -> Made:
    if id(validator) in originals:
        return originals[id(validator)], copy.deepcopy
    is_shared = id(validator) in given or type(validator) is FunctionType
    return validator, (_shared if is_shared else lent().remade)


def _shared(validator: object) -> object:
    return validator


def _originals(field: AnyField, extra: Mapping[str, object]) -> dict[int, object]:
    """Return the validators in ``extra_kwargs`` by the identity of their copies."""
    passed, given = field._kwargs.get("validators"), extra.get("validators")
    if not (isinstance(passed, list | tuple) and isinstance(given, list | tuple)):
        return {}
    return {id(validator): original for validator, original in zip(passed, given, strict=False)}
