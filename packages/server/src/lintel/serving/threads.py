"""The thread of a request on an event loop: taken when something blocking runs first, and reused.

asgiref runs what blocks in one thread per request, which Django's handler starts and ends with the
request. Here the thread of an earlier request is taken; what that one left open is closed.
"""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import AsyncToSync, SyncToAsync, ThreadSensitiveContext, sync_to_async
from django.conf import settings

from lintel.serving.connections import forget, opened

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")

#: How many threads wait for requests; further ones end with theirs.
MOST_IDLE = 64

_idle: deque[ThreadPoolExecutor] = deque()
if hasattr(os, "register_at_fork"):
    # Threads do not survive in a child process.
    os.register_at_fork(after_in_child=_idle.clear)


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
        #: Whether middleware has had its chance to take back what it has put into the thread.
        self.may_serve_again = True
        self._context: Any = ThreadSensitiveContext()

    def submit(
        self, function: Callable[ParametersT, ResultT], /, *args: Any, **kwargs: Any
    ) -> Future[ResultT]:
        if self._worker is None:
            self._worker = _waiting_worker()
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
            # Otherwise asgiref would end the thread.
            SyncToAsync.context_to_thread_executor.pop(self._context, None)
            await self._context.__aexit__(kind, error, traceback)
            if self._worker is not None:
                _give_back(self._worker, self.may_serve_again and error is None)

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


def _waiting_worker() -> ThreadPoolExecutor:
    try:
        return _idle.pop()
    except IndexError:
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="lintel-request")


def _give_back(worker: ThreadPoolExecutor, may_serve_again: bool) -> None:
    if may_serve_again and len(_idle) < MOST_IDLE:
        _idle.append(worker)
    else:
        worker.shutdown(wait=False)
