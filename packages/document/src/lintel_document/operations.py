"""What descriptions such as OpenAPI say about an operation beyond method, URL and parameters.

All of it is immutable data; nothing here sends or chooses anything.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from lintel_document.fields import Example, Field

__all__ = [
    "Answer",
    "Body",
    "Issue",
    "OperationLink",
    "Pagination",
    "SecurityScheme",
    "Server",
    "ServerVariable",
    "Tag",
    "usable",
]

# Schemes that no transport serves, such as that of web sockets.
_FOREIGN = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_VARIABLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Issue:
    """A part of a description that could not be represented.

    ``place`` is its position, as a JSON pointer (RFC 6901) after "#" or a line; ``name`` the
    operation or parameter concerned.
    """

    place: str
    message: str
    name: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, [self.place, self.name, self.message]))


@dataclass(frozen=True, slots=True)
class ServerVariable:
    """A variable in the URL of a server; ``enum`` lists its legal values, empty allows all."""

    default: str = ""
    enum: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """A base URL of an API, absolute or relative, with variables in braces."""

    url: str
    description: str = ""
    variables: Mapping[str, ServerVariable] = field(default_factory=dict, hash=False)
    name: str = ""

    def expanded(self, values: Mapping[str, str] | None = None) -> str:
        """Return the URL with each variable replaced by its value, or by its default.

        Raises ValueError for variables that the server does not have and for values that are not
        in its enum.
        """
        given = dict(values or {})
        for name, value in given.items():
            self._check(name, value)
        return _VARIABLE.sub(lambda found: self._value(found, given), self.url)

    def _check(self, name: str, value: str) -> None:
        variable = self.variables.get(name)
        if variable is None:
            known = ", ".join(self.variables) or "none"
            raise ValueError(f"The server {self.url} has no variable {name!r}; it has: {known}")
        if variable.enum and value not in variable.enum:
            legal = ", ".join(variable.enum)
            raise ValueError(f"The server variable {name!r} must be one of {legal}, not {value!r}")

    def _value(self, found: re.Match[str], given: Mapping[str, str]) -> str:
        variable = self.variables.get(found[1])
        if found[1] in given:
            return str(given[found[1]])
        return variable.default if variable else found[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return Server, (self.url, self.description, dict(self.variables), self.name)


def usable(servers: Sequence[Server]) -> Server:
    """Return the first server over HTTP, or else the first. Raises IndexError without any."""
    return next((each for each in servers if not _FOREIGN.match(each.expanded())), servers[0])


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """One way to authenticate.

    ``type`` is apiKey, http, oauth2, openIdConnect or mutualTLS. An apiKey is sent in ``location``
    (header, query or cookie) as ``parameter``; http has a ``scheme`` such as basic or bearer.
    ``flows`` are those of OAuth2, unchanged.
    """

    name: str
    type: str
    location: str = ""
    parameter: str = ""
    scheme: str = ""
    description: str = ""
    bearer_format: str = ""
    flows: Mapping[str, Any] = field(default_factory=dict, hash=False)
    openid_url: str = ""
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """One media type of a request body, and its fields."""

    media_type: str
    fields: tuple[Field, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of an operation: ``content`` maps media types to schemas, None for unknown.

    ``examples`` maps media types to examples; an unnamed example has an empty name.
    ``status`` is a code such as "200", a range such as "4XX", or "default".
    """

    status: str
    description: str = ""
    content: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    headers: tuple[Field, ...] = ()
    examples: Mapping[str, tuple[Example, ...]] = field(
        default_factory=lambda: MappingProxyType({}), hash=False
    )

    def __reduce__(self) -> tuple[Any, ...]:
        texts = (self.status, self.description)
        return Answer, (*texts, dict(self.content), self.headers, dict(self.examples))


@dataclass(frozen=True, slots=True)
class Tag:
    """A word that groups operations. ``url`` is a page about it, ``parent`` is a tag."""

    name: str
    summary: str = ""
    description: str = ""
    url: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class OperationLink:
    """An operation that can be called with values of a response (OpenAPI 3.1.1, 4.8.20).

    ``parameters`` maps names of the other operation's parameters to values or to runtime
    expressions such as "$response.body#/id".
    """

    name: str
    status: str = ""
    operation_id: str = ""
    operation_ref: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    body: Any = field(default=None, hash=False)
    description: str = ""


@dataclass(frozen=True, slots=True)
class Pagination:
    """How to find the items of all pages.

    ``style`` is page, offset, cursor, link (a URL in the response) or header (a Link header).
    ``parameter`` names the parameter that selects a page, ``size`` the one for the number of
    items. ``items``, ``next`` and ``total`` are dotted paths into the response; an empty ``items``
    is the response itself.
    """

    style: str
    parameter: str = ""
    size: str = ""
    items: str = ""
    next: str = ""
    total: str = ""
