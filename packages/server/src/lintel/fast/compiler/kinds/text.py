"""Text, and UUIDs, which are text in JSON."""

from __future__ import annotations

import uuid
from re import compile as pattern

from lintel.fast.compiler.kinds.base import (
    Acceptance,
    Accepted,
    Kind,
    ReadingWriter,
    Shape,
    TypeEncoder,
    Writer,
    accepts,
    exactly,
    uuid_text,
)
from lintel.fast.compiler.plan import Conversion, FieldPlan
from lintel.fast.compiler.protocols import Encoder
from lintel.fast.compiler.validator_expressions import checks

_UUID = pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HYPHENED = "hex_verbose"


def _accept_text(writer: Writer, plan: FieldPlan, value: str) -> Acceptance | None:
    valid = checks(writer.source, plan.validators, value)
    if plan.validation is None or plan.validation.kind != "text" or valid is None:
        return None
    trim = plan.validation.option("trim_whitespace")
    filled = f"({value} := {value}.strip())" if trim else value
    test = " and ".join([filled, *valid])
    if plan.validation.option("allow_blank"):
        # Blank text is accepted before any validator runs.
        test = f"(not {filled} or {' and '.join(valid) or 'True'})"
    return Acceptance(value, f"type({value}) is str and {test}", value)


def _shape_uuid(writer: ReadingWriter, conversion: Conversion, value: str) -> Shape | None:
    form = conversion.option("uuid_format")
    if form != _HYPHENED:
        return exactly(uuid.UUID, f"{{value}}.{form}")(writer, conversion, value)
    text = writer.source.bind("uuid_text", uuid_text)
    return exactly(uuid.UUID, f"{text}({{value}})")(writer, conversion, value)


def _convert_uuid(writer: Writer, writing: Conversion, value: str) -> Accepted:
    matches = writer.source.bind("is_uuid", _UUID.fullmatch)
    tests = [f"type({value}) is str", f"{matches}({value})"]
    return tests, f"{writer.source.bind('UUID', uuid.UUID)}({value})"


def _uuid_encoder(conversion: Conversion) -> Encoder | None:
    is_hyphened = conversion.option("uuid_format") == _HYPHENED
    return TypeEncoder(uuid.UUID, "UUIDField") if is_hyphened else None


KINDS = {
    "text": Kind(shape=exactly(str), accept=_accept_text),
    "uuid": Kind(shape=_shape_uuid, accept=accepts(_convert_uuid), encoder=_uuid_encoder),
}
