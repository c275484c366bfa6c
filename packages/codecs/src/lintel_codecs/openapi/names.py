"""Keys of operations: unique, and independent of the order of the file."""

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from lintel_document.methods import is_safe, reads_safe

__all__ = ["KeyPath", "Named", "key_paths"]

KeyPath = tuple[str | int, ...]

# Segments at the start of a path that do not say what an operation works on: /api/v1/{tenant}/loans
# In ASCII, because i is then not also a Turkish dotless one.
_OPENING = re.compile(r"api|v?[0-9]+(?:[-.][0-9]+)*|\{[^{}]*\}", re.IGNORECASE | re.ASCII)
_SEPARATORS = re.compile(r"[\W_]+(?=\w)")


@dataclass(frozen=True, slots=True)
class Named:
    """The parts of an operation that its keys come from.

    ``keys`` is a path given in the description itself, ``openings`` are words that the
    operation id may start with before the tag.
    """

    method: str
    path: str
    operation_id: str = ""
    tag: str = ""
    keys: KeyPath = ()
    openings: tuple[str, ...] = ()


def key_paths(operations: Sequence[Named], described: Container[str] = ()) -> list[KeyPath]:
    """Return a path of keys for each operation: its tag, if any, and its name.

    The name is the operation id without the tag at its start; an operation that writes keeps the
    tag if "users_get" would become "get". Operations that would share a path
    use the whole id; those that still would, and those without an id, use method and path.
    A tag that only repeats the opening of the path, as in ``/api/v1/loans``, gives way to what
    follows, ``loans``, unless it is among the ``described`` tags, whose author chose them.
    """
    operations = [each if each.tag in described else _beyond_opening(each) for each in operations]
    levels = [0] * len(operations)
    while True:
        paths = [_path(each, level) for each, level in zip(operations, levels, strict=True)]
        clashing = _clashing(paths)
        raised = [
            level + 1 if path in clashing and level < 3 else level
            for path, level in zip(paths, levels, strict=True)
        ]
        if raised == levels:
            return paths
        levels = raised


def _beyond_opening(named: Named) -> Named:
    """Return the operation with the first telling segment of its path for a tag ``api`` or ``v1``.

    It does not depend on other operations, so keys are stable when those are added or removed.
    """
    segments = [part.replace("_", "-") for part in named.path.split("/") if part]
    openings = tuple(takewhile(_OPENING.fullmatch, segments))
    if not openings or named.tag != openings[0] or len(openings) == len(segments):
        return named
    telling = segments[len(openings)]
    return named if "{" in telling else replace(named, tag=telling, openings=openings)


def _clashing(paths: list[KeyPath]) -> set[KeyPath]:
    """Return the paths of several operations, and those of groups that contain others."""
    groups = {path[:end] for path in paths for end in range(1, len(path))}
    counted = Counter(paths)
    return {path for path, number in counted.items() if number > 1 or path in groups}


def _path(named: Named, level: int) -> KeyPath:
    if named.keys and level == 0:
        return named.keys
    by_place = f"{named.method} {named.path}"
    whole = named.operation_id or by_place
    name = (_short(named, whole), whole, by_place, f"operation {by_place}")[level]
    return (named.tag, name) if named.tag else (name,)


def _short(named: Named, whole: str) -> str:
    """Return the name without opening and tag, unless that makes one that writes seem to read."""
    short = whole
    for word in (*named.openings, named.tag):
        short = _without_tag(short, word)
    seems = not is_safe(named.method) and reads_safe(short) and not reads_safe(whole)
    return whole if seems else short


def _without_tag(name: str, tag: str) -> str:
    # Compared by str.lower(), whose rules other languages have too, unlike those of re.IGNORECASE.
    if not tag or name[: len(tag)].lower() != tag.lower():
        return name
    found = _SEPARATORS.match(name, len(tag))
    return name[found.end() :] if found else name
