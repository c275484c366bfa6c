"""Tokens of OAuth 2 among the stored credentials.

The credentials of a domain are then a mapping: ``oauth2`` describes server and client, and the
secrets are in ``secrets``, or in the keyring under the name in ``keyring``.
"""

import json
from dataclasses import asdict
from typing import Any

from lintel_client.cli.failures import Failure
from lintel_client.cli.later import later
from lintel_client.cli.state import LOCK, State
from lintel_client.oauth2.authentication import ClientCredentials, OAuth2Authentication
from lintel_client.oauth2.grants import Registration
from lintel_client.oauth2.servers import CLIENT_CREDENTIALS, AuthorizationServer
from lintel_client.oauth2.stores import FileLock
from lintel_client.oauth2.tokens import Tokens
from lintel_document.errors import LintelError

__all__ = [
    "StateTokens",
    "authentication",
    "entry_of",
    "registration_of",
    "server_of",
    "shown",
    "stored_header",
    "tokens_of",
]


class StateTokens:
    """Keeps the tokens of a domain among the credentials of a state.

    All commands of one state share a lock, so that a token is renewed by one of them.
    """

    def __init__(self, state: State, domain: str) -> None:
        self._state = state
        self._domain = domain
        self._lock = FileLock(state.folder / LOCK)

    def load(self) -> Tokens | None:
        """Return the tokens, None if the domain has none any more."""
        stored = self._state.credentials().get(self._domain)
        return tokens_of(self._domain, stored) if _is_entry(stored) else None

    def save(self, tokens: Tokens | None) -> None:
        """Keep these tokens, unless the credentials were deleted meanwhile."""
        credentials = self._state.credentials()
        stored = credentials.get(self._domain)
        if stored is None or not _is_entry(stored):
            return
        if tokens and tokens.client_id != stored["oauth2"].get("client_id"):
            return  # Somebody has signed in anew.
        made = {**_secrets(self._domain, stored), "tokens": tokens.as_mapping() if tokens else None}
        if "keyring" in stored:
            later("keyrings:keep", stored["keyring"], json.dumps(made))
        else:
            changed = {**stored, "secrets": made}
            self._state.save_credentials({**credentials, self._domain: changed})

    def acquire(self) -> bool:
        """Take the lock, if no other command has it."""
        return self._lock.acquire()

    def release(self) -> None:
        """Free the lock."""
        self._lock.release()


def entry_of(
    flow: str, server: AuthorizationServer, client: Registration, tokens: Tokens, keyring: str
) -> dict[str, Any]:
    """Return what is stored for a domain; with the name of a ``keyring``, the secrets go there."""
    public = {**asdict(server), "auth_methods": list(server.auth_methods), "flow": flow}
    named = {"client_id": client.client_id, "scopes": list(client.scopes)}
    options = {"method": client.method, "parameters": dict(client.parameters)}
    about = {"oauth2": {**public, **named, **options}}
    secrets = {"client_secret": client.client_secret, "tokens": tokens.as_mapping()}
    if keyring:
        later("keyrings:keep", keyring, json.dumps(secrets))
        return {**about, "keyring": keyring}
    return {**about, "secrets": secrets}


def authentication(state: State, domain: str, stored: Any) -> OAuth2Authentication:
    """Return the authentication with the stored tokens of a domain. Raises Failure for damage."""
    client = registration_of(domain, stored)
    server = server_of(domain, stored)
    is_client = stored["oauth2"].get("flow") == CLIENT_CREDENTIALS
    made = (ClientCredentials if is_client else OAuth2Authentication)(
        server,
        client.client_id,
        client.client_secret,
        scopes=client.scopes,
        domain=domain,
        store=StateTokens(state, domain),
        parameters=client.parameters,
        method=client.method,
    )
    made.use(tokens_of(domain, stored))
    return made


def server_of(domain: str, stored: Any) -> AuthorizationServer:
    """Return the stored authorization server. Raises Failure for damaged credentials."""
    names = AuthorizationServer.__dataclass_fields__
    try:
        kept = {name: value for name, value in stored["oauth2"].items() if name in names}
        return AuthorizationServer(**{**kept, "auth_methods": tuple(kept["auth_methods"])})
    except (KeyError, TypeError, AttributeError, LintelError):
        raise _damaged(domain) from None


def registration_of(domain: str, stored: Any) -> Registration:
    """Return the stored client. Raises Failure for damaged credentials."""
    try:
        about = stored["oauth2"]
        secret = _secrets(domain, stored)["client_secret"]
        scopes, parameters = tuple(about["scopes"]), dict(about["parameters"])
        return Registration(about["client_id"], secret, scopes, about["method"], parameters)
    except (KeyError, TypeError, ValueError):
        raise _damaged(domain) from None


def tokens_of(domain: str, stored: Any) -> Tokens:
    """Return the stored tokens. Raises Failure for damaged credentials."""
    try:
        return Tokens.read(_secrets(domain, stored).get("tokens"))
    except ValueError:
        raise _damaged(domain) from None


def stored_header(domain: str, stored: Any) -> str:
    """Return the value of the Authorization header as it is stored, without renewing it."""
    return tokens_of(domain, stored).header[1]


def shown(stored: Any) -> str:
    """Return the credentials as shown to people, without secrets."""
    about = stored["oauth2"] if isinstance(stored["oauth2"], dict) else {}
    server = about.get("issuer") or about.get("token_url")
    return f"OAuth 2: tokens of {server} for the client {about.get('client_id')}"


def _is_entry(stored: Any) -> bool:
    return isinstance(stored, dict) and "oauth2" in stored


def _secrets(domain: str, stored: Any) -> dict[str, Any]:
    found = stored.get("secrets")
    if "keyring" in stored:
        try:
            found = json.loads(later("keyrings:secret", str(stored["keyring"])))
        except ValueError:
            raise _damaged(domain) from None
    if not isinstance(found, dict):
        raise _damaged(domain)
    return found


def _damaged(domain: str) -> Failure:
    return Failure(f"The stored tokens for {domain} are damaged; run: lintel login --oauth2")
