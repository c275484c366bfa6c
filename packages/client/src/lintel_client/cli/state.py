"""What the command line remembers, as private files in one folder.

The folder is `$LINTEL_CONFIG_DIR`, or the user's configuration folder (on Linux
`$XDG_CONFIG_HOME/lintel`, usually `~/.config/lintel`). It is made with mode 0700, files have 0600
and are replaced as a whole, so that an interruption leaves the old content.
"""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from lintel_client.cli.failures import Failure
from lintel_document.corejson import CoreJSONCodec
from lintel_document.document import Document
from lintel_document.errors import ParseError

__all__ = ["MAX_HISTORY", "History", "Page", "State"]

DOCUMENT = "document.json"
HISTORY = "history.json"
CREDENTIALS = "credentials.json"
HEADERS = "headers.json"
BOOKMARKS = "bookmarks.json"
FILES = (DOCUMENT, HISTORY, CREDENTIALS, HEADERS, BOOKMARKS)
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
        """Return the history after a visit: what lay ahead is gone, a reload only renames."""
        past = self.pages[self.index :]
        if past and past[0].url == page.url:
            past = past[1:]
        return History((page, *past)[:MAX_HISTORY], 0)

    def moved(self, steps: int, page: Page) -> "History":
        """Return the history after stepping to a page: positive is back, negative forward."""
        index = self.index + steps
        return History((*self.pages[:index], page, *self.pages[index + 1 :]), index)


class State:
    """Reads and writes the files of the folder. Raises Failure for what cannot be used."""

    def __init__(self, folder: Path | None = None) -> None:
        configured = os.environ.get("LINTEL_CONFIG_DIR") or click.get_app_dir("lintel")
        self.folder = folder or Path(configured)

    def document(self) -> Document:
        """Return the current document; a Failure says how to load one."""
        content = self._content(DOCUMENT)
        if content is None:
            raise Failure("No document is loaded. Start with: lintel get URL")
        try:
            tree = CoreJSONCodec().decode(content)
        except ParseError as error:
            raise self._damaged(DOCUMENT) from error
        if not isinstance(tree, Document):
            raise self._damaged(DOCUMENT)
        return tree

    def save_document(self, document: Document) -> None:
        self._write(DOCUMENT, CoreJSONCodec().encode(document))

    def visit(self, document: Document) -> None:
        """Make a document the current one and remember its URL."""
        self.save_document(document)
        if document.url:
            self.save_history(self.history().visited(Page.of(document)))

    def history(self) -> History:
        raw = self._mapping(HISTORY)
        try:
            pages = tuple(Page(str(page["url"]), str(page["title"])) for page in raw["pages"])
            index = int(raw["index"])
        except KeyError:
            return History()
        except (TypeError, ValueError) as error:
            raise self._damaged(HISTORY) from error
        return History(pages, min(max(index, 0), max(len(pages) - 1, 0)))

    def save_history(self, history: History) -> None:
        pages = [{"url": page.url, "title": page.title} for page in history.pages]
        self._write_json(HISTORY, {"index": history.index, "pages": pages})

    def credentials(self) -> dict[str, str]:
        """Return the values of the Authorization header by domain."""
        return self._texts(CREDENTIALS, self._mapping(CREDENTIALS))

    def save_credentials(self, credentials: dict[str, str]) -> None:
        self._write_json(CREDENTIALS, credentials)

    def headers(self) -> dict[str, dict[str, str]]:
        """Return the fixed headers by domain."""
        stored = self._mapping(HEADERS)
        return {domain: self._texts(HEADERS, fields) for domain, fields in stored.items()}

    def save_headers(self, headers: dict[str, dict[str, str]]) -> None:
        self._write_json(HEADERS, headers)

    def bookmarks(self) -> dict[str, str]:
        """Return the bookmarked URLs by name."""
        return self._texts(BOOKMARKS, self._mapping(BOOKMARKS))

    def save_bookmarks(self, bookmarks: dict[str, str]) -> None:
        self._write_json(BOOKMARKS, bookmarks)

    def clear(self) -> None:
        """Remove everything that is remembered."""
        for name in FILES:
            try:
                (self.folder / name).unlink(missing_ok=True)
            except NotADirectoryError as error:
                raise self._no_folder() from error

    def _content(self, name: str) -> bytes | None:
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise self._no_folder() from error

    def _mapping(self, name: str) -> dict[str, Any]:
        content = self._content(name)
        if content is None:
            return {}
        try:
            stored = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self._damaged(name) from error
        if not isinstance(stored, dict):
            raise self._damaged(name)
        return stored

    def _texts(self, name: str, stored: Any) -> dict[str, str]:
        if isinstance(stored, dict) and all(isinstance(text, str) for text in stored.values()):
            return stored
        raise self._damaged(name)

    def _write_json(self, name: str, value: Any) -> None:
        self._write(name, json.dumps(value, ensure_ascii=False, indent=4).encode())

    def _write(self, name: str, content: bytes) -> None:
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise self._no_folder() from error
        # A temporary file is private from the start, and so is the file that it becomes.
        descriptor, temporary = tempfile.mkstemp(dir=self.folder, prefix=f".{name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, self.folder / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _no_folder(self) -> Failure:
        return Failure(
            f"{self.folder} is not a folder. lintel keeps its state there: move the file away, or "
            "name another folder in LINTEL_CONFIG_DIR"
        )

    def _damaged(self, name: str) -> Failure:
        return Failure(f"{self.folder / name} is damaged: remove it, or run: lintel clear")
