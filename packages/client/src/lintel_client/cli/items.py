"""Parts of a request as words: k=v, k:=JSON, k==v, Name:value, k@file, as httpie writes them."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import click

from lintel_client.cli.values import bytes_of, json_value, upload
from lintel_client.files import File
from lintel_client.headers import checked_header

__all__ = ["Items", "items_of"]

#: What stands between a name and its value; of two at one place the longer one counts.
SEPARATORS = (":=@", "=@", ":=", "==", "=", "@", ":", ";")

_SEPARATOR = re.compile("|".join(re.escape(each) for each in SEPARATORS))
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_KEY = re.compile(r"(?P<first>[^\[\]]*)(?P<rest>(?:\[[^\[\]]*\])*)")
_PART = re.compile(r"\[([^\[\]]*)\]")
#: Of a list; longer numbers are names, so that no word makes a huge list.
_INDEX = re.compile(r"[0-9]{1,4}")


@dataclass(slots=True)
class Items:
    """What the words of a request say. ``data`` is None if none of them is about the body."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    query: list[tuple[str, str]] = field(default_factory=list)
    data: Any = None
    files: dict[str, File] = field(default_factory=dict)
    #: The same without brackets in names taken apart, as forms are written.
    fields: dict[str, Any] = field(default_factory=dict)


def items_of(words: Iterable[str]) -> Items:
    """Read the words. Raises click.UsageError for one that is no item, or contradicts others."""
    items = Items()
    for word in words:
        name, separator, value = _split(word)
        _READ[separator](items, name, value)
    return items


def _split(word: str) -> tuple[str, str, str]:
    """Return name, separator and value of a word; a backslash takes the meaning of a separator."""
    place = 0
    while found := _SEPARATOR.search(word, place):
        before = word[: found.start()]
        escapes = len(before) - len(before.rstrip("\\"))
        if escapes % 2 == 0:
            name = _ESCAPED.sub(r"\1", before)
            if not name:
                break
            return name, found[0], word[found.end() :]
        place = found.start() + 1
    raise click.UsageError(
        f"{word!r} is no part of a request. Write name=text, name:=JSON, name==query, "
        "Name:header or name@file; a backslash makes =, : and @ part of a name."
    )


def _header(items: Items, name: str, value: str) -> None:
    try:
        items.headers.append(checked_header(name, value))
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _empty_header(items: Items, name: str, value: str) -> None:
    if value:
        raise click.UsageError(f"{name};{value}: a semicolon writes an empty header")
    _header(items, name, "")


def _query(items: Items, name: str, value: str) -> None:
    items.query.append((name, value))


def _text(items: Items, name: str, value: str) -> None:
    _put(items, name, value)


def _json(items: Items, name: str, value: str) -> None:
    _put(items, name, json_value(name, value.removeprefix("@") if value[:1] == "@" else value))


def _text_of_file(items: Items, name: str, path: str) -> None:
    try:
        _put(items, name, bytes_of(name, path).decode())
    except UnicodeDecodeError:
        raise click.UsageError(
            f"{name}: {path} is not text in UTF-8; {name}@{path} uploads it"
        ) from None


def _json_of_file(items: Items, name: str, path: str) -> None:
    _put(items, name, json_value(name, f"@{path}"))


def _file(items: Items, name: str, path: str) -> None:
    if name in items.files:
        raise click.UsageError(f"{name} is given twice")
    items.files[name] = upload(name, path)


_READ: dict[str, Callable[[Items, str, str], None]] = {
    ":=@": _json_of_file,
    "=@": _text_of_file,
    ":=": _json,
    "==": _query,
    "=": _text,
    "@": _file,
    ":": _header,
    ";": _empty_header,
}


def _put(items: Items, name: str, value: Any) -> None:
    """Add a value below the path that brackets in its name make: a[b][], a[0]."""
    whole = _KEY.fullmatch(name)
    path = [name] if whole is None else [whole["first"], *_PART.findall(whole["rest"])]
    if path[0] == "" and len(path) == 1:
        raise click.UsageError("A name is missing before the separator")
    try:
        if path[0]:
            items.data = _with_member(items.data, path, value)
        else:
            items.data = _with(items.data, path[1:], value)
    except TypeError as error:
        raise click.UsageError(f"{name}: {error}") from None
    items.fields[name] = [*items.fields[name], value] if _repeats(items, name) else value


def _repeats(items: Items, name: str) -> bool:
    return name.endswith("[]") and isinstance(items.fields.get(name), list)


def _with(held: Any, steps: list[str], value: Any) -> Any:
    """Return what is held with a value put below it. Raises TypeError if that is something else."""
    if not steps:
        if held is not None:
            raise TypeError("this place has a value already")
        return value
    if steps[0] == "" or (_INDEX.fullmatch(steps[0]) and not isinstance(held, dict)):
        return _with_item(held, steps, value)
    return _with_member(held, steps, value)


def _with_member(held: Any, steps: list[str], value: Any) -> dict[str, Any]:
    if held is not None and not isinstance(held, dict):
        raise TypeError("this place has a value that is no object")
    members = {} if held is None else held
    members[steps[0]] = _with(members.get(steps[0]), steps[1:], value)
    return members


def _with_item(held: Any, steps: list[str], value: Any) -> list[Any]:
    step, *rest = steps
    if held is not None and not isinstance(held, list):
        raise TypeError("this place has a value that is no list")
    items = [] if held is None else held
    index = len(items) if step == "" else int(step)
    items += [None] * (index + 1 - len(items))
    items[index] = _with(items[index], rest, value)
    return items


def as_text(value: Any) -> str:
    """Return a value as a field of a form."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
