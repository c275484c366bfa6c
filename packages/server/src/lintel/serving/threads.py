"""The thread of a request on an event loop: started when something blocking runs first.

asgiref runs what blocks in one thread per request, which Django's handler starts for every request.
No other request gets this thread, so nothing that it holds meets the next one.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import AsyncToSync, SyncToAsync, ThreadSensitiveContext, sync_to_async
from django.conf import settings

from lintel.serving.connections import forget, opened

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")


def is_inside_another() -> bool:
    """Return whether a caller has already said in which thread things block."""
    return (
        SyncToAsync.thread_sensitive_context.get(None) is not None
        or getattr(AsyncToSync.executors, "current", None) is not None
    )


class RequestThread(Executor):
    """Runs what blocks in one request, and says what that leaves behind."""

    def __init__(self) -> None:
        self._worker: ThreadPoolExecutor | None = None
        #: Whether the thread has connections to databases, or may have.
        self.has_connections = False
        self._context: Any = ThreadSensitiveContext()

    def submit(
        self, function: Callable[ParametersT, ResultT], /, *args: Any, **kwargs: Any
    ) -> Future[ResultT]:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lintel-request")
        self.has_connections = True
        if settings.DEBUG:
            # Tracebacks are those that developers know.
            return self._worker.submit(function, *args, **kwargs)
        return self._worker.submit(self._run, function, args, kwargs)

    def _run(
        self, function: Callable[..., ResultT], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> ResultT:
        try:
            return function(*args, **kwargs)
        finally:
            self.has_connections = bool(opened())

    async def __aenter__(self) -> "RequestThread":
        await self._context.__aenter__()
        SyncToAsync.context_to_thread_executor[self._context] = self
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if self.has_connections:
                await self.end(_do_nothing)
        finally:
            # Otherwise asgiref would wait for its end, in one more thread.
            SyncToAsync.context_to_thread_executor.pop(self._context, None)
            await self._context.__aexit__(kind, error, traceback)
            if self._worker is not None:
                self._worker.shutdown(wait=False)

    async def end(self, function: Callable[[], object]) -> None:
        """Call a function in this thread, and close what the request has left open there."""
        await sync_to_async(self._end)(function)

    def _end(self, function: Callable[[], object]) -> None:
        try:
            function()
        finally:
            forget()
            self.has_connections = False


def _do_nothing() -> None: ...
