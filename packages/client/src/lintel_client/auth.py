"""Authentication: the headers that identify the caller, and the hosts that may see them.

Without a ``domain``, credentials are sent to the origin of the call (the document's, or the
first URL's) and to no other: not to links elsewhere, not along redirects. With one, they are sent
to the hosts of that domain, see ``lintel_client.origins.Domain``. They are never sent from an
https home to a plain http URL.
"""

import base64
from collections.abc import Iterable
from dataclasses import replace
from email.message import Message
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request as CookieRequest

from lintel_client.headers import checked_header
from lintel_client.messages import AsyncResponse, Request, Response
from lintel_client.origins import Domain, origin_of, same_home
from lintel_client.steps import Call

__all__ = [
    "Auth",
    "BasicAuthentication",
    "SessionAuthentication",
    "TokenAuthentication",
    "basic_credentials",
    "may_go",
]

Field = tuple[str, str]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def may_go(domain: Domain | None, request: Request) -> bool:
    """Return whether a request may carry data bound to ``domain`` (None: its own home)."""
    target = origin_of(request.url)
    home = origin_of(request.home or request.url)
    if domain is None:
        return same_home(target, home)
    return domain.matches(target) and (target.scheme == "https" or home.scheme != "https")


class Auth:
    """Base of all authentication. Raises ValueError for an invalid domain."""

    def __init__(self, domain: str | None = None) -> None:
        self.domain: Domain | None = None if domain is None else Domain.parse(domain)

    def headers(self, request: Request) -> list[Field]:
        """Return the header fields to add to a request, which is one step of an exchange."""
        return self.credentials(request) if may_go(self.domain, request) else []

    def prepared(self, request: Request) -> Request:
        """Return the request with authentication, as far as its host may see it."""
        return replace(request, headers=request.headers.setting(self.headers(request)))

    def credentials(self, request: Request) -> list[Field]:
        """Return the header fields for a host that may see them. To be overridden."""
        raise NotImplementedError(f"{type(self).__name__} must define credentials()")

    def observe(self, request: Request, response: Response | AsyncResponse) -> None:
        """Read a response, for example its cookies. Does nothing by default."""

    def readying(self, request: Request) -> Call[None]:
        """Take the steps that come before a request, such as getting a token. By default none."""
        yield from ()

    def recovering(self, sent: Request, response: Response | AsyncResponse) -> Call[bool]:
        """Take the steps that follow status 401; return whether to send the request once more."""
        yield from ()
        return False


class TokenAuthentication(Auth):
    """Sends ``Authorization: <scheme> <token>``."""

    def __init__(self, scheme: str = "Bearer", token: str = "", domain: str | None = None) -> None:
        super().__init__(domain)
        if not token:
            raise ValueError("A token is missing: TokenAuthentication(scheme, token)")
        self._field = checked_header("Authorization", f"{scheme} {token}")

    def credentials(self, request: Request) -> list[Field]:
        return [self._field]


class BasicAuthentication(Auth):
    """Sends a user name and password as HTTP Basic credentials in UTF-8 (RFC 7617)."""

    def __init__(self, username: str, password: str, domain: str | None = None) -> None:
        super().__init__(domain)
        self._field = ("Authorization", basic_credentials(username, password))

    def credentials(self, request: Request) -> list[Field]:
        return [self._field]


class SessionAuthentication(Auth):
    """Keeps the cookies that its domain sets, and authenticates with them.

    Unsafe requests send the value of the CSRF cookie in the CSRF header, and
    over https a Referer, which such servers check.
    """

    def __init__(
        self,
        csrf_cookie_name: str = "csrftoken",
        csrf_header_name: str = "X-CSRFToken",
        domain: str | None = None,
    ) -> None:
        super().__init__(domain)
        self.csrf_cookie_name = csrf_cookie_name
        self.csrf_header_name = csrf_header_name
        self.cookies: CookieJar = CookieJar()

    def credentials(self, request: Request) -> list[Field]:
        view = CookieRequest(request.url)  # noqa: S310 (nothing is opened, the jar reads the URL)
        self.cookies.add_cookie_header(view)
        stored = view.get_header("Cookie")
        if not stored:
            return []
        sent = "; ".join(filter(None, [stored, request.headers.get("Cookie")]))
        return [("Cookie", sent), *self._csrf(request, stored)]

    def observe(self, request: Request, response: Response | AsyncResponse) -> None:
        if may_go(self.domain, request):
            view = CookieRequest(request.url)  # noqa: S310 (nothing is opened, see above)
            self.cookies.extract_cookies(_CookieResponse(response), view)  # type: ignore[arg-type] # it asks for info()

    def _csrf(self, request: Request, stored: str) -> Iterable[Field]:
        if request.method in SAFE_METHODS:
            return
        values = dict(pair.split("=", 1) for pair in stored.split("; ") if "=" in pair)
        if self.csrf_cookie_name in values:
            yield checked_header(self.csrf_header_name, values[self.csrf_cookie_name])
        if request.url.startswith("https:"):
            yield "Referer", "https://" + urlsplit(request.url).netloc + "/"


class _CookieResponse:
    """The only method that the standard library's cookie jar needs of a response."""

    def __init__(self, response: Response | AsyncResponse) -> None:
        self._message = Message()
        for name, value in response.headers.pairs():
            self._message[name] = value

    def info(self) -> Any:
        return self._message


def basic_credentials(username: str, password: str) -> str:
    """Return the value of an Authorization header for HTTP Basic (RFC 7617).

    Raises ValueError for a user name with a colon, which the scheme cannot express.
    """
    if ":" in username:
        raise ValueError("A user name for HTTP Basic must not contain a colon")
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
