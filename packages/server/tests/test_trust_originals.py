"""Whether functions of Django are still its own."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler
from django.db import models
from django.dispatch import Signal

from lintel.trust import originals
from lintel.trust.originals import Originals, Place, is_of_django, reaches_django


class Parent:
    def find(self) -> str:
        return "parent"


class Child(Parent):
    """Finds by the method of its parent."""


def other(*args: Any) -> str:
    return "other"


ORIGINAL = Parent.find


def is_original(place: Place) -> bool:
    return getattr(*place) is ORIGINAL


def found_on(*places: Place) -> Originals:
    return Originals("of the tests", lambda: places, is_original)


@pytest.fixture
def examinations(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The warrants that are made."""
    made: list[Any] = []
    usual: Callable[..., Any] = originals.warrant_of

    def noted(title: str, found: Any, *known: Any) -> Any:
        made.append(title)
        return usual(title, found, *known)

    monkeypatch.setattr(originals, "warrant_of", noted)
    return made


@pytest.mark.parametrize("owner", [Parent, Child])
def test_a_replacement_counts_until_it_is_taken_back(
    owner: type, examinations: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = found_on((Child, "find"))
    assert [kept.are_untouched() for _ in "abc"] == [True] * 3
    assert len(examinations) == 1
    monkeypatch.setattr(owner, "find", other, raising=False)
    assert [kept.are_untouched() for _ in "abc"] == [False] * 3
    assert len(examinations) == 2
    monkeypatch.undo()
    assert kept.are_untouched()


def test_what_was_replaced_before_the_first_question_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Parent, "find", other)
    kept = found_on((Child, "find"))
    assert not kept.are_untouched()
    monkeypatch.undo()
    assert kept.are_untouched()


def test_a_replacement_during_the_examination_counts() -> None:
    def patching(place: Place) -> bool:
        untouched = is_original(place)
        Parent.find = other  # type: ignore[method-assign]  # as another thread may
        return untouched

    kept = Originals("of the tests", lambda: [(Parent, "find")], patching)
    try:
        kept.are_untouched()
        assert not kept.are_untouched()
    finally:
        Parent.find = ORIGINAL  # type: ignore[method-assign]


def test_functions_of_modules_are_looked_up_there(monkeypatch: pytest.MonkeyPatch) -> None:
    module = originals
    kept = Originals("of the tests", lambda: [(module, "is_original")], lambda place: True)
    assert kept.are_untouched()
    before = kept._verdict[0]
    monkeypatch.setattr(module, "is_original", other)
    assert not before()


def test_a_name_that_a_release_lacks_is_not_known(examinations: list[Any]) -> None:
    kept = found_on((Child, "find"), (Child, "missing"))
    assert [kept.are_untouched() for _ in "abc"] == [False] * 3
    assert examinations == []


def test_functions_of_django_are_told_by_where_they_were_written() -> None:
    assert is_of_django(models.Model.save)
    assert is_of_django(vars(models.Model)["from_db"])
    assert not is_of_django(other)
    assert reaches_django(models.QuerySet, "filter", "_clone")
    assert not reaches_django(models.QuerySet, "missing")


def test_objects_and_classes_of_django_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    signal = Signal()
    kept = Originals(
        "of the tests",
        lambda: [(signal, "send"), (ASGIHandler, "request_class")],
        originals.is_original,
    )
    assert kept.are_untouched()
    monkeypatch.setattr(signal, "send", other)
    assert not kept.are_untouched()
    monkeypatch.undo()
    assert kept.are_untouched()
    monkeypatch.setattr(ASGIHandler, "request_class", Child)
    assert not kept.are_untouched()
