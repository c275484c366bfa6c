"""Signs in: runs the token flow of an API, or checks a user name and password for HTTP Basic."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import click

from lintel_client.auth import basic_credentials
from lintel_client.cli.credential_store import keep
from lintel_client.cli.display import links_of
from lintel_client.cli.failures import Failure
from lintel_client.cli.output import note
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.wire import Wire
from lintel_client.cli.words import path_keys
from lintel_client.headers import checked_header
from lintel_client.lookup import find_link, shown_path
from lintel_client.origins import origin_of
from lintel_document.document import Document
from lintel_document.links import Link
from lintel_document.urls import resolve

__all__ = ["login"]

USERS = ("username", "email", "user", "login")
PASSWORDS = ("password", "passwd", "pass")
# Members of token responses, with the scheme of such tokens.
TOKENS = {
    "token": "Token",
    "auth_token": "Token",
    "key": "Token",
    "access": "Bearer",
    "access_token": "Bearer",
    "jwt": "Bearer",
    "id_token": "Bearer",
}
_HINTS = ("token", "login", "signin", "sign-in", "auth", "session", "jwt")


def login(
    keys: tuple[str, ...],
    wire: Wire,
    *,
    username: str | None,
    password_stdin: bool,
    basic: bool,
    scheme: str | None,
    keyring: bool,
) -> None:
    """Ask for a password, check it with the service, and store the resulting credentials."""
    state = State()
    document = state.document()
    if not document.url:
        raise Failure("The current document has no URL, so credentials have no host to go to")
    if basic:
        place = document.url
        user, password = _asked(place, username, password_stdin)
        value = _checked_basic(state, document, wire, user, password)
    else:
        path, link = _token_operation(document, keys)
        place = resolve(document.url, link.url)
        user, password = _asked(place, username, password_stdin)
        names = (_name(link, USERS), _name(link, PASSWORDS))
        params = dict(zip(names, (user, password), strict=True))
        with open_client(state, wire, anonymous=True) as (client, _):
            value = _authorization(client.action(document, path, params), document, scheme)
    domain = urlsplit(document.url).netloc
    keep(state, domain, value, keyring)
    note(f"Signed in as {user}; the credentials are stored for {domain}.")


def _asked(place: str, username: str | None, password_stdin: bool) -> tuple[str, str]:
    """Ask for name and password; the question says where the password is sent."""
    origin = origin_of(place)
    where = f"{origin.scheme}://{origin.host}:{origin.port}"
    user = username or click.prompt(f"User name for {where}", err=True)
    if password_stdin:
        return user, sys.stdin.readline().rstrip("\n")
    return user, click.prompt(f"Password of {user} for {where}", hide_input=True, err=True)


def _checked_basic(state: State, document: Document, wire: Wire, user: str, password: str) -> str:
    """Return the value of the header, once the service has accepted it."""
    try:
        value = basic_credentials(user, password)
    except ValueError as error:
        raise Failure(str(error)) from error
    signed = replace(wire, headers=(*wire.headers, f"Authorization: {value}"))
    with open_client(state, signed, anonymous=True) as (client, _):
        client.reload(document)
    return value


def _token_operation(document: Document, keys: tuple[str, ...]) -> tuple[Sequence[Any], Link]:
    if keys:
        path = path_keys(document, keys)
        link = find_link(document, path).link
        if not (_name(link, USERS) and _name(link, PASSWORDS)):
            raise Failure(f"{shown_path(path)} takes no user name and password")
        return path, link
    found = list(_candidates(document))
    likely = [each for each in found if any(hint in _text(each) for hint in _HINTS)]
    chosen = found if len(found) == 1 else likely
    if len(chosen) == 1:
        return chosen[0]
    if not found:
        raise Failure(
            "No operation of this API takes a user name and password for a token. Use HTTP Basic "
            "(lintel login --basic), or: lintel credentials add"
        )
    listed = "".join(f"\n    lintel login {' '.join(path)}" for path, _ in found)
    raise Failure(f"Several operations take a user name and password; name one:{listed}")


def _candidates(document: Document) -> Iterator[tuple[tuple[str, ...], Link]]:
    for path, link in links_of(document):
        if link.action.lower() == "post" and _name(link, USERS) and _name(link, PASSWORDS):
            yield path, link


def _text(candidate: tuple[tuple[str, ...], Link]) -> str:
    path, link = candidate
    return f"{' '.join(path)} {urlsplit(link.url).path}".lower()


def _name(link: Link, names: Sequence[str]) -> str:
    known = {field.name for field in link.fields}
    return next((name for name in names if name in known), "")


def _authorization(result: Any, document: Document, scheme: str | None) -> str:
    if isinstance(result, Mapping):
        for name, word in TOKENS.items():
            token = result.get(name)
            if isinstance(token, str) and token:
                chosen = scheme or _scheme(result, document, word)
                return _checked(f"{chosen} {token}")
    raise Failure("The response has nothing that lintel recognises as a token; see: lintel action")


def _checked(value: str) -> str:
    try:
        return checked_header("Authorization", value)[1]
    except ValueError as error:
        raise Failure(f"The token in the response cannot be sent: {error}") from error


def _scheme(result: Mapping[str, Any], document: Document, word: str) -> str:
    kind = result.get("token_type")
    if isinstance(kind, str) and kind:
        return kind.title()
    described = [each.scheme.lower() for each in document.security_schemes.values()]
    return "Bearer" if "bearer" in described else word
