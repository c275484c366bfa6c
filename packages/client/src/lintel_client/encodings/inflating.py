"""The codings of Content-Encoding (RFC 9110, section 8.4), undone in turn."""

from collections.abc import Callable, Iterator

from lintel_client.encodings.brotli_coding import Brotlied, has_brotli
from lintel_client.encodings.decoding import Decoder
from lintel_client.encodings.zlib_codings import Deflated, Gzipped
from lintel_client.encodings.zstd_coding import Zstandard, has_zstd
from lintel_client.errors import ConnectionFailed, NetworkError

__all__ = ["Inflater", "inflater_for"]

MOST = 5
"""The most codings of one response, as in curl."""
DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": Gzipped,
    "x-gzip": Gzipped,
    "deflate": Deflated,
    "br": Brotlied,
    "zstd": Zstandard,
}
LIBRARIES = {"br": has_brotli, "zstd": has_zstd}


def inflater_for(codings: str, place: str) -> "Inflater | None":
    """Return what decodes a Content-Encoding; ``place`` is the URL.

    None for no coding and for those that nobody knows, whose content stays as it is. Raises
    NetworkError for one whose library is missing and for very many.
    """
    names = [name.strip().lower() for name in codings.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if not names or not all(name in DECODERS for name in names):
        return None
    if len(names) > MOST:
        raise NetworkError(f"The response from {place} is compressed more than {MOST} times")
    for name in names:
        if not LIBRARIES.get(name, True):
            raise NetworkError(
                f"The response from {place} is compressed with {name}: "
                "install lintel-client[compression] to read it"
            )
    return Inflater(names, place)


class Inflater:
    """Decodes the content of one response, and sees whether it is whole."""

    def __init__(self, codings: list[str], place: str) -> None:
        self._place = place
        self._decoders = [(name, DECODERS[name]()) for name in reversed(codings)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what a chunk stands for. Raises NetworkError for what is not in the encoding."""
        pieces: Iterator[bytes] = iter((data,))
        for name, decoder in self._decoders:
            pieces = self._decoded(name, decoder, pieces)
        return pieces

    def end(self) -> None:
        """Raise ConnectionFailed for content that has no end."""
        for name, decoder in self._decoders:
            if not decoder.is_whole():
                raise ConnectionFailed(
                    f"The response from {self._place} broke off: its {name} content has no end"
                )

    def _decoded(self, name: str, decoder: Decoder, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            try:
                yield from decoder.feed(piece)
            except ValueError as error:
                raise NetworkError(
                    f"The response from {self._place} is not {name}: {error}"
                ) from error
