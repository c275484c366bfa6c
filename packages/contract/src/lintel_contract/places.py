"""A description and the places in it: values, each with its JSON pointer (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

#: The most references in a chain: more is a mistake or an attack.
MOST_HOPS = 32

VERSIONS = ("3.0", "3.1", "3.2")


class DocumentError(ValueError):
    """A description cannot be read or compared; the message says which one and why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a document and the JSON pointer to it."""

    pointer: str
    value: Any

    def at(self, *keys: str | int) -> Place:
        """Return the place under the keys; its value is None if one of them is missing."""
        pointer, value = self.pointer, self.value
        for key in keys:
            pointer = f"{pointer}/{escaped(key)}"
            value = _member(value, key)
        return Place(pointer, value)

    def get(self, key: str, kind: type | tuple[type, ...] = object, default: Any = None) -> Any:
        """Return the value under a key, or ``default`` if it is missing or of another type."""
        value = _member(self.value, key)
        return default if value is None or not isinstance(value, kind) else value

    def has(self, key: str) -> bool:
        """Return whether the value is an object with this key."""
        return isinstance(self.value, dict) and key in self.value

    def members(self, *keys: str) -> dict[str, Place]:
        """Return the members of the object under the keys, by name; {} if there is no object."""
        place = self.at(*keys)
        if not isinstance(place.value, dict):
            return {}
        return {str(name): place.at(name) for name in place.value}

    def elements(self, *keys: str) -> list[Place]:
        """Return the elements of the array under the keys; none if there is no array."""
        place = self.at(*keys)
        if not isinstance(place.value, list):
            return []
        return [place.at(index) for index in range(len(place.value))]


def escaped(key: str | int) -> str:
    """Return a key as a step of a JSON pointer."""
    return str(key).replace("~", "~0").replace("/", "~1")


def _member(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
        return value[key]
    return None


def _steps(pointer: str) -> Iterator[str]:
    for step in pointer.split("/")[1:]:
        yield unquote(step).replace("~1", "/").replace("~0", "~")


class Document:
    """A description in OpenAPI 2.0, 3.0, 3.1 or 3.2, as plain dicts and lists.

    ``name`` is used in messages. Raises DocumentError for anything else.
    """

    def __init__(self, content: Any, name: str = "the description") -> None:
        self.name = name
        self.root: Place = Place("", content)
        self.version: str = _version(self.root, name)

    @property
    def is_swagger(self) -> bool:
        """Return whether it is OpenAPI 2.0, whose parameters contain bodies and types."""
        return self.version == "2.0"

    @property
    def has_siblings(self) -> bool:
        """Return whether keywords beside ``$ref`` apply, as they do since OpenAPI 3.1."""
        return self.version in ("3.1", "3.2")

    def find(self, pointer: str) -> Place | None:
        """Return the place that a pointer refers to, or None."""
        place = self.root
        for step in _steps(pointer):
            key: str | int = step
            if isinstance(place.value, list):
                key = int(step) if step.isascii() and step.isdigit() and len(step) < 9 else -1
            place = place.at(key)
            if place.value is None:
                return None
        return place

    def follow(self, place: Place) -> Place:
        """Return the end of a place's references.

        That is the reference itself if it leads to another file, to nothing, or in a circle.
        """
        target = place
        for _hop in range(MOST_HOPS):
            reference = target.get("$ref", str)
            if reference is None:
                return target
            referred = self.find(reference[1:]) if reference.startswith("#") else None
            if referred is None:
                return place
            target = referred
        return place


def _version(root: Place, name: str) -> str:
    if str(root.get("swagger", (str, int, float))) in ("2.0", "2"):
        return "2.0"
    version = str(root.get("openapi", (str, int, float), ""))
    if version[:3] in VERSIONS:
        return version[:3]
    raise DocumentError(
        f"{name} is not a description in OpenAPI 2.0, 3.0, 3.1 or 3.2: it needs a member "
        "'openapi' or 'swagger' with one of these versions."
    )
