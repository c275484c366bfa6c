"""What is made once for a serializer class, and when it is made anew.

A class whose fields depend on nothing but the class has *template fields*: ``get_fields()`` runs
once, and each serializer gets clones. From the same templates come the plan and its generated
functions. All of it is dropped when a setting, ``Meta``, ``_declared_fields`` or one of the methods
that it stands for has changed (:mod:`lintel.compiler.guards`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import RLock
from typing import Any
from weakref import ReferenceType, ref

from lintel.compiler.describe import SERIALIZER_READING, SERIALIZER_WRITING, Description
from lintel.compiler.fetching import Fetching
from lintel.compiler.guards import definitions, guard
from lintel.compiler.plan import SerializerPlan, Tools, marked
from lintel.compiler.reading import Reading
from lintel.compiler.runtime import dispatcher
from lintel.compiler.writing import Writing
from lintel.fields.base import Field, copiers_of
from lintel.serializers.templates import FIELD_HOOKS
from lintel.settings import api_settings

_MODEL_ATTRIBUTES = (
    "serializer_field_mapping",
    "serializer_related_field",
    "serializer_related_to_field",
    "serializer_url_field",
    "serializer_choice_field",
    "url_field_name",
)
# Names that an instance may set for itself, and which then stand before those of the class.
_INSTANCE_HOOKS = ("_declared_fields", "Meta", *SERIALIZER_READING, *SERIALIZER_WRITING)
#: Selections of fields for which one class keeps readers.
SELECTIONS = 64
_PLAIN_HOOKS = ("fields", "get_fields")
_BUILDING = RLock()


class Template:
    """One field of a class, and the quickest way to a copy of it that belongs to a serializer."""

    __slots__ = ("field", "name", "recipe")

    def __init__(self, name: str, field: Any) -> None:
        self.name = name
        self.field = field
        self.recipe: Recipe | None = None
        # What a bind() of this package does depends on the name alone; it refuses a source that
        # repeats the name, with the name of the serializer, so only make() may call it then.
        ours = _is_ours(type(field).bind) and copiers_of(field) is not None
        if ours and field.source != name:
            bound = field._clone()
            bound.bind(field_name=name, parent=None)
            self.recipe = Recipe.of(bound)

    def make(self, serializer: Any) -> Any:
        """A field of its own for ``serializer``, bound to it."""
        if self.recipe is not None:
            return self.recipe.make(serializer)
        field = self.field._clone()
        field.bind(field_name=self.name, parent=serializer)
        return field


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to copy a bound field: what copies share, what each needs for itself, fields inside."""

    kind: type
    state: dict[str, Any]
    copied: list[tuple[str, Callable[[Any], Any]]]
    members: list[tuple[str, Recipe]]

    @classmethod
    def of(cls, bound: Any) -> Recipe | None:
        """The recipe for copies of a field; None where its class has rules of its own."""
        copied = copiers_of(bound) if _is_ours(type(bound).bind) else None
        state = {name: value for name, value in bound.__dict__.items() if name != "parent"}
        inside = [(name, cls.of(one)) for name, one in state.items() if isinstance(one, Field)]
        members = [(name, recipe) for name, recipe in inside if recipe is not None]
        if copied is None or len(members) < len(inside) or "_own_fields" in state:
            return None
        return cls(type(bound), state, [_quicker(state, *one) for one in copied], members)

    def make(self, parent: Any) -> Any:
        """A copy that belongs to ``parent``."""
        field: Any = object.__new__(self.kind)
        state = field.__dict__
        state.update(self.state)
        for name, copy in self.copied:
            state[name] = copy(state[name])
        for name, member in self.members:
            state[name] = member.make(field)
        state["parent"] = parent
        return field


def _quicker(
    state: dict[str, Any], name: str, copy: Callable[[Any], Any]
) -> tuple[str, Callable[[Any], Any]]:
    """A container of plain values needs no deep copy."""
    value = state[name]
    for kind, items in ((list, value), (dict, value.values() if type(value) is dict else ())):
        if type(value) is kind and all(type(item) in _PLAIN for item in items):
            return name, kind.copy
    return name, copy


_PLAIN = (type(None), bool, int, float, str)


#: Attributes that appear on a field when it is used, and say nothing about its output.
_NOTED = frozenset({"parent", "_validators", "_error_messages"})


def is_unchanged(field: Any, recipe: Recipe | None) -> bool:
    """Whether a field still is what its template made."""
    if recipe is None or type(field) is not recipe.kind:
        return False
    state, made = field.__dict__, recipe.state
    if not state.keys() - _NOTED <= made.keys():
        return False
    copied = {name for name, _copy in recipe.copied}
    inside = dict(recipe.members)
    return all(is_unchanged(state.get(name), member) for name, member in inside.items()) and all(
        state.get(name) is value or (name in copied and state.get(name) == value)
        for name, value in made.items()
        if name not in inside and name not in _NOTED
    )


def _is_ours(function: Any) -> bool:
    return getattr(function, "__globals__", {}).get("__name__", "").startswith("lintel.")


class OwnFields(dict[str, Any]):
    """The fields of one serializer, each made from its template when it is first asked for."""

    __slots__ = ("serializer", "templates")

    def __init__(self, serializer: Any, templates: dict[str, Template]) -> None:
        self.serializer = serializer
        self.templates = templates

    def __missing__(self, name: str) -> Any:
        field = self[name] = self.templates[name].make(self.serializer)
        return field

    def all(self) -> dict[str, Any]:
        """All fields, in the order of the class."""
        return {name: self[name] for name in self.templates}


class ClassState:
    """Templates of one serializer class, and how to tell that they are out of date."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.title = f"{owner.__module__}.{owner.__qualname__}"
        self.generation = api_settings.generation
        hooks = ("fields", *FIELD_HOOKS) if hasattr(owner, "build_field") else _PLAIN_HOOKS
        self.hooks = frozenset((*hooks, *_INSTANCE_HOOKS))
        lookups = [found for name in hooks for found in definitions(owner, name)]
        lookups += [(owner, name) for name in _MODEL_ATTRIBUTES if hasattr(owner, name)]
        self.is_current = guard(self.title, lookups, _contents(owner))
        self.prototype: Any = None
        self.templates: dict[str, Template] | None = None
        if all(marked(owner, hook) for hook in hooks):
            self._make_templates()
        self.compiled: Compiled | None = None

    def _make_templates(self) -> None:
        prototype = self.owner._make_prototype()
        if prototype._fields_key() is not None:
            self.prototype = prototype
            fields = prototype.get_fields()
            self.templates = {name: Template(name, field) for name, field in fields.items()}


class Compiled:
    """Plan and generated functions of one serializer class."""

    def __init__(self, state: ClassState, tools: Tools) -> None:
        inside: list[Callable[[], bool]] = []
        fields_of = _FieldsOf(inside)
        description = Description(fields_of)
        prototype = state.prototype
        self.owner = state.owner
        self.plan: SerializerPlan = description.serializer(prototype, prototype._own_fields.all())
        self.selections: dict[tuple[str, ...], Reading | None] = {}
        self.reading = Reading(self.plan, tools)
        self.fetching = Fetching(self.plan, tools)
        self.can_read = self.plan.is_standard("fields", "_readable_fields")
        self.reading_is_current = guard(state.title, description.reading, others=inside)
        self.writing = Writing(self.plan, tools)
        self.can_write = self.plan.is_standard("fields", "_writable_fields", "set_value")
        self.relations = _relations(prototype._own_fields.all())
        self.writing_is_current = guard(state.title, description.writing, others=inside)

    def selection(self, names: tuple[str, ...]) -> Reading | None:
        """The readers of a plan with these fields only; None at the first time."""
        known = self.selections
        found = known.get(names)
        if found is None and names not in known:
            if len(known) >= SELECTIONS:
                known.clear()
            known[names] = None
            return None
        if found is None:
            plans = {plan.name: plan for plan in self.plan.fields}
            plan = replace(self.plan, fields=tuple(plans[name] for name in names))
            found = self.selections[names] = Reading(plan, self.reading.tools)
        return found


class _FieldsOf:
    """Answers the fields of nested serializers from the templates of their classes."""

    def __init__(self, inside: list[Callable[[], bool]]) -> None:
        self.inside = inside

    def __call__(self, serializer: Any) -> Mapping[str, Any] | None:
        state = class_state(type(serializer))
        if state.templates is None or not state.hooks.isdisjoint(serializer.__dict__):
            return None
        self.inside.append(state.is_current)
        fields: Mapping[str, Any] = state.prototype._own_fields.all()
        return fields


def _contents(owner: Any) -> Iterator[Callable[[], Any]]:
    yield lambda: owner._declared_fields
    for part in getattr(getattr(owner, "Meta", None), "__mro__", ())[:-1]:
        yield partial(vars, part)
    if hasattr(owner, "serializer_field_mapping"):
        yield lambda: owner.serializer_field_mapping


def class_state(owner: Any) -> ClassState:
    """The state of a class, made anew if what it was made from has changed."""
    state: ClassState | None = owner._class_state
    if (
        state is not None
        and state.owner is owner
        and state.generation == api_settings.generation
        and state.is_current()
    ):
        return state
    with _BUILDING:
        state = owner._class_state = ClassState(owner)
    return state


def _state_for(serializer: Any) -> ClassState | None:
    """The state that a serializer may run on; None where it has to make its own fields.

    The first serializer of a class always does: a class that is made for one use is not worth
    compiling.
    """
    owner = type(serializer)
    state: ClassState | None = owner._class_state
    if (state is None or state.owner is not owner) and _is_first_use(owner, serializer):
        return None
    state = class_state(owner)
    usual = state.templates is not None and state.hooks.isdisjoint(serializer.__dict__)
    return state if usual else None


def _is_first_use(owner: Any, serializer: Any) -> bool:
    first: ReferenceType[Any] | None = owner.__dict__.get("_first_use")
    if first is None:
        owner._first_use = ref(serializer)
        return True
    return first() is serializer


def templates_of(serializer: Any) -> dict[str, Template] | None:
    """The template fields that a serializer may clone; None where it has to make its own."""
    state = _state_for(serializer)
    return None if state is None else state.templates


def reading_of(serializer: Any, tools: Tools) -> Compiled | None:
    """What is generated for reading objects with this serializer, if anything is."""
    state = None if "fields" in serializer.__dict__ else _state_for(serializer)
    if state is None:
        return None
    compiled = state.compiled
    if compiled is None or not compiled.reading_is_current():
        compiled = _compile(state, tools)
    return compiled if compiled.can_read else None


def writing_of(serializer: Any, tools: Tools) -> Compiled | None:
    """What is generated for validating plain dicts for this serializer, if anything is."""
    state = None if "fields" in serializer.__dict__ else _state_for(serializer)
    if state is None:
        return None
    compiled = state.compiled
    if compiled is None or not compiled.writing_is_current():
        compiled = _compile(state, tools)
    return compiled if compiled.can_write else None


def selection_of(serializer: Any, tools: Tools) -> Reading | None:
    """Readers for a serializer that has some of the fields of its class, none of them changed.

    A selection is compiled when it is seen for the second time.
    """
    fields = getattr(serializer.__dict__.get("fields"), "fields", None)
    own = serializer.__dict__.get("_own_fields")
    if type(fields) is not dict or own is None or not own.templates:
        return None
    for name, field in fields.items():
        template = own.templates.get(name)
        unchanged = template is not None and is_unchanged(field, template.recipe)
        if not unchanged or own.get(name) is not field:
            return None
    state = class_state(type(serializer))
    if state.templates is not own.templates:
        return None
    compiled = state.compiled
    if compiled is None or not compiled.reading_is_current():
        compiled = _compile(state, tools)
    return compiled.selection(tuple(fields)) if compiled.can_read else None


class Together:
    """Reads the items of one list; what they lead to is loaded when the first of them is read."""

    def __init__(self, child: Any, reading: Reading, items: Sequence[Any]) -> None:
        self._read = dispatcher(reading, child)
        self._plain = child._plain_representation
        self._skip = reading.tools.skip
        self._load: Callable[[], Callable[[], None]] | None = partial(reading.loading.load, items)
        self.forget: Callable[[], None] = _nothing

    def read(self, item: Any) -> Any:
        """The representation of one item."""
        if self._load is not None:
            load, self._load = self._load, None
            self.forget = load()
        try:
            return self._read(item)
        except self._skip:
            return self._plain(item)


def _nothing() -> None:
    """Nothing was loaded, so nothing is forgotten."""


def _compile(state: ClassState, tools: Tools) -> Compiled:
    with _BUILDING:
        compiled = state.compiled = Compiled(state, tools)
    return compiled


def _relations(fields: Mapping[str, Any], around: frozenset[type] = frozenset()) -> tuple[str, ...]:
    """The fields that look rows up in the input, or hold serializers which do."""
    writable = {name: one for name, one in fields.items() if not one.read_only}
    return tuple(name for name, one in writable.items() if _may_look_up(one, around))


def _may_look_up(one: Any, around: frozenset[type]) -> bool:
    inside = getattr(one, "child", one)
    if not hasattr(inside, "_current_fields"):
        return hasattr(inside, "queryset") or hasattr(one, "child_relation")
    kind = type(inside)
    return kind not in around and bool(_relations(inside._current_fields, around | {kind}))
