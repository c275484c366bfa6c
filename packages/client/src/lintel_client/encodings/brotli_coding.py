"""br (RFC 7932), with the extra ``compression``."""

from collections.abc import Iterator

from lintel_client.encodings.decoding import PIECE, first_library

__all__ = ["Brotlied", "has_brotli"]

_library = first_library("brotli", "brotlicffi")
has_brotli = _library is not None
_LIMIT = PIECE // 2
"""The library may return nearly twice of it."""


class Brotlied:
    """Decodes br."""

    def __init__(self) -> None:
        self._inner = _library.Decompressor()
        self._is_new = True

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._is_new = self._is_new and not data
        piece = self._piece(data) if data else b""
        while piece:
            yield piece
            piece = b"" if self._inner.is_finished() else self._piece(b"")

    def is_whole(self) -> bool:
        return self._is_new or bool(self._inner.is_finished())

    def _piece(self, data: bytes) -> bytes:
        try:
            return bytes(self._inner.process(data, output_buffer_limit=_LIMIT))
        except _library.error as error:
            raise ValueError(str(error)) from error
