"""The items of a stream for asynchronous programs."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from types import AsyncGeneratorType, TracebackType
from typing import Any, Generic, Self, TypeVar, cast

import anyio

from lintel_client.messages import chunks_of
from lintel_client.steps import Call
from lintel_client.streaming.reception import BROKEN, Reception, StreamStart
from lintel_client.streaming.streams import BaseStream

__all__ = ["AsyncStream"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class AsyncStream(BaseStream, Generic[Item]):
    """Stream for ``async for`` and ``async with``. Another task may close it too."""

    def __init__(self, start: StreamStart, take: Callable[[Call[Any]], Any]) -> None:
        super().__init__(start)
        self._waiting = _Waiting()
        items = _items(self._reception, take, self._waiting)
        self._items = cast("AsyncGeneratorType[Any, None]", items)

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        found = await anext(self._items)
        item: Item = found if self.read_item is None else self.read_item(found)
        return item

    async def aclose(self) -> None:
        """Close the connection; a task that waits for an item gets none."""
        self._reception.close()
        if self._items.ag_running:
            await self._waiting.end()
        else:
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


class _Waiting:
    """What a stream waits for at the moment, which another task may end."""

    def __init__(self) -> None:
        self._scope = anyio.CancelScope()
        self.over = anyio.Event()

    async def until(self, result: Awaitable[Result]) -> Result | None:
        """Return a result, None if it is no longer wanted."""
        with anyio.CancelScope() as self._scope:
            return await result
        return None

    async def end(self) -> None:
        """Stop waiting; return when the stream is over."""
        self._scope.cancel()
        await self.over.wait()


async def _items(
    reception: Reception, take: Callable[[Call[Any]], Any], waiting: _Waiting
) -> AsyncGenerator[Any, None]:
    try:
        while (response := await waiting.until(take(reception.connecting()))) is not None:
            try:
                async with aclosing(chunks_of(response.body)) as chunks:
                    # What had arrived when the stream was closed was not cancelled.
                    while not reception.is_closed:
                        if (chunk := await waiting.until(anext(chunks, None))) is None:
                            break
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
    finally:
        waiting.over.set()
