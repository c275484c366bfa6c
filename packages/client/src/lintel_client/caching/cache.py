"""A private cache of responses to GET: what is stored, found, asked again and forgotten."""

import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock

from lintel_client.caching.entries import Entry, directives_of, is_fresh, kept_headers
from lintel_client.caching.stores import FolderStore, Key, MemoryStore, Store
from lintel_client.errors import NetworkError
from lintel_client.headers import Headers
from lintel_client.messages import Request, Response
from lintel_client.origins import origin_of
from lintel_client.steps import AnyResponse
from lintel_client.streaming.kinds import format_of
from lintel_document.urls import resolve

__all__ = ["Cache", "Keeper", "Lookup", "through"]

MAX_SIZE = 64 * 1024 * 1024

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_GONE = (404, 410)
_KNOWN_WRITES = 1_000
# Callers who set these decide themselves.
_CONDITIONAL = frozenset(
    {"range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"}
)
# All other request headers are part of the key: any of them may hold a credential, or choose
# between representations.
_SHARED = frozenset(
    {"user-agent", "cache-control", "pragma", "traceparent", "tracestate", "x-request-id"}
)


class Cache:
    """Keeps responses to GET as their servers allow it (RFC 9111), for one user.

    Without a ``folder`` it keeps them in memory, else in files that only the user can read; several
    processes may share one. It takes at most ``max_size`` bytes, and no response larger than a
    quarter of that. Responses are kept apart by every header of their requests but a few that
    identify no one, so by credentials, cookies and keys too. A client certificate is not seen: give
    each its own cache. Raises ValueError for a folder that others may write to.
    """

    def __init__(self, folder: str | Path | None = None, *, max_size: int = MAX_SIZE) -> None:
        path = None if folder is None else Path(folder).expanduser()
        self.store: Store = FolderStore(path, max_size) if path else MemoryStore(max_size)
        self.max_entry: int = max_size // 4
        self.writes: Writes = Writes()

    def lookup(self, request: Request) -> "Lookup":
        """Begin an exchange, which may read a file."""
        if not _is_cacheable(request):
            return Lookup(self, request, None, None)
        key = self._key(request)
        entry = self.store.get(key)
        if entry is not None and not _matches(entry, request):
            entry = None
        return Lookup(self, request, key, entry)

    def send(self, request: Request, send: Callable[[Request], Response]) -> Response:
        """Return the response to a request; ``send`` gets what the cache cannot answer."""
        return through(self, request, send)

    def forget(self, url: str) -> None:
        """Forget the responses of a URL, with every query and for every credential."""
        group = self._digest(url.partition("#")[0].partition("?")[0])
        with self.writes.lock:
            self.writes.note(group)
            self.store.drop(group)

    def keep(self, key: Key, entry: Entry, since: int) -> None:
        """Store an entry, unless its URL was written to while the response was under way."""
        with self.writes.lock:
            if self.writes.last(key[0]) <= since:
                self.store.put(key, entry)

    def _key(self, request: Request) -> Key:
        url = request.url.partition("#")[0]
        named = sorted((name.lower(), value) for name, value in request.headers.pairs())
        parts = [part for pair in named if pair[0] not in _SHARED for part in pair]
        return self._digest(url.partition("?")[0]), self._digest(url, *parts)

    def _digest(self, *parts: str) -> str:
        # Keyed, so that nobody can try passwords against the names of files.
        text = "\n".join(f"{len(part)}:{part}" for part in parts)
        return hmac.new(
            self.store.secret, text.encode(errors="surrogatepass"), hashlib.sha256
        ).hexdigest()[:40]


class Writes:
    """When groups were forgotten: how many had been by then. The oldest are as one."""

    def __init__(self) -> None:
        self.lock: Lock = Lock()
        self.count: int = 0
        self._last: OrderedDict[str, int] = OrderedDict()
        self._oldest = 0

    def note(self, group: str) -> None:
        """Note that a group is forgotten now."""
        self.count += 1
        self._last[group] = self.count
        self._last.move_to_end(group)
        if len(self._last) > _KNOWN_WRITES:
            self._oldest = self._last.popitem(last=False)[1]

    def last(self, group: str) -> int:
        """Return the count at which a group was forgotten, or that of the oldest known."""
        return self._last.get(group, self._oldest)


class Lookup:
    """One exchange with a cache: the response in it, or what to send and what becomes of that."""

    def __init__(self, cache: Cache, request: Request, key: Key | None, entry: Entry | None):
        self._cache = cache
        self._key = key
        self._entry = entry
        self._plain = request
        self._start = time.time()
        self._writes = cache.writes.count
        self.request: Request = request
        if entry is not None:
            fields = request.headers.setting(entry.conditions())
            self.request = replace(request, headers=fields)

    def found(self) -> tuple[Headers, bytes] | None:
        """Return headers and body of a response that needs no request."""
        if self._entry is None or not is_fresh(self._entry, self._plain, self._start):
            return None
        age = ("Age", str(int(self._entry.age(self._start))))
        return self._entry.headers.setting([age]), self._entry.body

    def is_refused(self) -> bool:
        """Return whether nothing may be sent for the request (only-if-cached)."""
        return self._key is not None and "only-if-cached" in directives_of(self._plain.headers)

    def renewed(self, headers: Headers) -> tuple[Headers, bytes] | None:
        """Return the stored response with the headers of a 304, and store it.

        None if the 304 is about another one: the request is then to be sent without conditions.
        """
        entry = self._entry and self._entry.renewed(headers, self._start, time.time())
        self.request = self._plain
        if self._key is None or entry is None:
            return None
        if _may_be_kept(entry.headers):
            self._cache.keep(self._key, entry, self._writes)
        else:
            self._cache.store.remove(self._key)
        return entry.headers, entry.body

    def asks(self) -> bool:
        """Return whether a 304 is an answer about the stored response."""
        return self._entry is not None and self.request is not self._plain

    def outdates(self, response: AnyResponse) -> bool:
        """Return whether a response says that something stored is no longer so."""
        changed = 200 <= response.status < 400
        if self._plain.method in _SAFE:
            return self._entry is not None and (changed or response.status in _GONE)
        return changed

    def forget(self, response: AnyResponse) -> None:
        """Forget what a write has changed (RFC 9111, section 4.4), or what a response replaces."""
        if self._key is not None:
            self._cache.store.remove(self._key)
            return
        self._cache.forget(self._plain.url)
        for name in ("Location", "Content-Location"):
            if name in response.headers:
                url = resolve(self._plain.url, response.headers[name])
                if url.startswith("http") and _same_origin(url, self._plain.url):
                    self._cache.forget(url)

    def keeper(self, response: AnyResponse) -> "Keeper | None":
        """Return what keeps the body of a response, None if that may not be stored."""
        if self._key is None or not _is_storable(response, self._plain, self._cache.max_entry):
            return None
        keep = partial(self._cache.keep, self._key, since=self._writes)
        return Keeper(keep, self._cache.max_entry, self._plain, response.headers, self._start)


class Keeper:
    """Collects a body while it is read, and stores it once it is complete."""

    def __init__(
        self,
        keep: Callable[[Entry], None],
        largest: int,
        request: Request,
        headers: Headers,
        requested: float,
    ) -> None:
        self._keep = keep
        self._largest = largest
        varying = [name for name in _vary(headers) if name in _SHARED]
        self._varying = tuple((name, request.headers.get(name, "")) for name in varying)
        self._headers = kept_headers(headers)
        self._times = (requested, time.time())
        self._chunks: list[bytes] | None = []
        self._size = 0

    def kept(self, body: Iterable[bytes]) -> Iterator[bytes]:
        """Pass a body on."""
        for chunk in body:
            self.add(chunk)
            yield chunk
        self.store()

    def add(self, chunk: bytes) -> None:
        """Collect a chunk, unless the body has become too large."""
        self._size += len(chunk)
        if self._size > self._largest:
            self._chunks = None
        elif self._chunks is not None:
            self._chunks.append(chunk)

    def store(self) -> None:
        """Store the complete body."""
        if self._chunks is not None:
            body = b"".join(self._chunks)
            entry = Entry(self._headers, body, *self._times, self._varying)
            self._keep(entry)


def through(cache: Cache, request: Request, send: Callable[[Request], Response]) -> Response:
    """Return the response to a request, from the cache if that has it."""
    lookup = cache.lookup(request)
    if (found := lookup.found()) is not None:
        return Response(200, found[0], [found[1]], request.url, "OK")
    if lookup.is_refused():
        return Response(504, Headers(), (), request.url, "Gateway Timeout")
    response = send(lookup.request)
    if response.status == 304 and lookup.asks():
        response.close()
        if (renewed := lookup.renewed(response.headers)) is not None:
            return Response(200, renewed[0], [renewed[1]], request.url, "OK")
        response = send(lookup.request)
    if lookup.outdates(response):
        lookup.forget(response)
    if keeper := lookup.keeper(response):
        response.body = keeper.kept(response.body)
    return response


def _is_cacheable(request: Request) -> bool:
    if request.method != "GET" or request.body or request.patient or request.uncached:
        return False
    names = {name.lower() for name in request.headers}
    return names.isdisjoint(_CONDITIONAL) and "no-store" not in directives_of(request.headers)


def _is_storable(response: AnyResponse, request: Request, largest: int) -> bool:
    headers = response.headers
    if response.status != 200 or not _may_be_kept(headers):
        return False
    if format_of(headers.get("Content-Type", "")):
        return False
    size = headers.get("Content-Length", "0")
    if not (size.isascii() and size.isdigit()) or int(size[:20]) > largest:
        return False
    entry = Entry(headers, b"", 0, 0)
    return bool(entry.conditions()) or entry.lifetime() > 0


def _may_be_kept(headers: Headers) -> bool:
    return "no-store" not in directives_of(headers) and "*" not in _vary(headers)


def _matches(entry: Entry, request: Request) -> bool:
    return all(request.headers.get(name, "") == value for name, value in entry.varying)


def _vary(headers: Headers) -> list[str]:
    return [name.strip().lower() for name in headers.get("Vary", "").split(",") if name.strip()]


def _same_origin(url: str, other: str) -> bool:
    try:
        return origin_of(url) == origin_of(other)
    except NetworkError:
        return False
