"""The implementation of ``lintel login --oauth2`` and ``lintel logout``."""

import sys
import webbrowser
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import click

from lintel_client.cli.credential_store import remove
from lintel_client.cli.failures import Failure
from lintel_client.cli.later import later
from lintel_client.cli.oauth2_tokens import entry_of, registration_of, server_of, tokens_of
from lintel_client.cli.output import note
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.values import texts
from lintel_client.cli.wire import Wire
from lintel_client.errors import NetworkError, OAuth2Error
from lintel_client.oauth2.discovery import (
    Search,
    Source,
    UnknownServer,
    described_scopes,
    found_server,
)
from lintel_client.oauth2.grants import (
    DeviceLogin,
    Registration,
    authorization_code,
    checked_parameters,
    client_credentials,
    device_code,
    revoked,
)
from lintel_client.oauth2.loopback import REDIRECT
from lintel_client.oauth2.servers import (
    AUTHORIZATION_CODE,
    CLIENT_CREDENTIALS,
    DEVICE,
    AuthorizationServer,
)
from lintel_client.oauth2.tokens import Tokens
from lintel_client.origins import Domain
from lintel_client.steps import Call, take_steps
from lintel_document.document import Document

__all__ = ["login", "logout"]

FLOWS = {"code": AUTHORIZATION_CODE, "device": DEVICE, "client": CLIENT_CREDENTIALS}
ENDPOINTS = ("authorization", "token", "device", "revocation")


@dataclass(frozen=True, slots=True)
class Way:
    """How to sign in: with which grants, at which server, and how the person is led there."""

    flows: tuple[str, ...]
    source: Source
    endpoints: AuthorizationServer
    trusted: tuple[str, ...]
    redirect_uri: str
    opens: bool

    def signing_in(self, client: Registration) -> Call[tuple[str, AuthorizationServer, Tokens]]:
        """Return the grant that was used, the server and the tokens."""
        flow, server = yield from self._server(client)
        note(f"Signing in at {server.name}")
        return flow, server, (yield from self._tokens(flow, server, client))

    def _server(self, client: Registration) -> Call[tuple[str, AuthorizationServer]]:
        trouble: OAuth2Error | None = None
        for flow in self.flows:
            source = self.endpoints if self.endpoints.supports(flow) else self.source
            has_secret = bool(client.client_secret)
            search = Search(flow, self.trusted, has_secret, self.endpoints)
            try:
                return flow, (yield from found_server(source, search))
            except UnknownServer:
                continue
            except OAuth2Error as error:
                trouble = trouble or error
        raise trouble or OAuth2Error(
            f"The API names no authorization server for {' or '.join(self.flows)}: give --issuer "
            "URL, or the --endpoint of each step"
        )

    def _tokens(self, flow: str, server: AuthorizationServer, client: Registration) -> Call[Tokens]:
        if flow == CLIENT_CREDENTIALS:
            return client_credentials(server, client)
        if flow == DEVICE:
            return device_code(server, client, _show)
        return authorization_code(server, client, partial(_open, self.opens), self.redirect_uri)


def login(wire: Wire, *, keyring: bool, **given: Any) -> None:
    """Get tokens for the API of the current document, and store them for its host."""
    state = State()
    document = state.document()
    if not document.url:
        raise Failure("The current document has no URL, so tokens have no host to go to")
    domain = urlsplit(document.url).netloc
    known = _known(state, domain)
    client = _registration(document, known, given)
    way = _way(document, known, given, client)
    with open_client(state, wire, anonymous=True) as (_, transport):
        flow, server, tokens = take_steps(way.signing_in(client), transport.send)
    name = "/".join(filter(None, [state.bookmark, domain, "oauth2"])) if keyring else ""
    entry = entry_of(flow, server, client, tokens, name)
    entry["oauth2"]["redirect_uri"] = way.redirect_uri
    old = state.credentials().get(domain)
    state.save_credentials({**state.credentials(), domain: entry})
    if isinstance(old, dict) and old.get("keyring") not in (None, name):
        later("keyrings:forget", old["keyring"])
    scope = f" (scope: {tokens.scope})" if tokens.scope else ""
    note(f"Signed in{scope}; the tokens are stored for {domain}.")


def logout(domain: str | None, wire: Wire) -> None:
    """Delete the credentials of a domain, and revoke its tokens."""
    state = State()
    name = domain or urlsplit(state.document().url).netloc
    stored = state.credentials().get(name)
    if isinstance(stored, dict) and "oauth2" in stored:
        try:
            _revoke(state, wire, name, stored)
        except (NetworkError, Failure) as error:
            note(f"The tokens could not be revoked, and are only deleted here: {error}")
    remove(name)
    note(f"Signed out of {name}.")


def _revoke(state: State, wire: Wire, domain: str, stored: Any) -> None:
    server = server_of(domain, stored)
    if not server.revocation_url:
        note(f"{server.name} names no way to revoke tokens: they are only deleted here.")
        return
    client, tokens = registration_of(domain, stored), tokens_of(domain, stored)
    with open_client(state, wire, anonymous=True) as (_, transport):
        take_steps(revoked(server, client, tokens), transport.send)


def _known(state: State, domain: str) -> dict[str, Any]:
    """Return what the last sign-in of a domain was like, so that it can be repeated."""
    stored = state.credentials().get(domain)
    if not isinstance(stored, dict) or "oauth2" not in stored:
        return {}
    try:
        client, server = registration_of(domain, stored), server_of(domain, stored)
    except Failure:
        return {}
    kept = {name: stored["oauth2"].get(name) for name in ("flow", "redirect_uri")}
    return {"client": client, "server": server, **kept}


def _registration(document: Document, known: dict[str, Any], given: dict[str, Any]) -> Registration:
    old: Registration | None = known.get("client")
    client_id = given["client_id"] or (old.client_id if old else None)
    if not client_id:
        raise click.UsageError(
            "--client-id is missing: register a client at the authorization server, with "
            f"{REDIRECT} as its redirect URI, and give its id"
        )
    is_same = old is not None and old.client_id == client_id
    secret = sys.stdin.readline().rstrip("\n") if given["client_secret_stdin"] else ""
    parameters = _extras(given["extra"])
    if old is None or not is_same:
        scopes = given["scope"] or described_scopes(document)
        return Registration(client_id, secret, tuple(scopes), "", parameters)
    return replace(
        old,
        client_secret=secret or old.client_secret,
        scopes=given["scope"] or old.scopes,
        parameters=parameters or old.parameters,
    )


def _way(
    document: Document, known: dict[str, Any], given: dict[str, Any], client: Registration
) -> Way:
    is_new = bool(given["client_id"] or given["issuer"] or given["endpoint"])
    server = None if is_new else known.get("server")
    flow = FLOWS.get(given["flow"]) or (None if is_new else known.get("flow"))
    return Way(
        flows=(flow,) if flow else _usual_flows(client, given["no_browser"]),
        source=given["issuer"] or server or document,
        endpoints=_endpoints(given["endpoint"]),
        trusted=_hosts(given["trust"]),
        redirect_uri=given["redirect_uri"] or known.get("redirect_uri") or REDIRECT,
        opens=not given["no_browser"],
    )


def _usual_flows(client: Registration, no_browser: bool) -> tuple[str, ...]:
    people = [AUTHORIZATION_CODE, DEVICE]
    if no_browser or not _has_browser():
        people.reverse()
    return (*people, CLIENT_CREDENTIALS) if client.client_secret else tuple(people)


def _has_browser() -> bool:
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _endpoints(given: Iterable[str]) -> AuthorizationServer:
    found = texts("--endpoint", given)
    for name in found:
        if name not in ENDPOINTS:
            raise click.UsageError(f"--endpoint {name}: the names are {', '.join(ENDPOINTS)}")
    return AuthorizationServer(
        token_url=found.get("token", ""),
        authorization_url=found.get("authorization", ""),
        device_url=found.get("device", ""),
        revocation_url=found.get("revocation", ""),
    )


def _hosts(given: tuple[str, ...]) -> tuple[str, ...]:
    try:
        for host in given:
            Domain.parse(host)
    except ValueError as error:
        raise click.UsageError(f"--trust: {error}") from None
    return given


def _extras(given: Iterable[str]) -> dict[str, str]:
    try:
        return checked_parameters(texts("--extra", given))
    except ValueError as error:
        raise click.UsageError(f"--extra: {error}") from None


def _show(login: DeviceLogin) -> None:
    note(f"On any device, open {login.url} and enter the code {login.code}")
    if login.complete_url:
        note(f"or open {login.complete_url}")


def _open(opens: bool, url: str) -> None:
    note(f"Sign in with your browser: {url}")
    if opens:
        webbrowser.open(url)
