"""Operations of a document as callables, found by their keys one after the other."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lintel_client.errors import LinkLookupError
from lintel_client.lookup import find, shown_path
from lintel_document.document import Array, Document
from lintel_document.links import Link

if TYPE_CHECKING:
    from lintel_client.async_client import AsyncClient
    from lintel_client.client import Client

__all__ = ["Operation", "Operations"]

_NODES = (Link, Mapping, Array)


class Operation:
    """One operation of a document, bound to the client that calls it."""

    def __init__(
        self, client: "Client | AsyncClient", document: Document, keys: tuple[str | int, ...]
    ) -> None:
        self.client, self.document, self.keys = client, document, keys

    def __call__(
        self, params: Mapping[str, Any] | None = None, *values: Any, **options: Any
    ) -> Any:
        """Call the operation, as the client's ``action`` does; of an AsyncClient, await it."""
        return self.client.action(self.document, self.keys, params, *values, **options)

    def pages(self, params: Mapping[str, Any] | None = None, *values: Any, **options: Any) -> Any:
        """Iterate over the items of all pages, as the client's ``pages`` does."""
        return self.client.pages(self.document, self.keys, params, *values, **options)

    def stream(self, params: Mapping[str, Any] | None = None, *values: Any, **options: Any) -> Any:
        """Iterate over the items of a stream, as the client's ``stream`` does."""
        return self.client.stream(self.document, self.keys, params, *values, **options)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {shown_path(self.keys)}>"


class Operations:
    """The operations of a document, or those below one of its keys.

    ``operations["pets"]["list"]`` is an Operation; iteration yields the keys that lead to others.
    A key that does not exist raises LinkLookupError, which names similar ones.
    """

    def __init__(
        self, client: "Client | AsyncClient", document: Document, keys: tuple[str | int, ...] = ()
    ) -> None:
        self._client, self._document, self._keys = client, document, keys

    def __getitem__(self, key: str | int) -> Any:
        keys = (*self._keys, key)
        found = find(self._document, keys)
        if not isinstance(found, _NODES):
            raise LinkLookupError(f"{shown_path(keys)!r} is not an operation, nor has it any")
        return self._operation(keys) if isinstance(found, Link) else self._group(keys)

    def _operation(self, keys: tuple[str | int, ...]) -> Operation:
        return Operation(self._client, self._document, keys)

    def _group(self, keys: tuple[str | int, ...]) -> "Operations":
        return Operations(self._client, self._document, keys)

    def __iter__(self) -> Iterator[str | int]:
        node = find(self._document, self._keys)
        entries = enumerate(node) if isinstance(node, Array) else node.items()
        return (key for key, inner in entries if isinstance(inner, _NODES))

    def _ipython_key_completions_(self) -> list[str | int]:
        """Return what the Tab key completes in IPython and Jupyter."""
        return list(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {shown_path(self._keys)}>"
