"""The table of all kinds, and the three questions that generated texts ask of it.

Values that contain others stand here: lists of one kind, JSON, and values passed on unchanged.
"""

from django.db.models import Field

from lintel.fast.compiler.kinds import dates, numbers, relations, text
from lintel.fast.compiler.kinds.base import Acceptance, Kind, Shape
from lintel.fast.compiler.plan import Conversion, FieldPlan
from lintel.fast.compiler.protocols import Encoder
from lintel.fast.compiler.runtime import finish_item
from lintel.trust.originals import reaches_django
from lintel.trust.source import Source


def _shape_as_is(source: Source, conversion: Conversion, value: str) -> Shape:
    return Shape(f"not callable({value})", value)


def _shape_json(source: Source, conversion: Conversion, value: str) -> Shape | None:
    return None if conversion.option("binary") else _shape_as_is(source, conversion, value)


#: Kind of ``to_representation`` or ``to_internal_value`` → its entry.
KINDS: dict[str, Kind] = {
    **text.KINDS,
    **numbers.KINDS,
    **dates.KINDS,
    "list": Kind(repeats=True),
    "json": Kind(shape=_shape_json),
    "as_is": Kind(shape=_shape_as_is),
    **relations.KINDS,
}

_UNKNOWN = Kind()

#: Kinds of ``validate_empty_values`` that pass all values but absent, None and blank ones.
_EMPTY_VALUES = ("standard", "decimal")


def kind_of(conversion: Conversion | None) -> Kind:
    return _UNKNOWN if conversion is None else KINDS.get(conversion.kind, _UNKNOWN)


def shape(source: Source, plan: FieldPlan, value: str, field: str) -> Shape | None:
    """None if only the field, for which ``field`` is the expression, can convert the value."""
    kind = kind_of(plan.reading)
    if kind.repeats and plan.child is not None:
        return _shape_of_list(source, plan.child, value, f"{field}.child")
    if kind.shape is None or plan.reading is None:
        return None
    return kind.shape(source, plan.reading, value)


def _shape_of_list(source: Source, item_plan: FieldPlan, value: str, child: str) -> Shape | None:
    item = source.local("item")
    inner = shape(source, item_plan, item, child)
    if inner is None:
        return None
    finish = source.bind("finish_item", finish_item)
    result = f"{inner.result} if {inner.test} else {finish}({child}, {item})"
    return Shape(f"type({value}) is list", f"[{result} for {item} in {value}]")


def acceptance(source: Source, plan: FieldPlan, value: str) -> Acceptance | None:
    accept = kind_of(plan.writing).accept
    if accept is None or plan.validation is None or plan.empty_values not in _EMPTY_VALUES:
        return None
    return accept(source, plan, value)


def encoder_of(conversion: Conversion | None, column: Field) -> Encoder | None:
    """None if each row is converted alone, e.g. for a kind or a column of the project."""
    make = kind_of(conversion).encoder
    if make is None or conversion is None:
        return None
    encoder = make(conversion)
    usual = reaches_django(type(column), "get_db_converters", "get_internal_type")
    if encoder is None or not usual or hasattr(column, "from_db_value"):
        return None
    return encoder if column.get_internal_type() == encoder.column_type else None
