"""The findings: changes, the pairs of places they belong to, and the operations that use them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from lintel_contract.places import Document, DocumentError, Place
from lintel_contract.rules import RULES, Level

#: The most steps of one comparison. A description of 1,000 operations takes some 300,000.
MOST_STEPS = 4_000_000

#: The most characters of a value in a message.
MOST_SHOWN = 80

Pair = tuple[Place | None, Place | None]


class Direction(Enum):
    """Who sends the compared value: clients or the service."""

    SENT = "request"
    RECEIVED = "response"

    @property
    def flipped(self) -> Direction:
        """Return the other one; in callbacks and webhooks the service sends the requests."""
        return Direction.RECEIVED if self is Direction.SENT else Direction.SENT


@dataclass(frozen=True, slots=True)
class Change:
    """One change: its code in ``RULES``, its severity, place and operations.

    ``old`` and ``new`` are JSON pointers into the two documents; None if one has no such place.
    """

    code: str
    level: Level
    message: str
    direction: str
    old: str | None
    new: str | None
    operations: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Node:
    """A pair of places being compared, the changes found there, and the pairs it refers to."""

    operation: str = ""
    changes: list[Change] = field(default_factory=list)
    parents: list[Node] = field(default_factory=list)


class Findings:
    """The compared pairs, each once, however many paths lead to it."""

    def __init__(self, old: Document, new: Document, most_steps: int = MOST_STEPS) -> None:
        self.old = old
        self.new = new
        self._nodes: dict[Any, Node] = {}
        self._waiting: deque[Callable[[], None]] = deque()
        self._left = most_steps

    def step(self, count: int = 1) -> None:
        """Use up steps. Raises DocumentError if the documents need too many."""
        self._left -= count
        if self._left < 0:
            raise DocumentError(
                f"{self.old.name} and {self.new.name} take too long to compare: they hold "
                "more places, or more ways to them, than any description of a service."
            )

    def node(self, key: Any, parent: Node | None, compare: Callable[[Node], None]) -> Node:
        """Return the node of a pair.

        ``compare`` fills it later, on first use.
        """
        self.step()
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node()
            created = node
            self._waiting.append(lambda: compare(created))
        if parent is not None:
            node.parents.append(parent)
        return node

    def add(self, node: Node, code: str, where: Pair, direction: Direction, **values: Any) -> None:
        """Record a change at a node. ``values`` fill its message."""
        rule = RULES[code]
        shown = {
            name: value if name == "name" else shortened(value) for name, value in values.items()
        }
        old, new = where
        node.changes.append(
            Change(
                code=code,
                level=rule.sent if direction is Direction.SENT else rule.received,
                message=printable(rule.text.format(**shown)),
                direction=direction.value,
                old=None if old is None else old.pointer,
                new=None if new is None else new.pointer,
            )
        )

    def finish(self) -> list[Change]:
        """Compare everything that is pending; return the changes, worst first."""
        while self._waiting:
            self._waiting.popleft()()
        changes = list(dict.fromkeys(self._changes()))
        return sorted(changes, key=lambda change: change.level)

    def _changes(self) -> Iterator[Change]:
        for node in self._nodes.values():
            if not node.changes:
                continue
            operations = tuple(self._operations(node))
            for change in node.changes:
                yield Change(
                    change.code,
                    change.level,
                    change.message,
                    change.direction,
                    change.old,
                    change.new,
                    operations,
                )

    def _operations(self, node: Node) -> list[str]:
        """Return the operations that lead to a node."""
        seen = {node}
        waiting = [node]
        operations: dict[str, None] = {}
        while waiting:
            current = waiting.pop()
            self.step(1 + len(current.parents))
            if current.operation:
                operations[current.operation] = None
            fresh = [parent for parent in current.parents if parent not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        return sorted(operations)


def shortened(value: Any) -> str:
    """Return a value as JSON, truncated if it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = "…"
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"


def printable(text: str) -> str:
    """Return text that is safe to print on a terminal: control characters are escaped."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
