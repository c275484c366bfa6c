"""Credentials by security scheme, chosen from what a description requires."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from lintel_client.auth import Auth, basic_credentials, may_go
from lintel_client.errors import NetworkError
from lintel_client.headers import checked_header
from lintel_client.messages import Request
from lintel_client.styles import COOKIE_SAFE
from lintel_document.operations import SecurityScheme

__all__ = ["CredentialsMissing", "SchemeAuthentication", "lacking"]


class CredentialsMissing(NetworkError):
    """An operation needs credentials that were not given; the message names its schemes."""


class SchemeAuthentication(Auth):
    """Sends the credentials that an operation requires, by the names of its security schemes.

    ``credentials`` maps names of schemes to a key or token, or for HTTP Basic to a pair of user
    name and password. Of several alternatives the first complete one is used; an
    operation without requirements gets nothing. ``domain`` decides where they are sent, as for
    all authentication.
    """

    def __init__(self, credentials: Mapping[str, Any], domain: str | None = None) -> None:
        super().__init__(domain)
        self._credentials = dict(credentials)

    def prepared(self, request: Request) -> Request:
        """Return the request with the credentials of the first alternative that is complete.

        Raises CredentialsMissing if there is none.
        """
        if not request.security or not may_go(self.domain, request):
            return request
        for alternative in request.security:
            if all(scheme.name in self._credentials for scheme in alternative) and alternative:
                return self._with_all(request, alternative)
        if any(not alternative for alternative in request.security):
            return request
        raise CredentialsMissing(self._missing(request))

    def _with_all(self, request: Request, schemes: tuple[SecurityScheme, ...]) -> Request:
        for scheme in schemes:
            try:
                request = _with_scheme(request, scheme, self._credentials[scheme.name])
            except ValueError as error:
                message = f"The credentials for {scheme.name} cannot be sent: {error}"
                raise NetworkError(message) from None
        return request

    def _missing(self, request: Request) -> str:
        asked = [
            " and ".join(scheme.name for scheme in alternative)
            for alternative in request.security or ()
        ]
        given = ", ".join(self._credentials) or "none"
        return f"The operation asks for credentials: {' or '.join(asked)}. Given are: {given}"


def lacking(request: Request) -> list[str]:
    """Return what an operation asks for, if a request as it is sent has none of it.

    Each text is one alternative: the names of its security schemes.
    """
    alternatives = request.security or ()
    if any(all(_is_sent(scheme, request) for scheme in each) for each in alternatives):
        return []
    return [" and ".join(scheme.name for scheme in each) for each in alternatives]


def _is_sent(scheme: SecurityScheme, request: Request) -> bool:
    if scheme.type == "mutualTLS":
        return True  # the connection has it, or not
    if scheme.type != "apiKey":
        return "Authorization" in request.headers
    if scheme.location == "query":
        names = [name for name, _ in parse_qsl(urlsplit(request.url).query, keep_blank_values=True)]
        return scheme.parameter in names
    if scheme.location == "cookie":
        pairs = request.headers.get("Cookie", "").split(";")
        return scheme.parameter in [pair.partition("=")[0].strip() for pair in pairs]
    return scheme.parameter in request.headers


def _with_scheme(request: Request, scheme: SecurityScheme, value: Any) -> Request:
    if scheme.type == "apiKey" and scheme.location == "query":
        joint = "&" if "?" in request.url else "?"
        pair = f"{quote(scheme.parameter, safe='')}={quote(str(value), safe='')}"
        return replace(request, url=request.url + joint + pair)
    return replace(request, headers=request.headers.setting([_header(request, scheme, value)]))


def _header(request: Request, scheme: SecurityScheme, value: Any) -> tuple[str, str]:
    if scheme.type == "apiKey" and scheme.location == "cookie":
        pair = f"{scheme.parameter}={quote(str(value), safe=COOKIE_SAFE)}"
        sent = request.headers.get("Cookie")
        return checked_header("Cookie", f"{sent}; {pair}" if sent else pair)
    if scheme.type == "apiKey":
        return checked_header(scheme.parameter, str(value))
    if isinstance(value, tuple | list) and len(value) == 2:
        return "Authorization", basic_credentials(*value)
    if scheme.scheme == "basic":
        username, _, password = str(value).partition(":")
        return "Authorization", basic_credentials(username, password)
    prefix = "Bearer" if scheme.scheme in ("", "bearer") else scheme.scheme
    return checked_header("Authorization", f"{prefix} {value}")
