"""The containers of a document: Document, Object, Array and Error.

All of them are immutable: ``set``, ``delete``, ``set_in`` and ``delete_in`` return new trees that
share the parts that did not change. Dictionaries and lists become Object and Array when they enter
a tree. Keys keep the order in which they were given.
"""

from collections.abc import (
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from functools import partial
from types import MappingProxyType
from typing import Any, Self, overload

from lintel_document import layout
from lintel_document.controls import printable
from lintel_document.immutable import Immutable, checked_text
from lintel_document.links import Link
from lintel_document.operations import Issue, SecurityScheme, Server, Tag

__all__ = ["Array", "Document", "Error", "Node", "Object", "freeze"]

_TYPE_ERROR = "{}: {} must be {}, not {}"


class _Container(Immutable):
    """The operations on paths of keys, shared by mappings and arrays."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def set(self, key: Any, value: Any) -> Any:
        raise NotImplementedError

    def delete(self, key: Any) -> Any:
        raise NotImplementedError

    def get_in(self, keys: Sequence[str | int], default: Any = None) -> Any:
        """Return the value at the end of a path, ``default`` if the path does not exist."""
        found: Any = self
        for key in _checked_path(keys):
            if not isinstance(found, _Container):
                return default
            try:
                found = found[key]
            except (LookupError, TypeError):
                return default
        return found

    def set_in(self, keys: Sequence[str | int], value: Any) -> Any:
        """Return a tree with ``value`` at the end of a path; the empty path is the tree itself.

        All but the last key must exist (KeyError, IndexError) and lead to containers (TypeError).
        """
        path = _checked_path(keys)
        if not path:
            return freeze(value)
        if len(path) == 1:
            return self.set(path[0], value)
        return self.set(path[0], self._inner(path[0]).set_in(path[1:], value))

    def delete_in(self, keys: Sequence[str | int]) -> Any:
        """Return a tree without the end of a path, None if the path is empty.

        Raises KeyError or IndexError if the path does not exist.
        """
        path = _checked_path(keys)
        if not path:
            return None
        if len(path) == 1:
            return self.delete(path[0])
        return self.set(path[0], self._inner(path[0]).delete_in(path[1:]))

    def __str__(self) -> str:
        return printable(layout.text(self))

    def _inner(self, key: str | int) -> "_Container":
        inner = self[key]
        if not isinstance(inner, _Container):
            raise TypeError(f"{key!r} holds a {type(inner).__name__}, which has no keys")
        return inner


class Node(_Container, Mapping[str, Any]):
    """The base of Document, Object and Error: a mapping from strings to values."""

    __slots__ = ("_items",)

    _items: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def keys(self) -> KeysView[str]:
        return self._items.keys()

    def values(self) -> ValuesView[Any]:
        return self._items.values()

    def items(self) -> ItemsView[str, Any]:
        return self._items.items()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Node):
            return self._items == other._items
        if isinstance(other, Mapping):
            return self._items == other
        return NotImplemented

    @property
    def data(self) -> "Object":
        """Return the entries that are not links."""
        return Object._of(
            {key: value for key, value in self._items.items() if not isinstance(value, Link)}
        )

    @property
    def links(self) -> "Object":
        """Return the entries that are links."""
        return Object._of(
            {key: value for key, value in self._items.items() if isinstance(value, Link)}
        )

    def set(self, key: str, value: Any) -> Self:
        """Return a copy with ``value`` under ``key``; TypeError for keys that are not str."""
        return self.clone({**self._items, key: value})

    def delete(self, key: str) -> Self:
        """Return a copy without ``key``. Raises KeyError if it does not exist."""
        remaining = dict(self._items)
        del remaining[key]
        return self.clone(remaining)

    def clone(self, data: Mapping[str, Any]) -> Self:
        """Return a node with other entries and the same attributes."""
        raise NotImplementedError


class Object(Node):
    """A plain mapping inside a document. Built like ``dict``; equal to a dict of the same items."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._fill(_items=_frozen_items(self, dict(*args, **kwargs)))

    @classmethod
    def _of(cls, items: dict[str, Any]) -> "Object":
        """Wrap items that are already frozen, without a copy."""
        made = cls.__new__(cls)
        object.__setattr__(made, "_items", items)
        return made

    def clone(self, data: Mapping[str, Any]) -> Self:
        return type(self)(data)

    def __reduce__(self) -> tuple[Any, ...]:
        return Object, (self._items,)

    def __repr__(self) -> str:
        return f"Object({self._items!r})"


class Array(_Container, Sequence[Any]):
    """A list inside a document. Equal to a list of the same items."""

    __slots__ = ("_items",)

    _items: list[Any]

    def __init__(self, items: Iterable[Any] = ()) -> None:
        if isinstance(items, str | bytes | Mapping):
            raise TypeError(_TYPE_ERROR.format("Array", "its argument", "a list", type(items)))
        self._fill(_items=[freeze(item) for item in items])

    @classmethod
    def _of(cls, items: list[Any]) -> "Array":
        """Wrap items that are already frozen, without a copy."""
        made = cls.__new__(cls)
        object.__setattr__(made, "_items", items)
        return made

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> "Array": ...
    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, slice):
            return Array._of(self._items[key])
        return self._items[key]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Array):
            return self._items == other._items
        if isinstance(other, list):
            return self._items == other
        return NotImplemented

    def set(self, key: int, value: Any) -> "Array":
        """Return a copy with another value at an index. Raises IndexError beyond the end."""
        items = list(self._items)
        items[key] = freeze(value)
        return Array._of(items)

    def delete(self, key: int) -> "Array":
        """Return a copy without the value at an index. Raises IndexError beyond the end."""
        items = list(self._items)
        del items[key]
        return Array._of(items)

    def __reduce__(self) -> tuple[Any, ...]:
        return Array, (self._items,)

    def __repr__(self) -> str:
        return f"Array({self._items!r})"


class Document(Node):
    """What a server describes at one URL: data, and links to call.

    Two documents are equal if url, title and content are; a document also equals a mapping of
    the same content. Raises TypeError for texts and keys that are not str.

    The keyword arguments are set if a description such as OpenAPI provides them: the ``version``
    of the API, its ``servers``, its ``security_schemes`` by name, its ``tags``, and ``issues``, the
    parts that the document could not represent.
    """

    __slots__ = (
        "description",
        "issues",
        "media_type",
        "security_schemes",
        "servers",
        "tags",
        "title",
        "url",
        "version",
    )

    url: str
    title: str
    description: str
    media_type: str
    version: str
    servers: tuple[Server, ...]
    security_schemes: Mapping[str, SecurityScheme]
    issues: tuple[Issue, ...]
    tags: tuple[Tag, ...]

    def __init__(
        self,
        url: str | None = None,
        title: str | None = None,
        description: str | None = None,
        media_type: str | None = None,
        content: Mapping[str, Any] | None = None,
        *,
        version: str | None = None,
        servers: Iterable[Server] = (),
        security_schemes: Mapping[str, SecurityScheme] | None = None,
        issues: Iterable[Issue] = (),
        tags: Iterable[Tag] = (),
    ) -> None:
        self._fill(
            version=checked_text(self, "version", version),
            servers=tuple(servers),
            security_schemes=MappingProxyType(dict(security_schemes or {})),
            issues=tuple(issues),
            tags=tuple(tags),
            url=checked_text(self, "url", url),
            title=checked_text(self, "title", title),
            description=checked_text(self, "description", description),
            media_type=checked_text(self, "media_type", media_type),
            _items=_frozen_items(self, content),
        )

    def clone(self, data: Mapping[str, Any]) -> Self:
        texts = (self.url, self.title, self.description, self.media_type)
        return type(self)(*texts, data, **self._described())

    def _described(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "servers": self.servers,
            "security_schemes": dict(self.security_schemes),
            "issues": self.issues,
            "tags": self.tags,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        texts = (self.url, self.title, self.description, self.media_type)
        return partial(Document, **self._described()), (*texts, self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Document) and (self.url, self.title) != (other.url, other.title):
            return False
        if isinstance(other, Error):
            return False
        return Node.__eq__(self, other)

    def __repr__(self) -> str:
        return f"Document(url={self.url!r}, title={self.title!r}, content={self._items!r})"


class Error(Node):
    """An error response of a server: a title and content, such as messages by field.

    Two errors are equal if title and content are; an error also equals a mapping of the same
    content.
    """

    __slots__ = ("title",)

    title: str

    def __init__(self, title: str | None = None, content: Mapping[str, Any] | None = None) -> None:
        self._fill(
            title=checked_text(self, "title", title),
            _items=_frozen_items(self, content),
        )

    def clone(self, data: Mapping[str, Any]) -> Self:
        return type(self)(self.title, data)

    def get_messages(self) -> list[str]:
        """Return the strings in all entries that are lists, in order."""
        return [
            message
            for value in self._items.values()
            if isinstance(value, Array)
            for message in value
            if isinstance(message, str)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return Error, (self.title, self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Error) and self.title != other.title:
            return False
        if isinstance(other, Document):
            return False
        return Node.__eq__(self, other)

    def __repr__(self) -> str:
        return f"Error(title={self.title!r}, content={self._items!r})"


def freeze(value: Any) -> Any:
    """Return the immutable form of a value: dict becomes Object, list becomes Array."""
    if isinstance(value, dict):
        return Object(value)
    if isinstance(value, list):
        return Array(value)
    return value


def _frozen_items(owner: Node, content: Mapping[str, Any] | None) -> dict[str, Any]:
    name = type(owner).__name__
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise TypeError(_TYPE_ERROR.format(name, "'content'", "a mapping", type(content).__name__))
    for key in content:
        if not isinstance(key, str):
            raise TypeError(
                _TYPE_ERROR.format(name, f"key {key!r}", "a string", type(key).__name__)
            )
    return {key: freeze(value) for key, value in content.items()}


def _checked_path(keys: Sequence[str | int]) -> Sequence[str | int]:
    if not isinstance(keys, list | tuple):
        raise TypeError(f"A path must be a list of keys, not {type(keys).__name__}")
    return keys
