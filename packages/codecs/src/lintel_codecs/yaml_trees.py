"""YAML as descriptions use it: the types of JSON, and keys that are always text.

Dates stay text, and so do ``yes`` and ``on``; the key 200 is "200". Built from parser events
without recursion, so that depth, aliases and size have limits.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from lintel_document.errors import ParseError

__all__ = ["MAX_DEPTH", "MAX_SIZE", "read_yaml"]

MAX_DEPTH = 200
"""How deeply a tree may be nested."""
MAX_SIZE = 2_000_000
"""The most nodes that aliases may make of a text, counted as if each were written out."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?|-?\.\d+|0o[0-7]+|0x[0-9A-Fa-f]+")
_WORDS = {
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class _Open:
    """A mapping or list that is being read. ``key`` is waiting for its value."""

    __slots__ = ("anchor", "key", "merged", "node", "size")

    def __init__(self, node: Any, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.merged: list[Any] = []
        self.size = 1

    def add(self, value: Any, size: int) -> None:
        self.size += size
        if isinstance(self.node, list):
            self.node.append(value)
        elif self.key is None:
            # JSON cannot represent a mapping or list as a key.
            self.key = value if isinstance(value, str) else "?"
        else:
            if self.key == "<<" and isinstance(value, dict | list):
                self.merged += value if isinstance(value, list) else [value]
            else:
                self.node[self.key] = value
            self.key = None

    def closed(self) -> Any:
        for merged in self.merged:
            if isinstance(merged, dict):
                for key, value in merged.items():
                    self.node.setdefault(key, value)
        return self.node

    @property
    def wants_key(self) -> bool:
        return isinstance(self.node, dict) and self.key is None


class _Builder:
    def __init__(self) -> None:
        self.stack: list[_Open] = [_Open([], None)]
        self.anchors: dict[str, tuple[Any, int]] = {}

    def open(self, event: Any, node: Any) -> None:
        if len(self.stack) > MAX_DEPTH:
            raise ParseError(f"The YAML is nested too deeply at {_place(event)}")
        self.anchors.pop(event.anchor or "", None)
        self.stack.append(_Open(node, event.anchor))

    def close(self) -> None:
        done = self.stack.pop()
        node = done.closed()
        if done.anchor:
            self.anchors[done.anchor] = (node, done.size)
        self.add(node, done.size)

    def scalar(self, event: Any) -> None:
        plain = event.implicit[0] and not self.stack[-1].wants_key
        value = _scalar(event.value) if plain else event.value
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        self.add(value, 1)

    def alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            message = f"The alias {event.anchor!r} at {_place(event)} leads to nothing before it"
            raise ParseError(message)
        self.add(*self.anchors[event.anchor])

    def add(self, value: Any, size: int) -> None:
        top = self.stack[-1]
        top.add(value, size)
        if top.size > MAX_SIZE:
            raise ParseError(f"Aliases make more than {MAX_SIZE} nodes of this YAML")


def read_yaml(text: str) -> Any:
    """Return the tree of one YAML document.

    Raises ParseError, with line and column, for invalid YAML, for aliases that make the tree
    too large or contain themselves, and for nesting beyond MAX_DEPTH.
    """
    builder = _Builder()
    try:
        for event in _events(text):
            _take(builder, event)
    except yaml.YAMLError as error:
        raise ParseError(f"Malformed YAML: {_told(error)}") from None
    documents = builder.stack[0].node
    return documents[0] if documents else None


def _events(text: str) -> Iterator[Any]:
    try:
        yield from yaml.parse(text, Loader=_Loader)
    except (UnicodeError, RecursionError) as error:
        raise ParseError(f"Malformed YAML: {error}") from None


def _take(builder: _Builder, event: Any) -> None:
    kind = type(event)
    if kind is yaml.ScalarEvent:
        builder.scalar(event)
    elif kind is yaml.MappingStartEvent:
        builder.open(event, {})
    elif kind is yaml.SequenceStartEvent:
        builder.open(event, [])
    elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
        builder.close()
    elif kind is yaml.AliasEvent:
        builder.alias(event)


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    found = _NUMBER.fullmatch(text)
    if not found:
        return text
    if text.startswith(("0o", "0x")):
        return int(text, 0) if len(text) < 64 else text
    if found[1] or found[2] or "." in text:
        number = float(text)
        return number if abs(number) != float("inf") else text
    return int(text) if len(text) < 4000 else None


def _place(event: Any) -> str:
    mark = event.start_mark
    return f"line {mark.line + 1}, column {mark.column + 1}"


def _told(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"{problem} at line {mark.line + 1}, column {mark.column + 1}" if mark else problem
