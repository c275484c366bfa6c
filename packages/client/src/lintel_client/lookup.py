"""Finds links by their keys."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lintel_client.errors import LinkLookupError, ParameterError
from lintel_document.document import Array, Document
from lintel_document.links import Link
from lintel_document.operations import usable

__all__ = ["FoundLink", "find", "find_link", "overridden", "shown_path"]

Key = str | int

_MOST_NAMES = 40
"""So many names are listed where a key is not known and resembles none."""


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link, the innermost document that contains it, and the path of that document."""

    link: Link
    document: Document
    document_path: tuple[Key, ...]


def find_link(document: Document, keys: Sequence[Key] | str) -> FoundLink:
    """Return the link at a path of keys; one string is one key, or the id of an operation.

    Raises TypeError for keys of another type, LinkLookupError for a path that does not exist or
    that leads to something other than a link.
    """
    path = checked_keys(keys)
    if isinstance(keys, str) and keys not in document:
        path = _path_of_operation(document, keys) or path
        if path == (keys,):
            raise LinkLookupError(_no_operation(document, keys))
    holder, holder_path = document, 0
    node: Any = document
    for depth, key in enumerate(path):
        node = _step(node, path[:depth], key)
        if isinstance(node, Document):
            holder, holder_path = node, depth + 1
    if not isinstance(node, Link):
        raise LinkLookupError(_not_a_link(node, path))
    return FoundLink(node, holder, path[:holder_path])


def overridden(link: Link, overrides: Mapping[str, Any]) -> Link:
    """Return a link in which attributes are replaced.

    ``server`` (a position, a name or a URL) and ``server_variables`` choose its server. Raises
    TypeError for names that are not attributes, ParameterError for servers that do not fit.
    """
    changes = dict(overrides)
    server, variables = changes.pop("server", None), changes.pop("server_variables", None)
    changed = link.replace(**changes)
    if server is None and not variables:
        return changed
    if server is None:
        server = usable(changed.servers) if changed.servers else 0
    try:
        return changed.at_server(server, variables)
    except ValueError as error:
        raise ParameterError({"server": str(error)}) from None


def find(document: Document, keys: Sequence[Key]) -> Any:
    """Return the value at a path of keys. Raises LinkLookupError if there is none."""
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
    """Return keys as people write them."""
    return " > ".join(str(key) if str(key) else '""' for key in keys)


def _path_of_operation(document: Document, operation_id: str) -> tuple[Key, ...]:
    """Return the path of the only operation with an id; empty if none or several have it."""
    found = [path for path, link in _links(document, ()) if link.operation_id == operation_id]
    return found[0] if len(found) == 1 else ()


def _links(node: Any, path: tuple[Key, ...]) -> Iterator[tuple[tuple[Key, ...], Link]]:
    if isinstance(node, Link):
        yield path, node
    elif isinstance(node, Mapping):
        for key, inner in node.items():
            yield from _links(inner, (*path, key))


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
    some = ", ".join(name or repr(name) for name in known[:_MOST_NAMES])
    left = len(known) - _MOST_NAMES
    return f"{start} It has: {some or 'none'}{f' and {left} more' if left > 0 else ''}"


def _no_operation(document: Document, key: str) -> str:
    ids = [link.operation_id for _, link in _links(document, ()) if link.operation_id]
    return _no_key((), key, list(dict.fromkeys([*document, *ids])))


def _not_a_link(node: Any, path: tuple[Key, ...]) -> str:
    text = f"{_place(path)} is not a link, its type is {type(node).__name__}."
    links = [name or '""' for name in getattr(node, "links", ())]
    return f"{text} Its links are: {', '.join(links)}" if links else text


def _place(path: tuple[Key, ...]) -> str:
    return f"{shown_path(path)!r}" if path else "The document"
