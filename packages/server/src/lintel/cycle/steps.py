"""Hooks that may be ``def`` or ``async def``, called from both kinds of chain.

A hook ``name`` may have an async variant ``aname`` beside it. The variant counts only where it
stands at or below the hook in the class tree: a subclass that overrides ``name`` alone is asked
for ``name``, in a thread. In a chain that runs on the event loop a hook is therefore one of

* *async*: it is a coroutine function, or has an async variant that counts,
* *prompt*: marked with :func:`prompt`, it never blocks and runs where it is called,
* *blocking*: anything else; it runs in the thread that Django keeps for blocking code.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, NamedTuple, TypeVar

from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async

ResultT = TypeVar("ResultT")
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def prompt(function: FunctionT) -> FunctionT:
    """Mark a function that neither waits nor queries, so that it may run on the event loop."""
    function.runs_promptly = True  # type: ignore[attr-defined]
    return function


def prompt_when(condition: Callable[..., bool]) -> Callable[[FunctionT], FunctionT]:
    """Mark a method that does not block where ``condition(self, *arguments)`` holds."""

    def mark(function: FunctionT) -> FunctionT:
        function.runs_promptly = condition  # type: ignore[attr-defined]
        return function

    return mark


def _class(target: Any) -> Any:
    return type(target)


def in_steps(name: str) -> Callable[[FunctionT], FunctionT]:
    """Mark both forms of a hook of ours with the method that does the same in single steps."""

    def mark(function: FunctionT) -> FunctionT:
        function.steps_name = name  # type: ignore[attr-defined]
        return function

    return mark


@functools.lru_cache(maxsize=4096)
def has_async_variant(owner: Any, name: str) -> bool:
    """Whether the async variant of the hook ``name`` counts for this class."""
    variant = f"a{name}"
    for each in owner.__mro__:
        if variant in vars(each):
            return True
        if name in vars(each):
            return False
    return False


def is_async(target: Any, name: str) -> bool:
    """Whether the hook ``name`` of an object runs on the event loop without a thread.

    An object that hands its hook on to others names them in ``hook_parts`` and is async where one
    of them is.
    """
    parts = getattr(target, "hook_parts", None)
    if parts is not None:
        return any(is_async(part, name) for part in parts)
    if has_async_variant(_class(target), name) and name not in getattr(target, "__dict__", ()):
        return True
    return iscoroutinefunction(getattr(target, name, None))


def async_form(target: Any, name: str) -> Callable[..., Awaitable[Any]]:
    """What to await for a hook that :func:`is_async`: its async variant, or the hook itself."""
    if has_async_variant(_class(target), name):
        return getattr(target, f"a{name}")
    return getattr(target, name)


def is_prompt(target: Any, name: str, *args: Any) -> bool:
    """Whether the hook ``name`` of an object does not block, called with these arguments."""
    parts = getattr(target, "hook_parts", None)
    if parts is not None:
        return all(is_prompt(part, name, *args) for part in parts)
    mark = getattr(getattr(target, name, None), "runs_promptly", False)
    return mark(target, *args) if callable(mark) else bool(mark)


def class_is_async(owner: object, *names: str) -> bool:
    """Whether a class, or a part of a combination of classes, has one of these hooks async."""
    parts = [getattr(owner, name, None) for name in ("op1_class", "op2_class")]
    if any(part is not None and class_is_async(part, *names) for part in parts):
        return True
    return any(iscoroutinefunction(getattr(owner, name, None)) for name in names)


def complete(value: Any) -> Any:
    """The value of a hook that was called from a sync chain: what is awaitable is run first."""
    if inspect.iscoroutine(value):
        return async_to_sync(_await)(value)
    return value


async def _await(value: Awaitable[ResultT]) -> ResultT:
    return await value


class Step(NamedTuple):
    """One call of a hook that a chain of steps asks for."""

    target: Any
    name: str
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}

    @property
    def runs_async(self) -> bool:
        return is_async(self.target, self.name)

    @property
    def runs_promptly(self) -> bool:
        return is_prompt(self.target, self.name, *self.arguments)

    def call(self) -> Any:
        """Call the hook in its sync form."""
        return getattr(self.target, self.name)(*self.arguments, **self.keywords)

    async def acall(self) -> Any:
        """Call the hook in its async form."""
        return await async_form(self.target, self.name)(*self.arguments, **self.keywords)


class _Call(NamedTuple):
    function: Callable[..., Any]

    def run(self, *args: Any) -> Any:
        return self.function(*args)


def blocking(function: Callable[..., Any], *args: Any) -> Step:
    """The step of a plain function that may block."""
    return Step(_Call(function), "run", args)


#: A chain: yields the steps, is sent what each one answered, returns its result.
Steps = Generator[Step, Any, ResultT]


def hook_steps(target: Any, name: str, *args: Any, **kwargs: Any) -> Steps[Any]:
    """The single steps of a hook of ours, or the whole hook where a class overrides a form of it.

    Single steps let the blocking ones of several hooks share a visit to the thread.
    """
    steps_name = _common_steps(_class(target), name)
    if steps_name is None or name in vars(target):
        return (yield Step(target, name, args, kwargs))
    return (yield from getattr(target, steps_name)(*args, **kwargs))


@functools.lru_cache(maxsize=4096)
def _common_steps(owner: Any, name: str) -> str | None:
    """The mark of :func:`in_steps` that both forms of a hook carry."""
    forms = (getattr(owner, each, None) for each in (name, f"a{name}"))
    marks = {getattr(form, "steps_name", None) for form in forms}
    return marks.pop() if len(marks) == 1 else None


class Awaited:
    """The async form of a property: ``await owner.aname``, or ``await owner.aname()``.

    The function is called when it is awaited, so looking at the attribute starts nothing.
    """

    def __init__(self, function: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._function = function

    def __call__(self) -> Coroutine[Any, Any, Any]:
        return self._function()

    def __await__(self) -> Generator[Any, None, Any]:
        return self._function().__await__()


class _Finished(NamedTuple):
    result: Any


async def run_steps(steps: Steps[ResultT]) -> ResultT:
    """Run a chain on the event loop.

    Blocking steps that follow each other, with prompt ones between them, share one visit to the
    thread; a chain of async and prompt steps makes none.
    """
    state = _advance(steps, None)
    while not isinstance(state, _Finished):
        if state.runs_async:
            state = await _answer_async(steps, state)
        elif state.runs_promptly:
            state = _answer(steps, state)
        else:
            state = await sync_to_async(_answer_while_sync, thread_sensitive=True)(steps, state)
    return state.result


def _advance(steps: Steps[Any], answer: Any) -> Step | _Finished:
    try:
        return steps.send(answer)
    except StopIteration as stop:
        return _Finished(stop.value)


def _fail(steps: Steps[Any], error: Exception) -> Step | _Finished:
    try:
        return steps.throw(error)
    except StopIteration as stop:
        return _Finished(stop.value)


def _answer(steps: Steps[Any], step: Step) -> Step | _Finished:
    try:
        answer = step.call()
    except Exception as error:
        return _fail(steps, error)
    return _advance(steps, answer)


async def _answer_async(steps: Steps[Any], step: Step) -> Step | _Finished:
    try:
        answer = await step.acall()
    except Exception as error:
        return _fail(steps, error)
    return _advance(steps, answer)


def _answer_while_sync(steps: Steps[Any], step: Step) -> Step | _Finished:
    state: Step | _Finished = step
    while isinstance(state, Step) and not state.runs_async:
        state = _answer(steps, state)
    return state


async def run_hook(target: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Call one hook from the event loop, wherever it belongs."""
    if is_async(target, name):
        return await async_form(target, name)(*args, **kwargs)
    if is_prompt(target, name, *args):
        return getattr(target, name)(*args, **kwargs)
    return await run_callable(getattr(target, name), *args, **kwargs)


async def run_callable(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function from the event loop, wherever it belongs."""
    if iscoroutinefunction(function):
        return await function(*args, **kwargs)
    if getattr(function, "runs_promptly", False):
        return function(*args, **kwargs)
    value = await sync_to_async(function, thread_sensitive=True)(*args, **kwargs)
    return await value if isinstance(value, Coroutine) else value
