"""Plans: what a serializer does, as plain frozen data.

Methods of fields that generated text may replace are marked where they are defined::

    @inlinable("integer", "max_length")
    def to_internal_value(self, data): ...

``kind`` names what the method does, the further names are the attributes of the field that it
reads. :func:`conversion` describes one method of one field, but only while the marked
function is the one that a call would reach. If a subclass, a mixin, a monkeypatch or an
instance attribute replaces the method, there is no mark, and generated text calls the method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from lintel.marks import inlinable_as
from lintel.overrides import looks_up_plainly, reached

Validator = Callable[[Any], object]

#: Methods that together validate one field; generated text replaces all or none of them.
VALIDATION_METHODS = (
    *("get_value", "run_validation", "validate_empty_values", "get_default"),
    *("to_internal_value", "run_validators"),
)

# Methods of which every definition in the MRO has a mark.
_CALLED_BY_SUPER = frozenset(VALIDATION_METHODS) - {"to_internal_value"} | {"get_attribute"}

#: Kinds of ``to_representation`` for serializers.
SERIALIZER_KINDS = ("serializer", "list_serializer")

#: Methods that together read one field.
READING_METHODS = ("get_attribute", "to_representation")


@dataclass(frozen=True, slots=True)
class Conversion:
    """One inlinable method with the values of the attributes that it reads."""

    kind: str
    options: Mapping[str, Any]

    def option(self, name: str) -> Any:
        return self.options[name]


@dataclass(frozen=True, slots=True, eq=False)
class FieldPlan:
    """One field: its flags, and how it is read and written.

    ``access``, ``reading`` and ``writing`` describe ``get_attribute``, ``to_representation`` and
    ``to_internal_value``; None where the field overrides the method. ``validation`` does
    so for ``run_validation``, as long as every step around it is known; ``empty_values`` and
    ``get_value`` are the kinds of two of these steps. ``child`` is the field inside a list,
    ``nested`` the plan of the serializer that the field is or repeats, and ``by_fields`` whether
    nothing but the fields of this one validates input; ``tells`` says whether its messages need no
    code of the project. ``reads`` are the relations that a method field declares. For a
    ``computed`` field only the name is known: the text asks the current serializer's field for
    everything else.
    """

    name: str
    class_name: str
    source_attrs: tuple[str, ...] = ()
    read_only: bool = False
    write_only: bool = False
    required: bool = True
    allow_null: bool = False
    default: object = None
    access: Conversion | None = None
    reading: Conversion | None = None
    writing: Conversion | None = None
    validation: Conversion | None = None
    empty_values: str = ""
    get_value: str = ""
    validators: tuple[Validator, ...] = ()
    child: FieldPlan | None = None
    nested: SerializerPlan | None = None
    reads: tuple[str, ...] = ()
    by_fields: bool = False
    overridden: frozenset[str] = frozenset()
    computed: bool = False
    tells: bool = False

    @property
    def access_kind(self) -> str:
        return "" if self.access is None else self.access.kind

    @property
    def reading_kind(self) -> str:
        return "" if self.reading is None else self.reading.kind

    @property
    def attribute(self) -> str:
        """The only step of the source; empty for a longer path, or the object itself."""
        return self.source_attrs[0] if len(self.source_attrs) == 1 else ""

    def option(self, name: str) -> Any:
        """Return an option of ``to_representation``; None if the field overrides this."""
        return None if self.reading is None else self.reading.option(name)

    @property
    def calls_project(self) -> bool:
        """Whether reading calls code of the project that knows the serializer."""
        if self.computed or not self.overridden.isdisjoint(READING_METHODS):
            return True
        if self.reading_kind in ("", "method", "dict"):
            return True
        if self.reading_kind in SERIALIZER_KINDS:
            return self.nested is None or self.nested.calls_project
        return self.child is not None and self.child.calls_project

    def reason(self, methods: Iterable[str]) -> str:
        if self.computed:
            return f"{self.class_name} is made, bound or looked up by code of the project"
        replaced = [f"{method}()" for method in methods if method in self.overridden]
        if replaced:
            return f"{self.class_name} has its own {', '.join(replaced)}"
        return f"{self.class_name} with these arguments has no generated form"


@dataclass(frozen=True, slots=True, eq=False)
class SerializerPlan:
    """One serializer: its fields in order, and which of its steps are overridden.

    ``hooks`` names the fields that have a ``validate_<field>`` method, ``overridden`` the methods
    that the project replaced. ``input_keys`` are the keys that input may have,
    ``forbids_unknown`` is what the class alone says about other keys.
    """

    title: str
    fields: tuple[FieldPlan, ...]
    hooks: frozenset[str]
    input_keys: frozenset[str]
    forbids_unknown: bool
    overridden: frozenset[str]

    @property
    def calls_project(self) -> bool:
        return any(plan.calls_project for plan in self.fields)


def conversion(owner: object, method: str) -> Conversion | None:
    """Describe ``owner.method`` as a conversion; return None if it must be called."""
    if method in getattr(owner, "__dict__", ()) or not looks_up_plainly(owner):
        return None
    if method == "to_internal_value" and writes_parts(owner):
        return None
    mark = inlinable_as(type(owner), method)
    if mark is None or not _inherits_marks(type(owner), method):
        return None
    options: dict[str, object] = {}
    for name in mark.reads:
        if not isinstance(getattr(type(owner), name, None), FunctionType):
            options[name] = getattr(owner, name, None)
            continue
        helper = conversion(owner, name)
        if helper is None:
            # A helper that the method calls was replaced, so the method behaves differently.
            return None
        options.update(helper.options)
    return Conversion(mark.kind, options)


def writes_parts(serializer: object) -> bool:
    """Return whether ``Meta.nested`` of a serializer lets its items find their rows."""
    return bool(getattr(getattr(type(serializer), "Meta", None), "nested", None))


def _inherits_marks(cls: type, method: str) -> bool:
    return method not in _CALLED_BY_SUPER or all(
        inlinable_as(owner, method) for owner in cls.__mro__ if method in vars(owner)
    )


def options_of(cls: type, methods: Iterable[str]) -> list[str]:
    """Return the attributes, without methods, that marked methods of a class read."""
    marks = [inlinable_as(cls, method) for method in with_helpers(cls, methods)]
    names = dict.fromkeys(name for mark in marks if mark is not None for name in mark.reads)
    return [name for name in names if not isinstance(reached(cls, name), FunctionType)]


def with_helpers(cls: type, methods: Iterable[str]) -> Iterator[str]:
    """Yield the methods, each followed by those that it calls, if its mark says so."""
    for method in methods:
        yield method
        mark = inlinable_as(cls, method)
        reads = () if mark is None else mark.reads
        called = [name for name in reads if isinstance(getattr(cls, name, None), FunctionType)]
        yield from with_helpers(cls, called)
