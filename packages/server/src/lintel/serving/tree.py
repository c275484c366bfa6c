"""A list of URL patterns as a tree of the pieces of their paths.

A path reaches the patterns that can match it by one look into a dictionary per piece, in the order
of the list. A piece ends with ``/`` or ``.``, except the last one of a path.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from lintel.serving.literals import Literal

EntryT = TypeVar("EntryT")

_PIECE = re.compile(r"[^/.]*[/.]")


class Tree(Generic[EntryT]):
    """A node, and the root of its tree."""

    __slots__ = ("branches", "entries")

    def __init__(self) -> None:
        self.branches: dict[str, Tree[EntryT]] = {}
        #: What paths that lead here, and no further, may match.
        self.entries: tuple[EntryT, ...] = ()

    def candidates(self, path: str) -> tuple[EntryT, ...]:
        """Return the entries that a path may match, in their order."""
        node, position = self, 0
        while piece := _PIECE.match(path, position):
            branch = node.branches.get(piece[0])
            if branch is None:
                return node.entries
            node, position = branch, piece.end()
        last = node.branches.get(path[position:])
        return node.entries if last is None else last.entries


def tree_of(entries: Iterable[tuple[Literal, EntryT]]) -> Tree[EntryT]:
    root: Tree[EntryT] = Tree()
    by_node: dict[int, list[tuple[int, EntryT]]] = {}
    for index, (literal, entry) in enumerate(entries):
        node = _node_at(root, _pieces(literal))
        by_node.setdefault(id(node), []).append((index, entry))
    _fill(root, by_node, [])
    return root


def _pieces(literal: Literal) -> Iterator[str]:
    end = 0
    for piece in _PIECE.finditer(literal.text):
        yield piece[0]
        end = piece.end()
    if literal.is_whole:
        yield literal.text[end:]


def _node_at(node: Tree[EntryT], pieces: Iterable[str]) -> Tree[EntryT]:
    for piece in pieces:
        node = node.branches.setdefault(piece, Tree())
    return node


def _fill(
    node: Tree[EntryT],
    by_node: dict[int, list[tuple[int, EntryT]]],
    above: list[tuple[int, EntryT]],
) -> None:
    """What may match at a node may match below it as well."""
    here = sorted([*above, *by_node.get(id(node), ())], key=lambda pair: pair[0])
    node.entries = tuple(entry for _, entry in here)
    for branch in node.branches.values():
        _fill(branch, by_node, here)
