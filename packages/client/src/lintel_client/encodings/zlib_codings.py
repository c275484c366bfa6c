"""gzip (RFC 1952) and deflate (RFC 9110, section 8.4.1.2)."""

import zlib
from collections.abc import Iterator

from lintel_client.encodings.decoding import PIECE

__all__ = ["Deflated", "Gzipped"]

MAGIC = b"\x1f\x8b"


class Deflated:
    """Decodes deflate, with the frame of zlib or, as some servers send it, without."""

    _window = zlib.MAX_WBITS
    _has_members = False

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(self._window)
        self._is_new = True
        self._held = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        while data and self._opened(data):
            piece = self._piece(data)
            while piece:
                yield piece
                # Output may be left without input.
                left = self._inner.unconsumed_tail
                piece = self._piece(left) if left or len(piece) == PIECE else b""
            data = self._inner.unused_data

    def is_whole(self) -> bool:
        return self._inner.eof or (self._is_new and not self._held)

    def _opened(self, data: bytes) -> bool:
        """Return whether data is to be decoded: gzip may have members one after the other."""
        if self._is_new and len(data) < len(MAGIC):
            self._held = data
            return False
        if not self._inner.eof:
            return True
        if not self._has_members or not MAGIC.startswith(data[:2]):
            return False
        if len(data) < len(MAGIC):
            self._held = data
            return False
        self._inner = zlib.decompressobj(self._window)
        return True

    def _piece(self, data: bytes) -> bytes:
        is_first, self._is_new = self._is_new, False
        try:
            return self._inner.decompress(data, PIECE)
        except zlib.error as error:
            if is_first and not self._has_members:
                self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
                return self._piece(data)
            raise ValueError(str(error)) from error


class Gzipped(Deflated):
    """Decodes gzip."""

    _window = zlib.MAX_WBITS | 16
    _has_members = True
