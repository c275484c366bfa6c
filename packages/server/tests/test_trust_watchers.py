"""Watchers notice each change of a class, at the next question, and cost nothing without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db.models import QuerySet
from django.db.models.sql import Query
from hypothesis import given
from hypothesis import strategies as st

from lintel.fast.originals import ONE, Originals
from lintel.trust import watchers
from lintel.trust.watchers import GIVES_FLAGS, is_watchable, watched

needs_flags = pytest.mark.skipif(not GIVES_FLAGS, reason="this Python shows no versions in flags")


class Family:
    """Three classes, one above the other, and a question about what the lowest one finds."""

    def __init__(self) -> None:
        self.asked = 0
        self.told: list[type] = []
        told = self.told

        class Top:
            held = 1

            def __len__(self) -> int:
                return 1

            def __init_subclass__(cls) -> None:
                told.append(cls)

        class Middle(Top): ...

        class Low(Middle): ...

        self.classes: list[Any] = [Top, Middle, Low]
        self.then = self.found()
        self.still_holds: Callable[[], bool] = watched([Low], self.compare)

    def found(self) -> tuple[Any, ...]:
        low = self.classes[-1]
        return (*low.__mro__, *(getattr(low, name, None) for name in ("held", "more", "__len__")))

    def compare(self) -> bool:
        self.asked += 1
        return self.found() == self.then


@needs_flags
def test_without_a_change_the_classes_are_compared_once() -> None:
    family = Family()
    assert [family.still_holds() for _ in "abcde"] == [True] * 5
    assert family.asked == 1


@needs_flags
def test_what_is_done_with_objects_and_other_classes_is_no_change() -> None:
    family = Family()
    assert family.still_holds()
    low = family.classes[-1]
    low().held = 3
    type("More", (low,), {"held": 4})
    assert family.still_holds()
    assert family.asked == 1


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", ["held", "more", "__len__"])
def test_a_change_counts_until_it_is_taken_back(
    place: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = Family()
    assert family.still_holds()
    monkeypatch.setattr(family.classes[place], name, lambda self: 5, raising=False)
    assert [family.still_holds() for _ in "abc"] == [False] * 3
    monkeypatch.undo()
    assert [family.still_holds() for _ in "abc"] == [True] * 3


def test_other_bases_are_a_change() -> None:
    family = Family()
    assert family.still_holds()
    top, middle, _ = family.classes
    middle.__bases__ = (type("Other", (), {"held": 1, "__len__": top.__len__}),)
    assert not family.still_holds()
    middle.__bases__ = (top,)
    assert family.still_holds()


def test_whoever_walks_over_all_subclasses_hides_no_change() -> None:
    family = Family()
    assert family.still_holds()
    family.classes[0].held = 2
    seen = [
        (cls.held, cls.__name__, len(cls()), dir(cls), vars(cls), hasattr(cls, "more"), repr(cls))
        for cls in family.classes[-1].__subclasses__()
    ]
    assert len(seen) == GIVES_FLAGS
    assert all(held == 2 for held, *_ in seen)
    assert not family.still_holds()


def test_hooks_of_the_classes_are_not_told() -> None:
    family = Family()
    assert family.still_holds()
    assert family.told == family.classes[1:]


def test_classes_whose_orders_conflict_are_watched_apart() -> None:
    class A: ...

    class B: ...

    class AB(A, B): ...

    class BA(B, A): ...

    still_holds = watched([AB, BA], lambda: not hasattr(BA, "x") and not hasattr(AB, "x"))
    for cls in (AB, BA, A, B):
        assert still_holds()
        cls.x = 1  # type: ignore[attr-defined]
        assert not still_holds()
        del cls.x  # type: ignore[attr-defined]
    assert still_holds()


def test_without_flags_the_classes_are_compared_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers, "GIVES_FLAGS", False)
    family = Family()
    assert [family.still_holds() for _ in "abc"] == [True] * 3
    assert family.asked == 3


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["held", "more"]), st.integers(0, 2))),
)
def test_the_answer_is_always_that_of_the_comparison(changes: list[tuple[int, str, int]]) -> None:
    family = Family()
    for place, name, value in changes:
        cls = family.classes[place]
        if value:
            setattr(cls, name, value)
        elif name in vars(cls):
            delattr(cls, name)
        assert family.still_holds() is family.compare()


def test_a_change_counts_while_other_threads_ask() -> None:
    family = Family()
    cls = family.classes[0]
    ends: list[bool] = []

    def ask() -> int:
        count = 0
        while not ends:
            family.still_holds()
            count += 1
        return count

    with ThreadPoolExecutor(3) as pool:
        asking = [pool.submit(ask) for _ in "abc"]
        try:
            for _ in range(2000):
                cls.held = 2
                assert not family.still_holds()
                cls.held = 1
                assert family.still_holds()
        finally:
            ends.append(True)
        assert all(each.result() for each in asking)


@pytest.fixture
def one() -> Iterator[Originals]:
    assert ONE.are_untouched()
    yield ONE
    assert ONE.are_untouched()


@pytest.mark.parametrize("owner", [QuerySet, Query])
def test_functions_of_django_are_watched(
    one: Originals, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_watchable(owner)
    monkeypatch.setattr(owner, "get" if owner is QuerySet else "chain", lambda *args: None)
    assert not one.are_untouched()
    monkeypatch.undo()
