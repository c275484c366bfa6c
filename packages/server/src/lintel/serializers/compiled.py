"""What is made once for a serializer class, and when it is made anew.

A class whose fields depend on nothing but the class has *template fields*: ``get_fields()`` runs
once, and each serializer gets clones. From the same templates come the plan and its generated
functions. All of it is dropped when a setting, ``Meta``, ``_declared_fields`` or one of the methods
that it stands for has changed (:mod:`lintel.compiler.guards`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from threading import RLock
from typing import Any

from lintel.compiler.describe import Description
from lintel.compiler.guards import definitions, guard
from lintel.compiler.plan import SerializerPlan, Tools, marked
from lintel.compiler.reading import Reading
from lintel.compiler.writing import Writing
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
_PLAIN_HOOKS = ("fields", "get_fields")
_BUILDING = RLock()


class ClassState:
    """Templates of one serializer class, and how to tell that they are out of date."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.title = f"{owner.__module__}.{owner.__qualname__}"
        self.generation = api_settings.generation
        hooks = ("fields", *FIELD_HOOKS) if hasattr(owner, "build_field") else _PLAIN_HOOKS
        self.hooks = frozenset((*hooks, "_declared_fields", "Meta"))
        lookups = [found for name in hooks for found in definitions(owner, name)]
        self.is_current = guard(self.title, lookups, _contents(owner))
        self.prototype: Any = None
        self.templates: dict[str, Any] | None = None
        if all(marked(owner, hook) for hook in hooks):
            self._make_templates()
        self.compiled: Compiled | None = None

    def _make_templates(self) -> None:
        prototype = self.owner._make_prototype()
        if prototype._fields_key() is not None:
            self.prototype = prototype
            self.templates = dict(prototype.get_fields())


class Compiled:
    """Plan and generated functions of one serializer class."""

    def __init__(self, state: ClassState, tools: Tools) -> None:
        inside: list[Callable[[], bool]] = []
        fields_of = _FieldsOf(inside)
        description = Description(fields_of)
        prototype = state.prototype
        self.plan: SerializerPlan = description.serializer(prototype, prototype._own_fields)
        self.reading = Reading(self.plan, tools)
        self.can_read = self.plan.is_standard("fields", "_readable_fields")
        self.reading_is_current = guard(state.title, description.reading, others=inside)
        self.writing = Writing(self.plan, tools)
        self.can_write = self.plan.is_standard("fields", "_writable_fields", "set_value")
        self.writing_is_current = guard(state.title, description.writing, others=inside)


class _FieldsOf:
    """Answers the fields of nested serializers from the templates of their classes."""

    def __init__(self, inside: list[Callable[[], bool]]) -> None:
        self.inside = inside

    def __call__(self, serializer: Any) -> Mapping[str, Any] | None:
        if "fields" in serializer.__dict__ or templates_of(serializer) is None:
            return None
        state = class_state(type(serializer))
        self.inside.append(state.is_current)
        fields: Mapping[str, Any] = state.prototype._own_fields
        return fields


def _contents(owner: Any) -> Iterator[Callable[[], Any]]:
    yield lambda: owner._declared_fields
    for part in getattr(getattr(owner, "Meta", None), "__mro__", ())[:-1]:
        yield lambda part=part: dict(vars(part))
    if hasattr(owner, "serializer_field_mapping"):
        yield lambda: [getattr(owner, name) for name in _MODEL_ATTRIBUTES]


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


def templates_of(serializer: Any) -> dict[str, Any] | None:
    """The template fields that a serializer may clone; None where it has to make its own."""
    state = class_state(type(serializer))
    if state.templates is None or not state.hooks.isdisjoint(serializer.__dict__):
        return None
    return state.templates


def reading_of(serializer: Any, tools: Tools) -> Reading | None:
    """The generated readers that stand for the fields of this serializer, if any do."""
    compiled = _compiled(serializer, tools)
    if compiled is None:
        return None
    if not compiled.reading_is_current():
        compiled = _compile(type(serializer)._class_state, tools)
    return compiled.reading if compiled.can_read else None


def writer_of(serializer: Any, tools: Tools) -> Callable[[dict[Any, Any]], dict[str, Any]] | None:
    """The generated function that validates a plain dict for this serializer, if there is one."""
    compiled = _compiled(serializer, tools)
    if compiled is None:
        return None
    if not compiled.writing_is_current():
        compiled = _compile(type(serializer)._class_state, tools)
    return compiled.writing.bind(serializer) if compiled.can_write else None


def _compiled(serializer: Any, tools: Tools) -> Compiled | None:
    """What is compiled for the class, for a serializer that has the fields of the class."""
    if "fields" in serializer.__dict__ or templates_of(serializer) is None:
        return None
    state: ClassState = type(serializer)._class_state
    return state.compiled or _compile(state, tools)


def _compile(state: ClassState, tools: Tools) -> Compiled:
    with _BUILDING:
        compiled = state.compiled = Compiled(state, tools)
    return compiled
