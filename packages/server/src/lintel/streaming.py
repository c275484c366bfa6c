"""Lists that are sent while they are read, with only a few rows in memory."""

import logging
import weakref
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from contextvars import Context, copy_context
from functools import partial
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeAlias

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIRequest
from django.db import connections, models
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.module_loading import import_string

from lintel.annotations import AnyView, Setting
from lintel.cycle.wrapping import WrappingMixin
from lintel.overrides import is_ours, is_overridden, package_of, reached
from lintel.renderers import JSONRenderer
from lintel.renderers.data import NDJSONRenderer
from lintel.request import Request

logger = logging.getLogger(__name__)

Rows: TypeAlias = models.Manager | Iterable[object]
Chunks: TypeAlias = Generator[bytes, None, None]


class StreamingListMixin(WrappingMixin):
    """Lets a generic list view stream all rows, without pages; put it before the base class.

    It does so for the formats in ``stream_formats``, wherever ``list()`` of lintel is reached;
    others are sent as usual. Rows are filtered, and fetched and serialized ``stream_chunk_size`` at
    a time, in the world of the view: its tenant, language and transaction.
    """

    #: The formats of renderers that are streamed: NDJSON as lines, JSON as one array.
    stream_formats: Setting = ("ndjson",)

    #: How many rows are in memory at once, and in one chunk of the response.
    stream_chunk_size: int = 500

    #: Whether rows are read while they are sent. None: only where nothing around the view may have
    #: changed meanwhile what they depend on; elsewhere the body is written to a file first.
    stream_reads_late: bool | None = None

    @staticmethod
    def _lintel_wrap(view: AnyView, request: Request) -> None:
        if streams(view, request.method) and (
            request.accepted_renderer.format in view.stream_formats
        ):
            view._lintel_listed = _response


def streams(view: object, method: str | None) -> bool:
    if method not in ("GET", "HEAD"):
        return False
    if getattr(view, "action_map", None) is None:
        return hasattr(view, "list")
    return getattr(view, "action", None) == "list"


def _response(view: AnyView, queryset: QuerySet[Any]) -> StreamingHttpResponse:
    request = view.request
    renderer = request.accepted_renderer
    pieces = _framed(view, renderer, queryset)
    charset = f"; charset={renderer.charset}" if renderer.charset else ""
    content_type = f"{renderer.media_type}{charset}"
    if request.method == "HEAD":
        pieces.close()  # yields nothing then, and no length is known
        return _sent(request, pieces, content_type)
    if reads_late(view, request._request):
        return _sent(request, _in_world(copy_context(), pieces), content_type)
    return _sent_from_file(request, _written(pieces), content_type)


def _sent(request: Request, pieces: Chunks, content_type: str) -> StreamingHttpResponse:
    on_the_loop = isinstance(request._request, ASGIRequest)
    content = _in_threads(pieces) if on_the_loop else pieces
    return StreamingHttpResponse(content, content_type=content_type)


def reads_late(view: AnyView, request: HttpRequest) -> bool:
    """Return whether rows are read while they are sent, when the view has returned."""
    # Whoever waits for the view may then put back the tenant that the rows belong to: a middleware,
    # a decorator, an override of ``dispatch()``, the end of the transaction.
    chosen = view.stream_reads_late
    if chosen is not None:
        return bool(chosen)
    cls = type(view)
    return (
        not is_overridden(cls, *(name for name in _AROUND if reached(cls, name) is not None))
        and _is_plain_route(request)
        and all(map(_leaves_the_world, settings.MIDDLEWARE))
    )


#: The methods that are called around the reading of rows, and what they call after it.
_AROUND = ("dispatch", "finalize_response", "get", "list", "alist")


def _is_plain_route(request: HttpRequest) -> bool:
    match = request.resolver_match
    function: object = None if match is None else match.func
    free = getattr(function, "_non_atomic_requests", ())
    atomic = (name for name, setting in connections.settings.items() if setting["ATOMIC_REQUESTS"])
    return (function is None or is_ours(function)) and all(name in free for name in atomic)


#: Packages whose middleware sets nothing that rows depend on, or nothing outside of contexts.
_HARMLESS = frozenset(["django", "lintel", "allauth", "corsheaders", "debug_toolbar", "whitenoise"])


def _leaves_the_world(path: str) -> bool:
    middleware = import_string(path)
    if not isinstance(middleware, type):
        return package_of(middleware) in _HARMLESS
    parts = (reached(middleware, name) for name in ("__call__", "__acall__", "process_response"))
    return all(part is None or package_of(part) in _HARMLESS for part in parts)


#: How many bytes of a written body are sent together.
_PIECE = 2**16


def _written(pieces: Iterable[bytes]) -> IO[bytes]:
    """Write the body while the view runs; beyond the memory that an upload may take, to a file."""
    in_memory = max(settings.FILE_UPLOAD_MAX_MEMORY_SIZE, 1)
    folder = settings.FILE_UPLOAD_TEMP_DIR
    body = SpooledTemporaryFile(in_memory, dir=folder)  # noqa: SIM115  closed with the response
    try:
        for piece in pieces:
            body.write(piece)
    except BaseException:
        body.close()
        raise
    return body


def _sent_from_file(request: Request, body: IO[bytes], content_type: str) -> StreamingHttpResponse:
    length = body.tell()
    body.seek(0)
    pieces = (piece for piece in iter(lambda: body.read(_PIECE), b""))
    response = _sent(request, pieces, content_type)
    response.headers["Content-Length"] = str(length)
    response._resource_closers.append(body.close)  # type: ignore[attr-defined]
    # A response that nobody closes must not leave the file to the collector, which warns of it.
    weakref.finalize(response, body.close)
    return response


def _in_world(world: Context, pieces: Chunks) -> Chunks:
    """Yield the chunks, each made in the context of the view, whose middleware has finished."""
    try:
        while piece := world.run(next, pieces, b""):
            yield piece
    finally:
        world.run(pieces.close)


async def _in_threads(pieces: Chunks) -> AsyncIterator[bytes]:
    """Yield the chunks, each made in the thread of the request; stop when the client leaves."""
    take = sync_to_async(partial(next, pieces, b""), thread_sensitive=True)
    try:
        while piece := await take():
            yield piece
    finally:
        await sync_to_async(pieces.close, thread_sensitive=True)()


# The chunks of a body


def _framed(view: AnyView, renderer: JSONRenderer, queryset: Rows) -> Chunks:
    if isinstance(renderer, NDJSONRenderer):
        return _lines(view, renderer, queryset)
    if isinstance(renderer, JSONRenderer):
        return _array(view, renderer, queryset)
    raise ImproperlyConfigured(
        f"{type(view).__name__}.stream_formats names '{renderer.format}', and "
        f"{type(renderer).__name__} cannot be streamed. Derive it from NDJSONRenderer or "
        "JSONRenderer, or leave its format out."
    )


def _lines(view: AnyView, renderer: JSONRenderer, queryset: Rows) -> Chunks:
    context = view.get_renderer_context()
    for items in _chunks(view, queryset):
        yield renderer.render(items, None, context)


def _array(view: AnyView, renderer: JSONRenderer, queryset: Rows) -> Chunks:
    context = view.get_renderer_context()
    before = b"["
    for items in _chunks(view, queryset):
        yield before + b",".join(renderer.render(item, None, context) for item in items)
        before = b","
    yield b"]" if before == b"," else b"[]"


def _chunks(view: AnyView, queryset: Rows) -> Iterator[list[object]]:
    # The status has been sent, so an error can only close the connection.
    sent = 0
    try:
        left = iter(_rows(view, queryset))
        while rows := list(islice(left, view.stream_chunk_size)):
            items = list(view.get_serializer(rows, many=True).data)
            yield items
            sent += len(items)
    except Exception:
        logger.error("The list of %s was interrupted after %d rows.", type(view).__name__, sent)
        raise


def _rows(view: AnyView, queryset: Rows) -> Iterable[object]:
    if isinstance(queryset, models.Manager):
        queryset = queryset.all()
    if isinstance(queryset, models.QuerySet):
        return queryset.iterator(chunk_size=view.stream_chunk_size)
    return queryset
