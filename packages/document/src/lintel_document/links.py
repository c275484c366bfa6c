"""Link, an operation that a client can call."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lintel_document.fields import Field
from lintel_document.immutable import Immutable, checked_text
from lintel_document.operations import Answer, Body, OperationLink, Pagination, Server
from lintel_document.urls import joined

__all__ = ["Field", "Link", "Security"]

Security = tuple[Mapping[str, tuple[str, ...]], ...]
"""Alternatives, each a mapping from the schemes that it needs together to their scopes."""

_Answers = tuple[Answer, ...]


class Link(Immutable):
    """An operation: where to send a request, how, and which parameters it takes.

    ``action`` is an HTTP method in lower case, ``encoding`` the media type of the request body,
    ``transform`` is "new", "inplace" or empty. Names given as plain strings in ``fields`` become
    optional fields without a location. Raises TypeError for arguments of another type.

    The keyword arguments are set if a description such as OpenAPI provides them: ``bodies`` lists
    all media types for the request body, ``encoding`` and ``fields`` are those of the
    first. ``accept`` lists the media types of responses. ``path`` is the part of the URL after
    that of any of the ``servers``. ``item_schemas`` maps media types of streams to the schemas of
    one item. A ``security`` of None means unspecified, ``()`` that no
    credentials are needed. ``problem``, if not empty, says why the operation cannot be called: a
    part of its description, such as the body, cannot be read. ``answers`` may be a function, which
    is called on first access.

    Two links are equal if they send the same requests, whatever their titles and the order of
    their fields.
    """

    __slots__ = (
        "_answers",
        "accept",
        "action",
        "bodies",
        "deprecated",
        "description",
        "encoding",
        "fields",
        "item_schemas",
        "links",
        "operation_id",
        "pagination",
        "path",
        "problem",
        "security",
        "servers",
        "tags",
        "title",
        "transform",
        "url",
    )

    url: str
    action: str
    encoding: str
    transform: str
    title: str
    description: str
    fields: tuple[Field, ...]
    operation_id: str
    tags: tuple[str, ...]
    deprecated: bool
    bodies: tuple[Body, ...]
    accept: tuple[str, ...]
    path: str
    servers: tuple[Server, ...]
    security: Security | None
    links: tuple[OperationLink, ...]
    pagination: Pagination | None
    problem: str
    item_schemas: Mapping[str, Any]
    _answers: _Answers | Callable[[], _Answers]

    def __init__(
        self,
        url: str | None = None,
        action: str | None = None,
        encoding: str | None = None,
        transform: str | None = None,
        title: str | None = None,
        description: str | None = None,
        fields: Iterable[Field | str] | None = None,
        *,
        operation_id: str | None = None,
        tags: Iterable[str] = (),
        deprecated: bool = False,
        bodies: Iterable[Body] = (),
        accept: Iterable[str] = (),
        path: str | None = None,
        servers: Iterable[Server] = (),
        security: Security | None = None,
        answers: _Answers | Callable[[], _Answers] = (),
        links: Iterable[OperationLink] = (),
        pagination: Pagination | None = None,
        problem: str | None = None,
        item_schemas: Mapping[str, Any] | None = None,
    ) -> None:
        self._fill(
            url=checked_text(self, "url", url),
            action=checked_text(self, "action", action),
            encoding=checked_text(self, "encoding", encoding),
            transform=checked_text(self, "transform", transform),
            title=checked_text(self, "title", title),
            description=checked_text(self, "description", description),
            fields=_checked_fields(fields),
            operation_id=checked_text(self, "operation_id", operation_id),
            tags=tuple(tags),
            deprecated=deprecated,
            bodies=tuple(bodies),
            accept=tuple(accept),
            path=checked_text(self, "path", path),
            servers=tuple(servers),
            security=security,
            links=tuple(links),
            pagination=pagination,
            problem=checked_text(self, "problem", problem),
            item_schemas=dict(item_schemas or {}),
            _answers=answers,
        )

    @property
    def summary(self) -> str:
        """Return one line about the operation; another name of the title."""
        return self.title

    @property
    def answers(self) -> _Answers:
        """Return the possible responses, by status."""
        if callable(self._answers):
            self._fill(_answers=tuple(self._answers()))
        return self._answers  # type: ignore[return-value] # a tuple from here on

    def replace(self, **changes: Any) -> "Link":
        """Return a link that differs in the named attributes; unknown names raise TypeError.

        With another ``encoding``, the fields of the body are those of that media type,
        if the link has such a body and the call names no fields.
        """
        body = self._body(changes["encoding"]) if "encoding" in changes else None
        if body and changes["encoding"] != self.encoding and "fields" not in changes:
            changes["encoding"] = body.media_type
            kept = [each for each in self.fields if each.location not in ("form", "body")]
            changes["fields"] = (*kept, *body.fields)
        return Link(**{**self._attributes(), **changes})

    def _body(self, encoding: str) -> Body | None:
        """Return the body of a media type, or else of one that differs only in its parameters."""
        essence = _essence(encoding)
        alike = [each for each in self.bodies if _essence(each.media_type) == essence]
        same = [each for each in alike if each.media_type == encoding]
        return next(iter([*same, *alike]), None)

    def at_server(
        self, server: int | str | Server = 0, variables: Mapping[str, str] | None = None
    ) -> "Link":
        """Return the link on another server: a position in ``servers``, one of their URLs or names,
        a Server, or any absolute URL.

        Raises ValueError for a missing server or variable, and for a value that the
        variable does not allow.
        """
        chosen = server if isinstance(server, Server) else self._server(server)
        return self.replace(url=joined(chosen.expanded(variables), self.path))

    def _server(self, server: int | str) -> Server:
        if isinstance(server, int) and 0 <= server < len(self.servers):
            return self.servers[server]
        for known in self.servers:
            if server in (known.url, known.name):
                return known
        if isinstance(server, str) and "://" in server:
            return Server(server)
        known_urls = ", ".join(each.url for each in self.servers) or "none"
        raise ValueError(f"The operation has no server {server!r}; it has: {known_urls}")

    def _attributes(self) -> dict[str, Any]:
        return {name.removeprefix("_"): getattr(self, name.removeprefix("_")) for name in _ORDER}

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._attributes(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Link):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _COMPARED) and _by_name(
            self.fields
        ) == _by_name(other.fields)

    def __repr__(self) -> str:
        named = [(name, getattr(self, name)) for name in _ORDER if not name.startswith("_")]
        shown = [f"{name}={value!r}" for name, value in named if value]
        return f"Link({', '.join(shown)})"


_FIRST = ("url", "action", "encoding", "transform", "title", "description", "fields")
_ORDER = (*_FIRST, *(name for name in Link.__slots__ if name not in _FIRST))
_COMPARED = (
    *("url", "action", "encoding", "transform", "description"),
    *("bodies", "accept", "path", "servers", "security", "problem"),
)


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _made(attributes: dict[str, Any]) -> Link:
    return Link(**attributes)


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
    """Return fields keyed by name and position among those of the same name."""
    seen: Counter[str] = Counter()
    keyed = {}
    for field in fields:
        keyed[field.name, seen[field.name]] = field
        seen[field.name] += 1
    return keyed
