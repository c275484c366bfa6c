"""Values as text and as JSON: what can be sent, and errors for everything else."""

import json
import re
import secrets
from collections.abc import Mapping
from decimal import Decimal
from pathlib import PurePath
from typing import Any

from lintel_client.files import is_file
from lintel_document.document import Array

__all__ = ["as_json", "as_text", "as_texts", "compact_json", "is_list", "json_text", "named"]


def as_json(value: Any) -> Any:
    """Return plain dictionaries and lists. Raises ValueError for what JSON cannot represent."""
    if isinstance(value, Mapping):
        return {_json_key(key): as_json(inner) for key, inner in value.items()}
    if is_list(value):
        return [as_json(item) for item in value]
    if isinstance(value, PurePath):
        return _encodable(str(value))
    if is_file(value) or isinstance(value, bytes | bytearray):
        raise ValueError(
            "A file cannot be sent as JSON. If the service accepts forms, too, "
            "choose the encoding multipart/form-data."
        )
    if isinstance(value, str):
        return _encodable(value)
    if value is None or isinstance(value, bool | int | float):
        json.dumps(value, allow_nan=False)
        return value
    if isinstance(value, Decimal):
        return _finite(value)
    raise ValueError(f"A value of type {type(value).__name__} cannot be sent as JSON.")


def json_text(value: Any, ascii_only: bool = False) -> str:
    """Return compact JSON. Raises ValueError for what JSON cannot represent."""
    return compact_json(as_json(value), ascii_only)


def compact_json(value: Any, ascii_only: bool = False) -> str:
    """Return the JSON of the result of ``as_json``, with each Decimal exact."""
    numbers: list[str] = []
    # The standard library writes no numbers but int and float, so decimals are written
    # as unpredictable placeholder texts, which are replaced afterwards.
    mark = secrets.token_hex(16)

    def kept(number: Decimal) -> str:
        numbers.append(str(number))
        return f"{mark}{len(numbers) - 1}"

    text = json.dumps(
        value, ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"), default=kept
    )
    return re.sub(rf'"{mark}(\d+)"', lambda at: numbers[int(at[1])], text) if numbers else text


def as_texts(value: Any) -> list[str]:
    return [as_text(item) for item in value] if is_list(value) else [as_text(value)]


def as_text(value: Any) -> str:
    """Return the text of one value in a URL, a header or a form.

    Raises ValueError for anything but text, paths, numbers and booleans; None is empty.
    """
    if isinstance(value, str | PurePath):
        return _encodable(str(value))
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Decimal):
        return str(_finite(value))
    raise ValueError(f"This parameter must be text, a number or a boolean, {named(value)}.")


def named(value: Any) -> str:
    """Return what a value is not, for a message."""
    if isinstance(value, Mapping):
        return "not an object"
    if is_list(value):
        return "not a list of lists"
    return "not a file" if is_file(value) else f"not {type(value).__name__}"


def is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | Array)


def _finite(value: Decimal) -> Decimal:
    if not value.is_finite():
        raise ValueError("This number is not finite.")
    return value


def _json_key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError("The keys of an object must be strings.")
    return _encodable(key)


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("This text cannot be encoded as UTF-8.") from None
    return text
