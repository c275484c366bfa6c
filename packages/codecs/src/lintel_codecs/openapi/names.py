"""Keys of operations: distinct, and the same whatever the order of the file."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["KeyPath", "Named", "key_paths"]

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """What names an operation. ``keys`` is a path that the description asks for by itself."""

    method: str
    path: str
    operation_id: str = ""
    tag: str = ""
    keys: KeyPath = ()


def key_paths(operations: Sequence[Named]) -> list[KeyPath]:
    """Return a path of keys for each operation: its tag, if any, and its name.

    The name is the operation id without the tag at its start. Operations that would share a path
    take the whole id; those that still would, and those without an id, method and path.
    """
    levels = [0] * len(operations)
    groups: set[KeyPath] = {(each.tag,) for each in operations if each.tag and not each.keys}
    while True:
        paths = [_path(each, level) for each, level in zip(operations, levels, strict=True)]
        clashing = _clashing(paths, groups | _prefixes(operations))
        raised = [
            level + 1 if path in clashing and level < 3 else level
            for path, level in zip(paths, levels, strict=True)
        ]
        if raised == levels:
            return paths
        levels = raised


def _clashing(paths: list[KeyPath], groups: set[KeyPath]) -> set[KeyPath]:
    counted = Counter(paths)
    return {path for path, number in counted.items() if number > 1 or path in groups}


def _prefixes(operations: Iterable[Named]) -> set[KeyPath]:
    return {each.keys[:end] for each in operations for end in range(1, len(each.keys))}


def _path(named: Named, level: int) -> KeyPath:
    if named.keys and level == 0:
        return named.keys
    by_place = f"{named.method} {named.path}"
    whole = named.operation_id or by_place
    name = (_without_tag(whole, named.tag), whole, by_place, f"operation {by_place}")[level]
    return (named.tag, name) if named.tag else (name,)


def _without_tag(name: str, tag: str) -> str:
    found = re.match(re.escape(tag) + r"[\W_]+(?=\w)", name, re.IGNORECASE) if tag else None
    return name[found.end() :] if found else name
