"""JSON Pointer (RFC 6901) in a document of dicts, lists and plain values."""

import re
from typing import Any

from django.utils.translation import gettext

from lintel.patching.errors import invalid, nothing_at
from lintel.utils.json import MAX_DEPTH

#: A document, or a part of one.
Document = Any

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_WRONG_ESCAPE = re.compile(r"~(?![01])")


def too_many(most: int) -> str:
    """Return the message for more parts than there may be."""
    text = gettext("Ensure this field has no more than {max_length} elements.")
    return text.format(max_length=most)


def read_pointer(pointer: str, member: str) -> tuple[str, ...]:
    """Return the names that lead to a value. Raises Failure for text that is no pointer."""
    if not pointer:
        return ()
    if pointer[0] != "/" or _WRONG_ESCAPE.search(pointer):
        text = gettext("A JSON Pointer (RFC 6901) is required, such as /tags/0.")
        raise invalid(text, member)
    names = pointer[1:].split("/", MAX_DEPTH + 1)
    if len(names) > MAX_DEPTH:
        raise invalid(too_many(MAX_DEPTH), member)
    return tuple([name.replace("~1", "/").replace("~0", "~") for name in names])


def value_at(document: Document, path: tuple[str, ...], member: str = "path") -> Document:
    """Return the value at a path. Raises Failure if there is none."""
    for name in path:
        document = document[key_in(document, name, member)]
    return document


def key_in(holder: Document, name: str, member: str = "path") -> str | int:
    """Return the key or the index of an existing part of a value. Raises Failure without it."""
    if isinstance(holder, dict) and name in holder:
        return name
    if isinstance(holder, list) and _INDEX.fullmatch(name) and int(name) < len(holder):
        return int(name)
    raise nothing_at(member)


def place_in(holder: list[Document], name: str) -> int:
    """Return where in a list a value is to be inserted; ``-`` is its end."""
    if name == "-":
        return len(holder)
    if not _INDEX.fullmatch(name) or int(name) > len(holder):
        raise nothing_at()
    return int(name)
