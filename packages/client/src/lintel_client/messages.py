"""Requests and responses as plain data. Nothing here sends or receives."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lintel_client.errors import NetworkError
from lintel_client.headers import Headers

__all__ = ["MAX_BODY", "Request", "Response"]

MAX_BODY = 256 * 1024 * 1024
"""The most, in bytes, that an answer may hold in memory, unless a client is told otherwise."""


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a transport needs to send.

    `home` is the URL on whose behalf the request is made: the document's for a link, the first
    one for a redirect. What is bound to no domain goes to the origin of `home` alone.
    """

    method: str
    url: str
    headers: Headers = field(default_factory=Headers)
    body: bytes | None = field(default=None, repr=False)
    home: str = ""


@dataclass(slots=True)
class Response:
    """An answer whose body is read once, in chunks."""

    status: int
    headers: Headers = field(default_factory=Headers)
    body: Iterable[bytes] = ()
    url: str = ""
    reason: str = ""
    close: Callable[[], None] = lambda: None

    def read(self, limit: int) -> bytes:
        """Return the whole body and close. Raises NetworkError beyond `limit` bytes."""
        chunks = []
        size = 0
        try:
            for chunk in self.body:
                size += len(chunk)
                if size > limit:
                    raise NetworkError(f"The answer of {self.url} is larger than {limit} bytes")
                chunks.append(chunk)
        finally:
            self.close()
        return b"".join(chunks)
