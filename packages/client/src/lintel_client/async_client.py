"""The client for asynchronous programs: the calls of Client, to be awaited."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from inspect import isawaitable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import anyio
import anyio.to_thread

from lintel_client.async_transports import AsyncHTTPTransport, AsyncTransport
from lintel_client.auth import Auth
from lintel_client.caching import Cache
from lintel_client.core import BaseClient, CallOptions, Keys
from lintel_client.downloads import Download
from lintel_client.exchange import Hook
from lintel_client.messages import MAX_BODY, AsyncResponse, Request, chunks_of
from lintel_client.operations import Operations
from lintel_client.pages import AsyncPages
from lintel_client.retries import Retry
from lintel_client.steps import Call, Close, Invoke, Keep, Receive, Step, Wait, Work
from lintel_client.streaming.async_streams import AsyncStream
from lintel_client.streaming.reception import MAX_ITEM, StreamOptions
from lintel_client.transports import chosen_transports
from lintel_client.versions import Version
from lintel_document.codec import Codec
from lintel_document.document import Document
from lintel_document.operations import Pagination

__all__ = ["AsyncClient"]

Outcome = TypeVar("Outcome")


class AsyncClient(BaseClient):
    """Client with ``await``, for asyncio and other event loops that anyio supports.

    Arguments, methods, results and errors are those of Client; ``transports`` are AsyncTransport,
    ``session`` is an ``httpx2.AsyncClient``, hooks may be ``async def``. Use it with ``async
    with``, or close it with ``await client.close()``. A cancelled call leaves no connection in
    use.
    """

    def __init__(
        self,
        auth: Auth | None = None,
        decoders: Sequence[Codec] | None = None,
        transports: Sequence[AsyncTransport] | None = None,
        *,
        max_body: int = MAX_BODY,
        session: Any = None,
        retry: Retry | None = None,
        hooks: Sequence[Hook] = (),
        version: Version | str | None = None,
        parse: bool = False,
        netrc: bool | str | Path = False,
        cache: Cache | None = None,
    ) -> None:
        chosen = chosen_transports(
            AsyncHTTPTransport, transports, session, netrc=netrc, cache=cache
        )
        super().__init__(
            auth,
            decoders,
            chosen,
            max_body=max_body,
            retry=retry,
            hooks=hooks,
            version=version,
            parse=parse,
        )

    async def get(self, url: str, format: str | None = None, **options: Unpack[CallOptions]) -> Any:
        """Fetch a URL, as Client.get does."""
        return await self._take(self._getting(url, format, options))

    async def action(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Call the link at a path of keys, as Client.action does."""
        return await self._take(self._acting(document, keys, params, validate, overrides, options))

    async def reload(
        self, document: Document, format: str | None = None, **options: Unpack[CallOptions]
    ) -> Any:
        """Fetch a document again, as Client.reload does."""
        return await self._take(self._reloading(document, format, options))

    async def download(
        self,
        document: Document,
        keys: Keys,
        path: str | Path,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        *,
        resume: bool = True,
        **options: Unpack[CallOptions],
    ) -> Download:
        """Write the link's response to a file, as Client.download does."""
        arguments = (path, params, validate, overrides, resume, options)
        return await self._take(self._downloading(document, keys, *arguments))

    def operations(self, document: Document) -> Operations:
        """Return the operations of a document, each callable: ``[key][key](params)``.

        Stubs give them types; for all else they are what ``action``, ``pages`` and ``stream`` do.
        """
        return Operations(self, document)

    def pages(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        *,
        pagination: Pagination | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncPages[Any]:
        """Iterate over the items of all pages of a list with ``async for``, like Client.pages."""
        start = self._paging(document, keys, params, validate, overrides, pagination, options)
        return AsyncPages(start, self._take)

    apages = pages

    def stream(
        self,
        document: Document,
        keys: Keys,
        params: Mapping[str, Any] | None = None,
        validate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        *,
        format: str | None = None,
        max_item: int = MAX_ITEM,
        reconnect: bool = True,
        last_event_id: str = "",
        **options: Unpack[CallOptions],
    ) -> AsyncStream[Any]:
        """Iterate over the items of a stream with ``async for``, like Client.stream.

        ``async with`` and ``aclose`` close the connection, as does cancelling the task.
        """
        how = StreamOptions(format, max_item, reconnect, last_event_id)
        start = self._streaming(document, keys, params, validate, overrides, how, options)
        return AsyncStream(start, self._take)

    async def close(self) -> None:
        """Close all connections."""
        for transport in self.transports:
            close = getattr(transport, "close", None)
            if close is not None:
                await close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _take(self, call: Call[Outcome]) -> Outcome:
        return await _take_steps(call, self._send)

    async def _send(self, request: Request) -> AsyncResponse:
        response: AsyncResponse = await self._transport(request).send(request)
        return response


async def _take_steps(
    call: Call[Outcome], send: Callable[[Request], Awaitable[AsyncResponse]]
) -> Outcome:
    """Run the steps of a call, like ``take_steps``, awaiting everything that waits."""
    shell = _Shell(send)
    try:
        step = next(call)
        while True:
            try:
                outcome = await shell.take(step)
            except Exception as error:
                step = call.throw(error)
            else:
                step = call.send(outcome)
    except StopIteration as stop:
        return stop.value
    finally:
        call.close()
        await shell.close_all()


class _Shell:
    def __init__(self, send: Callable[[Request], Awaitable[AsyncResponse]]) -> None:
        self._send = send
        self._open: list[Any] = []

    async def take(self, step: Step) -> Any:
        match step:
            case Request():
                self._open.append(await self._send(step))
                return self._open[-1]
            case Receive():
                await self._receive(step)
            case Close(response):
                await self._close(response)
            case Keep(response):
                self._forget(response)
            case Wait(seconds):
                await anyio.sleep(seconds)
            case Work(function, arguments):
                return await anyio.to_thread.run_sync(function, *arguments)
            case Invoke(function, arguments):
                outcome = function(*arguments)
                return await outcome if isawaitable(outcome) else outcome
        return None

    async def _receive(self, step: Receive) -> None:
        async with aclosing(chunks_of(step.response.body)) as chunks:
            async for chunk in chunks:
                if step.blocks:
                    await anyio.to_thread.run_sync(step.write, chunk)
                else:
                    step.write(chunk)
                if step.report:
                    step.report(chunk)
        await self._close(step.response)

    async def _close(self, response: Any) -> None:
        await response.close()
        self._forget(response)

    def _forget(self, response: Any) -> None:
        self._open = [each for each in self._open if each is not response]

    async def close_all(self) -> None:
        """Close everything that is open, even while the task is being cancelled."""
        if self._open:
            with anyio.CancelScope(shield=True):
                for response in self._open:
                    await response.close()
