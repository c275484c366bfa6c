"""The first items of a stream: server-sent events, NDJSON, JSON text sequences."""

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from django.http import StreamingHttpResponse


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a stream is read: items, seconds and bytes, whichever is first."""

    items: int = 100
    seconds: float = 10
    size: int = 1024 * 1024


def beginning(response: StreamingHttpResponse, limits: Limits) -> tuple[bytes, bool]:
    """Read what a response sends first, and whether that is all.

    An iterator that waits without the event loop is left when it sends something.
    """
    if response.is_async:
        return async_to_sync(_arriving)(response, limits)
    end = time.monotonic() + limits.seconds
    content = b""
    for chunk in response:
        content += chunk
        if len(content) > limits.size or time.monotonic() > end:
            return content[: limits.size], False
    return content, True


async def _arriving(response: StreamingHttpResponse, limits: Limits) -> tuple[bytes, bool]:
    content = b""
    try:
        async with asyncio.timeout(limits.seconds):
            async for chunk in response:
                content += chunk
                if len(content) > limits.size:
                    return content[: limits.size], False
    except TimeoutError:
        return content, False
    return content, True


def items_of(content: bytes, media_type: str) -> list[Any] | None:
    """Read the complete items at the beginning of a stream; None for another media type."""
    split = _FORMATS.get(media_type)
    if split is None:
        return None
    return list(split(content.decode("utf-8", "replace")))


def value_of(text: str | bytes) -> Any:
    """Read JSON; numbers that JSON cannot write again are their texts."""
    return json.loads(text, parse_float=_number, parse_constant=str)


def _number(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _lines(text: str) -> Iterator[Any]:
    for line in text.splitlines(keepends=True):
        if line.endswith("\n") and line.strip():
            yield _value(line)


def _sequence(text: str) -> Iterator[Any]:
    for part in text.split("\x1e"):
        if part.endswith("\n") and part.strip():
            yield _value(part)


def _events(text: str) -> Iterator[dict[str, str]]:
    latest = ""
    blocks = text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n")
    for block in blocks[:-1]:
        pairs = [line.partition(":") for line in block.split("\n") if not line.startswith(":")]
        fields = [(name, value.removeprefix(" ")) for name, _, value in pairs]
        latest = next((value for name, value in reversed(fields) if name == "id"), latest)
        data = [value for name, value in fields if name == "data"]
        kinds = [value for name, value in fields if name == "event"]
        if data:
            event = kinds[-1] if kinds else "message"
            yield {"data": "\n".join(data), "event": event, "id": latest}


def _value(text: str) -> Any:
    try:
        return value_of(text)
    except (ValueError, RecursionError):
        return text.strip()


_FORMATS: dict[str, Callable[[str], Iterator[Any]]] = {
    "text/event-stream": _events,
    "application/x-ndjson": _lines,
    "application/json-seq": _sequence,
}
