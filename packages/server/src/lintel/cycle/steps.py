"""Steps: calls of hooks that may be ``def`` or ``async def``, and the two drivers that run them.

Everything with an order is a chain, a generator of steps. :func:`arun` drives it on the event loop.
Without a loop each step is a call: most chains have a plain function generated for that
(:mod:`lintel.cycle.chains`), and :func:`run` drives those that have none. On the loop a step is one
of

* *async*: a coroutine function, or a hook whose async variant applies,
* *prompt*: marked with :func:`~lintel.marks.prompt`; it never blocks and runs where it is called,
* *blocking*: anything else; it runs in the thread that Django keeps for blocking code.

The async variant of a hook ``name`` is ``aname``. It applies if it is defined at or below the hook
in the class tree: for a subclass that overrides only ``name``, ``name`` is called, in a thread.

On the loop, hooks of ours that nobody has replaced are expanded, so that their steps join the
chain. Each call uses whatever the class or the instance has at that time. Marks name the
function they were made for, so a copy, as made by ``functools.wraps``, does not count.
"""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial, update_wrapper
from inspect import CO_COROUTINE
from types import CoroutineType, FunctionType, MethodType
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async

from lintel.annotations import HookResult
from lintel.marks import Marker, prompt, promptness
from lintel.overrides import is_ours, looks_up_plainly

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")

#: One call: its target, the name of the hook (None: the target itself), arguments, keywords.
Step: TypeAlias = tuple[Any, str | None, tuple[object, ...], dict[str, object]]

#: A chain: yields steps, is sent the result of each, returns its own.
Steps = Generator[Step, HookResult, ResultT]


def hook(target: object, name: str, /, *args: object, **kwargs: object) -> Step:
    return target, name, args, kwargs


def blocking(function: Callable[..., object], /, *args: object, **kwargs: object) -> Step:
    """Return the step of a function, which blocks unless it is a coroutine function or prompt."""
    return function, None, args, kwargs


#: What a hook of ours does: its chain, and its async form if it has one.
_IN_STEPS: Marker[tuple[Callable[..., Steps[object]], object]] = Marker("_lintel_in_steps")


def in_steps(
    steps: Callable[..., Steps[object]], hook: Callable[..., object], variant: object = None
) -> None:
    """Declare that both forms of a hook of ours, or its only one, do the same as ``steps``."""
    _IN_STEPS.put(hook, (steps, variant))


def on_the_loop(
    steps: Callable[ParametersT, Steps[ResultT]], hook: Callable[..., object]
) -> Callable[ParametersT, Coroutine[object, object, ResultT]]:
    """Return the async variant of a hook of ours; declare that both do the same as ``steps``."""

    def variant(
        *args: ParametersT.args, **kwargs: ParametersT.kwargs
    ) -> Coroutine[object, object, ResultT]:
        return arun(steps(*args, **kwargs))

    update_wrapper(variant, hook, updated=())
    variant.__name__ = f"a{hook.__name__}"
    in_steps(steps, hook, variant)
    return variant


# Kinds of steps

#: Attributes of a function that say nothing about whether its result is awaited.
_SILENT = frozenset([_IN_STEPS.name, *vars(prompt(lambda: None))])


def is_coroutine_function(function: object) -> bool:
    """Answer as ``iscoroutinefunction()`` of asgiref; without its search for marks, if possible."""
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and _SILENT.issuperset(plain.__dict__):
        return bool(plain.__code__.co_flags & CO_COROUTINE)
    return bool(iscoroutinefunction(function))


def _variant(target: object, name: str) -> Callable[..., HookResult] | None:
    variant = getattr(target, f"a{name}", None)
    if variant is None:
        return None
    held = getattr(target, "__dict__", ())
    if name in held or f"a{name}" in held:
        return variant if f"a{name}" in held else None
    hook_is_ours, variant_is_ours = _whose_forms(target, name)
    if hook_is_ours is not variant_is_ours:
        # One of the two has been replaced, maybe in the class that defines both.
        return None if variant_is_ours else variant
    return variant if has_async_variant(type(target), name) else None


def _whose_forms(target: object, name: str) -> tuple[bool, bool]:
    """Return whether the hook of a name is ours, and whether its async variant is."""
    hook, variant = [is_ours(getattr(target, form, None)) for form in (name, f"a{name}")]
    return hook, variant


def has_async_variant(owner: type, name: str) -> bool:
    variant = f"a{name}"
    for base in owner.__mro__:
        if variant in vars(base):
            return True
        if name in vars(base):
            return False
    return False


def async_form(target: object, name: str) -> Callable[..., HookResult] | None:
    """Return what to await for a hook that needs no thread, else None."""
    # An object that delegates its hook names the others in ``hook_parts``: one of them decides.
    parts = getattr(target, "hook_parts", None)
    if parts is not None and not any(is_async(part, name) for part in parts):
        return None
    variant = _variant(target, name)
    if variant is not None:
        return variant
    hook = getattr(target, name, None)
    return hook if is_coroutine_function(hook) else None


def is_async(target: object, name: str) -> bool:
    return async_form(target, name) is not None


def is_left_to_us(target: object, name: str) -> bool:
    """Return whether a target has our hook of a name, in both of its forms."""
    return all(_whose_forms(target, name))


def called(target: object, name: str, *args: object) -> HookResult:
    """Call a hook without a loop: its async form, if only that is the project's."""
    form = async_form(target, name)
    function = getattr(target, name) if form is None or is_ours(form) else form
    return complete(function(*args))


def is_prompt(target: object, name: str | None, *args: object) -> bool:
    parts = getattr(target, "hook_parts", None)
    if parts is not None:
        return all(is_prompt(part, name, *args) for part in parts)
    hook = target if name is None else getattr(target, name, None)
    condition = promptness(hook)
    if condition is None:
        return False
    return bool(condition(*args) if name is None else condition(target, *args))


def may_be_prompt(target: object, name: str) -> bool:
    return promptness(getattr(target, name, None)) is not None


def class_is_async(owner: object, *names: str) -> bool:
    """Also asks the parts of a combination of permissions."""
    parts = [getattr(owner, name, None) for name in ("op1_class", "op2_class")]
    if any(part is not None and class_is_async(part, *names) for part in parts):
        return True
    return any(iscoroutinefunction(getattr(owner, name, None)) for name in names)


def _chain_of(step: Step) -> Steps[object] | None:
    """Return the single steps of a hook of ours; None if either form has been replaced by now."""
    target, name, args, kwargs = step
    cls = type(target)
    declared = None if name is None else _IN_STEPS.of(getattr(cls, name, None))
    if declared is None or not looks_up_plainly(cls):
        return None
    steps, variant = declared
    held, is_replaced = target.__dict__, getattr(cls, f"a{name}", None) is not variant
    if is_replaced or name in held or f"a{name}" in held:
        return None
    return steps(target, *args, **kwargs)


def _apart(steps: Steps[ResultT]) -> Steps[ResultT]:
    """Expand hooks of ours, so that their blocking steps share a switch to the thread."""
    resume, value = steps.send, None
    try:
        while True:
            step = resume(value)
            inner = _chain_of(step)
            try:
                value = (yield step) if inner is None else (yield from _apart(inner))
                resume = steps.send
            except Exception as error:
                resume, value = steps.throw, error
    except StopIteration as stop:
        return stop.value
    finally:
        steps.close()


# Without an event loop


def complete(value: HookResult) -> HookResult:
    """Return the result of a hook called from a sync chain; run it if it is a coroutine."""
    if type(value) is CoroutineType:
        return async_to_sync(_await)(value)
    return value


async def _await(value: Awaitable[ResultT]) -> ResultT:
    return await value


def run(steps: Steps[ResultT]) -> ResultT:
    """Run a chain that has no generated function without an event loop; call each hook."""
    send = steps.send
    try:
        step = send(None)
        while True:
            target, name, args, kwargs = step
            try:
                function = target if name is None else getattr(target, name)
                answer = function(*args, **kwargs) if kwargs else function(*args)
                if type(answer) is CoroutineType:
                    answer = complete(answer)
            except Exception as error:
                step = steps.throw(error)
            else:
                step = send(answer)
    except StopIteration as stop:
        return stop.value


# On the event loop


class _Finished(NamedTuple):
    result: HookResult


class _Waiting(NamedTuple):
    """A hook that was called in the thread returned an awaitable."""

    coroutine: Coroutine[object, object, object]


_State = Step | _Finished | _Waiting


async def arun(steps: Steps[ResultT]) -> ResultT:
    """Run a chain on the event loop; consecutive blocking steps share one switch to the thread."""
    steps = _apart(steps)
    state: _State = _advance(steps.send, None)
    while not isinstance(state, _Finished):
        if isinstance(state, _Waiting):
            state = await _answer_async(steps, partial(_await, state.coroutine))
        elif (function := _async_call(state)) is not None:
            state = await _answer_async(steps, function)
        elif is_prompt(state[0], state[1], *state[2]):
            state = _answer(steps, state)
        else:
            state = await sync_to_async(_answer_while_sync, thread_sensitive=True)(steps, state)
    return state.result


def _advance(resume: Callable[[HookResult], Step], value: object) -> Step | _Finished:
    try:
        return resume(value)
    except StopIteration as stop:
        return _Finished(stop.value)


def _async_call(step: Step) -> Callable[[], Awaitable[object]] | None:
    target, name, args, kwargs = step
    if name is not None:
        function = async_form(target, name)
    else:
        function = target if is_coroutine_function(target) else None
    return None if function is None else partial(function, *args, **kwargs)


async def _answer_async(steps: Steps[object], call: Callable[[], Awaitable[object]]) -> _State:
    try:
        answer = await call()
    except Exception as error:
        return _advance(steps.throw, error)
    return _advance(steps.send, answer)


def _answer(steps: Steps[object], step: Step) -> _State:
    target, name, args, kwargs = step
    try:
        answer = (target if name is None else getattr(target, name))(*args, **kwargs)
    except Exception as error:
        return _advance(steps.throw, error)
    return _Waiting(answer) if type(answer) is CoroutineType else _advance(steps.send, answer)


def _answer_while_sync(steps: Steps[object], step: Step) -> _State:
    state: _State = step
    while not isinstance(state, _Finished | _Waiting) and _async_call(state) is None:
        state = _answer(steps, state)
    return state


async def run_hook(target: object, name: str, /, *args: object, **kwargs: object) -> HookResult:
    """Call a hook where a chain would; the most usual one, which is prompt, without a chain."""
    step = hook(target, name, *args, **kwargs)
    is_single = _IN_STEPS.of(getattr(type(target), name, None)) is None
    if not is_single or _async_call(step) is not None or not is_prompt(target, name, *args):
        return await arun(_one_step(step))
    answer = getattr(target, name)(*args, **kwargs)
    return (await answer) if type(answer) is CoroutineType else answer


def _one_step(step: Step) -> Steps[object]:
    return (yield step)


class Awaited:
    """The async form of a property: ``await owner.aname``, which starts nothing before."""

    def __init__(self, function: Callable[[], Coroutine[object, object, HookResult]]) -> None:
        self._function = function

    def __call__(self) -> Coroutine[object, object, HookResult]:
        return self._function()

    def __await__(self) -> Generator[object, None, HookResult]:
        return self._function().__await__()
