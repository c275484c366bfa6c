"""Lists that are sent while they are read, with only a few rows in memory."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from contextvars import Context, copy_context
from itertools import islice
from typing import Any

from asgiref.sync import sync_to_async
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIRequest
from django.db import models
from django.http import HttpResponse, StreamingHttpResponse

from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, arun, blocking, hook
from lintel.cycle.wrapping import WrappingMixin, wrap_handler
from lintel.renderers import JSONRenderer
from lintel.renderers.lines import NDJSONRenderer

logger = logging.getLogger(__name__)


class StreamingListMixin(WrappingMixin):
    """Lets a generic list view stream all rows, without pages; put it before the base class.

    It does so for the formats in ``stream_formats``; others are sent
    as usual. Rows are filtered, and fetched and serialized ``stream_chunk_size`` at a time.
    """

    #: The formats of renderers that are streamed: NDJSON as lines, JSON as one array.
    stream_formats: Any = ("ndjson",)

    #: How many rows are in memory at once, and in one chunk of the response.
    stream_chunk_size: int = 500

    @staticmethod
    def _lintel_wrap(view: Any, request: Any) -> None:
        if streams(view, request.method) and _is_asked_for(view, request):
            wrap_handler(view, request, _answer, _answer_on_the_loop)


def streams(view: Any, method: str | None) -> bool:
    """Return whether a method of a view returns the list of its rows."""
    if method not in ("GET", "HEAD"):
        return False
    if getattr(view, "action_map", None) is None:
        return hasattr(view, "list")
    return getattr(view, "action", None) == "list"


def _is_asked_for(view: Any, request: Any) -> bool:
    return request.accepted_renderer.format in view.stream_formats


def _answer(view: Any, request: Any, answer: Callable[[], Any]) -> Any:
    return _streaming_steps.run(view, request)


async def _answer_on_the_loop(view: Any, request: Any, answer: Callable[[], Any]) -> Any:
    return await arun(_streaming_steps(view, request))


@chain
def _streaming_steps(view: Any, request: Any) -> Steps[Any]:
    """Return the response; no row is read before it is sent."""
    queryset = yield hook(view, "get_queryset")
    queryset = yield hook(view, "filter_queryset", queryset)
    return (yield blocking(_response, view, request, queryset))


def _response(view: Any, request: Any, queryset: Any) -> Any:
    renderer = request.accepted_renderer
    pieces = _in_world(copy_context(), _framed(view, renderer, queryset))
    charset = f"; charset={renderer.charset}" if renderer.charset else ""
    content_type = f"{renderer.media_type}{charset}"
    if request.method == "HEAD":
        return HttpResponse(content_type=content_type)
    on_the_loop = isinstance(request._request, ASGIRequest)
    return StreamingHttpResponse(
        _in_threads(pieces) if on_the_loop else pieces,
        content_type=content_type,
    )


def _in_world(world: Context, pieces: Generator[bytes, None, None]) -> Generator[bytes, None, None]:
    """Yield the chunks, each made in the language, time zone and tenant of the view.

    The middleware that set these has finished when the chunks are sent.
    """
    try:
        while piece := world.run(next, pieces, b""):
            yield piece
    finally:
        world.run(pieces.close)


async def _in_threads(pieces: Any) -> AsyncIterator[bytes]:
    """Yield the chunks, each made in the thread of the request; stop when the client leaves."""
    take = sync_to_async(_next, thread_sensitive=True)
    try:
        while piece := await take(pieces):
            yield piece
    finally:
        await sync_to_async(pieces.close, thread_sensitive=True)()


def _next(pieces: Iterator[bytes]) -> bytes:
    """Return the next chunk, which is never empty; nothing after the last."""
    return next(pieces, b"")


# The chunks of a body


def _framed(view: Any, renderer: Any, queryset: Any) -> Generator[bytes, None, None]:
    """Yield the body in chunks. Raises ImproperlyConfigured for a renderer that cannot."""
    if isinstance(renderer, NDJSONRenderer):
        return _lines(view, renderer, queryset)
    if isinstance(renderer, JSONRenderer):
        return _array(view, renderer, queryset)
    raise ImproperlyConfigured(
        f"{type(view).__name__}.stream_formats names '{renderer.format}', and "
        f"{type(renderer).__name__} cannot be streamed. Derive it from NDJSONRenderer or "
        "JSONRenderer, or leave its format out."
    )


def _lines(view: Any, renderer: Any, queryset: Any) -> Generator[bytes, None, None]:
    context = view.get_renderer_context()
    for items in _chunks(view, queryset):
        yield renderer.render(items, None, context)


def _array(view: Any, renderer: Any, queryset: Any) -> Generator[bytes, None, None]:
    context = view.get_renderer_context()
    before = b"["
    for items in _chunks(view, queryset):
        yield before + b",".join(renderer.render(item, None, context) for item in items)
        before = b","
    yield b"]" if before == b"," else b"[]"


def _chunks(view: Any, queryset: Any) -> Iterator[list[Any]]:
    """Yield the data of the rows, a chunk at a time.

    The status has been sent, so an error can only close the connection.
    """
    sent = 0
    try:
        for rows in _batches(_rows(view, queryset), view.stream_chunk_size):
            items = list(view.get_serializer(rows, many=True).data)
            yield items
            sent += len(items)
    except Exception:
        logger.error("The list of %s was interrupted after %d rows.", type(view).__name__, sent)
        raise


def _rows(view: Any, queryset: Any) -> Iterable[Any]:
    if isinstance(queryset, models.Manager):
        queryset = queryset.all()
    if isinstance(queryset, models.QuerySet):
        return queryset.iterator(chunk_size=view.stream_chunk_size)
    return queryset


def _batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    left = iter(rows)
    while batch := list(islice(left, size)):
        yield batch
