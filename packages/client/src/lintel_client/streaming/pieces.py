"""Splits the bytes of a stream at its separators, wherever the chunks end."""

import re
from collections.abc import Iterator

from lintel_client.errors import NetworkError

__all__ = ["Lines", "Pieces", "check_size"]


class Pieces:
    """The pieces between separators of one byte; only the last, incomplete one is held.

    Raises NetworkError for a piece of more than ``limit`` bytes.
    """

    def __init__(self, separator: bytes, limit: int) -> None:
        self._separators = re.compile(separator)
        self._limit = limit
        self._begun: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the pieces that a chunk completes, without their separators."""
        *complete, rest = self._separators.split(chunk)
        for piece in complete:
            self._keep(piece)
            yield self.rest()
        self._keep(rest)

    def rest(self) -> bytes:
        """Return the incomplete piece, and forget it."""
        whole = b"".join(self._begun)
        self._begun.clear()
        self._size = 0
        return whole

    def peek(self) -> bytes:
        """Return the incomplete piece, and keep it."""
        self._begun = [b"".join(self._begun)]
        return self._begun[0]

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        check_size(self._size, self._limit)
        self._begun.append(part)


class Lines(Pieces):
    """Lines that end with CR, LF or CRLF. The line is complete with its CR, before an LF comes."""

    def __init__(self, limit: int) -> None:
        super().__init__(rb"\r\n|\r|\n", limit)
        self._after_return = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        if not chunk:
            return
        continued = self._after_return and chunk.startswith(b"\n")
        self._after_return = chunk.endswith(b"\r")
        yield from super().feed(chunk[1:] if continued else chunk)


def check_size(size: int, limit: int) -> None:
    """Raise NetworkError if an item is larger than the limit, in bytes."""
    if size > limit:
        raise NetworkError(f"An item of the stream is larger than {limit} bytes (max_item)")
