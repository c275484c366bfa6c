"""Which operations of a document an agent may call, and their names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from lintel_client.controls import printable
from lintel_document.document import Array, Document, Node
from lintel_document.links import Link
from lintel_document.methods import SAFE_METHODS, is_safe

__all__ = ["Operation", "Selection", "operations_of"]

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
        return is_safe(self.method)

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
        return printable(" ".join(text.split()))


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
        if not self.allow_write and not is_safe(link.action):
            return False
        included = not self.include or _fits(keys, self.include)
        return included and not _fits(keys, self.exclude)


def operations_of(document: Document, selection: Selection) -> list[Operation]:
    """Return the operations that a selection takes, in the order of the document.

    Of two that would share a name or key, the one that reads has it.
    """
    found = [(keys, link) for keys, link in _links(document, ()) if selection.takes(keys, link)]
    keys_in_use, names = Counter[str](), Counter[str]()
    operations = {}
    for at, (keys, link) in sorted(
        enumerate(found), key=lambda each: not is_safe(each[1][1].action)
    ):
        key = _numbered(_joined(keys), keys_in_use, None)
        name = _NOT_NAME.sub("_", "_".join(str(key) for key in keys)).strip("_") or "call"
        operations[at] = Operation(keys, key, _numbered(name, names, LONGEST_NAME), link)
    return [operations[at] for at in range(len(found))]


def _numbered(name: str, names: Counter[str], longest: int | None) -> str:
    """Return a name of at most ``longest`` characters that no other operation has."""
    name = name[:longest]
    made = name
    while names[made]:
        names[name] += 1
        suffix = f"_{names[name]}"
        made = name[: longest and longest - len(suffix)] + suffix
    names[made] += 1
    return made


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
    return printable(".".join(str(key) for key in keys))
