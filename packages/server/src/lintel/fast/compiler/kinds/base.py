"""The parts of a table of kinds, and what several kinds share."""

import datetime
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson

from lintel.fast.compiler.plan import Conversion, FieldPlan
from lintel.fast.compiler.protocols import ColumnValues, Encoder
from lintel.fast.compiler.validator_expressions import checks
from lintel.iso8601 import datetime_text
from lintel.trust.source import Source


@dataclass(frozen=True, slots=True)
class Shape:
    """When a conversion is certain, its result, and what is called otherwise."""

    test: str
    result: str
    finish: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """If ``test`` is true for the input in ``value``, it is valid and becomes ``result``.

    ``stored_if``, if any, is a second test: if it is false, the error is already recorded.
    """

    value: str
    test: str
    result: str
    stored_if: str = ""


#: Object → primitive: takes the text, ``to_representation`` and the local variable.
Shaping = Callable[[Source, Conversion, str], Shape | None]

#: Primitive → value: takes the text, the plan of the field and the local variable.
Accepting = Callable[[Source, FieldPlan, str], Acceptance | None]

#: Tests to run before the validators, and the expression for the converted value.
Accepted = tuple[Sequence[str], str]

#: Primitive → value if the validators of the field follow, as they usually do.
Converting = Callable[[Source, Conversion, str], Accepted | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """What generated text knows about one kind of field; None: only the field itself knows.

    ``shape``: the text of ``to_representation``, for input with a certain result.
    ``accept``: the test for input that the field would accept, and the exact result it would
    give; the test may assign the converted value to the local variable. ``encoder``: how a whole
    column of rows becomes text. ``repeats``: a list of the kind of its child.
    """

    shape: Shaping | None = None
    accept: Accepting | None = None
    encoder: Callable[[Conversion], Encoder | None] | None = None
    repeats: bool = False


def type_name(source: Source, kind: type) -> str:
    builtin = kind.__module__ == "builtins"
    return kind.__name__ if builtin else source.bind(kind.__name__, kind)


def exactly(kind: type, result: str = "{value}") -> Shaping:
    def shaping(source: Source, conversion: Conversion, value: str) -> Shape:
        return Shape(f"type({value}) is {type_name(source, kind)}", result.format(value=value))

    return shaping


def accepts(converting: Converting) -> Accepting:
    def accepting(source: Source, plan: FieldPlan, value: str) -> Acceptance | None:
        usual = plan.validation is not None and plan.validation.kind == "standard"
        if plan.writing is None or not usual:
            return None
        accepted = converting(source, plan.writing, value)
        if accepted is None:
            return None
        tests, result = accepted
        valid = checks(source, plan.validators, result)
        if valid is None:
            return None
        return Acceptance(value, " and ".join([*tests, *valid]), result)

    return accepting


# ---- columns ----


@dataclass(frozen=True, slots=True)
class TypeEncoder:
    """How the JSON library writes a column of one type, as the field would."""

    kind: type
    column_type: str
    number: int
    #: Whether PostgreSQL has sent the same.
    is_sent: Callable[[ColumnValues], bool]

    def texts(self, values: ColumnValues) -> list[str] | None:
        return json_texts(values) if set(map(type, values)) == {self.kind} else None

    def sent_texts(self, texts: ColumnValues) -> ColumnValues | None:
        return texts if self.is_sent(texts) else None


def json_texts(values: ColumnValues) -> list[str] | None:
    """Write ISO 8601 and hyphenated text with the JSON library, a whole list at once.

    None for classes that it does not know: tools that stop time replace ``datetime.datetime``.
    """
    try:
        return orjson.dumps(values, None, orjson.OPT_UTC_Z)[2:-2].decode().split('","')
    except TypeError:
        return None


def text_in_utc(value: datetime.datetime) -> str:
    """Return a UTC datetime in RFC 3339, in a third of the time of ``isoformat()``."""
    try:
        return orjson.dumps(value, None, orjson.OPT_UTC_Z)[1:-1].decode()
    except TypeError:
        return datetime_text(value)


def uuid_text(value: uuid.UUID) -> str:
    """Return ``str(value)`` in a third of the time."""
    return orjson.dumps(value)[1:-1].decode()
