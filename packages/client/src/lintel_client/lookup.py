"""From keys to a link."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lintel_client.errors import LinkLookupError
from lintel_document.document import Array, Document
from lintel_document.links import Link

__all__ = ["FoundLink", "find", "find_link", "shown_path"]

Key = str | int


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link and the innermost document that holds it, with the path of that document."""

    link: Link
    document: Document
    document_path: tuple[Key, ...]


def find_link(document: Document, keys: Sequence[Key] | str) -> FoundLink:
    """Return the link at a path of keys; one string is one key.

    Raises TypeError for keys of another type, LinkLookupError for a path that does not exist or
    that leads to something else than a link.
    """
    path = checked_keys(keys)
    holder, holder_path = document, 0
    node: Any = document
    for depth, key in enumerate(path):
        node = _step(node, path[:depth], key)
        if isinstance(node, Document):
            holder, holder_path = node, depth + 1
    if not isinstance(node, Link):
        raise LinkLookupError(_not_a_link(node, path))
    return FoundLink(node, holder, path[:holder_path])


def find(document: Document, keys: Sequence[Key]) -> Any:
    """Return whatever stands at a path of keys. Raises LinkLookupError when nothing does."""
    node: Any = document
    for depth, key in enumerate(keys):
        node = _step(node, tuple(keys[:depth]), key)
    return node


def checked_keys(keys: Sequence[Key] | str) -> tuple[Key, ...]:
    """Return keys as a tuple. Raises TypeError unless they are strings and integers."""
    if isinstance(keys, str):
        return (keys,)
    if not isinstance(keys, list | tuple):
        raise TypeError(f"keys must be a list of strings and integers, not {type(keys).__name__}")
    for key in keys:
        if not isinstance(key, str | int):
            raise TypeError(f"keys must be strings and integers, not {type(key).__name__}")
    return tuple(keys)


def shown_path(keys: Sequence[Key]) -> str:
    """Return keys the way that people write them."""
    return " > ".join(str(key) if str(key) else '""' for key in keys)


def _step(node: Any, path: tuple[Key, ...], key: Key) -> Any:
    if isinstance(node, Mapping):
        if key in node:
            return node[key]
        raise LinkLookupError(_no_key(path, key, [str(known) for known in node]))
    if isinstance(node, Array) and isinstance(key, int):
        if -len(node) <= key < len(node):
            return node[key]
        raise LinkLookupError(f"{_place(path)} has {len(node)} items, none at {key}")
    raise LinkLookupError(f"{_place(path)} has no keys, so {key!r} leads nowhere")


def _no_key(path: tuple[Key, ...], key: Key, known: list[str]) -> str:
    near = difflib.get_close_matches(str(key), known, n=3)
    start = f"{_place(path)} has no key {key!r}."
    if near:
        return f"{start} Did you mean {' or '.join(near)}?"
    return f"{start} It has: {', '.join(name or repr(name) for name in known) or 'none'}"


def _not_a_link(node: Any, path: tuple[Key, ...]) -> str:
    text = f"{_place(path)} is not a link, its type is {type(node).__name__}."
    links = [name or '""' for name in getattr(node, "links", ())]
    return f"{text} Its links are: {', '.join(links)}" if links else text


def _place(path: tuple[Key, ...]) -> str:
    return f"{shown_path(path)!r}" if path else "The document"
