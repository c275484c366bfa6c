"""Whatever is put in the place of a function of Django is called, with every shortcut on.

A profiler sees what runs for a set of look-ups without shortcuts. What shortcuts do without must be
listed in ``participants.py`` and compared: each of these functions, patched, makes Django do all
the work. A few others are noticed in other ways: patched, they are called.
"""

from typing import Any

import pytest
from django.db import connections
from django.test import override_settings
from orm_lookups import (
    LOOK_UPS,
    PLAIN,
    LookUp,
    Place,
    heard,
    places,
    put,
    ran,
    without_shortcuts,
)

from lintel.fast.backends import writes_itself
from lintel.fast.originals import (
    ANNOTATED,
    COUNT,
    DESCRIPTORS,
    JOINED,
    MANY,
    ONE,
    PREFETCHED,
    places_of_backend,
)
from lintel.fast.statements import kept_statements
from lintel.trust.originals import Originals

pytestmark = pytest.mark.fast_way


def is_heard(place: Place, look_up: LookUp, alias: str) -> bool:
    """Return whether a function that is patched between two uses of a look-up is called."""
    calls: list[str] = []
    undo = put(place.owner, place.name, heard(place.held, calls))
    try:
        look_up(alias)
    finally:
        undo()
    return bool(calls)


def is_missed(place: Place, look_up: LookUp, alias: str) -> bool:
    """Return whether it is called without shortcuts only."""
    look_up(alias)
    if is_heard(place, look_up, alias):
        return False
    with override_settings(REST_FRAMEWORK=PLAIN):
        return is_heard(place, look_up, alias)


@pytest.fixture
def asked(monkeypatch: Any) -> set[tuple[Any, str]]:
    """What is compared while the test runs."""
    found = set()
    own = Originals.are_untouched

    def are_untouched(self: Originals) -> bool:
        found.update(self.places())
        return own(self)

    monkeypatch.setattr(Originals, "are_untouched", are_untouched)
    return found


@pytest.mark.parametrize("name", LOOK_UPS)
def test_functions_patched_later_are_called(alias: str, name: str, asked: Any) -> None:
    look_up = LOOK_UPS[name]
    for _ in range(2):
        look_up(alias)
    asked.clear()
    spared = without_shortcuts(look_up, alias) - ran(look_up, alias)
    others = [place for place in places(spared) if (place.owner, place.name) not in asked]
    missed = [place.path for place in others if is_missed(place, look_up, alias)]
    assert "\n".join(missed) == ""


@pytest.mark.parametrize("use", [ONE, JOINED, MANY, COUNT, PREFETCHED, ANNOTATED])
def test_every_listed_function_is_compared(use: Originals) -> None:
    assert use.may_be_replaced()
    for owner, name in use.places():
        place = Place(owner, name)
        undo = put(owner, name, heard(place.held, []))
        try:
            assert not use.may_be_replaced(), place.path
        finally:
            undo()
    assert use.may_be_replaced()
    assert DESCRIPTORS.may_be_replaced()


def test_every_listed_function_of_a_database_is_compared(alias: str) -> None:
    connection = connections[alias]
    for owner, name in places_of_backend(connection):
        place = Place(owner, name)
        undo = put(owner, name, heard(place.held, []))
        try:
            assert not writes_itself(connection), place.path
        finally:
            undo()
    assert writes_itself(connection)


def test_databases_of_django_are_known(alias: str) -> None:
    for look_up in LOOK_UPS.values():
        look_up(alias)
    assert writes_itself(connections[alias])
    kept = [type(each).__name__ for each in kept_statements(connections[alias]).values()]
    assert {"_Conditions", "_OfParent", "_Statement", "Selection", "Whole"} == {*kept} - {
        "Impossible"
    }
