"""Numbers and booleans."""

import decimal
from dataclasses import dataclass
from decimal import Decimal

from lintel.fast.compiler.kinds.base import Accepted, Kind, Shape, accepts, exactly, type_name
from lintel.fast.compiler.plan import Conversion
from lintel.fast.compiler.protocols import ColumnValues, Encoder
from lintel.trust.source import Source

#: Up to this size, ``str()`` of a decimal never has an exponent.
_PLAIN_PLACES = 6


def _shape_big_integer(source: Source, conversion: Conversion, value: str) -> Shape | None:
    text = conversion.option("coerce_to_string")
    return exactly(int, "str({value})" if text else "{value}")(source, conversion, value)


def _convert_integer(source: Source, writing: Conversion, value: str) -> Accepted:
    return [f"type({value}) is int"], value


def _convert_float(source: Source, writing: Conversion, value: str) -> Accepted:
    infinity = source.bind("infinity", float("inf"))
    return [f"type({value}) is float", f"-{infinity} < {value} < {infinity}"], value


def _keeps_booleans(conversion: Conversion) -> bool:
    true, false = conversion.option("TRUE_VALUES"), conversion.option("FALSE_VALUES")
    return True in true and False in false and False not in true


def _shape_boolean(source: Source, conversion: Conversion, value: str) -> Shape | None:
    return exactly(bool)(source, conversion, value) if _keeps_booleans(conversion) else None


def _convert_boolean(source: Source, writing: Conversion, value: str) -> Accepted | None:
    return ([f"type({value}) is bool"], value) if _keeps_booleans(writing) else None


# ---- decimals ----


def _writes_text(conversion: Conversion) -> bool:
    option = conversion.option
    changed = option("localize") or option("normalize_output")
    return bool(option("coerce_to_string")) and not changed


def _shape_decimal(source: Source, conversion: Conversion, value: str) -> Shape | None:
    option = conversion.option
    if not _writes_text(conversion):
        return None
    test = f"type({value}) is {type_name(source, Decimal)}"
    if option("decimal_places") is None:
        return Shape(test, f'f"{{{value}:f}}"')
    if option("max_digits") is None:
        return None
    places = source.bind("places", Decimal(1).scaleb(-option("decimal_places")))
    rounding = source.bind("rounding", option("rounding"))
    make = source.bind("decimal_context", decimal_context)
    digits = source.bind("max_digits", option("max_digits"))
    context = source.hoist(f"context_of_{digits}", f"{make}({digits})")
    number = f"{value}.quantize({places}, {rounding}, {context})"
    # str() is twice as fast as a format.
    plain = option("decimal_places") <= _PLAIN_PLACES
    return Shape(test, f"str({number})" if plain else f'f"{{{number}:f}}"')


def decimal_context(max_digits: int) -> decimal.Context:
    context = decimal.getcontext().copy()
    context.prec = max_digits
    return context


def _convert_decimal(source: Source, writing: Conversion, value: str) -> Accepted | None:
    """Return the conversion of text with exactly the field's places, which needs no rounding."""
    option = writing.option
    digits, places = option("max_digits"), option("decimal_places")
    if option("localize") or digits is None or places is None or places >= digits:
        return None
    # A text as long as the digits and the point has no digit too many; with a sign it may have.
    longest = source.bind("longest", digits + 1 if places else digits)
    exact = source.bind("exact_decimal", decimal.Context(digits + 1, traps=[]).create_decimal)
    has_places = source.bind("has_places", Decimal(1).scaleb(-places).same_quantum)
    number = source.local("number")
    return [
        f"type({value}) is str",
        f"len({value}) <= {longest}",
        f"{has_places}({number} := {exact}({value}))",
    ], number


def _decimal_encoder(conversion: Conversion) -> Encoder | None:
    if not _writes_text(conversion):
        return None
    digits, places = conversion.option("max_digits"), conversion.option("decimal_places")
    return DecimalEncoder(digits, places) if digits and places else None


@dataclass(frozen=True, slots=True)
class DecimalEncoder:
    """Convert numbers with as many decimal places as their column."""

    max_digits: int
    places: int
    column_type: str = "DecimalField"
    number: int = 1700

    def texts(self, values: ColumnValues) -> list[str] | None:
        if set(map(type, values)) != {Decimal}:
            return None
        texts = list(map(str, values))
        return texts if self._are_numbers(texts) else None

    def sent_texts(self, texts: ColumnValues) -> ColumnValues | None:
        return texts if set(map(type, texts)) == {str} and self._are_numbers(texts) else None

    def _are_numbers(self, texts: ColumnValues) -> bool:
        """Return whether all are spelled as the field does, none of them NaN or infinite."""
        point = -self.places - 1
        # A sign counts as a digit, so some values take the slow path unnecessarily.
        is_short = max(map(len, texts)) <= self.max_digits + 1 and "E" not in "".join(texts)
        return is_short and {text[point : -self.places] for text in texts} == {"."}


KINDS = {
    "integer": Kind(shape=exactly(int), accept=accepts(_convert_integer)),
    "big_integer": Kind(shape=_shape_big_integer),
    "float": Kind(shape=exactly(float), accept=accepts(_convert_float)),
    "boolean": Kind(shape=_shape_boolean, accept=accepts(_convert_boolean)),
    "decimal": Kind(
        shape=_shape_decimal, accept=accepts(_convert_decimal), encoder=_decimal_encoder
    ),
}
