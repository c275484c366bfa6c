"""Decisions in bounded time, whatever a cache on another host does: hang, or take packets and stop.

A call beyond its deadline goes on in a thread, which ends with the call. While too many of them
hang, nobody asks any more: such a server would not answer the next one either. Calls that have time
left are as many as the requests that wait for them.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")

#: The most calls at a time that are beyond their deadlines.
MAX_HANGING = 32

#: The name of the threads of calls.
THREAD = "lintel-throttle"

_current = threading.local()
_hanging: set[Future[Any]] = set()

# Threads do not live on in a child process, so their calls do not count there.
os.register_at_fork(after_in_child=_hanging.clear)


class NoAnswer(TimeoutError):
    """A call that has not come back in time; it may still do what it was to do."""


@contextmanager
def bounded(seconds: float | None) -> Iterator[None]:
    """Let what this thread does until the end take at most these seconds; None for any time."""
    before = getattr(_current, "deadline", None)
    _current.deadline = None if seconds is None else time.monotonic() + seconds
    try:
        yield
    finally:
        _current.deadline = before


def seconds_left() -> float | None:
    """The seconds until the deadline of this thread, at least 0; None without one."""
    deadline = getattr(_current, "deadline", None)
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def timed(call: Callable[[], T], seconds: float) -> T:
    """Return what a call returns. Raises NoAnswer if it takes longer than these seconds."""
    return result_within(begun(call), seconds, "no answer within THROTTLE_TIMEOUT")


def begun(call: Callable[[], T], name: str = THREAD) -> Future[T]:
    """Start a call in a thread. Raises NoAnswer while too many others hang."""
    if len(_hanging) >= MAX_HANGING:
        raise NoAnswer(f"{MAX_HANGING} calls are waiting for an answer")
    future: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        try:
            future.set_result(context.run(call))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, name=name, daemon=True).start()
    return future


def result_within(future: Future[T], seconds: float, message: str) -> T:
    """Return the result. Raises NoAnswer with a message if it is not there in time."""
    wait([future], seconds)
    if future.done():
        return future.result()
    _hanging.add(future)
    future.add_done_callback(_hanging.discard)
    raise NoAnswer(message)
