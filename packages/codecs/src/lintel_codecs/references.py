"""Resolves ``$ref`` inside one document. Nothing is ever fetched."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from lintel_codecs.pointers import pointed

__all__ = ["References"]


class References:
    """Finds schemas by JSON pointer (RFC 6901), by anchor, and by their own ``$id``."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def __call__(self, reference: str) -> Mapping[str, Any] | None:
        """Return the schema that a reference names, None if there is none."""
        resource, _, fragment = reference.partition("#")
        found = self._resource(resource)
        if fragment and not fragment.startswith("/"):
            found = self._named.get("#" + fragment)
        elif fragment:
            with suppress(KeyError):
                return _mapping(pointed(found, unquote(fragment)))
            return None
        return _mapping(found)

    def _resource(self, name: str) -> Any:
        return self._named.get(_plain(name)) if name else self._root

    @cached_property
    def _named(self) -> dict[str, Any]:
        """Return schemas by identifier and anchor; the first of a name counts."""
        found: dict[str, Any] = {}
        for node in _objects(self._root):
            for keyword, prefix in (("$id", ""), ("id", ""), ("$anchor", "#")):
                name = node.get(keyword)
                if isinstance(name, str):
                    found.setdefault(prefix + _plain(name), node)
        return found


def _mapping(node: Any) -> Mapping[str, Any] | None:
    return node if isinstance(node, Mapping) else None


def _plain(name: str) -> str:
    return name.removesuffix("#").removeprefix("/")


def _objects(root: Any) -> Iterator[Mapping[str, Any]]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            yield node
            waiting.extend(reversed(list(node.values())))
        elif isinstance(node, list):
            waiting.extend(reversed(node))
