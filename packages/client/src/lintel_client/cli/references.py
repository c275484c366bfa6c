"""Follows the references of a description to other files and URLs, if the user allows it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from lintel_client.codecs import TextCodec
from lintel_client.messages import Response
from lintel_client.negotiation import reads_documents
from lintel_client.origins import origin_of
from lintel_document.codec import Codec
from lintel_document.errors import LintelError

__all__ = ["fetch_from", "read_below", "with_loader"]

MAX_FILE = 64 * 1024 * 1024

Loader = Callable[[str], bytes]


def read_below(path: Path) -> Loader:
    """Return a loader of the files below the folder of ``path``, after resolving links."""
    folder = path.resolve().parent

    def read(url: str) -> bytes:
        parts = urlsplit(url)
        if parts.scheme != "file":
            raise LintelError("a loaded file may only refer to files")
        file = Path(url2pathname(parts.path)).resolve()
        if not file.is_relative_to(folder) or not file.is_file():
            raise LintelError(f"there is no such file below {folder}")
        if file.stat().st_size > MAX_FILE:
            raise LintelError(f"the file has more than {MAX_FILE} bytes")
        return file.read_bytes()

    return read


def fetch_from(client: Any, last: Callable[[], Response | None]) -> Loader:
    """Return a loader that fetches URLs and rejects redirects to another origin.

    ``last`` returns the latest response.
    """

    def fetch(url: str) -> bytes:
        text = client.get(url, TextCodec.format)
        answer = last()
        if answer is not None and origin_of(answer.url) != origin_of(url):
            raise LintelError("it leads to another host")
        return str(text or "").encode()

    return fetch


def with_loader(decoders: tuple[Codec, ...], loader: Loader) -> tuple[Codec, ...]:
    """Return decoders; those of documents follow references with a loader."""
    return tuple(
        _Following(codec, loader) if reads_documents(codec) else codec for codec in decoders
    )


class _Following(Codec):
    """A codec of documents with a loader."""

    def __init__(self, codec: Codec, loader: Loader) -> None:
        self._codec = codec
        self._loader = loader
        self.media_type = codec.media_type
        self.media_types = codec.media_types
        self.format = codec.format
        self.abilities = codec.get_abilities()

    def decode(self, content: bytes, **options: Any) -> Any:
        return self._codec.decode(content, **options, loader=self._loader)

    def recognizes(self, content: bytes) -> bool:
        return self._codec.recognizes(content)
