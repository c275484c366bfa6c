"""The items of a stream, received while they are read."""

from collections.abc import Callable, Generator, Iterator
from threading import Lock
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from lintel_client.steps import Call
from lintel_client.streaming.reception import BROKEN, Reception, StreamStart

__all__ = ["BaseStream", "Stream"]

Item = TypeVar("Item")


class BaseStream:
    """The shared part of Stream and AsyncStream."""

    def __init__(self, start: StreamStart) -> None:
        self._reception = Reception(start)
        # What turns the data of an item into what is yielded.
        self.read_item: Callable[[Any], Any] | None = None

    @property
    def last_event_id(self) -> str:
        """Return the id from which a later call can continue, empty without one."""
        return self._reception.last_event_id


class Stream(BaseStream, Generic[Item]):
    """The items of a stream, in the order in which they arrive. It can be read once.

    ``close``, leaving a ``with`` block and dropping the stream close its connection. ``close``
    may be called from another thread: the one that reads gets no more items. The request is
    sent when the first item is asked for.
    """

    def __init__(self, start: StreamStart, take: Callable[[Call[Any]], Any]) -> None:
        super().__init__(start)
        self._items = _items(self._reception, take)
        self._reading = Lock()

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        with self._reading:
            found = next(self._items)
        item: Item = found if self.read_item is None else self.read_item(found)
        return item

    def close(self) -> None:
        """Close the connection, or let the thread that reads from it do so."""
        self._reception.close()
        if self._reading.acquire(blocking=False):
            try:
                self._items.close()
            finally:
                self._reading.release()
        else:
            self._reception.interrupt()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _items(reception: Reception, take: Callable[[Call[Any]], Any]) -> Generator[Any, None, None]:
    while (response := take(reception.connecting())) is not None:
        try:
            for chunk in reception.read(response.body):
                yield from reception.received(chunk)
            yield from reception.ended()
        except BROKEN as error:
            reception.broken(error)
        finally:
            reception.release()
            response.close()
        if not reception.resumes():
            return
