import asyncio
import contextlib
import functools
import threading
import types
from typing import Any

import pytest
from asgiref.sync import async_to_sync, iscoroutinefunction, markcoroutinefunction

from lintel.cycle.steps import (
    Steps,
    arun,
    blocking,
    complete,
    has_async_variant,
    hook,
    in_steps,
    is_async,
    is_coroutine_function,
    is_prompt,
    run_hook,
)
from lintel.cycle.steps import run as run_chain
from lintel.marks import prompt, prompt_when


class Hooks:
    def __init__(self) -> None:
        self.threads: list[tuple[str, int]] = []

    def note(self, name: str) -> str:
        self.threads.append((name, threading.get_ident()))
        return name

    def slow(self) -> str:
        return self.note("slow")

    async def quick(self) -> str:
        await asyncio.sleep(0)
        return self.note("quick")

    @prompt
    def instant(self) -> str:
        return self.note("instant")

    @prompt_when(lambda self, flag: flag)
    def sometimes(self, flag: bool) -> str:
        return self.note("sometimes")

    def twofold(self) -> str:
        return self.note("twofold")

    async def atwofold(self) -> str:
        return self.note("atwofold")


class OnlySync(Hooks):
    def twofold(self) -> str:
        return self.note("own")


def run(hooks: Hooks, *names: str) -> tuple[list[str], int]:
    """Answers of the hooks, and the number of visits to another thread."""

    def chain() -> Steps[list[str]]:
        answers = []
        for name in names:
            answers.append((yield hooks, name, (), {}))
        return answers

    async def main() -> list[str]:
        return await arun(chain())

    answers = asyncio.run(main())
    home = threading.get_ident()
    visits = 0
    previous = home
    for _name, thread in hooks.threads:
        visits += thread != home and previous == home
        previous = thread
    return answers, visits


def test_async_and_prompt_hooks_stay_on_the_loop() -> None:
    assert run(Hooks(), "quick", "instant", "quick", "twofold") == (
        ["quick", "instant", "quick", "atwofold"],
        0,
    )


def test_blocking_hooks_share_one_visit_to_the_thread() -> None:
    assert run(Hooks(), "slow", "instant", "slow", "slow")[1] == 1


def test_an_async_hook_between_blocking_ones_parts_their_visits() -> None:
    answers, visits = run(Hooks(), "slow", "quick", "slow")
    assert (answers, visits) == (["slow", "quick", "slow"], 2)


def test_an_override_of_the_sync_form_alone_is_called() -> None:
    assert not has_async_variant(OnlySync, "twofold")
    assert run(OnlySync(), "twofold") == (["own"], 1)


def test_a_hook_set_on_the_instance_is_called() -> None:
    hooks = Hooks()
    hooks.twofold = lambda: "mine"  # type: ignore[method-assign]
    assert run(hooks, "twofold")[0] == ["mine"]


def test_promptness_may_depend_on_the_arguments() -> None:
    hooks = Hooks()
    assert is_prompt(hooks, "sometimes", True)
    assert not is_prompt(hooks, "sometimes", False)


def test_an_error_reaches_the_chain_from_the_thread_and_from_the_loop() -> None:
    class Failing:
        def here(self) -> None:
            raise ValueError("here")

        async def there(self) -> None:
            raise ValueError("there")

    def chain() -> Steps[list[str]]:
        caught = []
        for name in ("here", "there"):
            try:
                yield Failing(), name, (), {}
            except ValueError as error:
                caught.append(str(error))
        return caught

    async def main() -> list[str]:
        return await arun(chain())

    assert asyncio.run(main()) == ["here", "there"]


def test_an_error_that_the_chain_does_not_know_is_raised() -> None:
    def chain() -> Steps[None]:
        yield blocking(int, "x")

    async def main() -> None:
        await arun(chain())

    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(main())


def test_composed_hooks_are_as_async_as_their_parts() -> None:
    class Both:
        def __init__(self, *parts: Any) -> None:
            self.hook_parts = parts

        def quick(self) -> None: ...

        async def aquick(self) -> None: ...

    class Slow:
        def quick(self) -> None: ...

    assert is_async(Both(Slow(), Hooks()), "quick")
    assert not is_async(Both(Slow()), "quick")
    assert not is_prompt(Both(Slow()), "quick")


def expanding() -> Any:
    """A class with a hook in two forms, and the chain that stands for both."""

    def work_steps(target: Any) -> Steps[str]:
        yield target, "slow", (), {}
        return "expanded"

    class Base(Hooks):
        def work(self) -> Any:
            return "whole"

        async def awork(self) -> Any:
            return "awhole"

    in_steps(work_steps, Base.work, Base.awork)
    return Base


def worked(target: Any) -> tuple[Any, Any]:
    """What a chain gets of the hook without a loop, and on one."""

    def chain() -> Steps[Any]:
        return (yield hook(target, "work"))

    async def main() -> Any:
        return await arun(chain())

    return run_chain(chain()), asyncio.run(main())


def test_a_hook_that_nobody_replaces_is_taken_apart_on_the_loop() -> None:
    assert worked(expanding()()) == ("whole", "expanded")


def test_an_error_in_a_hook_that_was_taken_apart_reaches_the_chain_that_called_it() -> None:
    class Failing(Hooks):
        def work(self) -> Any: ...

        async def awork(self) -> Any: ...

        def fail(self) -> None:
            raise ValueError("inside")

    def work_steps(target: Any) -> Steps[str]:
        yield hook(target, "fail")
        return "not reached"

    in_steps(work_steps, Failing.work, Failing.awork)

    def chain() -> Steps[str]:
        try:
            yield hook(Failing(), "work")
        except ValueError as error:
            return str((yield hook(Failing(), "quick")) + f" after {error}")
        return "no error"

    async def main() -> str:
        return await arun(chain())

    assert asyncio.run(main()) == "quick after inside"


def test_closing_a_chain_closes_what_it_has_taken_apart() -> None:
    closed = []

    def work_steps(target: Any) -> Steps[None]:
        try:
            yield hook(target, "forever")
        finally:
            closed.append("inner")

    class Waiting(Hooks):
        def work(self) -> Any: ...

        async def awork(self) -> Any: ...

        async def forever(self) -> None:
            await asyncio.sleep(600)

    in_steps(work_steps, Waiting.work, Waiting.awork)

    def chain() -> Steps[None]:
        try:
            yield hook(Waiting(), "work")
        finally:
            closed.append("outer")

    async def main() -> None:
        task = asyncio.ensure_future(arun(chain()))
        await asyncio.sleep(0.01)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert closed == ["inner", "outer"]


def test_a_replaced_form_is_called() -> None:
    base = expanding()
    own = type("Own", (base,), {"work": lambda self: "own"})
    assert worked(own()) == ("own", "own")

    async def aown(self: Any) -> str:
        return "aown"

    assert worked(type("Own", (base,), {"awork": aown})()) == ("whole", "aown")
    assert worked(type("Own", (own,), {"awork": aown})()) == ("own", "aown")


def test_a_patch_counts_from_the_next_call_on(monkeypatch: pytest.MonkeyPatch) -> None:
    base = expanding()
    target = base()
    assert worked(target) == ("whole", "expanded")
    monkeypatch.setattr(base, "work", lambda self: "patched")
    assert worked(target) == ("patched", "awhole")
    monkeypatch.undo()
    target.work = lambda: "mine"
    assert worked(target) == ("mine", "mine")


def test_a_wrapper_that_copied_the_marks_is_called() -> None:
    base = expanding()

    @functools.wraps(base.work)
    def wrapper(self: Any) -> str:
        return "wrapped"

    assert worked(type("Own", (base,), {"work": wrapper})()) == ("wrapped", "wrapped")

    @functools.wraps(Hooks.instant)
    def slow(self: Any) -> None: ...

    assert is_prompt(Hooks(), "instant")
    assert not is_prompt(type("Own", (Hooks,), {"instant": slow})(), "instant")


def test_what_a_plain_hook_answers_is_awaited() -> None:
    """A ``def`` hook may hand on the coroutine of another method."""

    class Handing:
        def asked(self) -> Any:
            return self.later()

        @prompt
        def at_once(self) -> Any:
            return self.later()

        async def later(self) -> bool:
            return False

    def chain() -> Steps[list[Any]]:
        first = yield Handing(), "asked", (), {}
        second = yield Handing(), "at_once", (), {}
        return [first, second]

    async def main() -> Any:
        return await arun(chain())

    assert asyncio.run(main()) == [False, False]
    assert run_chain(chain()) == [False, False]


def test_complete_runs_a_coroutine_in_a_sync_chain() -> None:
    assert complete(Hooks().quick()) == "quick"
    assert complete("plain") == "plain"


class Odd(Hooks):
    @prompt
    def late(self) -> Any:
        """What the caller has to await, from a prompt hook."""
        return self.quick()

    @prompt
    def failing(self) -> None:
        raise LookupError("prompt")

    @prompt
    def stopping(self) -> None:
        raise StopIteration("prompt")

    @prompt
    def both(self) -> str:
        return self.note("both")

    async def aboth(self) -> str:
        return self.note("aboth")

    def chain(self, name: str) -> Steps[Any]:
        return (yield hook(self, name))


@pytest.mark.parametrize("name", ["late", "failing", "stopping", "both", "instant", "slow"])
def test_run_hook_does_what_a_chain_does(name: str) -> None:
    def outcome(call: Any) -> tuple[Any, list[tuple[str, bool]]]:
        hooks = Odd()
        try:
            result: Any = asyncio.run(call(hooks))
        except Exception as error:
            result = type(error), type(error.__cause__)
        here = threading.get_ident()
        return result, [(noted, thread == here) for noted, thread in hooks.threads]

    alone = outcome(lambda hooks: run_hook(hooks, name))
    assert alone == outcome(lambda hooks: arun(hooks.chain(name)))


def test_run_hook_calls_each_kind_of_hook() -> None:
    async def main() -> list[Any]:
        hooks = Hooks()
        return [await run_hook(hooks, name) for name in ("slow", "quick", "instant", "twofold")]

    assert async_to_sync(main)() == ["slow", "quick", "instant", "atwofold"]


async def awaited() -> None: ...


def plain() -> None: ...


@functools.wraps(awaited)
def wrapped() -> None: ...


@types.coroutine
def generated() -> Any:
    yield


async def yielding() -> Any:
    yield


class Callables:
    @staticmethod
    async def static() -> None: ...

    @classmethod
    async def of_class(cls) -> None: ...

    later = functools.partialmethod(awaited)
    at_once = functools.partialmethod(plain)
    held = types.MethodType(functools.partial(awaited), 1)

    async def __call__(self) -> None: ...


CALLABLES: list[Any] = [
    *(awaited, plain, wrapped, generated, yielding, lambda: awaited()),
    *(functools.partial(awaited), functools.partial(plain), functools.lru_cache(plain)),
    *(Callables.static, Callables.of_class, Callables().later, Callables().at_once),
    *(Callables.later, Callables.held, Callables(), Callables, len, "x".strip, None, object()),
    *(prompt(lambda: None), markcoroutinefunction(lambda: None), Hooks.instant, Hooks().instant),
    *(Hooks().quick, Hooks().slow, types.MethodType(Hooks().quick, 1)),
]


@pytest.mark.parametrize("function", CALLABLES)
def test_coroutine_functions_are_those_of_asgiref(function: Any) -> None:
    assert is_coroutine_function(function) is bool(iscoroutinefunction(function))


def test_marks_of_others_decide() -> None:
    def function() -> None: ...

    assert not is_coroutine_function(function)
    assert is_coroutine_function(markcoroutinefunction(prompt(function)))
