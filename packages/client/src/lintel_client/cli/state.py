"""The state of the command line: ``folders`` says where, ``storage`` how it is written."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

from lintel_client.cli.failures import Failure
from lintel_client.cli.folders import (
    BOOKMARKS,
    PROFILES,
    base_folder,
    chosen_bookmark,
    profile_folder,
)
from lintel_client.cli.index import DOCUMENT, OPERATIONS, Index, Operation
from lintel_client.cli.later import later
from lintel_client.cli.storage import Folder
from lintel_document.corejson import CoreJSONCodec
from lintel_document.document import Document
from lintel_document.errors import ParseError
from lintel_document.stored import packed, unpacked

__all__ = ["MAX_HISTORY", "History", "Page", "State"]

HISTORY = "history.json"
CREDENTIALS = "credentials.json"
SCHEMES = "schemes.json"
HEADERS = "headers.json"
LOCK = "tokens.lock"
SOURCE = "source.json"
CACHE = "cache"
FILES = (SOURCE, DOCUMENT, OPERATIONS, HISTORY, CREDENTIALS, SCHEMES, HEADERS, BOOKMARKS, LOCK)
MAX_HISTORY = 20


@dataclass(frozen=True, slots=True)
class Page:
    """A URL that was visited or bookmarked, with the title of the document there."""

    url: str
    title: str

    @classmethod
    def of(cls, document: Document) -> "Page":
        return cls(document.url, document.title)


@dataclass(frozen=True, slots=True)
class History:
    """Visited pages, the newest first, and the position of the current one."""

    pages: tuple[Page, ...] = ()
    index: int = 0

    def visited(self, page: Page) -> "History":
        """Return the history after a visit: pages ahead are dropped, a reload only renames."""
        past = self.pages[self.index :]
        if past and past[0].url == page.url:
            past = past[1:]
        return History((page, *past)[:MAX_HISTORY], 0)

    def moved(self, steps: int, page: Page) -> "History":
        """Return the history after stepping to a page: positive is back, negative forward."""
        index = self.index + steps
        return History((*self.pages[:index], page, *self.pages[index + 1 :]), index)


class State:
    """The state of one bookmark, or of the command line without one; bookmarks are shared.

    Raises Failure for anything unusable.
    """

    def __init__(self) -> None:
        self._base = Folder(base_folder())
        self.bookmark: str | None = chosen_bookmark()
        self._files = self._profile(self.bookmark) if self.bookmark else self._base

    @property
    def folder(self) -> Path:
        """Return the folder of this run's state."""
        return self._files.path

    @property
    def base_folder(self) -> Path:
        """Return the folder of all state, of every bookmark too."""
        return self._base.path

    def document(self) -> Document:
        """Return the current document; a Failure says how to load one."""
        content = self._files.content(DOCUMENT)
        if content is None:
            raise self._no_document()
        return self._decoded(content)

    def document_of(self, keys: Sequence[str]) -> Document:
        """Return the current document, or enough of it to use the operation at ``keys``.

        Reading one operation of a large document is much faster than reading all.
        """
        operation = self.index().find(keys)
        if not isinstance(operation, Operation) or operation.embedded:
            return self.document()
        content = operation.document()
        return self._decoded(content) if content else self.document()

    def index(self) -> Index:
        """Return the index of the current document, rebuilt if it is outdated."""
        index = Index.read(self.folder)
        if index.fresh or self._files.content(DOCUMENT) is None:
            return index
        self._write_index(self.document())
        return Index.read(self.folder)

    def save_document(self, document: Document) -> None:
        self._files.write(DOCUMENT, packed(document))
        self._write_index(document)

    def visit(self, document: Document) -> None:
        """Make a document the current one and remember its URL."""
        self.save_document(document)
        self.remember(document)

    def source(self) -> tuple[str, str]:
        """Return the digest of the response that the current document was read from, and its URL.

        Both are empty if that is not known.
        """
        stored = self._files.mapping(SOURCE)
        if stored.get("document") != self._stamp():
            return "", ""
        return str(stored.get("digest", "")), str(stored.get("url", ""))

    def save_source(self, digest: str, url: str) -> None:
        """Remember the digest of the response that the document of a URL was read from.

        Another process may have made its own document the current one by now.
        """
        self._files.write_json(SOURCE, {"digest": digest, "url": url, "document": self._stamp()})

    def _stamp(self) -> list[int]:
        """Return what changes with each writing of the current document."""
        with suppress(OSError):
            found = (self.folder / DOCUMENT).stat()
            return [found.st_mtime_ns, found.st_size, found.st_ino]
        return []

    def remember(self, document: Document) -> None:
        """Remember the URL of a document that is the current one."""
        if not document.url:
            return
        self.save_history(self.history().visited(Page.of(document)))
        if self.bookmark and self.bookmark not in self.bookmarks():
            self.save_bookmarks({**self.bookmarks(), self.bookmark: document.url})

    def history(self) -> History:
        raw = self._files.mapping(HISTORY)
        try:
            pages = tuple(Page(str(page["url"]), str(page["title"])) for page in raw["pages"])
            index = int(raw["index"])
        except KeyError:
            return History()
        except (TypeError, ValueError) as error:
            raise self._files.damaged(HISTORY) from error
        return History(pages, min(max(index, 0), max(len(pages) - 1, 0)))

    def save_history(self, history: History) -> None:
        pages = [{"url": page.url, "title": page.title} for page in history.pages]
        self._files.write_json(HISTORY, {"index": history.index, "pages": pages})

    def credentials(self) -> dict[str, Any]:
        """Return, by domain, the value of the Authorization header or its source."""
        stored = self._files.mapping(CREDENTIALS)
        if _are_sources(stored):
            return stored
        raise self._files.damaged(CREDENTIALS)

    def save_credentials(self, credentials: dict[str, Any]) -> None:
        self._files.write_json(CREDENTIALS, credentials)

    def schemes(self) -> dict[str, dict[str, Any]]:
        """Return, by domain, credentials or their sources by name of security scheme."""
        stored = self._files.mapping(SCHEMES)
        if all(isinstance(named, dict) and _are_sources(named) for named in stored.values()):
            return stored
        raise self._files.damaged(SCHEMES)

    def save_schemes(self, schemes: dict[str, dict[str, Any]]) -> None:
        self._files.write_json(SCHEMES, schemes)

    def headers(self) -> dict[str, dict[str, str]]:
        """Return the fixed headers by domain."""
        stored = self._files.mapping(HEADERS)
        return {domain: _texts(self._files, HEADERS, fields) for domain, fields in stored.items()}

    def save_headers(self, headers: dict[str, dict[str, str]]) -> None:
        self._files.write_json(HEADERS, headers)

    def bookmarks(self) -> dict[str, str]:
        """Return the bookmarked URLs by name."""
        return _texts(self._base, BOOKMARKS, self._base.mapping(BOOKMARKS))

    def save_bookmarks(self, bookmarks: dict[str, str]) -> None:
        self._base.write_json(BOOKMARKS, bookmarks)

    def save_profile(self, bookmark: str, document: Document) -> None:
        """Give a bookmark its own initial document."""
        files = self._profile(bookmark)
        files.write(DOCUMENT, packed(document))

    def forget_profile(self, bookmark: str) -> None:
        """Remove the state of a bookmark."""
        files = self._profile(bookmark)
        files.remove(*FILES)
        # Files of others stay, and the folder with them.
        with suppress(OSError):
            files.path.rmdir()

    def clear(self) -> None:
        """Remove the state of the chosen bookmark; without one, everything."""
        if self.bookmark:
            self.forget_profile(self.bookmark)
            return
        self._base.remove(*FILES)
        rmtree(self._base.path / CACHE, ignore_errors=True)
        for folder in self._base.path.glob(f"{PROFILES}/*"):
            Folder(folder).remove(*FILES)
            with suppress(OSError):
                folder.rmdir()
        with suppress(OSError):
            (self._base.path / PROFILES).rmdir()

    def _profile(self, bookmark: str) -> Folder:
        base = self._base.path
        return Folder(profile_folder(base, bookmark), (base, base / PROFILES))

    def _write_index(self, document: Document) -> None:
        lines: bytes = later("indexing:index_lines", document, self.folder / DOCUMENT)
        self._files.write(OPERATIONS, lines)

    def _decoded(self, content: bytes) -> Document:
        # Other programs put Core JSON here.
        for read in (unpacked, CoreJSONCodec().decode):
            with suppress(ParseError):
                tree = read(content)
                if isinstance(tree, Document):
                    return tree
        raise self._files.damaged(DOCUMENT)

    def _no_document(self) -> Failure:
        if not self.bookmark:
            return Failure("No document is loaded. Start with: lintel get URL")
        url = self.bookmarks().get(self.bookmark, "URL")
        return Failure(
            f"No document is loaded for the bookmark {self.bookmark!r}. Start with: "
            f"lintel -b {self.bookmark} get {url}"
        )


def _are_sources(stored: dict[str, Any]) -> bool:
    return all(isinstance(value, str | dict) for value in stored.values())


def _texts(files: Folder, name: str, stored: Any) -> dict[str, str]:
    if isinstance(stored, dict) and all(isinstance(text, str) for text in stored.values()):
        return stored
    raise files.damaged(name)
