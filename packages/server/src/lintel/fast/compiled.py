"""What is made once per serializer class, and when it is made again.

A class whose fields depend on nothing but the class has *template fields*: ``get_fields()`` runs
once, and each serializer gets clones. From the same templates come the plan and its generated
functions. All of it is dropped if a setting, ``Meta``, ``_declared_fields`` or one of the methods
that it replaces has changed (:mod:`lintel.trust.warrants`).

Whose fields these are has one rule (:func:`state_of`): a serializer keeps copies of the templates
that its class had when it first needed fields, and generated functions serve it as long as the
class still has these templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from itertools import chain
from threading import RLock
from typing import Any
from weakref import ref

from django.db.models import Model

from lintel.fast import tools
from lintel.fast.compiler.describe import (
    SERIALIZER_READING,
    SERIALIZER_WRITING,
    Description,
    checks_whole,
)
from lintel.fast.compiler.fetching import Fetching
from lintel.fast.compiler.inputs import is_small
from lintel.fast.compiler.options import (
    CALLING,
    MAKING,
    arguments,
    is_computed_field,
    is_plain_namespace,
    is_property_of_project,
)
from lintel.fast.compiler.plan import FieldPlan, SerializerPlan
from lintel.fast.compiler.protocols import (
    AnyField,
    CompiledField,
    CompiledSerializer,
    Fields,
    ReadObject,
    ValidateDict,
)
from lintel.fast.compiler.reading import Reading
from lintel.fast.compiler.runtime import dispatcher
from lintel.fast.compiler.writing import Writing
from lintel.fast.field_templates import OwnFields, Template, inside, settle_validators, watch
from lintel.fast.lazy_reads import names_fields
from lintel.fast.model_dependencies import (
    FIELD_HOOKS,
    column_entries,
    column_validators,
    has_constant_fields,
    shown_entries,
)
from lintel.fast.plain import PLAIN, Plain
from lintel.marks import inlinable_as
from lintel.overrides import is_overridden, reached
from lintel.settings import OFF, PLAN, api_settings, blocks_without, is_off
from lintel.trust.store import Store
from lintel.trust.warrants import definitions, warrant

_MODEL_ATTRIBUTES = (
    *("serializer_field_mapping", "serializer_related_field", "serializer_related_to_field"),
    *("serializer_url_field", "serializer_choice_field", "url_field_name"),
)
# Names that an instance may set, overriding those of the class.
_INSTANCE_HOOKS = (
    "_declared_fields",
    "Meta",
    *_MODEL_ATTRIBUTES,
    *SERIALIZER_READING,
    *SERIALIZER_WRITING,
)
#: Steps of a serializer that generated functions replace: if one is overridden, there are none.
TO_READ = ("fields", "_readable_fields")
TO_WRITE = ("fields", "_writable_fields", "set_value")
#: A ``get_fields()`` of the project may itself change what the fields are made from.
MANY_CHANGES = 8
#: The generation of states that are made again at each use.
UNSETTLED = -1
_BUILDING = RLock()
_FIRST_USE: Any = object()


class ClassState:
    """The templates of one serializer class, and how to tell that they are outdated."""

    def __init__(self, owner: Any, changes: int = 0) -> None:
        self.owner = owner
        #: How often the class has changed since its first use.
        self.changes = changes
        self.title: str = f"{owner.__module__}.{owner.__qualname__}"
        self.generation: int = api_settings.generation
        self.hooks: frozenset[str] = frozenset((*_hooks(owner), *_INSTANCE_HOOKS))
        self.prototype: Any = None
        #: None unless the class alone decides the fields.
        self.templates: dict[str, Template] | None = None
        #: What our ``get_fields()`` returns to one of the project, which decides the fields.
        self.drafts: dict[str, Template] | None = None
        self.drafter: object = None
        #: Those of the project whose values generated text contains.
        self.validators: list[Any] = []
        replaced = replaced_hooks(owner)
        if not replaced and _follows_class(owner):
            self.templates = self._made_templates(owner)
        elif replaced == ["get_fields"] and changes < MANY_CHANGES and _follows_class(owner):
            self.drafter = _own_get_fields(owner)
            self.drafts = self._made_templates(owner, self.drafter)
        #: The classes of this package, of Django and of the project that the warrants check.
        made = [template.field for template in self.known_templates.values()]
        self.classes: list[Any] = [owner, *chain.from_iterable(map(_kinds, made))]
        #: Whether reading is unchanged, and whether fields would be made in the same way.
        self.class_still_holds: Callable[[], bool]
        self.fields_still_hold: Callable[[], bool]
        self.class_still_holds, self.fields_still_hold = _warrants_of(self)
        self.compiled: Compiled | None = None

    @property
    def known_templates(self) -> dict[str, Template]:
        return self.templates or self.drafts or {}

    def _made_templates(self, owner: Any, drafter: Any = None) -> dict[str, Template] | None:
        self.prototype = tools.lent.prototype(owner)
        # As an attribute, so that it does not ask for templates while these are made.
        self.prototype.get_fields = partial(drafter or owner.get_fields, self.prototype)
        fields = _fields_or_none(self.prototype)
        self.prototype.__dict__.pop("get_fields", None)
        if fields is None:
            # Not kept: what the fields lacked may be there at the next use.
            self.generation = UNSETTLED
            return None
        self.validators = settle_validators(owner, fields)
        return {name: Template(name, field) for name, field in fields.items()}

    def described_fields(self) -> dict[str, CompiledField]:
        fields = stored_fields(self.prototype)
        return (self.make_fields() if fields is None else fields).described()

    def make_fields(self) -> OwnFields:
        fields = OwnFields(self.prototype, self.known_templates)
        self.prototype.__dict__["_lintel_fields"] = fields
        return fields

    def still_holds(self, to_make_fields: bool) -> bool:
        """Reading objects without making fields does not depend on how fields would be made."""
        return (
            self.generation == api_settings.generation
            and self.class_still_holds()
            and (not to_make_fields or self.fields_still_hold())
        )

    def to_read(self) -> Compiled | None:
        """Return the functions generated for reading; None if methods around them are replaced."""
        compiled = self.compiled
        if compiled is None or not compiled.reading_still_holds():
            compiled = self.compile()
        return compiled if compiled.can_read else None

    def to_write(self) -> Compiled | None:
        compiled = self.compiled
        if compiled is None or not compiled.writing_still_holds():
            compiled = self.compile()
        return compiled if compiled.can_write else None

    def compile(self) -> Compiled:
        with _BUILDING:
            compiled = self.compiled = Compiled(self)
        return compiled


def _fields_or_none(prototype: Any) -> Fields | None:
    """None if they cannot be made: a serializer raises the error when it needs its fields."""
    try:
        fields: Fields = prototype.get_fields()
    except Exception:
        return None
    return fields


def _hooks(owner: type) -> tuple[str, ...]:
    return ("fields", *(FIELD_HOOKS if hasattr(owner, "build_field") else ("get_fields",)))


def replaced_hooks(owner: type) -> list[str]:
    return [name for name in _hooks(owner) if is_overridden(owner, name)]


def _kinds(field: CompiledField) -> Iterator[type]:
    yield type(field)
    for inner in inside(field).values():
        yield from _kinds(inner)


def _own_get_fields(owner: type) -> object:
    """Return the method of ours that one of the project calls by ``super()``."""
    places = (base for base in owner.__mro__ if "get_fields" in vars(base))
    ours = next((base for base in places if inlinable_as(base, "get_fields")), None)
    return None if ours is None else vars(ours)["get_fields"]


def _follows_class(owner: Any) -> bool:
    """Return whether what our methods make fields from is the same for all serializers."""
    if getattr(owner, "_lintel_makes_own_fields", False):
        return False
    if any(is_property_of_project(owner, name) for name in _MODEL_ATTRIBUTES):
        return False
    if type(reached(owner, "_declared_fields")) is not dict:
        return False
    if not hasattr(owner, "build_field"):
        return True
    meta = reached(owner, "Meta")
    model: Any = getattr(meta, "model", None)
    if not (isinstance(model, type) and issubclass(model, Model)):
        return False
    return is_plain_namespace(meta) and has_constant_fields(model)


def _warrants_of(state: ClassState) -> tuple[Callable[[], bool], Callable[[], bool]]:
    owner = state.owner
    lookups = [lookup for name in (*_hooks(owner), "Meta") for lookup in definitions(owner, name)]
    lookups += [(owner, name) for name in _MODEL_ATTRIBUTES if hasattr(owner, name)]
    lookups.append((owner, "__getattribute__"))
    templates = state.known_templates
    kinds = dict.fromkeys(state.classes[1:])
    lookups += [lookup for kind in kinds for name in MAKING for lookup in definitions(kind, name)]
    lookups += [(type(kind), name) for kind in kinds for name in CALLING if type(kind) is not type]
    held = [vars(part) for part in getattr(getattr(owner, "Meta", None), "__mro__", ())[:-1]]
    held += {id(validators): validators for validators in map(_default_validators, kinds)}.values()
    tables = ("_declared_fields", "serializer_field_mapping")
    contents = [(owner, name) for name in tables if hasattr(owner, name)]
    contents += arguments(owner._declared_fields.values() if templates else ())
    fields = {name: template.field for name, template in templates.items()}
    model = owner.Meta.model if templates and hasattr(owner, "build_field") else None
    still_holds = warrant(
        state.title,
        lookups,
        contents,
        classes=state.classes,
        entries=[] if model is None else dict.fromkeys(shown_entries(model, fields)),
        containers=held,
    )
    if model is None:
        # Declared fields depend only on their class.
        return still_holds, lambda: True
    return still_holds, warrant(
        f"{state.title} fields",
        (),
        entries={
            (id(part), name): (part, name) for part, name in column_entries(model, fields)
        }.values(),
        containers=column_validators(model, fields),
    )


def _default_validators(kind: type) -> Any:
    validators = reached(kind, "default_validators")
    return validators if type(validators) is list else ()


class Compiled:
    """Plan and generated functions of one serializer class."""

    def __init__(self, state: ClassState) -> None:
        nested: list[ClassState] = []
        fields = state.make_fields().described()
        fields_of_nested = partial(_fields_of_nested, nested)
        description = Description(
            fields_of_nested, tools.lent.forbids_unknown, tools.lent.known_names
        )
        self.owner: Any = state.owner
        self.plan: SerializerPlan = description.serializer(state.prototype, fields)
        self.selections: Store[tuple[tuple[str, ...], frozenset[str]], Reading | None] = Store()
        self.reading: Reading = Reading(self.plan)
        self.fetching: Fetching = Fetching(self.plan)
        self.can_read: bool = self.plan.overridden.isdisjoint(TO_READ)
        others = [inner.class_still_holds for inner in nested]
        warrant_of = partial(warrant, state.title, others=others, classes=description.classes)
        self.reading_still_holds: Callable[[], bool] = warrant_of(lookups=description.reading)
        self.writing: Writing = Writing(self.plan)
        self.can_write: bool = self.plan.overridden.isdisjoint(TO_WRITE)
        self.relations: tuple[str, ...] = _relations(fields)
        validators = chain(state.validators, *(inner.validators for inner in nested))
        self.writing_still_holds: Callable[[], bool] = warrant_of(
            lookups=description.writing, containers=map(vars, validators)
        )

    def selection(self, names: tuple[str, ...], unchanged: frozenset[str]) -> Reading | None:
        """Return readers of these fields; None on first use, as clients may choose any.

        The text asks fields that are not ``unchanged`` for everything.
        """
        key = names, unchanged
        reading = self.selections.get(key, _FIRST_USE)
        if reading is None:
            plans = {plan.name: plan for plan in self.plan.fields if plan.name in unchanged}
            chosen = [plans.get(name) or _computed(name) for name in names]
            reading = Reading(replace(self.plan, fields=tuple(chosen)), selected=True, watched=True)
        self.selections.keep(key, None if reading is _FIRST_USE else reading)
        return None if reading is _FIRST_USE else reading


def _computed(name: str) -> FieldPlan:
    return FieldPlan(name, "a field that the serializer changed or made", computed=True)


def _fields_of_nested(states: list[ClassState], serializer: AnyField) -> Fields | None:
    """From the templates of its class, whose state is added to the others."""
    state = class_state(type(serializer))
    states.append(state)
    if state.templates is None or not state.hooks.isdisjoint(serializer.__dict__):
        return None
    return state.described_fields()


def class_state(owner: Any, to_make_fields: bool = True) -> ClassState:
    """It is made again if it does not hold any more."""
    state: ClassState | None = owner._lintel_state
    if state is not None and state.owner is owner and state.still_holds(to_make_fields):
        return state
    with _BUILDING:
        # Warrants count the attributes of a class, so this one must exist before.
        owner._lintel_state = None
        state = owner._lintel_state = ClassState(owner, _changes_since(state, owner))
    return state


def _changes_since(state: ClassState | None, owner: Any) -> int:
    """Return how often a class has changed; new settings do not count."""
    if state is None or state.owner is not owner:
        return 0
    return state.changes + (state.generation == api_settings.generation)


def stored_fields(serializer: CompiledField) -> OwnFields | None:
    """Return the fields that a serializer keeps, without those of a serializer it copies."""
    fields: OwnFields | None = serializer.__dict__.get("_lintel_fields")
    return fields if fields is not None and fields.owner() is serializer else None


def state_of(serializer: AnyField, to_make_fields: bool = True) -> ClassState | None:
    """None for the plain path."""
    owner = type(serializer)
    if blocks_without or not api_settings.SHORTCUTS or api_settings.COMPILE_SERIALIZERS in OFF:
        return None
    fields = stored_fields(serializer)
    is_new = api_settings.AUTO_FETCH == PLAN and "_lintel_state" not in owner.__dict__
    if fields is None and (is_new or _uncompiled.get()) and _stays_plain(owner, serializer):
        return None
    state = class_state(owner, to_make_fields)
    if state.templates is None or not state.hooks.isdisjoint(serializer.__dict__):
        return None
    if fields is None and to_make_fields:
        fields = serializer.__dict__["_lintel_fields"] = OwnFields(serializer, state.templates)
    return state if fields is None or fields.templates is state.templates else None


#: Whether classes that are not compiled stay so.
_uncompiled: ContextVar[bool] = ContextVar("lintel_uncompiled", default=False)


@contextmanager
def without_compiling() -> Iterator[None]:
    """A context in which no class is compiled, because its fields are needed only once or twice."""
    token = _uncompiled.set(True)
    try:
        yield
    finally:
        _uncompiled.reset(token)


def compiles() -> bool:
    """Whether it may be worth it to compile or examine what a shortcut needs first."""
    return not _uncompiled.get()


def _stays_plain(owner: Any, serializer: object) -> bool:
    """Return whether a class that is not compiled yet stays so for now."""
    if compiles():
        return _may_be_for_one_use(owner, serializer)
    state: ClassState | None = owner._lintel_state
    return state is None or state.owner is not owner or not state.still_holds(True)


def settled_fields(serializer: AnyField) -> OwnFields | None:
    fields = stored_fields(serializer)
    if fields is None and state_of(serializer) is not None:
        fields = stored_fields(serializer)
    return fields if fields is not None and fields.templates else None


def current_fields(serializer: AnyField) -> Fields:
    """Return the fields of a serializer without recording that they may have been changed."""
    copies = None if "fields" in serializer.__dict__ else settled_fields(serializer)
    fields: Fields = serializer.fields if copies is None else copies.all()
    return fields


#: The most classes of one name that are compiled when they are first used. Compiling one takes as
#: long as using it thirty times, and a function that makes more of them makes each for one use.
MANY_CLASSES = 8

#: By module and name.
_classes_made: Store[tuple[str, str], int] = Store()


def _may_be_for_one_use(owner: Any, serializer: object) -> bool:
    """Return whether an uncompiled class waits for its second serializer."""
    first: Callable[[], object] | None = owner.__dict__.get("_lintel_first_use")
    if first is None:
        name = owner.__module__, owner.__qualname__
        count = _classes_made.get(name, 0) + 1
        _classes_made.keep(name, count)
        first = owner._lintel_first_use = ref(serializer) if count > MANY_CLASSES else lambda: None
    return first() is serializer


def fields_on_access(serializer: AnyField) -> OwnFields:
    fields = settled_fields(serializer)
    return OwnFields(serializer, {}) if fields is None else fields


def fields_of(serializer: AnyField) -> dict[str, Any] | Plain:
    """PLAIN unless the class alone decides the fields."""
    fields = settled_fields(serializer)
    return PLAIN if fields is None else fields.all()


def reading_of(serializer: AnyField, of_list: bool = False) -> Compiled | None:
    """``of_list`` has stricter conditions on the model, because rows may be read without it."""
    if "fields" in serializer.__dict__:
        return None
    state = state_of(serializer, to_make_fields=of_list)
    return None if state is None else state.to_read()


def writing_of(serializer: AnyField) -> Compiled | None:
    state = None if "fields" in serializer.__dict__ else state_of(serializer)
    return None if state is None else state.to_write()


def reader(serializer: AnyField) -> ReadObject | Plain:
    state = serializer.__dict__
    together = state.get("_lintel_read")
    if together is not None and ("fields" not in state or together.is_chosen):
        read: ReadObject = together.read
        return read
    if names_fields():
        return PLAIN
    compiled = reading_of(serializer)
    if compiled is not None:
        return partial(_read, compiled.reading, serializer)
    live = live_of(serializer)
    return PLAIN if live is None else live.read


def _read(reading: Reading, serializer: AnyField, instance: Any) -> object:
    forget = reading.loading.load_one(instance)
    try:
        return reading.bind(serializer, type(instance))(instance)
    except tools.lent.skip:
        return tools.lent.plain(serializer, instance)
    finally:
        if forget is not None:
            forget()


def writer(serializer: AnyField) -> ValidateDict | Plain:
    compiled = writing_of(serializer)
    return PLAIN if compiled is None else compiled.writing.bind(serializer)


def validates_alone(serializer: AnyField, data: object) -> bool:
    """Return whether validating this input calls nothing of the project and of databases.

    It takes less time than a change of thread, because long input is refused.
    """
    if not hasattr(serializer, "_lintel_state") or not is_small(data):
        return False
    compiled = writing_of(serializer)
    return (
        compiled is not None
        and compiled.plan.overridden.isdisjoint(SERIALIZER_WRITING)
        and not hasattr(serializer, "build_field")  # its model may have rules for several fields
        and not checks_whole(serializer)
        and compiled.writing.is_alone(serializer)
    )


def drafts_of(serializer: AnyField, drafter: object) -> dict[str, Any] | Plain:
    """What ``drafter``, our ``get_fields()``, returns to one of the project: unbound copies.

    PLAIN unless the class alone decides them.
    """
    owner, held = type(serializer), serializer.__dict__
    if "get_fields" in held or api_settings.COMPILE_SERIALIZERS in OFF or is_off():
        return PLAIN
    is_new = "_lintel_state" not in owner.__dict__
    if (is_new or _uncompiled.get()) and _stays_plain(owner, serializer):
        return PLAIN
    state = class_state(owner)
    is_asked = state.drafts is not None and state.drafter is drafter
    if not is_asked or not state.hooks.isdisjoint(held):
        return PLAIN
    fields = {name: template.draft() for name, template in state.known_templates.items()}
    stored = held["_lintel_fields"] = OwnFields(serializer, {})
    stored.drafts = OwnFields(serializer, state.known_templates)
    stored.drafts.update(fields)
    return fields


#: One object while the items of a list are read, with all that they contain.
_list_being_read: ContextVar[object] = ContextVar("lintel_list_being_read", default=None)


@contextmanager
def one_list() -> Iterator[None]:
    """A context in which what the project decided about fields holds from one item to the next."""
    token = _list_being_read.set(_list_being_read.get() or object())
    try:
        yield
    finally:
        _list_being_read.reset(token)


class Live:
    """How objects are read by the fields that one serializer has, while a list is read."""

    def __init__(self, serializer: AnyField, inside: object, reading: Reading | None) -> None:
        #: The list that is read.
        self.inside: object = inside
        self.reading: Reading | None = reading
        self._plain = partial(tools.lent.plain, serializer)
        self._read = None if reading is None else bound(reading, serializer)

    def read(self, instance: object) -> object:
        if self._read is None:
            return self._plain(instance)
        try:
            return self._read(instance)
        except tools.lent.skip:
            return self._plain(instance)


def bound(reading: Reading, serializer: AnyField) -> ReadObject:
    """Return what reads instances of any type, as long as chosen fields stay what they are now."""
    if not reading.selected:
        return dispatcher(reading.bind, serializer)
    changed, plain = watch(serializer), partial(tools.lent.plain, serializer)

    def bind(serializer: CompiledSerializer, kind: type) -> ReadObject:
        return plain if changed() else reading.bind(serializer, kind)

    return dispatcher(bind, serializer)


def live_of(serializer: AnyField) -> Live | None:
    """None outside of lists, where finding out takes longer than reading one object."""
    inside, stored = _list_being_read.get(), stored_fields(serializer)
    if inside is None:
        return None
    if stored is not None and stored.live is not None and stored.live.inside is inside:
        return stored.live
    if not makes_fields(serializer):
        return None
    live = Live(serializer, inside, selection_of(serializer))
    stored = stored_fields(serializer)
    if stored is not None:
        stored.live = live
    return live


def makes_fields(serializer: AnyField) -> bool:
    """Return whether the serializer has fields that the project chose.

    It makes them now if its ``get_fields()`` does so from those of the class.
    """
    if "fields" not in serializer.__dict__:
        if not chooses_fields(serializer):
            return False
        _ = serializer.fields
    return True


def chooses_fields(serializer: AnyField) -> bool:
    """Return whether the class has a ``get_fields()`` that chooses from those of the class."""
    return class_state(type(serializer)).drafts is not None


def selection_of(serializer: AnyField) -> Reading | None:
    """Readers for fields that the project chose or changed; None if all were changed."""
    fields = getattr(serializer.__dict__.get("fields"), "fields", None)
    stored = stored_fields(serializer)
    if type(fields) is not dict or stored is None:
        return None
    copies = stored.drafts or stored
    unchanged = copies.unchanged(fields)
    state = class_state(type(serializer))
    is_outdated = state.known_templates is not copies.templates
    compiled = None if is_outdated or not unchanged else state.to_read()
    if compiled is None:
        return None
    stored.update(fields)
    return compiled.selection(tuple(fields), unchanged)


def _relations(fields: Fields, around: frozenset[type] = frozenset()) -> tuple[str, ...]:
    return tuple(
        name
        for name, field in fields.items()
        if is_computed_field(field) or (not field.read_only and _may_look_up(field, around))
    )


def _may_look_up(field: CompiledField, around: frozenset[type]) -> bool:
    inside = getattr(field, "child", field)
    if not hasattr(inside, "_declared_fields"):
        return hasattr(inside, "queryset") or hasattr(field, "child_relation")
    kind = type(inside)
    if kind in around:
        return False
    state = class_state(kind)
    # Fields known only to the current serializer may look up anything.
    return state.templates is None or bool(_relations(state.described_fields(), around | {kind}))
