"""Follows the references of a description to other files and URLs, if the user allows it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from lintel_client.cli.later import later
from lintel_client.codecs import TextCodec
from lintel_client.negotiation import reads_documents
from lintel_document.codec import Codec
from lintel_document.errors import LintelError

if TYPE_CHECKING:
    from lintel_client.cli.session import CommandTransport

__all__ = ["counted", "fetch_from", "read_below", "with_loaders"]

MAX_FILE = 64 * 1024 * 1024
MAX_SECONDS = 30.0
"""How long one file may take, however slowly it comes."""

Loader = Callable[[str], bytes]
Loaders = Callable[[str], Loader]
"""Returns the loader for the description at a URL."""


@contextmanager
def counted(loader: Loader) -> Iterator[Loader]:
    """Yield a loader that shows on a terminal how many files it has read."""
    bar: AbstractContextManager[Callable[[int, int | None], object]]
    bar = nullcontext(lambda done, total: None)
    if sys.stderr.isatty():
        bar = later("terminal:progress_bar", "files")
    with bar as tell:
        numbers = count(1)

        def load(url: str) -> bytes:
            content = loader(url)
            tell(next(numbers), None)
            return content

        yield load


def read_below(path: Path) -> Loader:
    """Return a loader of the files below the folder of ``path``, after resolving links."""
    folder = path.resolve().parent

    def read(url: str) -> bytes:
        parts = urlsplit(url)
        if parts.scheme != "file":
            raise LintelError("a loaded file may only refer to files")
        try:
            file = Path(url2pathname(parts.path)).resolve()
        except (ValueError, RuntimeError) as error:
            # A null byte, or a link that leads back to itself.
            raise LintelError(f"its path is not valid: {error}") from None
        if not file.is_relative_to(folder) or not file.is_file():
            raise LintelError(f"there is no such file below {folder}")
        if file.stat().st_size > MAX_FILE:
            raise LintelError(f"the file has more than {MAX_FILE} bytes")
        return file.read_bytes()

    return read


def fetch_from(client: Any, transport: "CommandTransport", seconds: float | None) -> Loaders:
    """Return loaders that fetch URLs and reject redirects out of the folder of the description.

    Each file has to come within ``seconds``, MAX_SECONDS by default. ``transport`` is the client's.
    """

    def loader_of(home: str) -> Loader:
        def fetch(url: str) -> bytes:
            with transport.within(MAX_SECONDS if seconds is None else seconds):
                text = client.get(url, TextCodec.format)
            answer = transport.last
            if answer is not None and answer.url != url and not _is_beside(answer.url, home):
                raise LintelError("it leads out of the folder of the description")
            return str(text or "").encode()

        return fetch

    return loader_of


def _is_beside(url: str, home: str) -> bool:
    folder = home.partition("?")[0].rpartition("/")[0]
    return url.startswith(f"{folder}/") and ".." not in unquote(url).replace("\\", "/").split("/")


def with_loaders(decoders: tuple[Codec, ...], loaders: Loaders) -> tuple[Codec, ...]:
    """Return decoders; those of documents follow references, each with a loader for its URL."""
    return tuple(
        _Following(codec, loaders) if reads_documents(codec) else codec for codec in decoders
    )


class _Following(Codec):
    """A codec of documents that follows references."""

    def __init__(self, codec: Codec, loaders: Loaders) -> None:
        self._codec = codec
        self._loaders = loaders
        self.media_type = codec.media_type
        self.media_types = codec.media_types
        self.format = codec.format
        self.abilities = codec.get_abilities()

    def decode(self, content: bytes, **options: Any) -> Any:
        with counted(self._loaders(options.get("base_url") or "")) as loader:
            return self._codec.decode(content, **options, loader=loader)

    def recognizes(self, content: bytes) -> bool:
        return self._codec.recognizes(content)
