"""Which operations of a document an agent may call, and their names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from lintel_document.document import Array, Document, Node
from lintel_document.links import Link

__all__ = ["SAFE_METHODS", "Operation", "Selection", "operations_of"]

SAFE_METHODS = frozenset({"get", "head", "options", "query"})
IDEMPOTENT_METHODS = SAFE_METHODS | {"put", "delete"}
LONGEST_NAME = 64
_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Operation:
    """A link, its keys, these keys joined by dots, and its name as a tool."""

    keys: tuple[str | int, ...]
    key: str
    name: str
    link: Link

    @property
    def method(self) -> str:
        return self.link.action.lower() or "get"

    @property
    def is_safe(self) -> bool:
        """Return whether the method promises to change nothing (RFC 9110, 9.2.1)."""
        return self.method in SAFE_METHODS

    @property
    def is_idempotent(self) -> bool:
        """Return whether calling twice has the effect of calling once (RFC 9110, 9.2.2)."""
        return self.method in IDEMPOTENT_METHODS

    @property
    def is_destructive(self) -> bool:
        """Return whether data may be lost: POST adds, all other writes replace or remove."""
        return not self.is_safe and self.method != "post"

    @property
    def summary(self) -> str:
        """Return the title, or the first line of the description, on one line."""
        text = self.link.title or self.link.description.strip().partition("\n")[0]
        return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects the operations to offer: reading ones, or all with ``allow_write``.

    ``include`` and ``exclude`` are patterns (``*``, ``?``, ``[...]``) for keys joined by dots, such
    "users.*"; a pattern that matches a group selects all in it. Without ``include``, all are.
    """

    allow_write: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()

    def takes(self, keys: Sequence[str | int], link: Link) -> bool:
        """Return whether the operation at a path of keys is offered."""
        if not self.allow_write and (link.action.lower() or "get") not in SAFE_METHODS:
            return False
        included = not self.include or _fits(keys, self.include)
        return included and not _fits(keys, self.exclude)


def operations_of(document: Document, selection: Selection) -> list[Operation]:
    """Return the operations that a selection takes, in the order of the document."""
    found = [(keys, link) for keys, link in _links(document, ()) if selection.takes(keys, link)]
    names = Counter[str]()
    operations = []
    for keys, link in found:
        name = _NOT_NAME.sub("_", "_".join(str(key) for key in keys)).strip("_") or "call"
        names[name] += 1
        operations.append(Operation(keys, _joined(keys), _numbered(name, names), link))
    return operations


def _numbered(name: str, names: Counter[str]) -> str:
    """Return a name of at most LONGEST_NAME characters that no other operation has."""
    while True:
        suffix = f"_{names[name]}" if names[name] > 1 else ""
        made = name[: LONGEST_NAME - len(suffix)] + suffix
        if made == name or not names[made]:
            names[made] = max(names[made], 1)
            return made
        names[name] += 1


def _links(value: Any, keys: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Link]]:
    if isinstance(value, Link):
        yield keys, value
    elif isinstance(value, Node):
        for key, inner in value.items():
            yield from _links(inner, (*keys, key))
    elif isinstance(value, Array):
        for position, inner in enumerate(value):
            yield from _links(inner, (*keys, position))


def _fits(keys: Sequence[str | int], patterns: Sequence[str]) -> bool:
    paths = [_joined(keys[:length]) for length in range(1, len(keys) + 1)]
    return any(fnmatchcase(path, pattern) for path in paths for pattern in patterns)


def _joined(keys: Sequence[str | int]) -> str:
    return ".".join(str(key) for key in keys)
