"""Streams of JSON texts: one per line (NDJSON, JSON Lines), and sequences (RFC 7464)."""

from collections.abc import Callable, Iterator
from typing import Any

from lintel_client.streaming.pieces import Pieces
from lintel_document.errors import ParseError

__all__ = ["LineParser", "SequenceParser"]

SPACE = b" \t\r\n"
MAX_TRIES = 8
"""How often a text is read before the mark of the next one says that it is complete."""

Decode = Callable[[bytes], Any]


class LineParser:
    """Reads one JSON value per line; empty lines count for nothing."""

    def __init__(self, decode: Decode, limit: int) -> None:
        self._decode = decode
        self._lines = Pieces(b"\n", limit)

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yield the values that a chunk completes. Raises ParseError."""
        for line in self._lines.feed(chunk):
            yield from self._values(line)

    def end(self) -> Iterator[Any]:
        """Yield the value of a last line without an end. Raises ParseError if it is cut off."""
        yield from self._values(self._lines.rest())

    def _values(self, line: bytes) -> Iterator[Any]:
        if line.strip(SPACE):
            yield self._decode(line)


class SequenceParser:
    """Reads JSON texts, each between a record separator and a line break."""

    def __init__(self, decode: Decode, limit: int) -> None:
        self._decode = decode
        self._texts = Pieces(b"\x1e", limit)
        self._tries = 0

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yield the values that a chunk completes. Raises ParseError."""
        for text in self._texts.feed(chunk):
            self._tries = 0
            yield from self._values(text)
        if chunk.endswith(b"\n"):
            yield from self._arrived()

    def end(self) -> Iterator[Any]:
        """Yield the value of the last text. Raises ParseError if it is cut off."""
        yield from self._values(self._texts.rest())

    def _arrived(self) -> Iterator[Any]:
        """Yield a text that is complete with its line break, before the next one begins."""
        if self._tries >= MAX_TRIES:
            return
        self._tries += 1
        try:
            values = list(self._values(self._texts.peek()))
        except ParseError:
            # The line break was one within the text.
            return
        self._texts.rest()
        yield from values

    def _values(self, text: bytes) -> Iterator[Any]:
        stripped = text.strip(SPACE)
        if not stripped:
            return
        if stripped[:1] not in b'{["' and text[-1:] not in SPACE:
            # 1 may be the beginning of 12 (RFC 7464, 2.4).
            raise ParseError("The last item of the stream is cut off")
        yield self._decode(stripped)
