"""A class with the same version tag leads to the same attributes, whatever was done to it."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel.trust import tags, warrants
from lintel.trust.tags import HAS_TAGS, NUMBER, Tags
from lintel.trust.warrants import warrant

NAMES = ("method", "other")


def test_this_interpreter_has_tags() -> None:
    is_off = os.environ.get("LINTEL_CLASS_TAGS") == "off"
    is_there = sys.implementation.name == "cpython" and not is_off
    assert is_there == HAS_TAGS


class Counting:
    """A comparison that counts its calls."""

    def __init__(self, *classes: Any) -> None:
        self.calls, self.result = 0, True
        self.tags = Tags(classes, self.compare)

    def still_hold(self) -> bool:
        """Do what generated text does."""
        views, seen = self.tags.state
        return [*map(NUMBER, views)] == seen or self.tags.renewed()

    def compare(self) -> bool:
        self.calls += 1
        return self.result


def test_unchanged_classes_are_compared_once() -> None:
    base: Any = type("Base", (), {})
    counting = Counting(type("Class", (base,), {}))
    assert [counting.still_hold() for _ in range(5)] == [True] * 5
    assert counting.calls == 1
    base.added = 1
    assert [counting.still_hold() for _ in range(5)] == [True] * 5
    assert counting.calls == 2


def test_a_base_that_was_taken_away_is_told_by_its_own_tag() -> None:
    base, other = type("Base", (), {}), type("Other", (), {})
    cls: Any = type("Class", (base, other), {})
    counting = Counting(cls, base)
    assert counting.still_hold()
    cls.__bases__ = (other,)
    assert counting.still_hold()
    base.added = 1  # type: ignore[attr-defined]
    assert counting.still_hold()
    assert counting.calls == 3


def test_what_did_not_hold_is_compared_each_time() -> None:
    counting = Counting(type("Class", (), {}))
    counting.result = False
    assert [counting.still_hold() for _ in range(3)] == [False] * 3
    counting.result = True
    assert counting.still_hold()
    assert counting.calls == 4


def test_a_class_that_is_changed_very_often_is_still_compared() -> None:
    """CPython 3.12 and later give a class a thousand tags and no more."""
    cls: Any = type("Class", (), {"method": None})
    still_holds = warrant("of a test", [(cls, "method")])
    for number in range(1_100):
        cls.method = number
        assert not still_holds()
        cls.method = None
        assert still_holds()


@pytest.mark.parametrize("kind", ["lookups", "classes"])
def test_a_class_without_a_tag_is_compared(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cls: Any = type("Class", (), {"method": None})
    given: dict[str, Any] = {"lookups": [(cls, "method")], "classes": [cls]}
    still_holds = warrant("of a test", **{kind: given[kind]})
    monkeypatch.setattr(tags, "_tags_of", lambda classes: [[0] for _ in classes])
    assert still_holds()
    assert still_holds()
    cls.method = None
    assert still_holds()
    del cls.method
    assert not still_holds()


def test_without_ctypes_warrants_compare() -> None:
    script = """
        import sys
        sys.modules["_ctypes"] = None
        from lintel.trust.tags import HAS_TAGS
        from lintel.trust.warrants import warrant
        cls = type("Class", (), {"method": 1})
        still_holds = warrant("of a test", [(cls, "method")])
        assert still_holds() and still_holds() and not HAS_TAGS
        cls.method = 2
        assert not still_holds()
    """
    subprocess.run([sys.executable, "-c", dedent(script)], check=True)


class Descriptor:
    """Becomes one while a test runs."""


def changes_of(classes: list[Any]) -> dict[str, Callable[[int, str, int], None]]:
    def delete(at: int, name: str, value: int) -> None:
        if name in vars(classes[at]):
            delattr(classes[at], name)

    def rebase(at: int, name: str, value: int) -> None:
        mixins = [type("Mixin", (), {"other": value})] if value % 2 else []
        classes[at].__bases__ = (*mixins, classes[0 if value == 2 else at - 1])

    def describe(at: int, name: str, value: int) -> None:
        if value % 2:
            Descriptor.__get__ = lambda self, instance, owner: value  # type: ignore[attr-defined]
        elif "__get__" in vars(Descriptor):
            del Descriptor.__get__  # type: ignore[attr-defined]

    return {
        "set": lambda at, name, value: setattr(classes[at], name, value),
        "delete": delete,
        "rebase": rebase,
        "describe": describe,
        "of the metaclass": lambda at, name, value: setattr(type(classes[at]), name, value),
    }


KINDS = ("set", "delete", "rebase", "describe", "of the metaclass")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS),
            st.integers(1, 2),
            st.sampled_from(NAMES),
            st.integers(0, 3),
        ),
        max_size=12,
    )
)
def test_tags_and_comparisons_give_the_same_answers(steps: list[Any]) -> None:
    root: Any = type("Root", (), {})
    meta: Any = type("Meta", (type,), {})
    base: Any = meta("Base", (root,), {"method": lambda self: 1, "other": Descriptor()})
    cls: Any = meta("Class", (base,), {"other": 0})
    change = changes_of([root, base, cls])
    lookups = [(owner, name) for owner in (base, cls) for name in NAMES]
    kinds: dict[str, Any] = {
        "lookups": {"lookups": lookups},
        "classes": {"classes": [cls]},
        "both": {"lookups": lookups[:2], "classes": [base]},
    }
    tagged = [warrant("of a test", **given) for given in kinds.values()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warrants, "HAS_TAGS", False)
        compared = [warrant("of a test", **given) for given in kinds.values()]
    try:
        for kind, at, name, value in steps:
            change[kind](at, name, value)
            assert [still() for still in tagged] == [still() for still in compared]
    finally:
        change["describe"](0, "", 0)


def test_what_another_thread_changes_is_noticed() -> None:
    cls: Any = type("Class", (), {"method": 0})
    still_holds = warrant("of a test", [(cls, "method")])
    for number in range(200):
        changed = Event()

        def change(number: int = number, changed: Event = changed) -> None:
            cls.method = number + 1
            changed.set()

        cls.method = 0
        with ThreadPoolExecutor(1) as pool:
            pool.submit(change)
            while not changed.is_set():
                still_holds()
            assert not still_holds()
