"""Requests and responses as plain data. Nothing here sends or receives."""

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field

from lintel_client.contents import Content
from lintel_client.errors import NetworkError
from lintel_client.headers import Headers
from lintel_client.origins import without_query
from lintel_document.operations import SecurityScheme

__all__ = ["MAX_BODY", "AsyncResponse", "Request", "Response", "Security"]

Security = tuple[tuple[SecurityScheme, ...], ...]
"""Alternatives, each the schemes that it needs together."""

MAX_BODY = 256 * 1024 * 1024
"""The most, in bytes, that an answer may hold in memory, unless a client is told otherwise."""


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a transport needs to send a request.

    ``home`` is the URL on whose behalf the request is made: the document's for a link, the first
    one for a redirect. Data without a domain is sent only to the origin of ``home``. ``timeout``
    is in seconds for each of connecting, sending and waiting for data: None for that of the
    transport, infinite for no limit. A ``patient`` request is for a stream: once the head of the
    response has come, its body may pause for any time, and is passed on as it arrives. ``body``
    is Content, chunks with a length, if it is read from a large file while it is sent.
    ``security`` is what the operation requires, None if its description says nothing. A ``bare``
    request is sent as it is: transports and sessions add no credentials and no headers of theirs.
    The response to an ``uncached`` one is neither taken from a cache nor kept there.
    """

    method: str
    url: str
    headers: Headers = field(default_factory=Headers)
    body: bytes | Content | None = field(default=None, repr=False)
    home: str = ""
    timeout: float | None = None
    security: Security | None = None
    patient: bool = False
    bare: bool = False
    uncached: bool = False

    @property
    def content(self) -> bytes:
        """Return the whole body, empty for none."""
        return bytes(self.body or b"")


@dataclass(slots=True)
class Response:
    """A response whose body is read once, in chunks.

    ``interrupt`` may be called while another thread reads: the read ends as if the connection
    had been lost. ``refused`` is a sentence about the credentials that status 401 refuses, empty if
    the request had none.
    """

    status: int
    headers: Headers = field(default_factory=Headers)
    body: Iterable[bytes] = ()
    url: str = ""
    reason: str = ""
    close: Callable[[], None] = lambda: None
    interrupt: Callable[[], None] = lambda: None
    refused: str = ""

    def read(self, limit: int) -> bytes:
        """Return the whole body and close. Raises NetworkError beyond ``limit`` bytes."""
        collected = Collected(limit, self.url)
        try:
            for chunk in self.body:
                collected.write(chunk)
        finally:
            self.close()
        return collected.content()


async def _nothing() -> None:
    """Do nothing: there is nothing to close."""


@dataclass(slots=True)
class AsyncResponse:
    """A Response whose body is read, and whose connection is closed, asynchronously."""

    status: int
    headers: Headers = field(default_factory=Headers)
    body: AsyncIterable[bytes] | Iterable[bytes] = ()
    url: str = ""
    reason: str = ""
    close: Callable[[], Awaitable[None]] = _nothing
    refused: str = ""

    async def read(self, limit: int) -> bytes:
        """Return the whole body and close. Raises NetworkError beyond ``limit`` bytes."""
        collected = Collected(limit, self.url)
        try:
            async with aclosing(chunks_of(self.body)) as chunks:
                async for chunk in chunks:
                    collected.write(chunk)
        finally:
            await self.close()
        return collected.content()


async def chunks_of(body: AsyncIterable[bytes] | Iterable[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield the chunks of a body, which may be in memory already."""
    if not isinstance(body, AsyncIterable):
        for chunk in body:
            yield chunk
        return
    async for chunk in body:
        yield chunk


class Collected:
    """A body collected in memory, up to a limit."""

    def __init__(self, limit: int, url: str) -> None:
        self._limit = limit
        self._url = url
        self._size = 0
        self._chunks: list[bytes] = []

    def write(self, chunk: bytes) -> None:
        """Add a chunk. Raises NetworkError beyond the limit."""
        self._size += len(chunk)
        if self._size > self._limit:
            place = without_query(self._url)
            raise NetworkError(f"The response from {place} is larger than {self._limit} bytes")
        self._chunks.append(chunk)

    def content(self) -> bytes:
        return b"".join(self._chunks)
