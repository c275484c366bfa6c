"""Compressed content of responses: gzip (RFC 1952) and deflate (RFC 9110, 8.4.1.2)."""

import zlib
from collections.abc import Iterator

from lintel_client.errors import ConnectionFailed, NetworkError

__all__ = ["Inflater", "inflater_for"]

PIECE = 1 << 20
"""The most bytes that are decoded at once: a few compressed bytes may stand for very many."""
MAGIC = b"\x1f\x8b"
WINDOWS = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


def inflater_for(coding: str, place: str) -> "Inflater | None":
    """Return what decodes a Content-Encoding, None for another one; ``place`` is the URL."""
    name = coding.strip().lower()
    return Inflater(name, place) if name in WINDOWS else None


class Inflater:
    """Decodes the content of one response, and sees whether it is whole."""

    def __init__(self, coding: str, place: str) -> None:
        self._coding = coding
        self._place = place
        self._inner = zlib.decompressobj(WINDOWS[coding])
        self._is_new = True
        self._held = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what a chunk stands for. Raises NetworkError for what is not in the encoding."""
        data, self._held = self._held + data, b""
        while data and self._opened(data):
            piece = self._piece(data)
            while piece:
                yield piece
                # Output may be left without input.
                left = self._inner.unconsumed_tail
                piece = self._piece(left) if left or len(piece) == PIECE else b""
            data = self._inner.unused_data

    def end(self) -> None:
        """Raise ConnectionFailed for content that has no end."""
        is_empty = self._is_new and not self._held
        if not is_empty and not self._inner.eof:
            raise ConnectionFailed(
                f"The response from {self._place} broke off: its {self._coding} content has no end"
            )

    def _opened(self, data: bytes) -> bool:
        """Return whether data is to be decoded: gzip may have members one after the other."""
        if self._is_new and len(data) < len(MAGIC):
            self._held = data
            return False
        if not self._inner.eof:
            return True
        if self._coding == "deflate" or not MAGIC.startswith(data[:2]):
            return False
        if len(data) < len(MAGIC):
            self._held = data
            return False
        self._inner = zlib.decompressobj(WINDOWS[self._coding])
        return True

    def _piece(self, data: bytes) -> bytes:
        is_first, self._is_new = self._is_new, False
        try:
            return self._inner.decompress(data, PIECE)
        except zlib.error as error:
            if is_first and self._coding == "deflate":
                # Some servers leave out the frame of zlib.
                self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
                return self._piece(data)
            raise NetworkError(
                f"The response from {self._place} is not {self._coding}: {error}"
            ) from error
