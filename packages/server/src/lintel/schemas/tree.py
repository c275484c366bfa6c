"""The tree that all descriptions are written from: a service, its operations, and their parts.

    Service ─┬─ Operation ─┬─ Parameter
             │             ├─ Body ─── MediaContent
             │             └─ ResponseDescription ─┬─ MediaContent
             │                                     └─ Header
             ├─ Component
             └─ SecurityScheme

Schemas of values are mappings in the form of OpenAPI 3.0 (``nullable: true``); a writer
translates them to its version. ``extra`` holds further members from the project, by
OpenAPI keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lintel.retirement import Deprecation

Schema = Mapping[str, Any]

#: The direction of a value, if it matters: sent, sent with PATCH, or received by clients.
REQUEST, PATCH, RESPONSE = ("request", "patch", "response")


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaContent:
    """A body in one media type. ``schema`` is None if its values are not described."""

    media_type: str
    schema: Schema | None = None
    extra: Schema = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A header of a response."""

    name: str
    value: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter; ``location`` is path, query, header or cookie, or empty for a reference."""

    name: str
    location: str
    value: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body of a request, in each media type that the operation accepts."""

    content: tuple[MediaContent, ...] = ()
    extra: Schema = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseDescription:
    """One response. ``status`` is a number or ``default``; ``reference`` names a shared one."""

    status: str
    description: str | None = None
    headers: tuple[Header, ...] = ()
    content: tuple[MediaContent, ...] | None = None
    reference: str | None = None
    extra: Schema = field(default_factory=dict)


class Unread(NamedTuple):
    """The mapping in OpenAPI that an operation is parsed from, and the function that parses it."""

    words: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method on one path.

    ``parameters``, ``body``, ``responses`` are None if they are not to be written;
    ``security`` holds alternatives, an empty one for anonymous access. ``deprecation`` has the
    dates of a ``deprecated`` operation, if known. ``unread``: the mapping that the operation is
    written from, if it was not changed; its other parts are then read from it on first access.
    """

    path: str
    method: str
    view: str = ""
    identifier: str | None = None
    summary: str | None = None
    description: str | None = None
    parameters: tuple[Parameter, ...] | None = None
    body: Body | None = None
    responses: tuple[ResponseDescription, ...] | None = None
    tags: tuple[str, ...] | None = None
    deprecated: bool = False
    deprecation: Deprecation | None = None
    security: tuple[Schema, ...] | None = None
    extra: Schema = field(default_factory=dict)
    unread: Unread | None = field(default=None, init=False, compare=False, repr=False)

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Parse all parts on first access."""
            if name not in _PARTS:
                raise AttributeError(f"an operation has no {name}")
            for part, value in {**_PARTS, **self.unread.read(self.unread.words)}.items():
                object.__setattr__(self, part, value)
            return object.__getattribute__(self, name)


#: The attributes of an operation that is not parsed yet, and the defaults of all others.
_KNOWN = ("path", "method", "view", "identifier", "unread")
_PARTS = {each.name: each.default for each in fields(Operation) if each.name not in _KNOWN}


def renamed(operation: Operation, identifier: str) -> Operation:
    """Return the operation with another identifier."""
    unread = operation.unread
    if unread is None:
        return replace(operation, identifier=identifier)
    words = {**unread.words, "operationId": identifier}
    return unread_operation(
        operation.path, operation.method, operation.view, unread._replace(words=words)
    )


def unread_operation(path: str, method: str, view: str, unread: Unread) -> Operation:
    """Return an operation whose parts are parsed on first access."""
    operation: Operation = object.__new__(Operation)
    put = object.__setattr__
    put(operation, "path", path)
    put(operation, "method", method)
    put(operation, "view", view)
    put(operation, "identifier", unread.words["operationId"])
    put(operation, "unread", unread)
    return operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A named schema for one direction; ``direction`` is None for any."""

    name: str
    schema: Schema
    direction: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityScheme:
    """A security scheme, in terms of OpenAPI."""

    name: str
    value: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """An API as one audience sees it."""

    info: Schema
    operations: tuple[Operation, ...] = ()
    components: tuple[Component, ...] = ()
    responses: Mapping[str, ResponseDescription] = field(default_factory=dict)
    security_schemes: tuple[SecurityScheme, ...] = ()

    def __str__(self) -> str:
        return "\n".join(str(operation) for operation in self.operations)


def _lines(operation: Operation) -> Iterator[str]:
    name = f"  {operation.identifier}" if operation.identifier else ""
    yield f"{operation.method} {operation.path}{name}"
    for parameter in operation.parameters or ():
        yield f"    {parameter.location or 'shared'} {parameter.name}"
    for content in operation.body.content if operation.body else ():
        yield f"    reads {content.media_type}"
    for response in operation.responses or ():
        types = ", ".join(content.media_type for content in response.content or ())
        yield f"    {response.status} {response.reference or types}".rstrip()
