"""Server-sent events (HTML Standard, 9.2)."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lintel_client.streaming.pieces import Lines, check_size

__all__ = ["Event", "EventParser"]

BOM = b"\xef\xbb\xbf"

Data = TypeVar("Data")


@dataclass(frozen=True, slots=True)
class Event(Generic[Data]):
    """One server-sent event.

    ``data`` is text, or the value of the JSON in it if the description of the operation says that
    it is JSON. ``event`` is the type, ``id`` the latest id that the stream has sent, if any.
    """

    data: Data
    event: str = "message"
    id: str = ""

    def json(self) -> Any:
        """Return the value of data that is JSON. Raises ValueError for other text."""
        return json.loads(self.data) if isinstance(self.data, str) else self.data


class EventParser:
    """Reads events from chunks of bytes.

    ``decode`` returns the data of an event for its type and text. ``last_id`` is the id to
    send when the stream is opened again, ``retry`` the seconds to wait before that, if the
    stream has said so. Raises NetworkError for an event of more than ``limit`` bytes.
    """

    def __init__(self, decode: Callable[[str, str], Any], limit: int, last_id: str = "") -> None:
        self.last_id = last_id
        self.retry: float | None = None
        self._decode = decode
        self._limit = limit
        self._lines = Lines(limit)
        self._is_first = True
        self._id = last_id
        self._data: list[str] = []
        self._event = ""
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Event[Any]]:
        """Yield the events that a chunk completes."""
        for line in self._lines.feed(chunk):
            read = line.removeprefix(BOM) if self._is_first else line
            self._is_first = False
            if read:
                self._read(read)
            else:
                yield from self._dispatched()

    def end(self) -> Iterator[Event[Any]]:
        """Yield nothing: an event without its empty line is incomplete."""
        return iter(())

    def _read(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._size += len(value) + 1
            check_size(self._size, self._limit)
            self._data.append(_text(value))
        elif name == b"event":
            self._event = _text(value)
        elif name == b"id" and b"\0" not in value:
            self._id = _text(value)
        elif name == b"retry" and value.isdigit():
            self.retry = float(value) / 1000

    def _dispatched(self) -> Iterator[Event[Any]]:
        self.last_id = self._id
        data, event = self._data, self._event or "message"
        self._data, self._event, self._size = [], "", 0
        if data:
            yield Event(self._decode(event, "\n".join(data)), event, self.last_id)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
