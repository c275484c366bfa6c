"""Transports for asynchronous programs."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any, Protocol, runtime_checkable

import anyio.to_thread
import httpx2

from lintel_client.caching.asynchronous import through
from lintel_client.contents import Content
from lintel_client.digests import Verifier
from lintel_client.headers import Headers
from lintel_client.messages import AsyncResponse, Request
from lintel_client.refusals import note_refusal
from lintel_client.transports import (
    HTTPSettings,
    adds_credentials,
    chunk_size,
    inflater_of,
    network_errors,
    verifier_for,
    wait_for,
)

__all__ = ["AsyncHTTPTransport", "AsyncTransport"]


@runtime_checkable
class AsyncTransport(Protocol):
    """The interface between AsyncClient and the network: Transport with an async ``send``."""

    schemes: tuple[str, ...]

    async def send(self, request: Request) -> AsyncResponse:
        """Send one request unchanged and return the response with its body unread."""
        ...


class AsyncHTTPTransport(HTTPSettings):
    """Sends over HTTP and HTTPS. The arguments are those of HTTPSettings."""

    async def send(self, request: Request) -> AsyncResponse:
        """Send a request. Raises NetworkError or RequestTimeout without a response."""
        prepared = self.prepared(request)
        if self._cache is None:
            response = await self._sent(prepared)
        else:
            response = await through(self._cache, prepared, self._sent)
        if adds_credentials(request, prepared):
            note_refusal(prepared, response)
        return response

    async def _sent(self, request: Request) -> AsyncResponse:
        with network_errors(request):
            client = self._client_for(request.url, httpx2.AsyncClient)
            answer = await client.send(**self._outgoing(client, request))
        wait_for(answer, request)
        verifier = verifier_for(answer, request)
        if verifier:
            answer.stream = _Verified(answer.stream, verifier)
        return AsyncResponse(
            status=answer.status_code,
            headers=Headers(answer.headers.multi_items()),
            body=_chunks(answer, request),
            url=request.url,
            reason=answer.reason_phrase,
            close=answer.aclose,
        )

    @staticmethod
    def _streamed(content: Content) -> Any:
        return _chunks_of(content)

    async def close(self) -> None:
        """Close all connections."""
        clients: dict[Any, httpx2.AsyncClient] = self._clients
        for client in clients.values():
            await client.aclose()


class _Verified(httpx2.AsyncByteStream):
    """The raw bytes of a response, checked against its digest."""

    def __init__(self, inner: Any, verifier: Verifier) -> None:
        self._inner = inner
        self._verifier = verifier

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        async for chunk in self._inner:
            self._verifier.update(chunk)
            yield chunk
        self._verifier.verify()

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _chunks_of(content: Content) -> AsyncGenerator[bytes, None]:
    """Yield the chunks as ``Content`` does; files are read in threads."""
    report, chunks = content.reporter(), content.chunks()
    while chunk := await _next(chunks, content.reads_files):
        yield chunk
        report(chunk)


async def _next(chunks: Iterator[bytes], reads_files: bool) -> bytes | None:
    if reads_files:
        return await anyio.to_thread.run_sync(next, chunks, None)
    return next(chunks, None)


async def _chunks(answer: httpx2.Response, request: Request) -> AsyncGenerator[bytes, None]:
    inflater = inflater_of(answer, request)
    with network_errors(request):
        raw = answer.aiter_raw() if inflater else answer.aiter_bytes(chunk_size(answer, request))
        async with aclosing(raw) as chunks:
            async for chunk in chunks:
                for piece in inflater.feed(chunk) if inflater else (chunk,):
                    yield piece
        if inflater:
            inflater.end()
