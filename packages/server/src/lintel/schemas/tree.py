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

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

from lintel.retirement import Deprecation

Schema = Mapping[str, Any]

PartT = TypeVar("PartT")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def part(cls: type[PartT]) -> type[PartT]:
    """A frozen dataclass to the type checker alone: Python takes three times as long for one."""
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(cls)


def replace(old: PartT, **changes: Any) -> PartT:
    """Return a part with other values; ``dataclasses.replace`` takes three times as long."""
    cls: Any = type(old)
    names = cls.__slots__
    changed: PartT = cls(**{**dict(zip(names, attrgetter(*names)(old), strict=True)), **changes})
    return changed


#: The direction of a value, if it matters: sent, sent with PATCH, or received by clients.
REQUEST, PATCH, RESPONSE = ("request", "patch", "response")


@part
class MediaContent:
    """A body in one media type. ``schema`` is None if its values are not described."""

    media_type: str
    schema: Schema | None = None
    extra: Schema = field(default_factory=dict)


@part
class Header:
    name: str
    value: Schema


@part
class Parameter:
    """A parameter; ``location`` is path, query, header or cookie, or empty for a reference."""

    name: str
    location: str
    value: Schema


@part
class Body:
    """The body of a request, in each media type that the operation accepts.

    ``is_partial``: nothing in it is required, as with PATCH, whatever the method is.
    """

    content: tuple[MediaContent, ...] = ()
    is_partial: bool = False
    extra: Schema = field(default_factory=dict)


@part
class ResponseDescription:
    """One response. ``status`` is a number or ``default``; ``reference`` names a shared one."""

    status: str
    description: str | None = None
    headers: tuple[Header, ...] = ()
    content: tuple[MediaContent, ...] | None = None
    reference: str | None = None
    extra: Schema = field(default_factory=dict)


@part
class Operation:
    """One method on one path.

    ``parameters``, ``body``, ``responses`` are None if they are not to be written;
    ``security`` holds alternatives, an empty one for anonymous access. ``deprecation`` has the
    dates of a ``deprecated`` operation, if known.
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
    callbacks: tuple[Callback, ...] = ()
    extra: Schema = field(default_factory=dict)


@part
class Callback:
    """A request that the service sends: ``operation`` as its receiver sees it."""

    name: str
    operation: Operation


@part
class Component:
    name: str
    schema: Schema


@part
class SecurityScheme:
    name: str
    value: Schema


@part
class Service:
    """An API as one audience sees it."""

    info: Schema
    operations: tuple[Operation, ...] = ()
    components: tuple[Component, ...] = ()
    responses: Mapping[str, ResponseDescription] = field(default_factory=dict)
    security_schemes: tuple[SecurityScheme, ...] = ()
    webhooks: tuple[Callback, ...] = ()
    #: Descriptions of tags by name.
    tags: tuple[tuple[str, str], ...] = ()
    #: Schemas by component name, then by direction; under None for any direction.
    schemas: Mapping[str, Mapping[str | None, Schema]] = field(
        default_factory=dict, repr=False, compare=False
    )
