"""Text, and UUIDs, which are text in JSON."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from re import compile as pattern

from lintel.fast.compiler.kinds.base import (
    Acceptance,
    Accepted,
    Kind,
    ReadingWriter,
    Shape,
    WritingWriter,
    accepts,
    all_are,
    exactly,
    texts,
    uuid_text,
)
from lintel.fast.compiler.plan import Conversion, FieldPlan
from lintel.fast.compiler.validator_expressions import checks
from lintel.fast.wires import Values, Wire, WiredColumn

_UUID = pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ROW = b"00000000-0000-0000-0000-000000000000\n"
_PLACES = [place for place, character in enumerate(_ROW) if character == ord("0")]
_HYPHENED = "hex_verbose"


def _accept_text(writer: WritingWriter, plan: FieldPlan, value: str) -> Acceptance | None:
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


def _convert_uuid(writer: WritingWriter, writing: Conversion, value: str) -> Accepted:
    matches = writer.source.bind("is_uuid", _UUID.fullmatch)
    tests = [f"type({value}) is str", f"{matches}({value})"]
    return tests, f"{writer.source.bind('UUID', uuid.UUID)}({value})"


def _uuid_wire(conversion: Conversion) -> Wire | None:
    return UUIDWire() if conversion.option("uuid_format") == _HYPHENED else None


@dataclass(frozen=True, slots=True)
class UUIDWire:
    """UUIDs with hyphens."""

    column_type: str = "UUIDField"
    makes_text: bool = True

    def from_sqlite(self, values: Values, column: WiredColumn) -> Values | None:
        """Convert the 32 digits that SQLite stores, or whatever another program wrote."""
        if not all_are(values, str) or set(map(len, values)) != {32}:
            return None
        digits = "".join(values)
        # Only hex digits give half as many bytes; capital letters would have to be lowered.
        if digits.lower() != digits or len(_bytes_of(digits)) * 2 != len(digits):
            return None
        # Each of the 32 positions at once for all rows: half the time of five slices per row.
        raw, written = digits.encode(), bytearray(_ROW * len(values))
        for number, place in enumerate(_PLACES):
            written[place :: len(_ROW)] = raw[number::32]
        return written.decode().split("\n")[:-1]

    def from_python(self, values: Values) -> Values | None:
        """Return ``str()`` of the values."""
        return texts(values) if all_are(values, uuid.UUID) else None


def _bytes_of(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return b""


KINDS = {
    "text": Kind(shape=exactly(str), accept=_accept_text),
    "uuid": Kind(shape=_shape_uuid, accept=accepts(_convert_uuid), wire=_uuid_wire),
}
