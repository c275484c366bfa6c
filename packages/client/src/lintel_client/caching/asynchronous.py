"""The cache for asynchronous programs: its files are read and written in threads."""

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from contextlib import aclosing

from anyio.to_thread import run_sync

from lintel_client.caching.cache import Cache, Keeper
from lintel_client.headers import Headers
from lintel_client.messages import AsyncResponse, Request, chunks_of

__all__ = ["through"]


async def through(
    cache: Cache, request: Request, send: Callable[[Request], Awaitable[AsyncResponse]]
) -> AsyncResponse:
    """Return the response to a request, from the cache if that has it."""
    lookup = await run_sync(cache.lookup, request)
    if (found := lookup.found()) is not None:
        return _stored(found, request)
    if lookup.is_refused():
        return AsyncResponse(504, Headers(), (), request.url, "Gateway Timeout")
    response = await send(lookup.request)
    if response.status == 304 and lookup.asks():
        await response.close()
        if (renewed := await run_sync(lookup.renewed, response.headers)) is not None:
            return _stored(renewed, request)
        response = await send(lookup.request)
    if lookup.outdates(response):
        await run_sync(lookup.forget, response)
    if keeper := lookup.keeper(response):
        response.body = _kept(keeper, response.body)
    return response


def _stored(found: tuple[Headers, bytes], request: Request) -> AsyncResponse:
    return AsyncResponse(200, found[0], [found[1]], request.url, "OK")


async def _kept(
    keeper: Keeper, body: AsyncIterable[bytes] | Iterable[bytes]
) -> AsyncGenerator[bytes, None]:
    async with aclosing(chunks_of(body)) as chunks:
        async for chunk in chunks:
            keeper.add(chunk)
            yield chunk
    await run_sync(keeper.store)
