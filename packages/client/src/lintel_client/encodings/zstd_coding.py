"""zstd (RFC 8878, in the window of RFC 9659), of Python 3.14 or with the extra ``compression``."""

from collections.abc import Iterator
from typing import Any

from lintel_client.encodings.decoding import PIECE, first_library

__all__ = ["Zstandard", "has_zstd"]

_library = first_library("compression.zstd", "backports.zstd")
has_zstd = _library is not None
_WINDOW_LOG = 23


class Zstandard:
    """Decodes zstd, whose frames may follow each other."""

    def __init__(self) -> None:
        self._inner = self._opened()
        self._is_new = True

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            self._is_new = False
            if self._inner.eof:
                self._inner = self._opened()
            piece = self._piece(data)
            while piece:
                yield piece
                is_done = self._inner.eof or self._inner.needs_input
                piece = b"" if is_done else self._piece(b"")
            data = self._inner.unused_data if self._inner.eof else b""

    def is_whole(self) -> bool:
        return self._is_new or bool(self._inner.eof)

    def _opened(self) -> Any:
        largest = _library.DecompressionParameter.window_log_max
        return _library.ZstdDecompressor(options={largest: _WINDOW_LOG})

    def _piece(self, data: bytes) -> bytes:
        try:
            return bytes(self._inner.decompress(data, PIECE))
        except _library.ZstdError as error:
            raise ValueError(str(error)) from error
