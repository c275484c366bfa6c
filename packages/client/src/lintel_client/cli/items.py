"""Parts of a request as words: k=v, k:=JSON, k==v, Name:value, k@file, as httpie writes them."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from lintel_client.cli.values import bytes_of, check_encodable, parsed_json
from lintel_client.files import File
from lintel_client.headers import checked_header

__all__ = ["Items", "items_of"]

#: What stands between a name and its value; of two at one place the longer one counts.
SEPARATORS = (":=@", "=@", ":=", "==", "=", "@", ":", ";")

_SEPARATOR = re.compile("|".join(re.escape(each) for each in SEPARATORS))
#: What a backslash makes a plain part of a name; before anything else it stands for itself.
_ESCAPED = re.compile(r"\\([\\\[\]=:@;])")
_NAME = r"(?:\\.|[^\[\]\\])*"
_KEY = re.compile(rf"(?P<first>{_NAME})(?P<rest>(?:\[{_NAME}\])*)", re.DOTALL)
_PART = re.compile(rf"\[({_NAME})\]", re.DOTALL)
#: Of a list; longer numbers are names, so that no word makes a huge list.
_INDEX = re.compile(r"[0-9]{1,4}")
#: A file and its media type.
_TYPED = re.compile(r"(.+);type=([\w!#$&^.+-]+/[\w!#$&^.+-]+)", re.DOTALL | re.ASCII)
#: The most brackets of one name.
MAX_DEPTH = 100


@dataclass(slots=True)
class Items:
    """What the words of a request say."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    query: list[tuple[str, str]] = field(default_factory=list)
    #: Parts of the body, with their names as they are written.
    members: list[tuple[str, Any]] = field(default_factory=list)
    files: list[tuple[str, File]] = field(default_factory=list)

    @property
    def data(self) -> Any:
        """One JSON value; None without parts. Raises click.UsageError if they contradict."""
        made = None
        for name, value in self.members:
            made = _put(made, name, value)
        return made

    @property
    def fields(self) -> dict[str, list[Any]]:
        """Fields of a form, each with all of its values; brackets are part of their names."""
        found: dict[str, list[Any]] = {}
        for name, value in [*self.members, *self.files]:
            found.setdefault(_plain(name), []).append(value)
        return found


def items_of(words: Iterable[str]) -> Items:
    """Read the words. Raises click.UsageError for one that is no item, or contradicts others."""
    items = Items()
    for word in words:
        name, separator, value = _split(word)
        check_encodable(name, name)
        _READ[separator](items, name, value)
    return items


def _split(word: str) -> tuple[str, str, str]:
    """Return name, separator and value of a word; a separator behind a backslash is none."""
    place = 0
    while found := _SEPARATOR.search(word, place):
        before = word[: found.start()]
        escapes = len(before) - len(before.rstrip("\\"))
        if escapes % 2 == 0:
            if not before:
                break
            return before, found[0], word[found.end() :]
        place = found.start() + 1
    raise click.UsageError(
        f"{word!r} is not a part of a request. Write name=text, name:=JSON, name==query, "
        "Name:header or name@file; a backslash makes =, :, @ and [ part of a name."
    )


def _plain(name: str) -> str:
    return _ESCAPED.sub(r"\1", name)


def _header(items: Items, name: str, value: str) -> None:
    try:
        items.headers.append(checked_header(_plain(name), value))
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _empty_header(items: Items, name: str, value: str) -> None:
    if value:
        raise click.UsageError(f"{name};{value}: a semicolon writes an empty header")
    _header(items, name, "")


def _query(items: Items, name: str, value: str) -> None:
    check_encodable(name, value)
    items.query.append((_plain(name), value))


def _text(items: Items, name: str, value: str) -> None:
    check_encodable(name, value)
    items.members.append((name, value))


def _json(items: Items, name: str, value: str) -> None:
    try:
        items.members.append((name, parsed_json(value)))
    except ValueError as error:
        raise click.UsageError(
            f"{name}:= must be followed by JSON ({error}); for text write {name}=..."
        ) from None


def _text_of_file(items: Items, name: str, path: str) -> None:
    items.members.append((name, _decoded(name, path)))


def _json_of_file(items: Items, name: str, path: str) -> None:
    try:
        items.members.append((name, parsed_json(_decoded(name, path))))
    except ValueError as error:
        raise click.UsageError(f"{name}: {path} does not hold JSON ({error})") from None


def _decoded(name: str, path: str) -> str:
    try:
        return bytes_of(name, path, hint="").decode()
    except UnicodeDecodeError:
        raise click.UsageError(
            f"{name}: {path} is not text in UTF-8; {name}@{path} uploads it"
        ) from None


def _file(items: Items, name: str, value: str) -> None:
    typed = _TYPED.fullmatch(value)
    path, kind = (typed[1], typed[2]) if typed else (value, None)
    called = "" if path == "-" else Path(path).name
    items.files.append((name, File(called, bytes_of(name, path, hint=""), kind)))


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


def _put(held: Any, name: str, value: Any) -> Any:
    """Return a JSON value with another one below the path that brackets make: a[b][], a[0]."""
    whole = _KEY.fullmatch(name)
    path = [name] if whole is None else [whole["first"], *_PART.findall(whole["rest"])]
    if len(path) > MAX_DEPTH:
        raise click.UsageError(f"A name has at most {MAX_DEPTH - 1} pairs of brackets")
    try:
        return _with_member(held, path, value) if path[0] else _with(held, path[1:], value)
    except TypeError as error:
        raise click.UsageError(f"{name}: {error}") from None


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
        raise TypeError("this place has a value that is not an object")
    members = {} if held is None else held
    key = _plain(steps[0])
    members[key] = _with(members.get(key), steps[1:], value)
    return members


def _with_item(held: Any, steps: list[str], value: Any) -> list[Any]:
    step, *rest = steps
    if held is not None and not isinstance(held, list):
        raise TypeError("this place has a value that is not a list")
    items = [] if held is None else held
    index = len(items) if step == "" else int(step)
    items += [None] * (index + 1 - len(items))
    items[index] = _with(items[index], rest, value)
    return items


def as_text(value: Any) -> str:
    """Return a value as a field of a form."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
