"""Whatever is put in the place of a function of Django is called, with every shortcut on.

A profiler sees what runs for a set of look-ups without shortcuts. What shortcuts do without must be
listed in ``participants.py``: each of these functions, patched, makes Django do all the work.
The others must be called by the shortcuts themselves.
"""

from collections.abc import Iterator
from os import environ
from random import Random
from typing import Any

import pytest
from django.db import connections, transaction
from django.test import override_settings
from orm_lookups import LOOK_UPS, PLAIN, LookUp, Place, add_rows, heard, places, put, ran

from lintel.orm.backends import writes_itself
from lintel.orm.originals import compared, is_itself, reads_itself
from lintel.orm.statements import kept_statements

pytestmark = pytest.mark.fast_way

#: Listed functions that are patched for each look-up; all of them, if this is set.
SAMPLE = 1000 if environ.get("LINTEL_PATCH_ALL") else 3


@pytest.fixture(params=["sqlite_file", "postgresql"])
def alias(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A database with rows, on both systems; nothing of them stays."""
    name = request.param
    request.getfixturevalue(name)
    with django_db_blocker.unblock(), transaction.atomic(name):
        add_rows(name)
        yield name
        transaction.set_rollback(True, using=name)


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


def is_listed(place: Place) -> bool:
    return (place.owner, place.name) in compared()


@pytest.mark.parametrize("name", LOOK_UPS)
def test_functions_patched_later_are_called(alias: str, name: str) -> None:
    look_up = LOOK_UPS[name]
    found = places(ran(look_up, alias))
    listed = [place for place in found if is_listed(place)]
    sample = Random(name).sample(listed, min(SAMPLE, len(listed)))
    others = [place for place in found if not is_listed(place)]
    assert len(listed) > 50
    missed = [place.path for place in [*sample, *others] if is_missed(place, look_up, alias)]
    assert "\n".join(missed) == ""


def test_databases_of_django_are_known(alias: str) -> None:
    for look_up in LOOK_UPS.values():
        look_up(alias)
    assert writes_itself(connections[alias])
    kept = [type(each).__name__ for each in kept_statements(connections[alias]).values()]
    assert {"_Statement", "Selection", "Counting"} <= set(kept)


def test_every_listed_function_is_compared() -> None:
    assert is_itself()
    for owner, name in compared():
        place = Place(owner, name)
        undo = put(owner, name, heard(place.held, []))
        try:
            assert not is_itself(), place.path
        finally:
            undo()
    assert is_itself()
    assert reads_itself()
