"""One stream: its connections, one after the other, and the items that arrive.

Nothing here waits or receives: ``connecting`` is a call of steps, and chunks are passed in.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Event, Lock
from typing import Any, Protocol

from lintel_client.codecs import JSONCodec
from lintel_client.errors import (
    ConnectionFailed,
    LintelError,
    ParseError,
    RequestTimeout,
    TooManyRequests,
    Unavailable,
)
from lintel_client.headers import checked_header
from lintel_client.messages import Request, Response
from lintel_client.negotiation import choose_decoder
from lintel_client.origins import without_query
from lintel_client.responses import Reading, decoding
from lintel_client.steps import AnyResponse, Call, Close, Keep, Wait
from lintel_client.streaming.described import EventTypes, described_events
from lintel_client.streaming.events import EventParser
from lintel_client.streaming.kinds import FORMATS, format_of
from lintel_client.streaming.texts import LineParser, SequenceParser
from lintel_document.codec import Codec

__all__ = ["BROKEN", "MAX_ITEM", "Reception", "StreamOptions", "StreamStart"]

MAX_ITEM = 16 * 1024 * 1024
"""The most, in bytes, that one item of a stream may hold, unless a call says otherwise."""

RETRY = 3.0
"""Seconds before a stream is opened again, until it says so itself."""
LONGEST_RETRY = 300.0
SHORTEST_RETRY = 0.1
MAX_FAILURES = 10
"""How many connections in a row may bring nothing."""

BROKEN = (ConnectionFailed, RequestTimeout)

Receive = Callable[[AnyResponse], Call[AnyResponse | None]]


class Parser(Protocol):
    """Reads items from chunks of bytes."""

    def feed(self, chunk: bytes) -> Iterator[Any]: ...

    def end(self) -> Iterator[Any]: ...


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How a stream is read: ``format`` is one of FORMATS, or None for that of the response.

    ``max_item`` is in bytes. Raises ValueError for values that make no sense.
    """

    format: str | None = None
    max_item: int = MAX_ITEM
    reconnect: bool = True
    last_event_id: str = ""

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {self.format!r}")
        if self.max_item < 1:
            raise ValueError("max_item must be positive")


@dataclass(frozen=True, slots=True)
class StreamStart:
    """How a stream begins, and how its requests are sent.

    ``schemas`` are those of one item by media type.
    """

    request: Request
    send: Callable[[Request, Receive], Call[AnyResponse | None]]
    reading: Reading
    schemas: Mapping[str, Any]
    how: StreamOptions


class Reception:
    """The items of one stream, over all its connections."""

    def __init__(self, start: StreamStart) -> None:
        self._start = start
        self._parser: Parser | None = None
        self._failures = 0
        self._retry = RETRY
        self._asked = 0
        self.last_event_id = start.how.last_event_id
        self._response: AnyResponse | None = None
        self._releasing = Lock()
        self._closed = Event()

    def close(self) -> None:
        """Let no more items follow; nothing is sent any more."""
        self._closed.set()

    def interrupt(self) -> None:
        """End a read of another thread, if there is one."""
        with self._releasing:
            if isinstance(self._response, Response):
                self._response.interrupt()

    def release(self) -> None:
        """Forget the response before it is closed: its connection may then be used for others."""
        with self._releasing:
            self._response = None

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def connecting(self) -> Call[AnyResponse | None]:
        """Return a response to read, which stays open; None if the stream has ended."""
        while not self.is_closed:
            if self._parser is not None:
                yield Wait(self._pause(), self._closed)
            if self.is_closed:
                break
            self._failures += 1
            try:
                self._response = yield from self._start.send(self._request(), self._receiving)
                return self._response
            except BROKEN as error:
                self.broken(error)
            except (TooManyRequests, Unavailable) as error:
                self.broken(error)
                self._asked = error.retry_after or 0
                if self._asked > LONGEST_RETRY:
                    raise
        return None

    def read(self, body: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the chunks of a body until the stream is closed, which may be before the first."""
        chunks = iter(body)
        while not self.is_closed and (chunk := next(chunks, None)) is not None:
            yield chunk

    def received(self, chunk: bytes) -> Iterator[Any]:
        """Yield the items that a chunk completes."""
        if chunk:
            self._failures = 0
        parser = self._parser
        if parser is None:
            return
        try:
            for item in parser.feed(chunk):
                if self.is_closed:
                    return
                yield item
        except ParseError as error:
            raise self._unreadable(error) from error
        finally:
            self._note(parser)

    def ended(self) -> Iterator[Any]:
        """Yield what is left when the response ends."""
        if self._parser is not None and not self.is_closed:
            try:
                yield from self._parser.end()
            except ParseError as error:
                raise self._unreadable(error) from error

    def _unreadable(self, error: ParseError) -> ParseError:
        place = without_query(self._start.request.url)
        return ParseError(f"The stream at {place} cannot be read. {error}")

    def resumes(self) -> bool:
        """Return whether the stream is to be opened again. Raises ConnectionFailed to give up."""
        if self.is_closed:
            return False
        if self._repeatable and self._failures >= MAX_FAILURES:
            place = without_query(self._start.request.url)
            raise ConnectionFailed(f"The stream at {place} ended {MAX_FAILURES} times with nothing")
        return self._repeatable

    def broken(self, error: LintelError) -> None:
        """Raise the error of a broken connection, unless the stream is closed or opened again."""
        if self.is_closed:
            return
        if not self._repeatable or self._failures >= MAX_FAILURES:
            raise error

    @property
    def _repeatable(self) -> bool:
        is_read = self._start.request.method == "GET" and isinstance(self._parser, EventParser)
        return self._start.how.reconnect and is_read

    def _pause(self) -> float:
        """Return the seconds to wait, longer after each connection that brought nothing."""
        asked, self._asked = self._asked, 0
        shortest = max(self._retry, SHORTEST_RETRY)
        if not self._failures:
            return min(shortest, LONGEST_RETRY)
        spread = random.uniform(0.5, 1)  # noqa: S311 (spreads load, hides nothing)
        return max(min(shortest * 2**self._failures, LONGEST_RETRY) * spread, asked)

    def _request(self) -> Request:
        request = self._start.request
        if not self.last_event_id:
            return request
        try:
            field = checked_header("Last-Event-ID", self.last_event_id)
        except ValueError:
            # An id with control characters cannot be sent.
            return request
        return replace(request, headers=request.headers.setting([field]))

    def _receiving(self, response: AnyResponse) -> Call[AnyResponse | None]:
        """Keep a response with a stream. Raises ErrorMessage, and ParseError without one."""
        if response.status >= 400:
            yield from decoding(response, self._start.reading)
        if response.status in (204, 205):
            yield Close(response)
            return None
        self._parser = self._parser_of(response)
        yield Keep(response)
        return response

    def _parser_of(self, response: AnyResponse) -> Parser:
        content_type = response.headers.get("Content-Type", "")
        how = self._start.how
        format, limit = how.format or format_of(content_type), how.max_item
        decoder = _json_decoder(self._start.reading.decoders)
        if format == "sse":
            types = self._event_types()
            return EventParser(_events_reader(decoder, types), limit, self.last_event_id)
        if format == "ndjson":
            return LineParser(decoder.decode, limit)
        if format == "json-seq":
            return SequenceParser(decoder.decode, limit)
        place = without_query(response.url)
        raise ParseError(
            f"The response from {place} is not a stream but {content_type or 'of no media type'}: "
            f"call the operation as an action, or name its format ({', '.join(FORMATS)})"
        )

    def _event_types(self) -> EventTypes:
        schemas = self._start.schemas.items()
        found = [schema for kind, schema in schemas if format_of(kind) == "sse"]
        return described_events(found[0] if found else None)

    def _note(self, parser: Parser) -> None:
        if isinstance(parser, EventParser):
            self.last_event_id = parser.last_id
            self._retry = self._retry if parser.retry is None else parser.retry


def _json_decoder(decoders: Any) -> Codec:
    """Return the caller's codec of JSON, which may read numbers in its own way."""
    found: Codec = choose_decoder(decoders, "application/json")
    return found if isinstance(found, JSONCodec) else JSONCodec()


def _events_reader(decoder: Codec, types: EventTypes) -> Callable[[str, str], Any]:
    def read(event: str, data: str) -> Any:
        return decoder.decode(data.encode()) if types.is_json(event, data) else data

    return read
