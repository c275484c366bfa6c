"""Primitive → validated value, for one field: the test that input is certainly valid.

Each entry of ACCEPTANCES answers for one ``kind`` of ``to_internal_value``. The test may assign
the converted value to the local variable, and it may be true only for input that the field itself
would accept, with the very same result.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from re import compile as pattern
from typing import Any, Protocol

from lintel.compiler import runtime
from lintel.compiler.checks import checks
from lintel.compiler.plan import Conversion, FieldPlan, Tools
from lintel.compiler.source import Source

_ISO = "iso-8601"
_UUID = pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """``test`` is true for valid input in ``value``; then ``result`` is what it becomes.

    ``stored_if``, if any, is a second test: where it is false, the error is noted already.
    """

    value: str
    test: str
    result: str
    stored_if: str = ""


class Writer(Protocol):
    """What an acceptance may ask of the text around it."""

    source: Source

    @property
    def tools(self) -> Tools:
        """What the floors above lend to generated text."""

    def hoist(self, name: str, expression: str) -> str:
        """Evaluate an expression once for each serializer; returns the name of the result."""


#: From the writer, the plan and the variable: tests before the validators, and the result.
Accepted = tuple[list[str], str]
Accepting = Callable[[Writer, Conversion, str], "Accepted | None"]


def acceptance(writer: Writer, plan: FieldPlan, value: str) -> Acceptance | None:
    """How a field accepts ``value``; None where only the field itself knows."""
    if plan.writing is None or plan.validation is None or plan.empty_values not in _EMPTY_VALUES:
        return None
    if plan.writing.kind == "text":
        return _text(writer, plan, value)
    if plan.writing.kind in _KEYS:
        return _related(writer, plan, value)
    accepting = ACCEPTANCES.get(plan.writing.kind)
    if accepting is None or plan.validation.kind != "standard":
        return None
    accepted = accepting(writer, plan.writing, value)
    if accepted is None:
        return None
    valid = checks(writer.source, plan.validators, accepted[1])
    if valid is None:
        return None
    return Acceptance(value, " and ".join([*accepted[0], *valid]), accepted[1])


def _text(writer: Writer, plan: FieldPlan, value: str) -> Acceptance | None:
    valid = checks(writer.source, plan.validators, value)
    if plan.validation is None or plan.validation.kind != "text" or valid is None:
        return None
    trim = plan.validation.option("trim_whitespace")
    filled = f"({value} := {value}.strip())" if trim else value
    test = " and ".join([filled, *valid])
    if plan.validation.option("allow_blank"):
        # Blank text is accepted before any validator sees it.
        test = f"(not {filled} or {' and '.join(valid) or 'True'})"
    return Acceptance(value, f"type({value}) is str and {test}", value)


#: Of the relations by key: what names the key. A primary key may have a field that converts it.
_KEYS = {"primary_key": "pk_field", "slug_related": "slug_field"}


def _related(writer: Writer, plan: FieldPlan, value: str) -> Acceptance | None:
    """Numbers and texts are looked up at once, as the relation would."""
    writing, validation = plan.writing, plan.validation
    if writing is None or validation is None or validation.kind != "related" or plan.validators:
        return None
    key = writing.option(_KEYS[writing.kind])
    if writing.kind == "primary_key":
        key = "pk" if key is None else None
    find = None if key is None else writer.tools.finder(plan.name, writing.option("queryset"), key)
    if find is None:
        return None
    source, found = writer.source, writer.source.local("found")
    call = f"{source.bind(f'find_{plan.name}', find)}(serializer, {value}, errors)"
    test = f"({found} := {call}) is not {source.bind('empty', writer.tools.empty)}"
    keys = source.bind("key_types", _KEY_TYPES)
    return Acceptance(value, f"type({value}) in {keys} and {test}", found, f"{found} is not None")


_KEY_TYPES = frozenset({int, str})


def _exactly(kind: type) -> Accepting:
    def accepting(writer: Writer, writing: Conversion, value: str) -> Accepted:
        return [f"type({value}) is {kind.__name__}"], value

    return accepting


def _float(writer: Writer, writing: Conversion, value: str) -> Accepted:
    infinity = writer.source.bind("infinity", float("inf"))
    return [f"type({value}) is float", f"-{infinity} < {value} < {infinity}"], value


def _choice(writer: Writer, writing: Conversion, value: str) -> Accepted:
    table = writer.source.bind("choices", writing.option("choice_strings_to_values"))
    return [f"type({value}) is str", value, f"{value} in {table}"], f"{table}[{value}]"


def _uuid(writer: Writer, writing: Conversion, value: str) -> Accepted:
    matches = writer.source.bind("is_uuid", _UUID.fullmatch)
    return [
        f"type({value}) is str",
        f"{matches}({value})",
    ], f"{writer.source.bind('UUID', uuid.UUID)}({value})"


def _decimal(writer: Writer, writing: Conversion, value: str) -> Accepted | None:
    """Text with exactly the places of the field, so that there is nothing to round."""
    option = writing.option
    digits, places = option("max_digits"), option("decimal_places")
    if option("localize") or digits is None or places is None or places >= digits:
        return None
    fraction = rf"\.[0-9]{{{places}}}" if places else ""
    matches = pattern(rf"-?[0-9]{{1,{digits - places}}}{fraction}").fullmatch
    number = writer.source.local("number")
    return [
        f"type({value}) is str",
        f"{writer.source.bind('fits', matches)}({value})",
        f"({number} := {writer.source.bind('Decimal', Decimal)}({value})) is not None",
    ], number


def _parsed(writer: Writer, value: str, parse: Callable[..., Any], *arguments: str) -> Accepted:
    parsed = writer.source.local("parsed")
    call = f"{writer.source.bind(parse.__name__, parse)}({', '.join([value, *arguments])})"
    return [f"type({value}) is str", f"({parsed} := {call}) is not None"], parsed


def _is_iso(writing: Conversion) -> bool:
    formats = writing.option("input_formats")
    first = formats[0] if isinstance(formats, list | tuple) and formats else None
    return isinstance(first, str) and first.lower() == _ISO


def _datetime(writer: Writer, writing: Conversion, value: str) -> Accepted | None:
    if not _is_iso(writing):
        return None
    zone = writer.hoist("zone", f"{writer.source.bind('current_zone', runtime.current_zone)}()")
    return _parsed(writer, value, runtime.aware_datetime, zone)


def _date(writer: Writer, writing: Conversion, value: str) -> Accepted | None:
    return _parsed(writer, value, runtime.iso_date) if _is_iso(writing) else None


def _time(writer: Writer, writing: Conversion, value: str) -> Accepted | None:
    return _parsed(writer, value, runtime.iso_time) if _is_iso(writing) else None


#: Kinds of ``validate_empty_values`` that let through what is neither absent, None nor blank.
_EMPTY_VALUES = ("standard", "decimal")

ACCEPTANCES: dict[str, Accepting] = {
    "integer": _exactly(int),
    "boolean": _exactly(bool),
    "float": _float,
    "choice": _choice,
    "uuid": _uuid,
    "decimal": _decimal,
    "datetime": _datetime,
    "date": _date,
    "time": _time,
}
