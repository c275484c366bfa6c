"""The parts of a request are observed where somebody observes, and nothing is changed before."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from lintel import mixins, phases
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, blocking, run
from lintel.response import Response

HERE = sys.modules[__name__]


class Owner:
    @property
    def content(self) -> str:
        return "content"


def plain(value: str) -> str:
    return value.upper()


@chain
def stepped(value: str) -> Steps[Any]:
    return (yield blocking(str.lower, value))


def hooks() -> list[str]:
    return ["check", "other"]


def broken() -> None:
    raise ValueError("it broke")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of parts as they begin and end, with those of this module alone."""
    monkeypatch.setattr(phases, "_parts", phases._Parts())
    for name in ("plain", "stepped", "hooks", "broken"):
        monkeypatch.setattr(HERE, name, vars(HERE)[name])
    monkeypatch.setattr(Owner, "content", vars(Owner)["content"])
    phases.phase("plain")(plain)
    phases.phase("stepped")(stepped)
    phases.phase("broken")(broken)
    phases.phase("content")(vars(Owner)["content"].fget)
    phases.phases({"check": "checks"})(hooks)
    return []


def note(seen: list[str]) -> phases.Begin:
    @contextmanager
    def noted(name: str) -> Iterator[None]:
        seen.append(name)
        try:
            yield
        finally:
            seen.append(f"/{name}")

    def begin(name: str) -> AbstractContextManager[None]:
        return noted(name)

    return begin


def test_marks_change_nothing() -> None:
    assert phases.phase("part")(plain) is plain
    assert not hasattr(mixins._created, "__wrapped__")
    assert not hasattr(vars(Response)["rendered_content"].fget, "__wrapped__")


def test_functions_chains_and_properties_are_observed(seen: list[str]) -> None:
    begin = note(seen)
    phases.observe(lambda: begin)
    phases.observe(lambda: None)  # the first one stays
    assert (plain("a"), Owner().content) == ("A", "content")
    assert (stepped.run("A"), run(stepped("B"))) == ("a", "b")
    names = ["plain", "content", "stepped", "stepped"]
    assert seen == [mark for name in names for mark in (name, f"/{name}")]


def test_a_hook_is_a_part_until_the_next_one_is_asked_for(seen: list[str]) -> None:
    begin = note(seen)
    phases.observe(lambda: begin)
    for name in hooks():
        seen.append(f"({name})")
    assert seen == ["checks", "(check)", "/checks", "other", "(other)", "/other"]


def test_errors_end_a_part(seen: list[str]) -> None:
    begin = note(seen)
    phases.observe(lambda: begin)
    with pytest.raises(ValueError, match="it broke"):
        broken()
    assert seen == ["broken", "/broken"]


def test_requests_that_nobody_observes_run_as_before(seen: list[str]) -> None:
    phases.observe(lambda: None)
    assert (plain("a"), stepped.run("A"), run(stepped("B"))) == ("A", "a", "b")
    assert (Owner().content, hooks()) == ("content", ["check", "other"])
    assert seen == []
