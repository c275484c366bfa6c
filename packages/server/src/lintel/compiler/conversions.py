"""Object → primitive, for one value: a test of what is certain, and the text of its conversion.

Each entry of SHAPES answers for one ``kind`` of ``to_representation``. It gets the writer, the plan
of the field and the name of the local variable, and returns two expressions: when the conversion
is certain, and what it gives. None stands for "only the field itself knows".
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from django.utils.duration import duration_string

from lintel.compiler import runtime
from lintel.compiler.plan import Conversion, FieldPlan
from lintel.compiler.source import Source


class Writer(Protocol):
    """What a shape may ask of the text around it."""

    source: Source

    def own(self, plan: FieldPlan) -> str:
        """The expression for the field of the serializer at hand."""

    def hoist(self, name: str, expression: str) -> str:
        """Evaluate an expression once for each serializer; returns the name of the result."""


@dataclass(frozen=True, slots=True)
class Shape:
    """When a conversion is certain, what it gives, and what is called otherwise."""

    test: str
    result: str
    finish: str = ""
    arguments: str = ""


Shaping = Callable[[Writer, Conversion, str], "Shape | None"]


def shape(writer: Writer, plan: FieldPlan, value: str) -> Shape | None:
    """The test and the result for ``value``; None where only the field can convert it."""
    if plan.reading is None:
        return None
    if plan.reading.kind == "list":
        return _list(writer, plan, value, writer.own(plan))
    shaping = SHAPES.get(plan.reading.kind)
    return None if shaping is None else shaping(writer, plan.reading, value)


def type_name(writer: Writer, kind: type) -> str:
    """The name under which the text knows a type."""
    builtin = kind.__module__ == "builtins"
    return kind.__name__ if builtin else writer.source.bind(kind.__name__, kind)


def _exactly(kind: type, result: str = "{value}") -> Shaping:
    def shaping(writer: Writer, conversion: Conversion, value: str) -> Shape:
        return Shape(f"type({value}) is {type_name(writer, kind)}", result.format(value=value))

    return shaping


def _boolean(writer: Writer, conversion: Conversion, value: str) -> Shape | None:
    usual = True in conversion.option("TRUE_VALUES") and False in conversion.option("FALSE_VALUES")
    swapped = False in conversion.option("TRUE_VALUES")
    return _exactly(bool)(writer, conversion, value) if usual and not swapped else None


def _big_integer(writer: Writer, conversion: Conversion, value: str) -> Shape | None:
    text = conversion.option("coerce_to_string")
    return _exactly(int, "str({value})" if text else "{value}")(writer, conversion, value)


def _uuid(writer: Writer, conversion: Conversion, value: str) -> Shape | None:
    form = conversion.option("uuid_format")
    if form != "hex_verbose":
        return _exactly(uuid.UUID, f"{{value}}.{form}")(writer, conversion, value)
    text = writer.source.bind("uuid_text", runtime.uuid_text)
    return _exactly(uuid.UUID, f"{text}({{value}})")(writer, conversion, value)


def _decimal(writer: Writer, conversion: Conversion, value: str) -> Shape | None:
    """Decimals as text, cut to the places of the field in a context that is made once."""
    option = conversion.option
    if option("localize") or option("normalize_output") or not option("coerce_to_string"):
        return None
    test = f"type({value}) is {type_name(writer, Decimal)}"
    if option("decimal_places") is None:
        return Shape(test, f'f"{{{value}:f}}"')
    if option("max_digits") is None:
        return None
    places = writer.source.bind("places", Decimal(1).scaleb(-option("decimal_places")))
    rounding = writer.source.bind("rounding", option("rounding"))
    make = writer.source.bind("decimal_context", runtime.decimal_context)
    digits = writer.source.bind("max_digits", option("max_digits"))
    context = writer.hoist(f"context_of_{digits}", f"{make}({digits})")
    number = f"{value}.quantize({places}, {rounding}, {context})"
    # Up to here str() never writes an exponent, and it is twice as fast as a format.
    plain = option("decimal_places") <= 6
    return Shape(test, f"str({number})" if plain else f'f"{{{number}:f}}"')


def _is_iso(conversion: Conversion) -> bool:
    form = conversion.option("format")
    return isinstance(form, str) and form.lower() == "iso-8601"


def _datetime(writer: Writer, conversion: Conversion, value: str) -> Shape | None:
    """Moments in the zone of the field; finish_datetime knows those in UTC."""
    if not _is_iso(conversion):
        return None
    own = writer.source.bind("own_zone", conversion.option("timezone"))
    zone = writer.hoist("zone", f"{writer.source.bind('zone_of', runtime.zone_of)}({own})")
    iso_text = writer.source.bind("iso_text", runtime.iso_text)
    text = writer.hoist("text_of_datetime", f"{iso_text}({zone})")
    kind = type_name(writer, datetime.datetime)
    return Shape(
        f"type({value}) is {kind} and {value}.tzinfo is {zone}",
        f"{text}({value})",
        writer.source.bind("finish_datetime", runtime.finish_datetime),
        f", {zone}",
    )


def _iso(kind: type) -> Shaping:
    shaping = _exactly(kind, "{value}.isoformat()")
    return lambda writer, conversion, value: (
        shaping(writer, conversion, value) if _is_iso(conversion) else None
    )


def _duration(writer: Writer, conversion: Conversion, value: str) -> Shape | None:
    form = conversion.option("format")
    if not isinstance(form, str) or form.lower() != "django":
        return None
    text = writer.source.bind("duration_string", duration_string)
    return _exactly(datetime.timedelta, f"{text}({{value}})")(writer, conversion, value)


def _choice(writer: Writer, conversion: Conversion, value: str) -> Shape:
    choices = writer.source.bind("choices", conversion.option("choice_strings_to_values"))
    result = f"({choices}.get({value}, {value}) if {value} else {value})"
    return Shape(f"type({value}) is str", result)


def _json(writer: Writer, conversion: Conversion, value: str) -> Shape | None:
    return None if conversion.option("binary") else _as_is(writer, conversion, value)


def _as_is(writer: Writer, conversion: Conversion, value: str) -> Shape:
    return Shape(f"not callable({value})", value)


def _list(writer: Writer, plan: FieldPlan, value: str, own: str) -> Shape | None:
    """A list of values that are certain themselves, or become so one by one.

    ``own`` is the expression for the field of this list, which may be inside of another one.
    """
    item, child = writer.source.local("item"), plan.child
    if child is None:
        return None
    if child.reading is not None and child.reading.kind == "list":
        found = _list(writer, child, item, f"{own}.child")
    else:
        found = shape(writer, child, item)
    if found is None:
        return None
    finish = writer.source.bind("finish_item", runtime.finish_item)
    each = f"{found.result} if {found.test} else {finish}({own}.child, {item})"
    return Shape(f"type({value}) is list", f"[{each} for {item} in {value}]")


SHAPES: dict[str, Shaping] = {
    "text": _exactly(str),
    "integer": _exactly(int),
    "big_integer": _big_integer,
    "float": _exactly(float),
    "boolean": _boolean,
    "uuid": _uuid,
    "decimal": _decimal,
    "datetime": _datetime,
    "date": _iso(datetime.date),
    "time": _iso(datetime.time),
    "duration": _duration,
    "choice": _choice,
    "json": _json,
    "as_is": _as_is,
}
