"""The items of a stream for asynchronous programs."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import anyio

from lintel_client.messages import chunks_of
from lintel_client.steps import Call
from lintel_client.streaming.reception import BROKEN, Reception, StreamStart
from lintel_client.streaming.streams import BaseStream

__all__ = ["AsyncStream"]

Item = TypeVar("Item")


class AsyncStream(BaseStream, Generic[Item]):
    """Stream for ``async for`` and ``async with``. Another task may close it too."""

    def __init__(self, start: StreamStart, take: Callable[[Call[Any]], Any]) -> None:
        super().__init__(start)
        self._items = _items(self._reception, take)
        self._reading = anyio.Lock()
        self._scope: anyio.CancelScope | None = None

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        async with self._reading:
            with anyio.CancelScope() as self._scope:
                item: Item = await anext(self._items)
                return item
        # Closed while it waited for the item.
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Close the connection; a task that waits for an item gets none."""
        self._reception.close()
        if self._reading.locked() and self._scope is not None:
            self._scope.cancel()
        async with self._reading:
            await self._items.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


async def _items(
    reception: Reception, take: Callable[[Call[Any]], Any]
) -> AsyncGenerator[Any, None]:
    while (response := await take(reception.connecting())) is not None:
        try:
            async with aclosing(chunks_of(response.body)) as chunks:
                async for chunk in chunks:
                    for item in reception.received(chunk):
                        yield item
            for item in reception.ended():
                yield item
        except BROKEN as error:
            reception.broken(error)
        finally:
            # Also while the task is being cancelled.
            with anyio.CancelScope(shield=True):
                await response.close()
        if not reception.resumes():
            return
