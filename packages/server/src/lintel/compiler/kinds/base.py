"""What a table of kinds is made of, and what several kinds share."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import orjson

from lintel.compiler.plan import Conversion, FieldPlan, Tools
from lintel.compiler.source import Source
from lintel.compiler.validator_expressions import checks
from lintel.orm.wires import Values, Wire, WiredColumn


class Writer(Protocol):
    """What every kind may ask of the text around it."""

    @property
    def source(self) -> Source:
        """The text, for names and for what is evaluated once."""


class ReadingWriter(Writer, Protocol):
    """The text that turns objects into primitives."""

    def own(self, plan: FieldPlan) -> str:
        """Return the expression for the field of the serializer at hand."""


class WritingWriter(Writer, Protocol):
    """The text that turns primitives into values."""

    @property
    def tools(self) -> Tools:
        """What the floors above lend to generated text."""


@dataclass(frozen=True, slots=True)
class Shape:
    """When a conversion is certain, what it gives, and what is called otherwise."""

    test: str
    result: str
    finish: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """``test`` is true for valid input in ``value``; then ``result`` is what it becomes.

    ``stored_if``, if any, is a second test: where it is false, the error is noted already.
    """

    value: str
    test: str
    result: str
    stored_if: str = ""


#: Object → primitive: from the writer, ``to_representation`` and the local variable.
Shaping = Callable[[ReadingWriter, Conversion, str], Shape | None]

#: Primitive → value: from the writer, the plan of the field and the local variable.
Accepting = Callable[[WritingWriter, FieldPlan, str], Acceptance | None]

#: Tests of what comes before the validators, and the expression for the converted value.
Accepted = tuple[Sequence[str], str]

#: Primitive → value where the validators of the field follow, as they usually do.
Converting = Callable[[WritingWriter, Conversion, str], Accepted | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """All that generated text knows of one kind of field; None: only the field itself knows.

    ``shape``: the text of ``to_representation``, for input of which it is certain what comes out.
    ``accept``: the test for input that the field would accept, and the very result that it would
    give; the test may assign the converted value to the local variable. ``wire``: how a whole
    column of rows becomes text. ``repeats``: a list of the kind of its child.
    """

    shape: Shaping | None = None
    accept: Accepting | None = None
    wire: Callable[[Conversion], Wire | None] | None = None
    repeats: bool = False


def type_name(writer: Writer, kind: type) -> str:
    """Return the name under which the text knows a type."""
    builtin = kind.__module__ == "builtins"
    return kind.__name__ if builtin else writer.source.bind(kind.__name__, kind)


def exactly(kind: type, result: str = "{value}") -> Shaping:
    """Return the shape for values of exactly this type."""

    def shaping(writer: ReadingWriter, conversion: Conversion, value: str) -> Shape:
        return Shape(f"type({value}) is {type_name(writer, kind)}", result.format(value=value))

    return shaping


def accepts(converting: Converting) -> Accepting:
    """Acceptance by the usual steps: the conversion, then the validators."""

    def accepting(writer: WritingWriter, plan: FieldPlan, value: str) -> Acceptance | None:
        usual = plan.validation is not None and plan.validation.kind == "standard"
        if plan.writing is None or not usual:
            return None
        accepted = converting(writer, plan.writing, value)
        if accepted is None:
            return None
        tests, result = accepted
        valid = checks(writer.source, plan.validators, result)
        if valid is None:
            return None
        return Acceptance(value, " and ".join([*tests, *valid]), result)

    return accepting


def accepts_exactly(kind: type) -> Accepting:
    """Acceptance of values of exactly one built-in type as they are."""
    return accepts(lambda writer, writing, value: ([f"type({value}) is {kind.__name__}"], value))


# ---- columns ----

_IN_UTC = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Values that SQLite hands out as Python has them, so that no converter is needed."""

    kind: type
    column_type: str
    makes_text: bool = False

    def from_sqlite(self, values: Values, column: WiredColumn) -> Values | None:
        """Return the values, if they are of the one type."""
        return values if all_are(values, self.kind) else None

    def from_python(self, values: Values) -> Values | None:
        """Return the values."""
        return values


def all_are(values: Values, kind: type) -> bool:
    """Return whether all values are of exactly one type."""
    return set(map(type, values)) == {kind}


def texts(values: Values) -> list[str]:
    """ISO 8601 and hyphened text, by the JSON library, which writes a whole list at once."""
    return orjson.dumps(values, None, _IN_UTC)[2:-2].decode().split('","')


def text_in_utc(value: datetime.datetime) -> str:
    """RFC 3339 for a moment whose zone is UTC, in a third of the time of ``isoformat()``."""
    return orjson.dumps(value, None, orjson.OPT_UTC_Z)[1:-1].decode()


def uuid_text(value: uuid.UUID) -> str:
    """``str(value)``, in a third of the time."""
    return orjson.dumps(value)[1:-1].decode()
