import inspect
import os
import re
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lintel import conditional, generics, mixins, permissions, request, streaming
from lintel.cycle import chains, policies
from lintel.cycle.chains import chain, driven, generated
from lintel.cycle.steps import Steps, blocking, hook

MODULES = (policies, generics, mixins, permissions, request, conditional, streaming)
CHAINS: dict[str, Any] = {
    f"{module.__name__}.{name}": found
    for module in MODULES
    for name, found in vars(module).items()
    if name.endswith("_steps") and hasattr(found, "run") and found.__module__ == module.__name__
}

only_generated = pytest.mark.skipif(
    os.environ.get("LINTEL_GENERATED_CHAINS") == "off", reason="generation is switched off"
)

#: Those hooks of the stand-ins that are coroutine functions.
ASYNC_HOOKS = ("allow_request", "get_object", "has_permission", "authenticate", "perform_create")


class Refusal(Exception):
    """What a hook of the stand-ins raises."""


class StandIn:
    """Any object of a request: each call on it is recorded, and ends as the script says."""

    def __init__(self, script: list[Any], calls: list[Any], name: str = "view") -> None:
        self.__dict__.update(script=script, calls=calls, name=name, kwargs={"pk": 1})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(self.script, self.calls, f"{self.name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append(
            (self.name, [*map(shown, args)], {k: shown(v) for k, v in kwargs.items()})
        )
        ending = self.script.pop() if self.script else "object"
        if ending == "refusal":
            raise Refusal(self.name)
        result = self if ending == "object" else ending
        return awaited(result) if self.name.rpartition(".")[2] in ASYNC_HOOKS else result

    def __repr__(self) -> str:
        return self.name

    def __iter__(self) -> Any:
        return iter([StandIn(self.script, self.calls, f"{self.name}[{i}]") for i in (0, 1)])


def shown(value: Any) -> str:
    return re.sub(r"0x[0-9a-f]+", "", repr(value))


async def awaited(value: Any) -> Any:
    return value


def outcome(function: Callable[..., Any], script: list[Any]) -> Any:
    """Return what a chain returns or raises, and all calls that it makes."""
    calls: list[Any] = []
    left = list(script)
    parameters = inspect.signature(function).parameters.values()
    arguments = [
        StandIn(left, calls, each.name)
        for each in parameters
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    try:
        ending = "returned", shown(function(*arguments))
    except Exception as error:
        ending = "raised", shown(error)
    return ending, calls


ENDINGS = st.sampled_from(["object", "refusal", None, True, False, 0, (), "text"])


def test_all_chains_that_run_without_a_loop_are_known_here() -> None:
    assert len(CHAINS) >= 16
    assert "lintel.cycle.policies.permission_steps" in CHAINS


@only_generated
@pytest.mark.parametrize("name", CHAINS)
def test_chains_are_generated(name: str) -> None:
    run = CHAINS[name].run
    assert not inspect.isgeneratorfunction(run)
    assert run.__code__.co_filename == CHAINS[name].__code__.co_filename
    assert run.__code__.co_firstlineno in range(
        CHAINS[name].__code__.co_firstlineno, CHAINS[name].__code__.co_firstlineno + 3
    )
    assert run.__globals__ is CHAINS[name].__globals__


@pytest.mark.parametrize("name", CHAINS)
@given(st.lists(ENDINGS, max_size=12))
@example([])
@example(["refusal"])
@example([(), True])
def test_generated_and_driven_chains_make_the_same_calls(name: str, script: list[Any]) -> None:
    one = CHAINS[name]
    assert outcome(one.run, script) == outcome(driven(one), script)


def test_chains_call_one_another() -> None:
    def call(view: Any) -> Any:
        return outer_steps.run(view, 2, more=3)

    class View:
        async def hook(self, *args: Any, **kwargs: Any) -> Any:
            return args, kwargs

    assert call(View()) == [((2,), {"more": 3}), 5]


@chain
def outer_steps(view: Any, number: int, /, **kwargs: Any) -> Steps[Any]:
    """Return what the inner chain returns."""
    found = yield from inner_steps(view, number, **kwargs)
    total = yield blocking(sum, [number, (yield blocking(len, "abc"))])
    return [found, total]


@chain
def inner_steps(view: Any, *args: Any, **kwargs: Any) -> Steps[Any]:
    """Return what the hook returns."""
    for name in ("hook",):
        return (yield hook(view, name, *args, **kwargs))


@chain
def sorting_steps(view: Any, *, by: Any = lambda found: -found) -> Steps[Any]:
    """Return what the hook returns, in an order."""
    return sorted((yield hook(view, "hook")), key=by)


def test_defaults_may_be_functions() -> None:
    class View:
        def hook(self) -> list[int]:
            return [2, 3, 1]

    assert sorting_steps.run(View()) == [3, 2, 1]
    assert sorting_steps.run(View(), by=None) == [1, 2, 3]


@chain
def careful_steps(view: Any, *, default: str = "nothing") -> Steps[Any]:
    """Return a default for hooks that fail."""
    try:
        return (yield hook(view, "fail"))
    except ValueError:
        return default
    finally:
        view.ends += 1


def test_exceptions_reach_the_handlers_of_the_chain() -> None:
    class View:
        ends = 0

        def fail(self) -> None:
            raise ValueError

    view = View()
    assert careful_steps.run(view) == "nothing"
    assert careful_steps.run(view, default="this") == "this"
    assert driven(careful_steps)(view) == "nothing"
    assert view.ends == 3


@only_generated
def test_tracebacks_show_the_line_of_the_chain() -> None:
    class View:
        def hook(self) -> None:
            raise Refusal

    with pytest.raises(Refusal) as caught:
        inner_steps.run(View())
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.name for frame in frames[1:]] == ["inner_steps", "hook"]
    assert frames[1].line == "return (yield hook(view, name, *args, **kwargs))"


def test_names_of_the_module_are_looked_up_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    view = StandIn([False], [], "view")
    view.__dict__["get_permissions"] = lambda: [StandIn([False], [], "permission")]
    denied: list[Any] = []
    monkeypatch.setattr(policies, "deny", lambda *arguments: denied.append(arguments))
    policies.permission_steps.run(view, "request")
    assert len(denied) == 1


def test_generation_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINTEL_GENERATED_CHAINS", "off")

    def some_steps(value: Any) -> Steps[Any]:
        return (yield blocking(str, value))

    assert chain(some_steps).run.__code__.co_name == "drive"
    assert chain(some_steps).run(3) == "3"


def test_chains_without_source_are_driven() -> None:
    namespace: dict[str, Any] = {"blocking": blocking}
    exec("def some_steps(value):\n    return (yield blocking(str, value))", namespace)
    assert generated(namespace["some_steps"]) is None
    assert chain(namespace["some_steps"]).run(3) == "3"


def test_a_source_that_has_changed_since_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ["@chain\n", "def another(value):\n", "    return value\n"]
    monkeypatch.setattr(chains.linecache, "getlines", lambda *arguments: text)
    assert generated(outer_steps) is None


def unusual_steps(view: Any) -> Any:
    yield view


def unusual_chain_steps(view: Any) -> Any:
    yield from view


@pytest.mark.parametrize(
    ("function", "advice"),
    [
        (unusual_steps, r"yield hook\(…\) or yield blocking\(…\)"),
        (unusual_chain_steps, r"yield from other_chain\(…\)"),
    ],
)
def test_other_yields_are_refused(function: Any, advice: str) -> None:
    line = function.__code__.co_firstlineno + 1
    where = rf"test_cycle_chains\.py, line {line}: {function.__name__}\(\)"
    with pytest.raises(TypeError, match=rf"{where} .* Write it as {advice}\.$"):
        generated(function)
