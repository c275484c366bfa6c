"""Operations whose results are models."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from lintel_client.lookup import shown_path
from lintel_client.models.readers import ModelError, read
from lintel_client.operations import Operation, Operations
from lintel_document.document import Document

if TYPE_CHECKING:
    from lintel_client.async_client import AsyncClient
    from lintel_client.client import Client

__all__ = ["ModelOperations", "Results"]

Keys = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The types of what an operation returns: its result, an item of its pages, of its stream."""

    result: Any = Any
    item: Any = Any
    streamed: Any = Any


class ModelOperation(Operation):
    """An operation whose results are read as their types say."""

    def __init__(
        self, client: "Client | AsyncClient", document: Document, keys: Keys, results: Results
    ) -> None:
        super().__init__(client, document, keys)
        self.results = results

    def __call__(
        self, params: Mapping[str, Any] | None = None, *values: Any, **options: Any
    ) -> Any:
        """Call the operation. Raises ModelError for a result that its description excludes."""
        answer = super().__call__(params, *values, **options)
        read_it = self._reading(self.results.result)
        return _awaited(answer, read_it) if isawaitable(answer) else read_it(answer)

    def pages(self, params: Mapping[str, Any] | None = None, *values: Any, **options: Any) -> Any:
        """Iterate over the items of all pages."""
        pages = super().pages(params, *values, **options)
        pages.read_item = self._reading(self.results.item)
        return pages

    def stream(self, params: Mapping[str, Any] | None = None, *values: Any, **options: Any) -> Any:
        """Iterate over the items of a stream."""
        stream = super().stream(params, *values, **options)
        stream.read_item = self._reading(self.results.streamed)
        return stream

    def _reading(self, hint: Any) -> Callable[[Any], Any]:
        def read_it(data: Any) -> Any:
            try:
                return read(hint, data)
            except ModelError as error:
                place = f"the result of {shown_path(self.keys)}"
                raise ModelError(f"{error} (in {place})", ()) from error

        return read_it


class ModelOperations(Operations):
    """Operations of a document; ``results`` maps the keys of each to the types of its results."""

    def __init__(
        self,
        client: "Client | AsyncClient",
        document: Document,
        results: Mapping[Keys, Results],
        keys: Keys = (),
    ) -> None:
        super().__init__(client, document, keys)
        self._results = results

    def _operation(self, keys: Keys) -> Operation:
        results = self._results.get(keys, Results())
        return ModelOperation(self._client, self._document, keys, results)

    def _group(self, keys: Keys) -> Operations:
        return ModelOperations(self._client, self._document, self._results, keys)


async def _awaited(answer: Awaitable[Any], read_it: Callable[[Any], Any]) -> Any:
    return read_it(await answer)
