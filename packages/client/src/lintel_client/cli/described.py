"""Descriptions that have not changed since they were read: they are not read again."""

import hashlib
from pathlib import Path
from typing import Any

# Its names load HTTP on first use, see the package.
import lintel_client
from lintel_client.cli.state import CACHE, State
from lintel_client.messages import MAX_BODY, Response
from lintel_client.version import __version__
from lintel_document.document import Document

__all__ = ["Described", "Unchanged", "cache_of"]

_MAX_CACHE = 128 * 1024 * 1024


class Unchanged(Exception):
    """A response is the one that the current document was read from."""

    def __init__(self, document: Document) -> None:
        super().__init__("The current document is up to date")
        self.document = document


class Described:
    """Recognises the response that the current document was read from.

    With ``references``, other files may have changed, so each response is read.
    """

    def __init__(self, state: State, format: str | None, references: bool) -> None:
        self._state = state
        self._format = format
        self._references = references
        self._digest = ""
        self._unchanged = False

    def check(self, response: Response) -> None:
        """Note a response, which stays readable. Raises Unchanged instead of reading it again."""
        self._digest = ""
        if response.status != 200 or self._references:
            return
        content = response.read(MAX_BODY)
        response.body = [content]
        self._digest = self._of(response, content)
        digest, url = self._state.source()
        if self._digest == digest and (current := self._state.document()).url == url:
            self._unchanged = True
            raise Unchanged(current)

    def visit(self, document: Document) -> None:
        """Make a document the current one, which it may be already."""
        if self._unchanged:
            self._state.remember(document)
            return
        self._state.visit(document)
        self._state.save_source(self._digest, document.url)

    def _of(self, response: Response, content: bytes) -> str:
        kind = response.headers.get("Content-Type", "")
        parts = [__version__, self._format or "", response.url, kind]
        digest = hashlib.sha256("\n".join(parts).encode(errors="surrogatepass"))
        digest.update(b"\n" + content)
        return digest.hexdigest()


def cache_of(folder: Path) -> Any:
    """Return the cache of descriptions below the folder of all state, None if it is unusable."""
    try:
        # Parents that the cache would make are not private.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return lintel_client.Cache(folder / CACHE, max_size=_MAX_CACHE)
    except (ValueError, OSError):
        return None
