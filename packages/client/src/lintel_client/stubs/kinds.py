"""Types of values, independent of a programming language."""

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "ANY",
    "FILE",
    "EventOf",
    "Kind",
    "Later",
    "ListOf",
    "Literals",
    "MapOf",
    "Member",
    "Plain",
    "Record",
    "Ref",
    "Union",
]


@dataclass(frozen=True, slots=True)
class Plain:
    """A type without parts.

    It is string, integer, number, boolean, null, any, file, download; in models also date,
    date-time, time, uuid, decimal.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Literals:
    """One of several literal values: strings, integers, booleans, None."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    item: "Kind"


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with unknown keys."""

    value: "Kind"


@dataclass(frozen=True, slots=True)
class EventOf:
    """A server-sent event, by the type of its data."""

    data: "Kind"


@dataclass(frozen=True, slots=True)
class Union:
    options: tuple["Kind", ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A record, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Later:
    """The type of a schema that contains itself, known when all of it is read."""

    key: tuple[int, bool]

    @property
    def name(self) -> str:
        """What it is called until then."""
        return "any"


Kind = Plain | Literals | ListOf | MapOf | EventOf | Union | Ref | Later

ANY = Plain("any")
FILE = Plain("file")


@dataclass(frozen=True, slots=True)
class Member:
    """One key of an object."""

    name: str
    kind: Kind
    required: bool
    description: str = ""


@dataclass(slots=True)
class Record:
    """An object with known keys and its own name; ``is_params`` of what a call is given."""

    name: str
    description: str = ""
    members: list[Member] = field(default_factory=list)
    is_params: bool = False
