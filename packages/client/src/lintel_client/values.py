"""Values as text and as JSON: what may travel, and what is wrong with what may not."""

import json
from collections.abc import Mapping
from typing import Any

from lintel_client.files import is_file
from lintel_document.document import Array

__all__ = ["as_json", "as_text", "as_texts", "is_list", "json_text", "named"]


def as_json(value: Any) -> Any:
    """Return plain dictionaries and lists. Raises ValueError for what JSON cannot hold."""
    if isinstance(value, Mapping):
        return {_json_key(key): as_json(inner) for key, inner in value.items()}
    if is_list(value):
        return [as_json(item) for item in value]
    if is_file(value) or isinstance(value, bytes | bytearray):
        raise ValueError("A file cannot travel in JSON: this link takes no upload.")
    if isinstance(value, str):
        return _encodable(value)
    if value is None or isinstance(value, bool | int | float):
        json.dumps(value, allow_nan=False)
        return value
    raise ValueError(f"A value of type {type(value).__name__} cannot travel in JSON.")


def json_text(value: Any, ascii_only: bool = False) -> str:
    """Return compact JSON. Raises ValueError for what JSON cannot hold."""
    return json.dumps(as_json(value), ensure_ascii=ascii_only, separators=(",", ":"))


def as_texts(value: Any) -> list[str]:
    return [as_text(item) for item in value] if is_list(value) else [as_text(value)]


def as_text(value: Any) -> str:
    """Return the text of one value in a URL, a header or a form.

    Raises ValueError for what is no text, number or boolean; None is empty.
    """
    if isinstance(value, str):
        return _encodable(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise ValueError(f"This parameter must be text, a number or a boolean, {named(value)}.")


def named(value: Any) -> str:
    """Say what a value is not, for a message."""
    if isinstance(value, Mapping):
        return "not an object"
    if is_list(value):
        return "not a list of lists"
    return "not a file" if is_file(value) else f"not {type(value).__name__}"


def is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | Array)


def _json_key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError("The keys of an object must be strings.")
    return _encodable(key)


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("This text has no UTF-8 form.") from None
    return text
