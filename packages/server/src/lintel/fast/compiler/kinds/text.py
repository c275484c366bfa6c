"""Text, UUIDs, which are text in JSON, and values of a list of choices."""

import uuid
from re import compile as pattern

from lintel.fast.compiler.kinds.base import (
    Acceptance,
    Accepted,
    Kind,
    Shape,
    TypeEncoder,
    accepts,
    exactly,
    uuid_text,
)
from lintel.fast.compiler.plan import Conversion, FieldPlan
from lintel.fast.compiler.protocols import ColumnValues, Encoder
from lintel.fast.compiler.validator_expressions import checks
from lintel.trust.source import Source

_UUID = pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HYPHENED = "hex_verbose"


def _accept_text(source: Source, plan: FieldPlan, value: str) -> Acceptance | None:
    valid = checks(source, plan.validators, value)
    if plan.validation is None or plan.validation.kind != "text" or valid is None:
        return None
    trim = plan.validation.option("trim_whitespace")
    filled = f"({value} := {value}.strip())" if trim else value
    test = " and ".join([filled, *valid])
    if plan.validation.option("allow_blank"):
        # Blank text is accepted before any validator runs.
        test = f"(not {filled} or {' and '.join(valid) or 'True'})"
    return Acceptance(value, f"type({value}) is str and {test}", value)


def _shape_uuid(source: Source, conversion: Conversion, value: str) -> Shape | None:
    form = conversion.option("uuid_format")
    if form != _HYPHENED:
        return exactly(uuid.UUID, f"{{value}}.{form}")(source, conversion, value)
    text = source.bind("uuid_text", uuid_text)
    return exactly(uuid.UUID, f"{text}({{value}})")(source, conversion, value)


def _convert_uuid(source: Source, writing: Conversion, value: str) -> Accepted:
    matches = source.bind("is_uuid", _UUID.fullmatch)
    tests = [f"type({value}) is str", f"{matches}({value})"]
    return tests, f"{source.bind('UUID', uuid.UUID)}({value})"


def _uuid_encoder(conversion: Conversion) -> Encoder | None:
    is_hyphened = conversion.option("uuid_format") == _HYPHENED
    return TypeEncoder(uuid.UUID, "UUIDField", 2950, _are_texts) if is_hyphened else None


def _are_texts(sent: ColumnValues) -> bool:
    # PostgreSQL knows one form of UUIDs.
    return set(map(type, sent)) == {str}


# ---- choices ----


def _table(source: Source, conversion: Conversion) -> str:
    return source.bind("choices", conversion.option("choice_strings_to_values"))


def _shape_choice(source: Source, conversion: Conversion, value: str) -> Shape:
    result = f"({_table(source, conversion)}.get({value}, {value}) if {value} else {value})"
    return Shape(f"type({value}) is str", result)


def _convert_choice(source: Source, writing: Conversion, value: str) -> Accepted:
    table = _table(source, writing)
    return [f"type({value}) is str", value, f"{value} in {table}"], f"{table}[{value}]"


KINDS = {
    "text": Kind(shape=exactly(str), accept=_accept_text),
    "uuid": Kind(shape=_shape_uuid, accept=accepts(_convert_uuid), encoder=_uuid_encoder),
    "choice": Kind(shape=_shape_choice, accept=accepts(_convert_choice)),
}
