"""The operations of a document, their names as tools, and which of them an agent may call."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote, urlsplit

from lintel_document.controls import printable
from lintel_document.document import Array, Node
from lintel_document.links import Link
from lintel_document.methods import SAFE_METHODS, is_safe

__all__ = ["Operation", "Selection", "operations_of", "tool_name"]

IDEMPOTENT_METHODS = SAFE_METHODS | {"put", "delete"}
LONGEST_NAME = 64
_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]+")
# Expressions of a template that are no part of the path.
_BESIDE_PATH = re.compile(r"\{[?&#][^{}]*\}")
_ORIGIN = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*")

Keys = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """A link, its keys, these keys joined by dots, and its name as a tool."""

    keys: Keys
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

    ``include`` and ``exclude`` are patterns (``*``, ``?``, ``[...]``) for names of tools and for
    keys joined by dots, such as "users.*"; a pattern that matches a group selects all in it.
    Without ``include``, all are.
    """

    allow_write: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()

    def takes(self, operation: Operation) -> bool:
        """Return whether an operation is offered."""
        return (self.allow_write or operation.is_safe) and self.names(operation)

    def names(self, operation: Operation) -> bool:
        """Return whether the patterns select an operation, whatever it does."""
        included = not self.include or _fits(operation, self.include)
        return included and not _fits(operation, self.exclude)


def operations_of(document: Node) -> list[Operation]:
    """Return the operations of a document in its order.

    Of two that would share a name or key, the one that reads has it.
    """
    found = list(_links(document, ()))
    keys_in_use, names = Counter[str](), Counter[str]()
    operations = {}
    for at, (keys, link) in sorted(enumerate(found), key=lambda each: _rank(*each[1])):
        key = _numbered(_joined(keys), keys_in_use, None)
        name = _numbered(tool_name(link), names, LONGEST_NAME)
        operations[at] = Operation(keys, key, name, link)
    return [operations[at] for at in range(len(found))]


def tool_name(link: Link) -> str:
    """Return the name of an operation as a tool: its method and the path of its URL.

    Keys depend on the format of a description, method and path do not: GET /users/{id}/ is
    ``get_users_id`` in each.
    """
    path = urlsplit(_ORIGIN.sub("", _BESIDE_PATH.sub("", link.url), count=1) or "/").path
    words = [_NOT_NAME.sub("_", unquote(part)).strip("_") for part in path.split("/")]
    method = _NOT_NAME.sub("", link.action.lower()) or "get"
    return "_".join([method, *filter(None, words)])


def _rank(keys: Keys, link: Link) -> tuple[bool, str, str, str]:
    return not is_safe(link.action), link.url, link.action, _joined(keys)


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


def _links(value: Any, keys: Keys) -> Iterator[tuple[Keys, Link]]:
    if isinstance(value, Link):
        yield keys, value
    elif isinstance(value, Node):
        for key, inner in value.items():
            yield from _links(inner, (*keys, key))
    elif isinstance(value, Array):
        for position, inner in enumerate(value):
            yield from _links(inner, (*keys, position))


def _fits(operation: Operation, patterns: Sequence[str]) -> bool:
    keys = operation.keys
    names = [_joined(keys[:length]) for length in range(1, len(keys) + 1)] + [operation.name]
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _joined(keys: Sequence[str | int]) -> str:
    return printable(".".join(str(key) for key in keys))
