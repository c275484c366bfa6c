"""Authorization servers: their endpoints, and which of them may be trusted with secrets."""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlsplit

from lintel_client.errors import OAuth2Error
from lintel_client.origins import Domain, Origin, origin_of

__all__ = [
    "AUTHORIZATION_CODE",
    "CLIENT_CREDENTIALS",
    "DEVICE",
    "AuthorizationServer",
    "checked_url",
    "is_loopback",
    "is_trusted",
    "same_issuer",
    "server_of_metadata",
]

# The names of the flows in descriptions (OpenAPI 3.2, 4.8.28).
CLIENT_CREDENTIALS = "clientCredentials"
AUTHORIZATION_CODE = "authorizationCode"
DEVICE = "deviceAuthorization"

_NEEDED = {
    CLIENT_CREDENTIALS: ("token_url",),
    AUTHORIZATION_CODE: ("authorization_url", "token_url"),
    DEVICE: ("device_url", "token_url"),
}
_MEMBERS = {
    "token_url": "token_endpoint",
    "authorization_url": "authorization_endpoint",
    "device_url": "device_authorization_endpoint",
    "revocation_url": "revocation_endpoint",
}


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """The endpoints of an authorization server, each https or on this machine.

    ``auth_methods`` are the ways in which its clients may authenticate, empty for unknown;
    ``sends_issuer`` says that it names itself in every answer to the browser (RFC 9207). Raises
    OAuth2Error for a URL that is not valid or that would send secrets unencrypted.
    """

    issuer: str = ""
    token_url: str = ""
    authorization_url: str = ""
    device_url: str = ""
    revocation_url: str = ""
    auth_methods: tuple[str, ...] = ()
    sends_issuer: bool = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value and each.name in ("issuer", *_MEMBERS):
                checked_url(value)

    def supports(self, grant: str) -> bool:
        """Return whether the endpoints that a grant needs are known."""
        return all(getattr(self, name) for name in _NEEDED[grant])

    def completed(self, given: "AuthorizationServer") -> "AuthorizationServer":
        """Return this server with the endpoints that were given in place of its own."""
        return replace(
            self,
            token_url=given.token_url or self.token_url,
            authorization_url=given.authorization_url or self.authorization_url,
            device_url=given.device_url or self.device_url,
            revocation_url=given.revocation_url or self.revocation_url,
        )

    @property
    def name(self) -> str:
        """Return how messages name the server."""
        return self.issuer or "{0.scheme}://{0.host}:{0.port}".format(origin_of(self.token_url))


def checked_url(url: str) -> str:
    """Return a URL that secrets may be sent to. Raises NetworkError for any other."""
    origin = origin_of(url)
    if origin.scheme != "https" and not (origin.scheme == "http" and is_loopback(origin.host)):
        raise OAuth2Error(f"{url} must be https: what is sent there is secret")
    if "#" in url:
        raise OAuth2Error(f"{url} must not have a fragment")
    return url


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_trusted(origin: Origin, trusted: Iterable[str]) -> bool:
    """Return whether an origin is on one of the hosts that the user has named."""
    return any(Domain.parse(text).matches(origin) for text in trusted)


def same_issuer(one: str, other: str) -> bool:
    """Return whether two identifiers name one issuer; people forget the slash at the end."""
    return one.removesuffix("/") == other.removesuffix("/")


def server_of_metadata(
    issuer: str, metadata: Mapping[str, Any], trusted: Iterable[str]
) -> AuthorizationServer:
    """Return the server that the metadata of an issuer describes (RFC 8414, OpenID Connect).

    Raises OAuth2Error if it is about another issuer (RFC 8414, 3.3), or has an endpoint that is
    neither at the issuer nor on a trusted host.
    """
    named = metadata.get("issuer")
    if not isinstance(named, str) or not same_issuer(named, issuer):
        raise OAuth2Error(f"The metadata of {issuer} is about another issuer, {named!r:.200}")
    urls = {name: _endpoint(issuer, metadata, member, trusted) for name, member in _MEMBERS.items()}
    methods = metadata.get("token_endpoint_auth_methods_supported")
    return AuthorizationServer(
        issuer=named,
        **urls,
        auth_methods=tuple(filter(_is_text, methods)) if isinstance(methods, list) else (),
        sends_issuer=metadata.get("authorization_response_iss_parameter_supported") is True,
    )


def _endpoint(issuer: str, metadata: Mapping[str, Any], member: str, trusted: Iterable[str]) -> str:
    url = metadata.get(member)
    if not isinstance(url, str) or not url:
        return ""
    origin = origin_of(checked_url(url))
    if origin != origin_of(issuer) and not is_trusted(origin, trusted):
        host = urlsplit(url).netloc
        raise OAuth2Error(
            f"The {member} of {issuer} is on another host, {host}. If that is right, name {host} "
            "among the trusted hosts"
        )
    return url


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
