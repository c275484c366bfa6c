"""Objects and lists in multipart forms: names that lead to their values, or a part as JSON.

``lines[0].photo`` is a member of an item of a list. Where a service reads one part as a JSON
document, it takes everything but files, whose parts are then put at their places in it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lintel_client.files import File, is_file
from lintel_client.values import as_json, as_text, is_list

__all__ = ["LEFT_OUT", "NestedValue", "document_part", "nested_texts", "nested_value"]

STYLE = "nested"
DEEPEST = 20
"""How many steps a name may have."""

Named = tuple[str, Any]
Path = tuple[Any, ...]
"""Keys, and indexes as integers."""

LEFT_OUT = object()
"""In place of a value that is a file."""


@dataclass(frozen=True, slots=True)
class NestedValue:
    """A value in the part ``document`` of a form, without the files, which have their own names."""

    document: str
    value: Any
    files: tuple[Named, ...]


def document_part(style: str) -> str | None:
    """Return the name of the part with a document, empty without one; None for other styles."""
    name, _, part = style.partition(":")
    return part if name == STYLE else None


def nested_value(document: str, name: str, value: Any) -> NestedValue:
    """Return a value for a document, and its files by name. Raises ValueError for other values."""
    files: list[Named] = []
    kept = _without_files(value, (name,), files)
    return NestedValue(document, kept if kept is LEFT_OUT else as_json(kept), tuple(files))


def nested_texts(name: str, value: Any) -> Iterator[Named]:
    """Yield the names and values, text or files, of a value. Raises ValueError for other values.

    A list of plain values is its name repeated, but in a list each item has its own name. None is
    an empty text, and an empty list has the name ``name[]``.
    """
    yield from _texts((name,), value)


def _without_files(value: Any, path: Path, files: list[Named]) -> Any:
    if _is_file(value):
        files.append((_name(path), _as_file(value)))
        return LEFT_OUT
    if isinstance(value, Mapping):
        _check_depth(path)
        found = _members(value)
        items = {key: _without_files(inner, (*path, key), files) for key, inner in found}
        return {key: item for key, item in items.items() if item is not LEFT_OUT}
    if not is_list(value):
        return value
    _check_depth(path)
    each = [_without_files(item, (*path, at), files) for at, item in enumerate(value)]
    others = [item for item in each if item is not LEFT_OUT]
    if len(others) not in (0, len(each)):
        raise ValueError("A list must hold either files or other values.")
    return others


def _texts(path: Path, value: Any) -> Iterator[Named]:
    if _is_file(value):
        yield _name(path), _as_file(value)
    elif isinstance(value, Mapping):
        _check_depth(path)
        for key, inner in _members(value):
            yield from _texts((*path, key), inner)
    elif is_list(value):
        _check_depth(path)
        yield from _of_list(path, value)
    else:
        yield _name(path), as_text(value)


def _of_list(path: Path, value: Any) -> Iterator[Named]:
    is_deep = any(isinstance(item, Mapping) or is_list(item) for item in value)
    if not len(value):
        yield f"{_name(path)}[]", ""
    for at, item in enumerate(value):
        yield from _texts((*path, at) if is_deep or isinstance(path[-1], int) else path, item)


def _members(value: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if not isinstance(key, str):
            raise ValueError("The keys of an object must be strings.")
        yield key, inner


def _is_file(value: Any) -> bool:
    return is_file(value) or isinstance(value, bytes | bytearray)


def _as_file(value: Any) -> Any:
    return File("", bytes(value)) if isinstance(value, bytes | bytearray) else value


def _check_depth(path: Path) -> None:
    if len(path) >= DEEPEST:
        raise ValueError(f"A form has at most {DEEPEST} levels.")


def _name(path: Path) -> str:
    """Return the name of a part. Raises ValueError for a key that would lead elsewhere."""
    first, *rest = path
    return str(first) + "".join(map(_step, rest))


def _step(step: Any) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if not step or set(step) & set(".[]"):
        raise ValueError(f"The key {step!r} cannot be part of a name in a form.")
    return f".{step}"
