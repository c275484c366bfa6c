"""Transports send one request and return its response. They neither redirect nor decode."""

import math
import socket
import ssl
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.request import getproxies

import httpx2

from lintel_client.auth import may_go
from lintel_client.contents import Content
from lintel_client.digests import Verifier, verifier_of
from lintel_client.encodings import Inflater, inflater_for
from lintel_client.errors import ConnectionFailed, NetworkError, RequestTimeout
from lintel_client.headers import Headers, checked_header
from lintel_client.messages import Request, Response
from lintel_client.origins import Domain, origin_of, same_home, without_query
from lintel_client.passwords import Passwords
from lintel_client.refusals import note_refusal
from lintel_client.streaming.kinds import format_of

if TYPE_CHECKING:
    from lintel_client.addresses import PublicAddresses
    from lintel_client.caching import Cache

__all__ = ["HTTPSettings", "HTTPTransport", "Transport"]

CHUNK = 65536


@runtime_checkable
class Transport(Protocol):
    """The interface between the client and the network.

    ``schemes`` are the URL schemes that a transport serves. ``send`` may be called from several
    threads. Errors of the network must be raised as NetworkError.
    """

    schemes: tuple[str, ...]

    def send(self, request: Request) -> Response:
        """Send one request unchanged and return the response with its body unread."""
        ...


class HTTPSettings:
    """The shared part of HTTPTransport and AsyncHTTPTransport: arguments, and making requests.

    ``credentials`` maps domains to values of the Authorization header, ``headers`` maps domains to
    mappings of header names to values; ``lintel_client.origins.Domain`` says what a domain matches.
    In ``headers``, a name with a plain value is sent to the origin of the call. Of several
    domains that match, the most specific one gives a field its value: host and port, then host,
    then the longest pattern, which never replaces existing credentials of a request. No domain
    replaces a header that is a parameter of the call.

    ``timeout`` is in seconds for each of connecting, sending and waiting for data, None for no
    limit. ``proxy`` is the URL of a proxy; without one, the environment decides (HTTP_PROXY and so
    on) unless ``trust_env`` is off. ``verify`` is False, or an ``ssl.SSLContext``, to change how
    certificates are checked. ``http2`` speaks HTTP/2 with servers that can, which needs the extra
    of this name. Raises ValueError for invalid domains and headers, ImportError without the extra.

    ``netrc`` reads user names and passwords from ~/.netrc if it is True, else from the file that it
    names (``lintel_client.passwords.Passwords``); all other credentials win.

    ``cache``, a Cache, keeps responses to GET as their servers allow it.

    ``addresses``, PublicAddresses, refuses connections to private networks, along redirects too.

    ``session``, a client of httpx2, sends instead, with its own settings, and is never closed
    here. Its headers, cookies and authentication are sent only to the origin of the call.
    """

    schemes: tuple[str, ...] = ("http", "https")

    def __init__(
        self,
        credentials: Mapping[str, str] | None = None,
        headers: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = 30.0,
        proxy: str | None = None,
        verify: Any = True,
        trust_env: bool = True,
        http2: bool = False,
        netrc: bool | str | Path = False,
        cache: "Cache | None" = None,
        addresses: "PublicAddresses | None" = None,
        session: Any = None,
    ) -> None:
        if session is not None and cache is not None:
            raise ValueError("A session may add credentials that a cache cannot see: give it none")
        if session is not None and addresses is not None:
            raise ValueError("A session connects by itself: addresses cannot be limited")
        bound = [*_bound_headers(headers or {}), *_bound_credentials(credentials or {})]
        self._bound = sorted(bound, key=_precision)
        if http2 and find_spec("h2") is None:
            raise ImportError("HTTP/2 is an extra: install lintel-client[http2]")
        self._settings: dict[str, Any] = {
            "timeout": timeout,
            "proxy": _checked_proxy(proxy),
            "trust_env": trust_env,
            "http2": http2,
            "follow_redirects": False,
        }
        self._verify = verify
        self._cache = cache
        self._addresses = addresses
        self._passwords = Passwords(None if netrc is True else netrc) if netrc else None
        self._proxied = proxy is not None or (trust_env and bool(getproxies()))
        self._session = session
        self._clients: dict[bool, Any] = {}
        self._lock = Lock()
        # Dropping a transport closes the connections that it made.
        self._finalizer = weakref.finalize(self, self._close_all, self._clients)

    @staticmethod
    def _close_all(clients: dict[bool, Any]) -> None:
        """Close connections, if that needs no waiting."""

    @staticmethod
    def _streamed(content: Content) -> Any:
        """Return content in the form in which httpx2 sends it chunk by chunk."""
        return iter(content)

    def prepared(self, request: Request) -> Request:
        """Return the request with the headers that this transport adds for its host."""
        if request.bare:
            return request
        added: dict[str, tuple[str, str]] = {}
        for domain, field in self._bound:
            if may_go(domain, request) and _may_set(domain, field, request):
                added[field[0].lower()] = field
        if self._passwords and not ("authorization" in added or "Authorization" in request.headers):
            value = self._passwords.authorization(request)
            added |= {"authorization": ("Authorization", value)} if value else {}
        if not added:
            return request
        return replace(request, headers=request.headers.setting(added.values()))

    def _outgoing(self, client: Any, request: Request) -> dict[str, Any]:
        """Return the arguments with which a client of httpx2 sends a request."""
        fields = [(name.encode(), value.encode()) for name, value in request.headers.pairs()]
        made: dict[str, Any] = {"headers": fields, "content": request.body}
        if isinstance(request.body, Content):
            fields.append((b"Content-Length", str(len(request.body)).encode()))
            made["content"] = self._streamed(request.body)
        sending: dict[str, Any] = {"stream": True, "follow_redirects": False}
        if self._session is not None and (request.bare or not _at_home(request)):
            # Headers of the session itself are not for other hosts.
            timeout = client.timeout if request.timeout is None else _timeout(request)
            made["extensions"] = {"timeout": timeout.as_dict()}
            plain = httpx2.Request(request.method, request.url, **made)
            return {"request": plain, "auth": None, **sending}
        if request.timeout is not None:
            made["timeout"] = _timeout(request)
        return {"request": client.build_request(request.method, request.url, **made), **sending}

    def _client_for(self, url: str, make: Callable[..., Any]) -> Any:
        """The HTTP client for a URL, made on first use.

        Reading the system's certificates takes longer than many requests, so clients that never
        need one go without.
        """
        if self._session is not None:
            return _opened(self._session)
        origin = origin_of(url)
        if self._addresses:
            self._addresses.check_written(origin.host)
        plain = not self._proxied and origin.scheme == "http"
        with self._lock:
            if plain not in self._clients:
                self._clients[plain] = self._made(make, plain)
            return _opened(self._clients[plain])

    def _made(self, make: Callable[..., Any], plain: bool) -> Any:
        verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else self._verify
        client = _http_client(make, verify, self._settings)
        if self._settings["http2"]:
            import_module("lintel_client.multiplexing").multiplex(client)
        if self._addresses:
            import_module("lintel_client.addresses").limit_addresses(client, self._addresses)
        return client


class HTTPTransport(HTTPSettings):
    """Sends over HTTP and HTTPS. The arguments are those of HTTPSettings."""

    def send(self, request: Request) -> Response:
        """Send a request. Raises NetworkError or RequestTimeout without a response."""
        prepared = self.prepared(request)
        sent = self._sent if self._cache is None else partial(self._cache.send, send=self._sent)
        response = sent(prepared)
        if adds_credentials(request, prepared):
            note_refusal(prepared, response)
        return response

    def _sent(self, request: Request) -> Response:
        with network_errors(request):
            client = self._client(request.url)
            answer = client.send(**self._outgoing(client, request))
        wait_for(answer, request)
        verifier = verifier_for(answer, request)
        if verifier:
            answer.stream = _Verified(answer.stream, verifier)
        return Response(
            status=answer.status_code,
            headers=Headers(answer.headers.multi_items()),
            body=_chunks(answer, request),
            url=request.url,
            reason=answer.reason_phrase,
            close=answer.close,
            interrupt=partial(_interrupt, answer),
        )

    def close(self) -> None:
        """Close all connections."""
        self._finalizer()

    def _client(self, url: str) -> httpx2.Client:
        client: httpx2.Client = self._client_for(url, httpx2.Client)
        return client

    @staticmethod
    def _close_all(clients: dict[bool, Any]) -> None:
        for client in clients.values():
            client.close()


class _Verified(httpx2.SyncByteStream):
    """The raw bytes of a response, checked against its digest."""

    def __init__(self, inner: Any, verifier: Verifier) -> None:
        self._inner = inner
        self._verifier = verifier

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            self._verifier.update(chunk)
            yield chunk
        self._verifier.verify()

    def close(self) -> None:
        self._inner.close()


def _interrupt(answer: httpx2.Response) -> None:
    """End a read of another thread, which closing the socket would not wake.

    A connection of HTTP/2 is not cut off, because other responses share it.
    """
    stream = answer.extensions.get("network_stream")
    if stream is None or answer.http_version == "HTTP/2":
        return
    connected = stream.get_extra_info("socket")
    if connected is not None:
        with suppress(OSError):
            # Not the method of a TLS socket, which first forgets its session.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)


def adds_credentials(request: Request, prepared: Request) -> bool:
    """Return whether a transport has added the credentials of a request."""
    value = prepared.headers.get("Authorization")
    return value is not None and value != request.headers.get("Authorization")


def verifier_for(answer: httpx2.Response, request: Request) -> Verifier | None:
    """Return the verifier for a response's body, if it has a digest."""
    headers = Headers(answer.headers.multi_items())
    return verifier_of(headers, answer.status_code, request.method, without_query(request.url))


def wait_for(answer: httpx2.Response, request: Request) -> None:
    """Lift the time limit on the body of a patient request; its head has come in time."""
    limits = answer.request.extensions.get("timeout")
    if request.patient and limits:
        limits["read"] = None


def chunk_size(answer: httpx2.Response, request: Request) -> int | None:
    """Return the size of the chunks to collect, None to pass on what arrives of a stream."""
    is_stream = request.patient or format_of(answer.headers.get("Content-Type", ""))
    return None if is_stream else CHUNK


def chosen_transports(
    make: Callable[..., Any], transports: Any, session: Any, **options: Any
) -> Sequence[Any]:
    """Return the transports of a client, made from a session or by default."""
    if transports is None:
        return [make(session=session, **options)]
    if session is not None:
        raise ValueError("Give a client either transports or a session, not both")
    if given := [name for name, value in options.items() if value]:
        raise ValueError(f"Give {given[0]} to the transport: HTTPTransport({given[0]}=...)")
    return transports


def _http_client(make: Callable[..., Any], verify: Any, settings: dict[str, Any]) -> Any:
    # Cookies belong to the authentication that asks for them, not to the connection.
    cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    try:
        return make(verify=verify, cookies=cookies, **settings)
    except (ValueError, OSError) as error:
        # A proxy or a certificate file that the environment names.
        raise NetworkError(f"The settings of the network are not valid: {error}") from error


def _opened(client: Any) -> Any:
    if getattr(client, "is_closed", False):
        raise NetworkError("The client is closed")
    return client


def _at_home(request: Request) -> bool:
    return same_home(origin_of(request.url), origin_of(request.home or request.url))


def _timeout(request: Request) -> httpx2.Timeout:
    return httpx2.Timeout(None if request.timeout == math.inf else request.timeout)


def _checked_proxy(proxy: str | None) -> httpx2.Proxy | None:
    try:
        return None if proxy is None else httpx2.Proxy(proxy)
    except (httpx2.InvalidURL, ValueError) as error:
        raise NetworkError(f"The proxy is not valid: {error}") from error


def _bound_credentials(
    credentials: Mapping[str, str],
) -> Iterator[tuple[Domain | None, tuple[str, str]]]:
    for domain, value in credentials.items():
        yield Domain.parse(domain), checked_header("Authorization", value)


def _bound_headers(
    headers: Mapping[str, Any],
) -> Iterator[tuple[Domain | None, tuple[str, str]]]:
    for name, value in headers.items():
        if isinstance(value, str):
            yield None, checked_header(name, value)
            continue
        for inner, text in value.items():
            yield Domain.parse(name), checked_header(inner, text)


#: Default fields of requests, which nobody asked for.
REPLACED = frozenset(["accept", "content-type", "cookie", "user-agent"])


def _precision(bound: tuple[Domain | None, tuple[str, str]]) -> tuple[bool, int, bool]:
    """Return the sort key of bound fields; those of the call's origin count as host and port."""
    domain = bound[0]
    return domain.precision if domain else (True, sys.maxsize, True)


def _may_set(domain: Domain | None, field: tuple[str, str], request: Request) -> bool:
    """Return whether a bound field may be set: fields of the call itself take precedence."""
    name = field[0].lower()
    if domain is None or name not in request.headers:
        return True
    return name in REPLACED or (name == "authorization" and not domain.subdomains)


@contextmanager
def network_errors(request: Request) -> Iterator[None]:
    """Turn the errors of httpx2 into those of this library."""
    place = "{0.scheme}://{0.host}:{0.port}".format(origin_of(request.url))
    try:
        yield
    except httpx2.TimeoutException as error:
        raise RequestTimeout(f"{place} did not answer in time") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        kind = ConnectionFailed if isinstance(error, _BROKEN) else NetworkError
        raise kind(f"The request to {place} failed: {reason}") from error


_BROKEN = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ProxyError)


def inflater_of(answer: httpx2.Response, request: Request) -> Inflater | None:
    """Return what decodes the body of a response, if that is not left to httpx2."""
    if answer.is_stream_consumed:  # by a hook of the session
        return None
    if request.method == "HEAD" or answer.status_code in (204, 304):
        return None
    coding = answer.headers.get("Content-Encoding", "")
    return inflater_for(coding, without_query(request.url))


def _chunks(answer: httpx2.Response, request: Request) -> Iterator[bytes]:
    inflater = inflater_of(answer, request)
    with network_errors(request):
        if inflater is None:
            yield from answer.iter_bytes(chunk_size(answer, request))
            return
        for chunk in answer.iter_raw():
            yield from inflater.feed(chunk)
        inflater.end()
