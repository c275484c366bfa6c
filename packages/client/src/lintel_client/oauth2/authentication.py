"""Authentication with tokens of OAuth 2 (RFC 6749), obtained and renewed as they are needed."""

import time
import webbrowser
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from lintel_client.auth import Auth, Field, may_go
from lintel_client.errors import LoginRequired, NetworkError, OAuth2Error
from lintel_client.messages import AsyncResponse, Request, Response
from lintel_client.oauth2.discovery import Search, Source, described_scopes, found_server
from lintel_client.oauth2.grants import (
    LONGEST_LOGIN,
    DeviceLogin,
    Registration,
    authorization_code,
    checked_parameters,
    client_credentials,
    device_code,
    refreshed,
)
from lintel_client.oauth2.loopback import REDIRECT
from lintel_client.oauth2.servers import (
    AUTHORIZATION_CODE,
    CLIENT_CREDENTIALS,
    DEVICE,
    AuthorizationServer,
    same_issuer,
)
from lintel_client.oauth2.stores import MemoryTokens, TokenStore
from lintel_client.oauth2.tokens import Tokens
from lintel_client.origins import Domain, origin_of, same_home
from lintel_client.steps import Call, Wait, Work
from lintel_document.document import Document

__all__ = ["AuthorizationCode", "ClientCredentials", "DeviceCode", "OAuth2Authentication"]

PAUSE = 0.05
"""The seconds between two looks at a lock that another thread or process holds."""


class OAuth2Authentication(Auth):
    """Sends an access token, and renews it shortly before its end or once it is refused.

    ``source`` is the issuer (an https URL, whose metadata names the endpoints), an
    AuthorizationServer, or the Document of an API, whose description leads to its server and
    names the scopes. The tokens go to the origin of the first call and to no other, or to
    ``domain``. ``store`` keeps them between runs; threads, tasks and processes that share one renew
    a token once. ``trusted_hosts`` are further hosts that may see secrets, for issuers whose
    endpoints are elsewhere. ``parameters`` are sent with each request for tokens. ``method``
    overrides how the secret is sent: "client_secret_basic" or "client_secret_post".

    This class itself only renews tokens: give it yours, ``store=MemoryTokens(tokens)``. Calls
    raise LoginRequired if the server no longer takes them, OAuth2Error for anything else.
    """

    grant = CLIENT_CREDENTIALS
    """The grant whose endpoints are needed."""

    obtains = False
    """Whether ``granting`` can get the first tokens."""

    def __init__(
        self,
        source: Source,
        client_id: str,
        client_secret: str = "",
        *,
        scopes: Iterable[str] | None = None,
        domain: str | None = None,
        store: TokenStore | None = None,
        trusted_hosts: Iterable[str] = (),
        parameters: Mapping[str, str] | None = None,
        method: str = "",
    ) -> None:
        super().__init__(domain)
        if method not in ("", "client_secret_basic", "client_secret_post"):
            raise ValueError("method must be client_secret_basic or client_secret_post")
        _check_texts(client_id, client_secret)
        _check_list("scopes", scopes)
        _check_list("trusted_hosts", trusted_hosts)
        if scopes is None:
            scopes = described_scopes(source) if isinstance(source, Document) else ()
        extra = checked_parameters(parameters or {})
        self.client: Registration = Registration(
            client_id, client_secret, tuple(scopes), method, extra
        )
        self.store: TokenStore = MemoryTokens() if store is None else store
        self.trusted_hosts: tuple[str, ...] = tuple(trusted_hosts)
        for host in self.trusted_hosts:
            Domain.parse(host)
        self._source = source
        self._server: AuthorizationServer | None = None
        self._tokens: Tokens | None = None

    def use(self, tokens: Tokens) -> None:
        """Send these tokens until they are renewed, without asking the store for them."""
        self._tokens = tokens

    def credentials(self, request: Request) -> list[Field]:
        """Return the header field with the token, if there is one for this host."""
        tokens = self._tokens
        return [tokens.header] if tokens and self._is_for(tokens, request) else []

    def readying(self, request: Request) -> Call[None]:
        """Get a token if there is none for this host, or if it is about to expire."""
        if not may_go(self.domain, request):
            return
        if self._tokens is None:
            self._tokens = self._fitting((yield Work(self.store.load)))
        tokens = self._tokens
        if tokens is None:
            yield from self._renewing(None, request)
        elif tokens.is_due(time.time()) and self._is_for(tokens, request):
            yield from self._renewing_early(tokens, request)

    def recovering(self, sent: Request, response: Response | AsyncResponse) -> Call[bool]:
        """Get another token in place of one that was refused."""
        tokens = self._tokens
        if tokens is None or not self._is_for(tokens, sent) or "Authorization" not in sent.headers:
            return False
        used = sent.headers["Authorization"]
        if used != tokens.header[1]:
            # Another call has renewed the token meanwhile, or the call has credentials of its own.
            return used.startswith("Bearer ")
        if not self._can_renew(tokens, response):
            return False
        yield from self._renewing(tokens, sent)
        return True

    def granting(self, server: AuthorizationServer) -> Call[Tokens]:
        """Return the first tokens. To be overridden."""
        yield from ()
        raise LoginRequired(f"There are no tokens of {server.name}: log in")

    def _can_renew(self, tokens: Tokens, response: Response | AsyncResponse) -> bool:
        return bool(tokens.refresh_token) or self._is_refused(response)

    def _is_refused(self, response: Response | AsyncResponse) -> bool:
        """Return whether the token is the reason, and a person could get another."""
        refused = "invalid_token" in response.headers.get("WWW-Authenticate", "")
        return refused and self.obtains

    def _renewing_early(self, tokens: Tokens, request: Request) -> Call[None]:
        """Renew a token that is about to expire; whatever prevents that may wait until it has."""
        if not tokens.refresh_token and not self.obtains:
            return  # The clock may be wrong: the service decides.
        try:
            yield from self._renewing(tokens, request)
        except NetworkError:
            if tokens.is_over(time.time()):
                raise

    def _renewing(self, old: Tokens | None, request: Request) -> Call[None]:
        """Get tokens in place of ``old``, unless somebody else has done so."""
        end = time.monotonic() + LONGEST_LOGIN * 2
        while not self.store.acquire():
            if time.monotonic() > end:
                raise OAuth2Error("Another call has been getting a token for too long")
            yield Wait(PAUSE)
        try:
            kept = self._fitting((yield Work(self.store.load)))
            if kept and (old is None or kept.access_token != old.access_token):
                self._tokens = kept
                if not kept.is_over(time.time()):
                    return
            tokens = yield from self._obtaining(kept or old)
            host = (kept or old or tokens).host or _origin_text(request.home or request.url)
            tokens = replace(tokens, host=host)
            yield Work(self.store.save, (tokens,))
            self._tokens = tokens
        finally:
            self.store.release()

    def _obtaining(self, old: Tokens | None) -> Call[Tokens]:
        server = yield from self._found()
        if old and old.refresh_token and old.token_url == server.token_url:
            try:
                return (yield from refreshed(server, self.client, old))
            except LoginRequired:
                if not self.obtains:
                    raise
        return (yield from self.granting(server))

    def _found(self) -> Call[AuthorizationServer]:
        if self._server is None:
            has_secret = bool(self.client.client_secret)
            search = Search(self.grant, self.trusted_hosts, has_secret)
            self._server = yield from found_server(self._source, search)
        return self._server

    def _fitting(self, tokens: Tokens | None) -> Tokens | None:
        """Return stored tokens if they are what this authentication would ask for."""
        if tokens is None or tokens.client_id != self.client.client_id:
            return None
        source = self._source
        issuer = source.issuer if isinstance(source, AuthorizationServer) else source
        if isinstance(issuer, str) and issuer and not same_issuer(tokens.issuer, issuer):
            return None
        if isinstance(source, AuthorizationServer) and tokens.token_url != source.token_url:
            return None
        return tokens if tokens.asked == " ".join(self.client.scopes) else None

    def _is_for(self, tokens: Tokens, request: Request) -> bool:
        if not may_go(self.domain, request):
            return False
        if self.domain is not None or not tokens.host:
            return True
        return same_home(origin_of(request.url), origin_of(tokens.host))


class ClientCredentials(OAuth2Authentication):
    """Authenticates a program as itself, with a client id and a secret (RFC 6749, 4.4).

    The arguments are those of OAuth2Authentication.
    """

    obtains = True

    def granting(self, server: AuthorizationServer) -> Call[Tokens]:
        """Return tokens for the secret."""
        return (yield from client_credentials(server, self.client))

    def _can_renew(self, tokens: Tokens, response: Response | AsyncResponse) -> bool:
        return True


class AuthorizationCode(OAuth2Authentication):
    """Authenticates a person, who signs in in a browser on this machine (RFC 6749, 4.1, with PKCE).

    Register ``redirect_uri`` for the client, without a port if the server ignores ports, as it
    should (RFC 8252). ``open_page`` is called with the URL of the page for signing in. The other
    arguments are those of OAuth2Authentication.
    """

    grant = AUTHORIZATION_CODE
    obtains = True

    def __init__(
        self,
        *arguments: Any,
        redirect_uri: str = REDIRECT,
        open_page: Callable[[str], object] = webbrowser.open,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._redirect_uri = redirect_uri
        self._open_page = open_page

    def granting(self, server: AuthorizationServer) -> Call[Tokens]:
        """Return the tokens of the person who signs in."""
        how = self._open_page, self._redirect_uri
        return (yield from authorization_code(server, self.client, *how))


class DeviceCode(OAuth2Authentication):
    """Authenticates a person, who signs in on any device (RFC 8628).

    ``show`` is called with a DeviceLogin: the page and the code to type there. The other arguments
    are those of OAuth2Authentication.
    """

    grant = DEVICE
    obtains = True

    def __init__(
        self, *arguments: Any, show: Callable[[DeviceLogin], object], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._show = show

    def granting(self, server: AuthorizationServer) -> Call[Tokens]:
        """Return the tokens of the person who signs in."""
        return (yield from device_code(server, self.client, self._show))


def _check_texts(client_id: Any, client_secret: Any) -> None:
    if not isinstance(client_id, str) or not client_id or not isinstance(client_secret, str):
        raise TypeError("client_id and client_secret must be texts, and the first not empty")


def _check_list(name: str, given: Any) -> None:
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of texts, not one text")


def _origin_text(url: str) -> str:
    origin = origin_of(url)
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    return f"{origin.scheme}://{host}:{origin.port}"
