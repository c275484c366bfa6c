"""Types of schemas that contain themselves, such as trees, and the size of types."""

from collections.abc import Iterator

from lintel_client.stubs.kinds import ANY, EventOf, Kind, Later, ListOf, MapOf, Union
from lintel_client.stubs.unions import union

__all__ = ["Selves", "small"]

MAX_PARTS = 500
"""The most parts of one type, which is one line or paragraph of a module."""

Key = tuple[int, bool]


class Selves:
    """Puts the types of schemas in where they contain themselves.

    In a member of a class such a type stands as it is. In itself, without a class between, it is a
    value of any type: a list of lists of lists is ``list[list[Any]]``.
    """

    def __init__(self) -> None:
        self._known: dict[Key, Kind] = {}

    def note(self, key: Key, kind: Kind) -> None:
        self._known[key] = kind

    def settled(self, kind: Kind, inside: bool = False) -> Kind:
        """Return a type without those that were still to be known."""
        match kind:
            case Later(key):
                found = ANY if inside else self._known.get(key, ANY)
                return small(self.settled(found, inside=True))
            case ListOf(item):
                return ListOf(self.settled(item, inside))
            case MapOf(value):
                return MapOf(self.settled(value, inside))
            case EventOf(data):
                return EventOf(self.settled(data, inside))
            case Union(options):
                return union([self.settled(each, inside) for each in options])
        return kind


def small(kind: Kind) -> Kind:
    """Return a type, or ANY instead of one with more parts than anybody reads."""
    return kind if sum(1 for _ in _parts(kind)) <= MAX_PARTS else ANY


def _parts(kind: Kind) -> Iterator[Kind]:
    waiting = [kind]
    while waiting:
        each = waiting.pop()
        yield each
        match each:
            case ListOf(inner) | MapOf(inner) | EventOf(inner):
                waiting.append(inner)
            case Union(options):
                waiting += options
