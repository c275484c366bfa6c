"""The state shared by all readers of a description: version, references, and issues."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lintel_codecs.issues import Issues
from lintel_codecs.openapi.references import BrokenReference, Place, References
from lintel_document.extension import EXTENSION, SCOPES
from lintel_document.fields import Field
from lintel_document.jsonschema import JSONSchema
from lintel_document.stored import Unpacker

__all__ = ["Description", "Part", "as_list", "as_mapping", "as_text"]


@dataclass(frozen=True, slots=True)
class Part:
    """A mapping of a description, its file, and its place there as a JSON pointer."""

    node: Mapping[str, Any]
    place: Place
    at: str

    def inner(self, key: str) -> Any:
        return self.node.get(key)


@dataclass(eq=False)
class Description:
    """A description that is being read. ``is_old`` marks version 2.0.

    ``url`` is where it was fetched, and the base of servers; references start at ``place``.
    ``bodies`` holds the fields of each schema of a body, ``fields`` their number.
    """

    place: Place
    references: References
    is_old: bool
    issues: Issues
    url: str = ""
    noted: set[tuple[str, str]] = field(default_factory=set)
    bodies: dict[tuple[int, bool], tuple[Any, tuple[Field, ...]]] = field(default_factory=dict)
    fields: int = 0

    @cached_property
    def unpacker(self) -> Unpacker:
        """Return the reader of this description's extensions."""
        return Unpacker(as_mapping(self.root.get(EXTENSION)).get(SCOPES))

    @property
    def root(self) -> Mapping[str, Any]:
        return as_mapping(self.place.root)

    def note(self, at: str, message: str, name: str = "") -> None:
        """Report an issue once, however many operations share its subject.

        Raises ParseError if strict.
        """
        if (at, message) not in self.noted:
            self.noted.add((at, message))
            self.issues.add(at, message, name)

    def part(
        self,
        node: Any,
        place: Place,
        at: str,
        kind: str,
        name: str = "",
        problems: list[str] | None = None,
    ) -> Part | None:
        """Return the mapping that a node refers to; None, with an issue, for anything else.

        The message of the issue is added to ``problems``, too.
        """
        try:
            found, where = self.references.follow(node, place)
            if isinstance(found, Mapping):
                return Part(found, where, at)
            message = f"A {kind} must be an object, not {_kind_of(found)}"
        except BrokenReference as error:
            message = str(error)
        self.note(at, message, name)
        if problems is not None:
            problems.append(message)
        return None

    def schema(self, node: Any, place: Place) -> JSONSchema | None:
        """Return a schema unchanged; None if there is none, or if it is empty."""
        if isinstance(node, bool):
            node = {} if node else {"not": {}}
        if not isinstance(node, Mapping) or not node:
            return None
        return JSONSchema(node, self.references.definitions(place))


def as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _kind_of(value: Any) -> str:
    names = {str: "text", list: "a list", type(None): "null", bool: "true or false"}
    return names.get(type(value), "a number")
