"""The steps of a call, and the loop that runs them one after the other.

A call is a generator: it yields steps and is sent the result of each step, or thrown
its error. It does no input or output of its own, so the same generators serve Client, which
runs them with ``take_steps`` below, and AsyncClient, which has an asynchronous loop.
"""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from threading import Event
from typing import Any, TypeVar

from lintel_client.messages import AsyncResponse, Collected, Request, Response

__all__ = [
    "AnyResponse",
    "Call",
    "Close",
    "Invoke",
    "Keep",
    "Receive",
    "Step",
    "Wait",
    "Work",
    "take_steps",
]

AnyResponse = Response | AsyncResponse


@dataclass(frozen=True, slots=True)
class Receive:
    """Pass the body of a response to ``write``, chunk by chunk, and close the response.

    ``blocks`` says that writing may block, as it does on files. ``report`` is called after
    each chunk was written.
    """

    response: AnyResponse
    write: Callable[[bytes], object]
    report: Callable[[bytes], object] | None = None
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Close:
    """Close a response whose body is not needed."""

    response: AnyResponse


@dataclass(frozen=True, slots=True)
class Keep:
    """Leave a response open after the call, for its caller to read and to close."""

    response: AnyResponse


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait some seconds, or until an event is set; a task on an event loop is cancelled instead."""

    seconds: float
    until: Event | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """Call a function that keeps a thread busy: it reads or writes files, or parses large content.

    Its result is what the function returns. An asynchronous client runs it in a thread.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Invoke:
    """Call a function of the user, which may be asynchronous for an asynchronous client."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


# A request is the step that sends it; its result is a response with the body unread.
Step = Request | Receive | Close | Keep | Wait | Work | Invoke

Outcome = TypeVar("Outcome")
Call = Generator[Step, Any, Outcome]


def read_body(response: AnyResponse, limit: int) -> Call[bytes]:
    """Return the whole body of a response. Raises NetworkError beyond ``limit`` bytes."""
    collected = Collected(limit, response.url)
    yield Receive(response, collected.write)
    return collected.content()


def take_steps(call: Call[Outcome], send: Callable[[Request], Response] | None = None) -> Outcome:
    """Run the steps of a call and return its result; no response stays open.

    Errors of steps are thrown into the call, which may continue after them.
    """
    shell = _Shell(send)
    try:
        step = next(call)
        while True:
            try:
                outcome = shell.take(step)
            except Exception as error:
                step = call.throw(error)
            else:
                step = call.send(outcome)
    except StopIteration as stop:
        return stop.value
    finally:
        call.close()
        shell.close_all()


class _Shell:
    def __init__(self, send: Callable[[Request], Response] | None) -> None:
        self._send = send
        self._open: list[Any] = []

    def take(self, step: Step) -> Any:
        match step:
            case Request() if self._send:
                self._open.append(self._send(step))
                return self._open[-1]
            case Receive():
                self._receive(step)
            case Close(response):
                self._close(response)
            case Keep(response):
                self._forget(response)
            case Wait(seconds, None):
                time.sleep(seconds)
            case Wait(seconds, Event() as until):
                until.wait(seconds)
            case Work(function, arguments) | Invoke(function, arguments):
                return function(*arguments)
        return None

    def _receive(self, step: Receive) -> None:
        response: Any = step.response
        try:
            for chunk in response.body:
                step.write(chunk)
                if step.report:
                    step.report(chunk)
        finally:
            self._close(response)

    def _close(self, response: Any) -> None:
        self._forget(response)
        response.close()

    def _forget(self, response: Any) -> None:
        self._open = [each for each in self._open if each is not response]

    def close_all(self) -> None:
        for response in self._open:
            response.close()
