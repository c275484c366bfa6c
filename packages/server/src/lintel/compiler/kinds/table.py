"""The table of all kinds, and the three questions that texts ask of it."""

from __future__ import annotations

from lintel.compiler.kinds import choices, composite, dates, numbers, relations, text
from lintel.compiler.kinds.base import Acceptance, Kind, ReadingWriter, Shape, WritingWriter
from lintel.compiler.plan import Conversion, FieldPlan
from lintel.orm.wires import Wire

#: Kind of ``to_representation`` or ``to_internal_value`` → what is known of it.
KINDS: dict[str, Kind] = {
    **text.KINDS,
    **numbers.KINDS,
    **dates.KINDS,
    **choices.KINDS,
    **composite.KINDS,
    **relations.KINDS,
}

_UNKNOWN = Kind()

#: Kinds of ``validate_empty_values`` that let through what is neither absent, None nor blank.
_EMPTY_VALUES = ("standard", "decimal")


def kind_of(conversion: Conversion | None) -> Kind:
    """What is known of a method; nothing where the field has one of its own."""
    return _UNKNOWN if conversion is None else KINDS.get(conversion.kind, _UNKNOWN)


def shape(writer: ReadingWriter, plan: FieldPlan, value: str) -> Shape | None:
    """How ``value`` becomes a primitive; None where only the field can convert it."""
    if kind_of(plan.reading).repeats:
        return _repeated(writer, plan, value, writer.own(plan))
    return _single(writer, plan, value)


def _single(writer: ReadingWriter, plan: FieldPlan, value: str) -> Shape | None:
    shaping = kind_of(plan.reading).shape
    if shaping is None or plan.reading is None:
        return None
    return shaping(writer, plan.reading, value)


def _repeated(writer: ReadingWriter, plan: FieldPlan, value: str, own: str) -> Shape | None:
    """``own`` is the expression for the field of this list, which may be inside of another one."""
    if plan.child is None:
        return None
    item, child = writer.source.local("item"), f"{own}.child"
    if kind_of(plan.child.reading).repeats:
        inner = _repeated(writer, plan.child, item, child)
    else:
        inner = _single(writer, plan.child, item)
    return None if inner is None else composite.list_shape(writer, value, item, inner, child)


def acceptance(writer: WritingWriter, plan: FieldPlan, value: str) -> Acceptance | None:
    """How a field accepts ``value``; None where only the field itself knows."""
    accept = kind_of(plan.writing).accept
    if accept is None or plan.validation is None or plan.empty_values not in _EMPTY_VALUES:
        return None
    return accept(writer, plan, value)


def wire_of(conversion: Conversion | None) -> Wire | None:
    """How a column becomes text at once; None where that is left to each row."""
    make = kind_of(conversion).wire
    return None if make is None or conversion is None else make(conversion)
