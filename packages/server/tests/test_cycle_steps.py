import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from lintel.cycle.steps import (
    Step,
    Steps,
    blocking,
    complete,
    has_async_variant,
    hook_steps,
    in_steps,
    is_async,
    is_prompt,
    prompt,
    prompt_when,
    run_hook,
    run_steps,
)


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
            answers.append((yield Step(hooks, name)))
        return answers

    async def main() -> list[str]:
        return await run_steps(chain())

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
                yield Step(Failing(), name)
            except ValueError as error:
                caught.append(str(error))
        return caught

    async def main() -> list[str]:
        return await run_steps(chain())

    assert asyncio.run(main()) == ["here", "there"]


def test_an_error_that_the_chain_does_not_know_is_raised() -> None:
    def chain() -> Steps[None]:
        yield blocking(int, "x")

    async def main() -> None:
        await run_steps(chain())

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


def test_hook_steps_expand_only_what_nobody_overrides() -> None:
    class Base(Hooks):
        @in_steps("_steps")
        def work(self) -> None: ...

        @in_steps("_steps")
        async def awork(self) -> None: ...

        def _steps(self) -> Steps[str]:
            yield Step(self, "slow")
            return "expanded"

    class Own(Base):
        def work(self) -> Any:
            return "own"

    async def result(target: Any) -> Any:
        return await run_steps(hook_steps(target, "work"))

    assert asyncio.run(result(Base())) == "expanded"
    assert asyncio.run(result(Own())) == "own"


def test_complete_runs_a_coroutine_in_a_sync_chain() -> None:
    assert complete(Hooks().quick()) == "quick"
    assert complete("plain") == "plain"


def test_run_hook_calls_each_kind_of_hook() -> None:
    async def main() -> list[Any]:
        hooks = Hooks()
        return [await run_hook(hooks, name) for name in ("slow", "quick", "instant", "twofold")]

    assert async_to_sync(main)() == ["slow", "quick", "instant", "atwofold"]
