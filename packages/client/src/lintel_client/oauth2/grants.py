"""The ways to tokens, as steps (RFC 6749, 7636, 8628, 7009, 9207)."""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from secrets import token_urlsafe
from typing import Any
from urllib.parse import quote_plus, urlencode

from lintel_client.auth import basic_credentials
from lintel_client.errors import (
    ConnectionFailed,
    LoginRequired,
    NetworkError,
    OAuth2Error,
    RequestTimeout,
)
from lintel_client.oauth2.asking import posted, refusal
from lintel_client.oauth2.loopback import Listener
from lintel_client.oauth2.servers import AuthorizationServer, checked_url, same_issuer
from lintel_client.oauth2.tokens import Tokens, read_seconds, tokens_of
from lintel_client.origins import origin_of
from lintel_client.steps import Call, Wait, Work

__all__ = [
    "DeviceLogin",
    "Registration",
    "authorization_code",
    "checked_parameters",
    "client_credentials",
    "device_code",
    "refreshed",
    "revoked",
]

LONGEST_LOGIN = 600.0
"""The most seconds that a person has for signing in."""
_OWN = frozenset(
    (
        *("grant_type", "client_id", "client_secret", "code", "code_verifier", "code_challenge"),
        *("code_challenge_method", "redirect_uri", "refresh_token", "response_type", "state"),
        *("device_code", "token", "scope"),
    )
)


@dataclass(frozen=True, slots=True)
class Registration:
    """A client as the authorization server knows it.

    ``method`` is how its secret is sent, "client_secret_basic" or "client_secret_post"; if it is
    empty, the metadata of the server decides. ``parameters`` are sent with each request for
    tokens, for what a server asks for beyond the standard, such as ``audience``.
    """

    client_id: str
    client_secret: str = field(default="", repr=False)
    scopes: tuple[str, ...] = ()
    method: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def scope(self) -> Mapping[str, str]:
        """Return the parameter for the scopes, none for those that the server chooses."""
        return {"scope": " ".join(self.scopes)} if self.scopes else {}


@dataclass(frozen=True, slots=True)
class DeviceLogin:
    """What a person needs for signing in on another device.

    ``complete_url`` already contains the code, if the server has such a URL; ``seconds`` is how
    long the code is valid.
    """

    url: str
    code: str
    complete_url: str = ""
    seconds: float = LONGEST_LOGIN


def checked_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return further parameters. Raises ValueError for one that the protocol itself sends."""
    for name in parameters:
        if name in _OWN:
            raise ValueError(f"The parameter {name} belongs to the protocol and cannot be set")
    return dict(parameters)


def client_credentials(server: AuthorizationServer, client: Registration) -> Call[Tokens]:
    """Return tokens of the client itself (RFC 6749, 4.4)."""
    form = {"grant_type": "client_credentials", **client.scope}
    return (yield from _tokens(server, client, form))


def authorization_code(
    server: AuthorizationServer,
    client: Registration,
    open_page: Callable[[str], object],
    redirect_uri: str,
) -> Call[Tokens]:
    """Return tokens of the person who signs in in a browser (RFC 6749, 4.1; PKCE, RFC 7636)."""
    state, verifier = token_urlsafe(32), token_urlsafe(64)
    with closing(Listener(redirect_uri)) as listener:
        page = _login_page(server, client, state, verifier, listener.redirect_uri)
        yield Work(open_page, (page,))
        end = time.monotonic() + LONGEST_LOGIN
        while (answer := (yield Work(listener.poll))) is None:
            if time.monotonic() > end:
                raise LoginRequired("Nobody has signed in in the browser: try again")
    code = _code_of(answer, state, server)
    sent = {"redirect_uri": listener.redirect_uri, "code_verifier": verifier}
    form = {"grant_type": "authorization_code", "code": code, **sent}
    return (yield from _tokens(server, client, form))


def device_code(
    server: AuthorizationServer, client: Registration, show: Callable[[DeviceLogin], object]
) -> Call[Tokens]:
    """Return tokens of the person who signs in on another device (RFC 8628)."""
    form, fields = _authenticated(server, client, {**client.scope, **client.parameters})
    status, answer = yield from posted(server.device_url, form, fields)
    secret = answer.get("device_code")
    if status >= 400 or not isinstance(secret, str) or not secret:
        raise refusal(answer, status, server.device_url, [client.client_secret])
    login = _device_login(answer, server)
    yield Work(show, (login,))
    polled = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": secret}
    interval = _interval(answer.get("interval"))
    end = time.monotonic() + login.seconds
    while time.monotonic() < end:
        yield Wait(interval)
        try:
            return (yield from _tokens(server, client, polled))
        except (ConnectionFailed, RequestTimeout):
            interval *= 2
        except OAuth2Error as error:
            interval += _patience(error)
    raise LoginRequired("The code has expired before anybody signed in: try again", "expired_token")


def refreshed(server: AuthorizationServer, client: Registration, tokens: Tokens) -> Call[Tokens]:
    """Return new tokens for old ones (RFC 6749, 6).

    Raises LoginRequired if the server no longer knows them.
    """
    form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
    try:
        new = yield from _tokens(server, client, form)
    except OAuth2Error as error:
        if error.code == "invalid_grant":
            message = f"The sign-in at {server.name} has ended: log in again ({error.code})"
            raise LoginRequired(message, error.code) from None
        raise
    # A server that does not rotate refresh tokens returns none.
    kept = new.refresh_token or tokens.refresh_token
    return replace(new, refresh_token=kept, scope=new.scope or tokens.scope)


def revoked(server: AuthorizationServer, client: Registration, tokens: Tokens) -> Call[None]:
    """Tell the server that the tokens are no longer needed (RFC 7009)."""
    for kind in ("refresh_token", "access_token"):
        token = getattr(tokens, kind)
        if token:
            form, fields = _authenticated(server, client, {"token": token, "token_type_hint": kind})
            status, answer = yield from posted(server.revocation_url, form, fields, True)
            if status >= 400:
                secrets = [token, client.client_secret]
                raise refusal(answer, status, server.revocation_url, secrets)


def _tokens(
    server: AuthorizationServer, client: Registration, wanted: Mapping[str, str]
) -> Call[Tokens]:
    form, fields = _authenticated(server, client, {**client.parameters, **wanted})
    # The life of a token begins before it arrives.
    now = time.time()
    status, answer = yield from posted(server.token_url, form, fields)
    if status >= 400 or "error" in answer:
        secrets = [*wanted.values(), client.client_secret]
        raise refusal(answer, status, server.token_url, (each for each in secrets if len(each) > 7))
    tokens = tokens_of(answer, now)
    return replace(
        tokens,
        issuer=server.issuer,
        token_url=server.token_url,
        client_id=client.client_id,
        asked=" ".join(client.scopes),
    )


def _authenticated(
    server: AuthorizationServer, client: Registration, form: Mapping[str, str]
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return a form and header fields by which the server knows the client (RFC 6749, 2.3)."""
    if not client.client_secret:
        return {**form, "client_id": client.client_id}, []
    if _method(server, client) == "client_secret_post":
        secret = {"client_id": client.client_id, "client_secret": client.client_secret}
        return {**form, **secret}, []
    pair = quote_plus(client.client_id), quote_plus(client.client_secret)
    return dict(form), [("Authorization", basic_credentials(*pair))]


def _method(server: AuthorizationServer, client: Registration) -> str:
    if client.method:
        return client.method
    known = server.auth_methods
    is_post = "client_secret_post" in known and "client_secret_basic" not in known
    return "client_secret_post" if is_post else "client_secret_basic"


def _login_page(
    server: AuthorizationServer, client: Registration, state: str, verifier: str, redirect: str
) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    parameters = {
        **client.parameters,
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": redirect,
        **client.scope,
        "state": state,
        "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    joint = "&" if "?" in server.authorization_url else "?"
    return server.authorization_url + joint + urlencode(parameters)


def _code_of(answer: Mapping[str, list[str]], state: str, server: AuthorizationServer) -> str:
    """Return the code in the browser's answer. Raises OAuth2Error if it is not meant for us."""
    if any(len(values) > 1 for values in answer.values()):
        raise OAuth2Error("The answer of the browser is ambiguous: a parameter is repeated")
    given = {name: values[0] for name, values in answer.items()}
    if not hmac.compare_digest(given.get("state", "").encode(), state.encode()):
        raise OAuth2Error("The answer of the browser belongs to another sign-in: its state differs")
    _check_issuer(given.get("iss"), server)
    if "error" in given:
        raise refusal(given, 400, server.authorization_url, ())
    if not given.get("code"):
        raise OAuth2Error("The answer of the browser has no code")
    return given["code"]


def _check_issuer(issuer: str | None, server: AuthorizationServer) -> None:
    """Reject an answer of another server (RFC 9207, 2.4)."""
    if issuer is None and server.sends_issuer:
        raise OAuth2Error(f"The answer of the browser lacks its issuer, which {server.name} names")
    if issuer is not None and not _names(issuer, server):
        raise OAuth2Error(f"The answer of the browser is not from {server.name}")


def _names(issuer: str, server: AuthorizationServer) -> bool:
    """Return whether an issuer is that of a server; if it is unknown, whether it is on its host."""
    if server.issuer:
        return same_issuer(issuer, server.issuer)
    own = [origin_of(server.authorization_url), origin_of(server.token_url)]
    try:
        return origin_of(issuer) in own
    except NetworkError:
        return False


def _device_login(answer: Mapping[str, Any], server: AuthorizationServer) -> DeviceLogin:
    # The standard says verification_uri, and some servers say verification_url.
    url = answer.get("verification_uri", answer.get("verification_url"))
    code = answer.get("user_code")
    if not isinstance(url, str) or not isinstance(code, str) or not code:
        raise OAuth2Error(f"The response of {server.name} names no page and code for signing in")
    complete = answer.get("verification_uri_complete")
    whole = checked_url(complete) if isinstance(complete, str) and complete else ""
    seconds = min(read_seconds(answer.get("expires_in")) or LONGEST_LOGIN, LONGEST_LOGIN * 3)
    return DeviceLogin(checked_url(url), code, whole, seconds)


def _interval(given: Any) -> float:
    """Return the seconds between two questions; the standard says 5 if the server does not."""
    seconds = read_seconds(given)
    return 5.0 if seconds is None else max(1.0, min(seconds, 60.0))


def _patience(error: OAuth2Error) -> float:
    """Return the seconds by which to wait longer (RFC 8628, 3.5). Raises the error if it is one."""
    if error.code == "authorization_pending":
        return 0.0
    if error.code == "slow_down":
        return 5.0
    if error.code == "expired_token":
        raise LoginRequired(f"The code has expired: try again ({error.code})", error.code)
    raise error
