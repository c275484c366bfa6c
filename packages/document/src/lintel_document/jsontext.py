"""JSON text from other systems: strict, and with the limits of Python's parser."""

import json
import math
from decimal import Decimal
from typing import Any, NoReturn

from lintel_document.errors import ParseError

__all__ = ["parse_json"]


def parse_json(content: bytes | str, decimals: bool = False) -> Any:
    """Return the value of JSON in UTF-8; numbers with a fraction are float, or exact ``decimals``.

    Raises ParseError for invalid JSON, for NaN, Infinity and numbers that become infinite, and
    for nesting or integers that Python refuses to parse.
    """
    try:
        text = content if isinstance(content, str) else str(content, "utf-8-sig")
        return json.loads(
            text, parse_constant=_refuse_constant, parse_float=_decimal if decimals else _finite
        )
    except RecursionError:
        raise ParseError("Malformed JSON: nested too deeply") from None
    except ValueError as error:
        # Covers bad UTF-8, bad JSON, and integers too long for Python to parse in reasonable time.
        raise ParseError(f"Malformed JSON: {error}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number is too large")
    return number


def _decimal(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except ArithmeticError:
        raise ValueError("a number is too large") from None
