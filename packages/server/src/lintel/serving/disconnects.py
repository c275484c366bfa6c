"""Runs a coroutine until it ends or the client goes away.

Nobody listens for the client before the coroutine waits for something for the first time: one that
never waits costs neither a task nor a turn of the event loop.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Generator
from contextvars import copy_context
from typing import Any, Generic, TypeVar

import django
from django.core.exceptions import RequestAborted

ResultT = TypeVar("ResultT")

#: Raises RequestAborted when the client has gone; returns never.
Listen = Callable[[], Coroutine[Any, Any, object]]


async def until_disconnect(coroutine: Coroutine[Any, Any, ResultT], listen: Listen) -> bool:
    """Run a coroutine; return whether it ended, and was not cancelled because the client has gone.

    Raises what the coroutine and ``listen`` raise.
    """
    begun = _Begun(coroutine)
    if begun.has_ended:
        return True
    watch = _Watch(listen)
    try:
        await begun
    except asyncio.CancelledError:
        if not watch.is_cause():
            raise
        return False
    finally:
        await watch.stop()
    return True


def _run_here(function: Callable[[Any], ResultT], argument: object) -> ResultT:
    return function(argument)


class _Begun(Generic[ResultT]):
    """A coroutine that has run until it waited for something, or to its end.

    Up to 6.0, Django runs it as a task, with a context of its own; since 6.1 in that of the caller,
    so that ``request_finished`` sees what the view has set.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, ResultT]) -> None:
        self._coroutine = coroutine
        self._run: Any = copy_context().run if django.VERSION < (6, 1) else _run_here
        self.has_ended = False
        try:
            self._awaited = self._run(coroutine.send, None)
        except StopIteration:
            self.has_ended = True

    def __await__(self) -> Generator[Any, Any, ResultT]:
        """Run on from there."""
        advance: Callable[[Any], Any]
        while True:
            advance, given = self._coroutine.send, None
            try:
                given = yield self._awaited
            except BaseException as error:
                if error.__traceback__ is not None:
                    # Tracebacks show what waited, not this line.
                    error.__traceback__ = error.__traceback__.tb_next
                advance, given = self._coroutine.throw, error
            try:
                self._awaited = self._run(advance, given)
            except StopIteration as end:
                result: ResultT = end.value
                return result
            finally:
                # An error and the frame that holds it would keep each other.
                given = None


class _Watch:
    """Cancels the current task when the client goes away."""

    def __init__(self, listen: Listen) -> None:
        self._target = asyncio.current_task()
        self._has_cancelled = False
        self._is_over = False
        self._listening = asyncio.ensure_future(listen())
        self._listening.add_done_callback(self._cancel)

    def _cancel(self, _: object) -> None:
        if not self._is_over and self._target is not None:
            self._has_cancelled = True
            self._target.cancel()

    def is_cause(self) -> bool:
        """Return whether nobody else has cancelled the task."""
        target = self._target
        return self._has_cancelled and target is not None and target.cancelling() == 1

    async def stop(self) -> None:
        """End listening; raise what went wrong with it."""
        self._is_over = True
        if self._has_cancelled and self._target is not None:
            self._target.uncancel()
        self._listening.cancel()
        with contextlib.suppress(asyncio.CancelledError, RequestAborted):
            await self._listening
