"""A client with the credentials and headers that the user has stored."""

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

# Its names load HTTP on first use, see the package.
import lintel_client
from lintel_client.auth import Auth, may_go
from lintel_client.cli.deadlines import Deadline
from lintel_client.cli.described import Described, Unchanged, cache_of
from lintel_client.cli.failures import Failure
from lintel_client.cli.later import later
from lintel_client.cli.output import note, print_loaded, print_result
from lintel_client.cli.redaction import (
    secret_names,
    shown_head,
    shown_request,
    shown_response,
    shown_url,
)
from lintel_client.cli.sources import credentials_of
from lintel_client.cli.state import CREDENTIALS, HEADERS, State
from lintel_client.cli.wire import Wire
from lintel_client.codecs import media_type_of
from lintel_client.headers import checked_header
from lintel_client.messages import MAX_BODY, AsyncResponse, Request, Response
from lintel_client.origins import Domain, origin_of
from lintel_client.parameters import FRAMING_HEADERS
from lintel_client.security import SchemeAuthentication, lacking
from lintel_client.steps import Call
from lintel_document.document import Document

__all__ = ["CommandTransport", "fetch", "open_client"]


class CommandTransport:
    """HTTPTransport with the stored credentials; prints what it sends if requested.

    Credentials from external sources are fetched when a request goes to their host.
    ``last`` is the latest response, ``content`` its body if ``keeps_content`` is set. ``described``
    looks for the current description among the responses, which are then cached.
    """

    schemes: tuple[str, ...] = ("http", "https")

    def __init__(
        self,
        state: State,
        wire: Wire,
        timeout: float | None,
        anonymous: bool = False,
        described: Described | None = None,
    ) -> None:
        self._described = described
        self.last: Response | None = None
        self.keeps_content = False
        self.content: bytes = b""
        self._deadline: Deadline | None = None
        self._wire = wire
        self._warns = not anonymous
        self._credentials = {} if anonymous else state.credentials()
        self._headers: dict[str, Any] = {**state.headers(), **_own_headers(wire.headers)}
        self._secret_headers = [name for fields in state.headers().values() for name in fields]
        self._settings: dict[str, Any] = {
            "timeout": timeout,
            "verify": _verification(wire),
            "netrc": wire.netrc and not anonymous,
            "cache": (described and _may_cache(wire) and cache_of(state.base_folder)) or None,
            "addresses": _addresses(wire),
        }
        self._transports: dict[str, Any] = {}
        self._files = f"{CREDENTIALS} or {HEADERS} in {state.folder}"
        self._domains = self._parsed_domains()

    def send(self, request: Request) -> Response:
        self._warn(request)
        if self._wire.debug:
            note(self.shown(request) + "\n")
        start = time.perf_counter()
        response: Response = self._transport(request).send(request)
        self._tell_refusal(request, response)
        if self._deadline is not None:
            self._deadline.watch(response)
        self.last = response
        self._show(request, response)
        if self.keeps_content:
            self.content = response.read(MAX_BODY)
            response.body = [self.content]
        if self._described:
            self._described.check(response)
        if self._wire.verbose:
            response.body = _timed(request, response.status, response.body, start)
        return response

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit how long what is sent within may take in all."""
        try:
            with Deadline(seconds) as self._deadline:
                yield
        finally:
            self._deadline = None

    def prepared(self, request: Request) -> Request:
        """Return the request as it would be sent, with credentials and headers."""
        prepared: Request = self._transport(request).prepared(request)
        return prepared

    def domain_of(self, request: Request) -> str:
        """Return the best matching domain with credentials for a request, empty for none."""
        fitting = [
            (domain.precision, name)
            for name, domain in self._domains.items()
            if may_go(domain, request)
        ]
        return max(fitting)[1] if fitting else ""

    def shown(self, request: Request) -> str:
        """Return the request as it would be sent, with secrets hidden."""
        return shown_request(self.prepared(request), self.secret_headers)

    @property
    def secret_headers(self) -> list[str]:
        """Return the names of headers whose values are hidden in addition to the usual ones."""
        return self._secret_headers

    def close(self) -> None:
        for transport in self._transports.values():
            transport.close()

    def _warn(self, request: Request) -> None:
        """Say once that a request has none of the credentials that its description requires."""
        if not self._warns or not request.security or self._wire.cert:
            return
        if asked := lacking(self.prepared(request)):
            self._warns = False
            note(
                f"Warning: this operation asks for credentials ({' or '.join(asked)}), and none "
                f"are stored for {origin_of(request.url).host}: see lintel login and lintel "
                "credentials add, or call with --no-auth."
            )

    def _tell_refusal(self, request: Request, response: Response) -> None:
        """Let a refusal of stored credentials say how to replace them."""
        name = self.domain_of(request) if response.status == 401 else ""
        is_own = "authorization" in map(str.lower, _own_headers(self._wire.headers))
        if name and not is_own and "Authorization" in self.prepared(request).headers:
            login = (
                "lintel login --oauth2" if _has_tokens(self._credentials[name]) else "lintel login"
            )
            response.refused = (
                f"The stored credentials for {name} were refused: sign in again with {login}, or "
                f"replace them with lintel credentials add {name}"
            )

    def _show(self, request: Request, response: Response) -> None:
        if self._wire.debug:
            body = None
            if _is_readable(response) and not request.patient:
                body = response.read(MAX_BODY)
                response.body = [body]
            note(shown_response(response, body) + "\n")
        elif self._wire.include:
            note(shown_head(response) + "\n")

    def _transport(self, request: Request) -> Any:
        """Return the transport for a request, with the credentials of the best matching domain."""
        name = self.domain_of(request)
        if name not in self._transports:
            self._transports[name] = self._made(name)
        return self._transports[name]

    def _made(self, name: str) -> Any:
        stored = self._credentials.get(name)
        # Tokens are for the authentication, which renews them.
        is_plain = stored is not None and not _has_tokens(stored)
        credentials = {name: credentials_of(name, stored)} if is_plain else {}
        try:
            return lintel_client.HTTPTransport(credentials, self._headers, **self._settings)
        except ValueError as error:
            raise self._not_valid(error) from error

    def _parsed_domains(self) -> dict[str, Domain]:
        try:
            return {name: Domain.parse(name) for name in self._credentials}
        except ValueError as error:
            raise self._not_valid(error) from error

    def _not_valid(self, error: ValueError) -> Failure:
        return Failure(f"A stored credential or header is not valid ({self._files}): {error}")


class _StoredCredentials(Auth):
    """Sends stored credentials by security scheme, if an operation asks for them and has all.

    Other requests have what they need in a header: tokens of OAuth 2 are added here, so that they
    can be renewed, and everything else by the transport.
    """

    def __init__(self, state: State, transport: CommandTransport) -> None:
        super().__init__()
        self._state = state
        self._schemes = state.schemes()
        self._transport = transport
        tokens = {name: each for name, each in state.credentials().items() if _has_tokens(each)}
        self._stored_tokens: dict[str, Any] = tokens
        self._made: dict[str, Auth] = {}

    def prepared(self, request: Request) -> Request:
        tokens = self._tokens(request)
        return self._with_scheme(tokens.prepared(request) if tokens else request)

    def readying(self, request: Request) -> Call[None]:
        tokens = self._tokens(request)
        if tokens:
            yield from tokens.readying(request)

    def recovering(self, sent: Request, response: Response | AsyncResponse) -> Call[bool]:
        tokens = self._tokens(sent)
        return (yield from tokens.recovering(sent, response)) if tokens else False

    def _tokens(self, request: Request) -> Auth | None:
        name = self._transport.domain_of(request) if self._stored_tokens else ""
        if name not in self._stored_tokens:
            return None
        if name not in self._made:
            stored = self._stored_tokens[name]
            self._made[name] = later("oauth2_tokens:authentication", self._state, name, stored)
        return self._made[name]

    def _with_scheme(self, request: Request) -> Request:
        for domain, stored in self._schemes.items():
            for alternative in request.security or ():
                names = [scheme.name for scheme in alternative]
                if names and stored.keys() >= set(names) and may_go(Domain.parse(domain), request):
                    values = {name: credentials_of(domain, stored[name]) for name in names}
                    return SchemeAuthentication(values, domain).prepared(request)
        return request


@contextmanager
def open_client(
    state: State,
    wire: Wire,
    anonymous: bool = False,
    references: bool = False,
    described: Described | None = None,
) -> Iterator[tuple[Any, CommandTransport]]:
    """Yield a client and its transport, with the time limit of the command line.

    An ``anonymous`` one sends none of the stored credentials. With ``references``, descriptions may
    refer to other files below their folder. With ``described``, responses are cached.
    """
    timeout = click.get_current_context().find_root().params["timeout"]
    anonymous = anonymous or wire.no_auth
    transport = CommandTransport(state, wire, timeout, anonymous, described)
    stored = None if anonymous else _StoredCredentials(state, transport)
    retry = lintel_client.Retry(wire.retry) if wire.retry else None
    version = _version(wire.api_version)
    with lintel_client.Client(
        auth=stored, transports=[transport], retry=retry, version=version
    ) as client:
        if references:
            loaders = later("references:fetch_from", client, transport, timeout)
            client.decoders = later("references:with_loaders", client.decoders, loaders)
        yield client, transport


def fetch(
    state: State,
    url: str,
    format: str | None,
    wire: Wire,
    references: bool = False,
    discovers: bool = False,
) -> Any:
    """Fetch a URL, make a document there the current one, and print the result.

    With ``discovers``, the document may be one that the page or its host names.
    """
    described = Described(state, format, references)
    with open_client(state, wire, False, references, described) as (client, transport):
        try:
            if discovers:
                result = _discovered(client, url, transport)
            else:
                result = client.get(url, format)
        except Unchanged as same:
            result = same.document
        if isinstance(result, Document):
            described.visit(result)
            print_loaded(result)
        else:
            print_result(result)
            note("That URL did not return an API description; the current one stays.")
    return result


def _discovered(client: Any, url: str, transport: CommandTransport) -> Any:
    """Return the content of a URL, or the description that it leads to."""
    refusal = result = None
    try:
        result = client.get(url)
    except lintel_client.TooManyRequests:
        raise
    except lintel_client.ClientError as error:
        refusal = error
    if isinstance(result, Document):
        return result
    found = later("discovering:described", client, url, transport.last)
    if found is None and refusal is not None:
        raise refusal
    return result if found is None else found


def _version(text: str | None) -> Any:
    """Return the version to ask for: VERSION, PLACE=VERSION or PLACE:PARAMETER=VERSION."""
    if text is None:
        return None
    where, _, value = text.rpartition("=")
    place, _, parameter = where.partition(":")
    try:
        return lintel_client.Version(value, place, parameter or "version")
    except ValueError as error:
        raise click.UsageError(f"--api-version: {error}") from None


def _own_headers(given: Iterable[str]) -> dict[str, str]:
    """Return the headers of this run, which belong to the origin of the call."""
    return dict(_own_header(text) for text in given)


def _own_header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise click.UsageError(f"--header {text!r} must be written NAME:VALUE")
    if name.lower() in FRAMING_HEADERS - {"content-type"}:
        raise click.UsageError(f"--header {name}: this header belongs to each request itself")
    try:
        return checked_header(name, value)
    except ValueError as error:
        raise click.UsageError(f"--header: {error}") from None


def _may_cache(wire: Wire) -> bool:
    """Return whether responses may be kept for later calls.

    A client certificate is a credential that a cache does not see, and later calls may not trust
    whoever these trust.
    """
    return not (wire.cert or wire.insecure or wire.ca)


def _addresses(wire: Wire) -> Any:
    """Return which addresses connections may lead to, None for any."""
    advice = "if that is right, see --allow-private"
    return lintel_client.PublicAddresses(wire.home, advice) if wire.home else None


def _verification(wire: Wire) -> Any:
    """Return how certificates are checked, as HTTPTransport takes it."""
    if not (wire.insecure or wire.ca or wire.cert):
        return True
    try:
        context = ssl.create_default_context(cafile=wire.ca)
        if wire.cert:
            context.load_cert_chain(wire.cert)
    except (ssl.SSLError, OSError) as error:
        raise Failure(f"A certificate cannot be read (--ca, --cert): {error}") from error
    if wire.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _timed(request: Request, status: int, body: Iterable[bytes], start: float) -> Iterator[bytes]:
    """Pass a body on, and report the duration of the exchange once it is read."""
    answered = time.perf_counter()
    size = 0
    try:
        for chunk in body:
            size += len(chunk)
            yield chunk
    finally:
        milliseconds = [round((at - start) * 1000) for at in (answered, time.perf_counter())]
        note(
            f"{request.method} {shown_url(request.url, secret_names(request))}: {status}, "
            f"answered after {milliseconds[0]} ms, {size} bytes after {milliseconds[1]} ms"
        )


def _has_tokens(stored: Any) -> bool:
    return isinstance(stored, dict) and "oauth2" in stored


def _is_readable(response: Response) -> bool:
    media_type = media_type_of(response.headers.get("Content-Type", ""))
    return not media_type or media_type.startswith("text/") or media_type.endswith("json")
