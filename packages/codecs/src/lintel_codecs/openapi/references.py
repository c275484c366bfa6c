"""References (``$ref``) within a description and, if allowed, to other files and URLs.

Nothing is loaded without a loader; with one, only what is below the folder of the first file, or
below that of its URL on the same origin, unless another origin is allowed. A description that was
fetched never makes the client read files.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

from lintel_codecs.pointers import pointed
from lintel_codecs.trees import read_tree
from lintel_document.errors import LintelError, ParseError
from lintel_document.jsonschema import JSONSchema
from lintel_document.urls import resolve

__all__ = [
    "MAX_BYTES",
    "MAX_FILES",
    "MAX_SECONDS",
    "BrokenReference",
    "Loader",
    "Place",
    "References",
]

Loader = Callable[[str], bytes]
"""Called with an absolute URL, returns what is there. May raise OSError or LintelError."""

MAX_FILES = 10_000
"""The most files that one description consists of, beside the first."""
MAX_BYTES = 64 * 1024 * 1024
"""The most bytes of all these files together."""
MAX_SECONDS = 600
"""How long loading all these files may take."""
MAX_CHAIN = 64
SCHEMES = ("file", "http", "https")


class BrokenReference(Exception):
    """A reference cannot be followed; the message says which and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One file of a description: its tree, and the base URL of its references."""

    root: Any
    url: str


@dataclass(slots=True, eq=False)
class References:
    """Follows references, reading each file once.

    ``home`` is the URL of the first file, by whose folder each reference is allowed or not,
    whichever file contains it. ``origins`` are additionally allowed. No file is asked for
    after others have taken ``seconds`` together; how long one takes is up to the loader.
    """

    home: str = ""
    loader: Loader | None = None
    origins: Collection[str] = ()
    seconds: float = MAX_SECONDS
    _files: dict[str, Place] = field(default_factory=dict)
    _unreadable: dict[str, str] = field(default_factory=dict)
    _found: dict[tuple[int, str], tuple[Any, Place]] = field(default_factory=dict)
    _bytes: int = 0
    _spent: float = 0

    def follow(self, node: Any, place: Place) -> tuple[Any, Place]:
        """Return what a node refers to, through any number of steps, and its file.

        A node that is not a reference is returned itself. Raises BrokenReference, and ParseError
        for a chain of more than MAX_CHAIN: a description full of them would take forever.
        """
        seen: list[tuple[int, str]] = []
        while isinstance(node, Mapping) and isinstance(node.get("$ref"), str):
            step = (id(place.root), node["$ref"])
            if len(seen) > MAX_CHAIN:
                raise ParseError(f"{seen[0][1]} refers to more than {MAX_CHAIN} others in a row")
            if step in seen:
                chain = " → ".join([*(text for _, text in seen), step[1]])
                raise BrokenReference(f"Circular reference: {chain}")
            seen.append(step)
            node, place = self._target(step, place)
        return node, place

    def definitions(self, place: Place) -> Callable[[str], Any]:
        """Return the function that resolves references in the schemas of a file."""
        return _Definitions(self, place)

    def _target(self, step: tuple[int, str], place: Place) -> tuple[Any, Place]:
        if step not in self._found:
            url, fragment = urldefrag(step[1])
            file = self._file(url, place) if url else place
            self._found[step] = (_pointed(file.root, fragment, step[1]), file)
        return self._found[step]

    def _file(self, relative: str, place: Place) -> Place:
        url = urldefrag(resolve(place.url, relative)).url
        if url == place.url:
            return place
        if url in self._unreadable:
            raise BrokenReference(self._unreadable[url])
        if url not in self._files:
            self._check(url)
            self._files[url] = self._loaded(url)
        return self._files[url]

    def _check(self, url: str) -> None:
        if self.loader is None:
            raise BrokenReference(f"The reference to {url} is not followed: no loader is given")
        if not self._allowed(url):
            where = f"outside of the folder of {self.home}" if self.home else "this text has no URL"
            raise BrokenReference(f"The reference to {url} is not allowed: {where}")
        if len(self._files) >= MAX_FILES:
            raise BrokenReference(f"More than {MAX_FILES} files are referred to: {url} is left out")
        if self._spent > self.seconds:
            took = f"its files took more than {self.seconds:g} seconds"
            raise BrokenReference(f"The reference to {url} is not followed: {took} to load")

    def _allowed(self, url: str) -> bool:
        try:
            target, home = urlsplit(url), urlsplit(self.home)
        except ValueError:
            return False
        if (target.scheme, target.netloc) == (home.scheme, home.netloc):
            return home.scheme in SCHEMES and _is_below(target.path, home.path)
        is_web = target.scheme in ("http", "https")
        return is_web and f"{target.scheme}://{target.netloc}" in self.origins

    def _loaded(self, url: str) -> Place:
        start = time.monotonic()
        try:
            content = self.loader(url) if self.loader else b""
            self._bytes += len(content)
            if self._bytes > MAX_BYTES:
                raise ParseError(f"the files have more than {MAX_BYTES} bytes together")
            return Place(read_tree(content).root, url)
        except (OSError, ValueError, LintelError) as error:
            # A file that cannot be read is requested once.
            self._unreadable[url] = f"The reference to {url} cannot be read: {error}"
            raise BrokenReference(self._unreadable[url]) from error
        finally:
            self._spent += time.monotonic() - start


@dataclass(frozen=True, slots=True)
class _Definitions:
    references: References
    place: Place

    def __call__(self, reference: str) -> Any:
        try:
            node, place = self.references.follow({"$ref": reference}, self.place)
        except (BrokenReference, ParseError):
            return None
        return JSONSchema(node, _Definitions(self.references, place))


def _is_below(path: str, base: str) -> bool:
    folder = base.rpartition("/")[0]
    steps = unquote(path).replace("\\", "/").split("/")
    return path.startswith(f"{folder}/") and ".." not in steps


def _pointed(root: Any, fragment: str, reference: str) -> Any:
    """Return the node at a JSON pointer in a URL fragment."""
    pointer = unquote(fragment)
    if pointer and not pointer.startswith("/"):
        raise BrokenReference(f"The reference {reference} names an anchor, which is not followed")
    try:
        return pointed(root, pointer)
    except KeyError as error:
        message = f"The reference {reference} leads to nothing: no {error} there"
        raise BrokenReference(message) from None
