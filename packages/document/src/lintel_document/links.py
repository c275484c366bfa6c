"""Link, an operation that a client can call, and Field, one parameter of it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lintel_document.immutable import Immutable, checked_text

__all__ = ["Field", "Link"]


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter of a link.

    `location` says where the value travels: path, query, form, body, header or cookie; empty
    leaves the choice to the client. `schema` describes the value (`lintel_document.schemas`).
    `description`, `type` and `example` serve older callers; Core JSON does not carry them.
    """

    name: str
    required: bool = False
    location: str = ""
    schema: Any = None
    description: str | None = None
    type: str | None = None
    example: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"Field: 'name' must be a string, not {type(self.name).__name__}")
        if not isinstance(self.required, bool):
            raise TypeError(f"Field {self.name!r}: 'required' must be True or False")
        if not isinstance(self.location, str):
            raise TypeError(f"Field {self.name!r}: 'location' must be a string")


class Link(Immutable):
    """An operation: where to send a request, how, and which parameters it takes.

    `action` is an HTTP method in lower case, `encoding` the media type of the request body,
    `transform` is "new", "inplace" or empty. Names given as plain strings in `fields` become
    optional fields without a location. Two links are equal whatever their titles and the order
    of their fields. Raises TypeError for arguments of another type.
    """

    __slots__ = ("action", "description", "encoding", "fields", "title", "transform", "url")

    url: str
    action: str
    encoding: str
    transform: str
    title: str
    description: str
    fields: tuple[Field, ...]

    def __init__(
        self,
        url: str | None = None,
        action: str | None = None,
        encoding: str | None = None,
        transform: str | None = None,
        title: str | None = None,
        description: str | None = None,
        fields: Iterable[Field | str] | None = None,
    ) -> None:
        self._fill(
            url=checked_text(self, "url", url),
            action=checked_text(self, "action", action),
            encoding=checked_text(self, "encoding", encoding),
            transform=checked_text(self, "transform", transform),
            title=checked_text(self, "title", title),
            description=checked_text(self, "description", description),
            fields=_checked_fields(fields),
        )

    def replace(self, **changes: Any) -> "Link":
        """Return a link that differs in the named attributes; unknown names raise TypeError."""
        return Link(**{**self._attributes(), **changes})

    def _attributes(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "action": self.action,
            "encoding": self.encoding,
            "transform": self.transform,
            "title": self.title,
            "description": self.description,
            "fields": self.fields,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return Link, tuple(self._attributes().values())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Link):
            return NotImplemented
        return (
            self.url == other.url
            and self.action == other.action
            and self.encoding == other.encoding
            and self.transform == other.transform
            and self.description == other.description
            and _by_name(self.fields) == _by_name(other.fields)
        )

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in self._attributes().items() if value]
        return f"Link({', '.join(shown)})"


def _checked_fields(fields: Iterable[Field | str] | None) -> tuple[Field, ...]:
    if fields is None:
        return ()
    if not isinstance(fields, list | tuple):
        raise TypeError("Link: 'fields' must be a list of Field objects or names")
    return tuple([_checked_field(field) for field in fields])


def _checked_field(field: Field | str) -> Field:
    if isinstance(field, Field):
        return field
    if isinstance(field, str):
        return Field(field)
    raise TypeError(f"Link: 'fields' holds a {type(field).__name__}, not a Field or a name")


def _by_name(fields: tuple[Field, ...]) -> dict[tuple[str, int], Field]:
    """Fields keyed by name and by their rank among those of that name."""
    seen: Counter[str] = Counter()
    keyed = {}
    for field in fields:
        keyed[field.name, seen[field.name]] = field
        seen[field.name] += 1
    return keyed
