"""Finds the authorization server of an API: by its description, its metadata, or its issuer."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from lintel_client.errors import OAuth2Error
from lintel_client.oauth2.asking import fetched, probed
from lintel_client.oauth2.servers import (
    CLIENT_CREDENTIALS,
    DEVICE,
    AuthorizationServer,
    checked_url,
    is_trusted,
    server_of_metadata,
)
from lintel_client.origins import origin_of, same_home
from lintel_client.steps import Call
from lintel_document.document import Document
from lintel_document.errors import LintelError
from lintel_document.links import Link
from lintel_document.operations import SecurityScheme
from lintel_document.urls import resolve

__all__ = [
    "Search",
    "Source",
    "UnknownServer",
    "described_scopes",
    "found_server",
    "metadata_urls",
    "server_of_issuer",
]

Source = str | AuthorizationServer | Document
"""An issuer, a server, or the description of an API, which leads to one."""

AUTHORIZATION = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"
RESOURCE = "/.well-known/oauth-protected-resource"
MAX_ISSUERS = 5
_FROM_HEADER = re.compile(r'\bresource_metadata\s*=\s*(?:"([^"]*)"|([^\s,"]+))', re.IGNORECASE)


class UnknownServer(OAuth2Error):
    """Nothing that an API says leads to an authorization server."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a server must be able to do, and which further hosts may see secrets.

    ``given`` has endpoints that the user names, in place of those that are found.
    """

    grant: str
    trusted: tuple[str, ...] = ()
    has_secret: bool = False
    given: AuthorizationServer = field(default_factory=AuthorizationServer)


def found_server(source: Source, search: Search) -> Call[AuthorizationServer]:
    """Return the server of a source. Raises OAuth2Error if there is none for the grant."""
    if isinstance(source, AuthorizationServer):
        server = source
    elif isinstance(source, str):
        server = (yield from server_of_issuer(source, search.trusted)).completed(search.given)
    else:
        server = yield from _server_of_description(source, search)
    if not server.supports(search.grant):
        raise OAuth2Error(f"{server.name} has no endpoints for {search.grant}")
    return server


def server_of_issuer(issuer: str, trusted: Iterable[str] = ()) -> Call[AuthorizationServer]:
    """Return the server that an issuer's metadata describes."""
    trouble: LintelError | None = None
    for url in metadata_urls(checked_url(issuer)):
        try:
            metadata = yield from fetched(url)
            if metadata is not None:
                return server_of_metadata(issuer, metadata, trusted)
        except OAuth2Error as error:
            trouble = trouble or error
    raise trouble or OAuth2Error(f"{issuer} publishes no metadata (RFC 8414, OpenID Connect)")


def metadata_urls(issuer: str) -> list[str]:
    """Return where an issuer may have its metadata (RFC 8414, 3.1; OpenID Connect Discovery, 4)."""
    parts = urlsplit(issuer)
    if parts.query:
        raise OAuth2Error(f"The issuer {issuer} must not have a query")
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    found = [root + AUTHORIZATION + path, root + path + OPENID]
    return [*found, root + OPENID + path, root + path + AUTHORIZATION] if path else found


def described_scopes(document: Document, scheme: str = "") -> tuple[str, ...]:
    """Return the scopes that the operations of a description ask for, each once.

    With ``scheme``, only those of this security scheme.
    """
    names = {scheme} if scheme else {each.name for each in _schemes(document)}
    return tuple(
        dict.fromkeys(
            scope
            for link in _links(document)
            for alternative in link.security or ()
            for name, scopes in alternative.items()
            if name in names
            for scope in scopes
        )
    )


def _server_of_description(document: Document, search: Search) -> Call[AuthorizationServer]:
    trouble: LintelError | None = None
    for finding in _findings(document, search):
        try:
            server = ((yield from finding) or search.given).completed(search.given)
            if server.supports(search.grant):
                return _checked(server, document, search)
        except OAuth2Error as error:
            trouble = trouble or error
    raise trouble or UnknownServer(
        f"The API names no authorization server for {search.grant}: name its issuer"
    )


def _findings(document: Document, search: Search) -> Iterator[Call[AuthorizationServer | None]]:
    """Yield the searches for a server, the surest first."""
    for scheme in _schemes(document):
        if scheme.openid_url:
            yield _at(resolve(document.url, scheme.openid_url), search)
        if isinstance(scheme.flows.get(search.grant), Mapping):
            yield _of_flow(document, scheme.flows[search.grant])
    if document.url:
        yield _of_resource(document.url, search)


def _schemes(document: Document) -> list[SecurityScheme]:
    kinds = ("oauth2", "openIdConnect")
    return [each for each in document.security_schemes.values() if each.type in kinds]


def _of_flow(document: Document, flow: Mapping[str, Any]) -> Call[AuthorizationServer]:
    def url(name: str) -> str:
        given = flow.get(name)
        return resolve(document.url, given) if isinstance(given, str) and given else ""

    yield from ()
    return AuthorizationServer(
        token_url=url("tokenUrl"),
        authorization_url=url("authorizationUrl"),
        device_url=url("deviceAuthorizationUrl"),
    )


def _at(url: str, search: Search) -> Call[AuthorizationServer | None]:
    """Return the server whose metadata is at a URL, which must be one of its issuer's."""
    metadata = yield from fetched(checked_url(url))
    if metadata is None:
        return None
    issuer = metadata.get("issuer")
    if not isinstance(issuer, str) or url not in metadata_urls(checked_url(issuer)):
        raise OAuth2Error(f"{url} holds the metadata of another issuer")
    return server_of_metadata(issuer, metadata, search.trusted)


def _of_resource(url: str, search: Search) -> Call[AuthorizationServer | None]:
    """Return a server that the API names in metadata of its own (RFC 9728), or is itself."""
    issuers = yield from _issuers(url)
    for issuer in issuers:
        server = yield from server_of_issuer(issuer, search.trusted)
        if server.completed(search.given).supports(search.grant):
            return server
    return None if issuers else (yield from _own_server(url, search))


def _own_server(url: str, search: Search) -> Call[AuthorizationServer | None]:
    """Return the server that an API itself is, if it publishes metadata."""
    parts = urlsplit(url)
    try:
        return (yield from server_of_issuer(f"{parts.scheme}://{parts.netloc}", search.trusted))
    except OAuth2Error:
        return None


def _issuers(url: str) -> Call[list[str]]:
    parts = urlsplit(checked_url(url))
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    named = _FROM_HEADER.search((yield from probed(url)).get("WWW-Authenticate", ""))
    places = [named[1] or named[2]] if named else []
    for place in dict.fromkeys([*places, root + RESOURCE + path, root + RESOURCE]):
        if origin_of(place) != origin_of(url):
            raise OAuth2Error(f"{url} names metadata on another host: {place:.200}")
        metadata = yield from fetched(place)
        if metadata is not None:
            return _named_issuers(url, metadata)
    return []


def _named_issuers(url: str, metadata: Mapping[str, Any]) -> list[str]:
    """Return the issuers in the metadata of a resource. Raises OAuth2Error if it is another one."""
    resource = metadata.get("resource")
    if not isinstance(resource, str) or not _is_below(url, resource):
        raise OAuth2Error(f"The metadata of {url} is about another resource, {resource!r:.200}")
    issuers = metadata.get("authorization_servers")
    texts = issuers if isinstance(issuers, list) else []
    return [each for each in texts if isinstance(each, str)][:MAX_ISSUERS]


def _is_below(url: str, resource: str) -> bool:
    path = urlsplit(resource).path.rstrip("/")
    own = urlsplit(url).path.rstrip("/")
    same_path = own == path or own.startswith(f"{path}/")
    return origin_of(url) == origin_of(resource) and same_path


def _checked(
    server: AuthorizationServer, document: Document, search: Search
) -> AuthorizationServer:
    """Return a server. Raises OAuth2Error if a secret would go where only the API says."""
    target = origin_of(server.token_url)
    is_own = bool(document.url) and same_home(target, origin_of(document.url))
    if search.has_secret and not is_own and not is_trusted(target, search.trusted):
        raise OAuth2Error(
            f"The client secret would go to {target.host}, which only the description of the API "
            f"names. If that is right, name {target.host} among the trusted hosts, or the issuer"
        )
    _check_code(server, search)
    return server


def _check_code(server: AuthorizationServer, search: Search) -> None:
    """Reject endpoints by which the code of one server would go to another (RFC 9700, 4.4).

    Whoever writes a description could name the page of an honest server, and redeem its codes. The
    endpoints of an issuer have been checked, and those that the user names are the user's choice.
    """
    page = server.device_url if search.grant == DEVICE else server.authorization_url
    if search.grant == CLIENT_CREDENTIALS or server.issuer or search.given.token_url:
        return
    first, target = origin_of(page), origin_of(server.token_url)
    if first != target and not is_trusted(target, search.trusted):
        raise OAuth2Error(
            f"What {first.host} issues would go to {target.host}, which only the description of "
            f"the API names. If that is right, name {target.host} among the trusted hosts, or the "
            "issuer"
        )


def _links(node: Any) -> Iterator[Link]:
    if isinstance(node, Link):
        yield node
        return
    content = getattr(node, "content", node)
    if isinstance(content, Mapping):
        for inner in content.values():
            yield from _links(inner)
