"""The values of parameters on the command line: NAME=VALUE."""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

import click

from lintel_client.files import File

__all__ = [
    "bytes_of",
    "check_encodable",
    "inferred",
    "json_value",
    "parameters",
    "parsed_json",
    "text_value",
    "texts",
    "typed",
    "upload",
]


def parameters(
    params: Iterable[str], strings: Iterable[str], data: Iterable[str], files: Iterable[str]
) -> dict[str, Any]:
    """Return all parameters by name; for one name, files win over data, strings and params.

    Raises click.UsageError for an option that is not NAME=VALUE, for a name given twice to one
    option, and for a value that cannot be read.
    """
    found = {
        **_read("--param", params, inferred),
        **_read("--string", strings, text_value),
        **_read("--data", data, json_value),
        **_read("--file", files, upload),
    }
    for name in found:
        check_encodable(name, name)
    return found


def texts(option: str, given: Iterable[str]) -> dict[str, str]:
    """Return texts by name, unchanged. Raises click.UsageError for other forms."""
    return _read(option, given, lambda name, text: text)


def _read(option: str, given: Iterable[str], convert: Callable[[str, str], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{option} {text!r} must be written NAME=VALUE")
        if name in found:
            raise click.UsageError(
                f"{option} {name} is given twice; for a list write: --data '{name}=[1, 2]'"
            )
        check_encodable(name, value)
        found[name] = convert(name, value)
    return found


def inferred(name: str, text: str) -> Any:
    """Return the JSON value that a text looks like, else the text."""
    try:
        return parsed_json(text)
    except ValueError:
        if text.startswith(("{", "[")):
            raise click.UsageError(
                f"--param {name} looks like JSON but is not; for text write: --string {name}=..."
            ) from None
        return text


def text_value(name: str, text: str) -> str:
    """Return a text, or the content of the file that @PATH names."""
    if text.startswith("@@"):
        return text[1:]
    return _text_of(name, text[1:]) if text.startswith("@") else text


def json_value(name: str, text: str) -> Any:
    """Return the value of JSON, or of the JSON in the file that @PATH names."""
    source = _text_of(name, text[1:]) if text.startswith("@") else text
    try:
        return parsed_json(source)
    except ValueError as error:
        raise click.UsageError(
            f"--data {name} must be JSON ({error}); for text write: --string {name}=..."
        ) from None


def upload(name: str, path: str) -> File:
    """Return the file at a path, or standard input, to be uploaded."""
    return File("" if path == "-" else Path(path).name, bytes_of(name, path))


def parsed_json(text: str) -> Any:
    """Return the value of JSON. Raises ValueError, for numbers too large and constants as well."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is too large")
    return number


def _text_of(name: str, path: str) -> str:
    try:
        # Newlines are not translated: the content of the file is sent unchanged.
        return bytes_of(name, path).decode()
    except UnicodeDecodeError:
        raise click.UsageError(
            f"{name}: {path} is not text in UTF-8; upload it with --file, if the link takes files"
        ) from None


def bytes_of(
    name: str, path: str, hint: str = " (text that starts with @ is written @@...)"
) -> bytes:
    """Return the content of a file, or of standard input for "-"."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise click.UsageError(f"{name}: cannot read {path!r}: {reason}{hint}") from None


def check_encodable(name: str, text: str) -> None:
    """Raise click.UsageError for text made of bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = name.encode("ascii", "backslashreplace").decode()
        raise click.UsageError(f"The argument {shown!r} is not valid UTF-8") from None


def typed(name: str, kind: str, text: str) -> Any:
    """Return a value of the described type. Raises click.UsageError."""
    if kind == "string":
        return text_value(name, text)
    if kind == "file":
        return upload(name, text)
    if kind == "object":
        return json_value(name, text)
    value = inferred(name, text)
    if kind in _KINDS and (not isinstance(value, _KINDS[kind]) or isinstance(value, bool)):
        raise click.UsageError(f"--{name} must be a value of type {kind}, not {text!r}")
    return value


_KINDS: dict[str, Any] = {"integer": int, "number": int | float}
