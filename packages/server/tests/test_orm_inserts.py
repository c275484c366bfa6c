"""A row made from the kept text equals one of ``create()``: the row, the instance, the queries."""

import datetime
import gc
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import DatabaseError, connections, models, transaction
from django.db.models import F, Value
from django.db.models.functions import Lower
from django.db.models.signals import pre_save
from django.db.models.sql.compiler import SQLInsertCompiler
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import Router
from written_rows import (
    NOW,
    VALUES,
    Computed,
    Counted,
    Dressed,
    Further,
    Generated,
    Keyed,
    Kinds,
    Numbered,
    Ordered,
    Owner,
    Saved,
    SavesItself,
    Stand,
    outcome,
    tables,
)

from lintel.orm import create_row, statements


@pytest.fixture(scope="module", params=["default", "postgresql"])
def alias(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    name = request.param
    if name != "default":
        request.getfixturevalue(name)
    with tables(name, django_db_blocker):
        yield name


@pytest.fixture(autouse=True)
def _now(monkeypatch: Any) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def assert_same(alias: str, manager: Any, values: Any) -> Any:
    wanted = outcome(alias, lambda: manager.create(**values()))
    for _ in range(2):  # compiled, and then used again
        assert outcome(alias, lambda: create_row(manager, values())) == wanted
    return wanted


@settings(max_examples=60, deadline=None)
@given(values=st.fixed_dictionaries({}, optional=VALUES))
def test_a_row_is_that_of_create(alias: str, values: Any) -> None:
    assert_same(alias, Kinds.objects, lambda: values)


@pytest.mark.parametrize(
    "values",
    [
        lambda: {"owner": Owner.objects.get(pk=1), "named": Owner.objects.get(pk=2)},
        lambda: {"owner": None},
        lambda: {"id": 99},
        lambda: {"id": "98"},
        lambda: {"pk": 97},
        lambda: {"file": ContentFile(b"x", name="a.txt")},
        lambda: {"file": "up/there.txt"},
        lambda: {"text": Lower(Value("UPPER"))},
        lambda: {"number": F("small")},
        lambda: {"number": None},
        lambda: {"number": "many"},
        lambda: {"number": 2**70},
        lambda: {"price": Decimal("NaN")},
        lambda: {"text": "x" * 30},
        lambda: {"text": "a\x00b"},
        lambda: {"flag": "maybe"},
        lambda: {"key": "no key"},
        lambda: {"moment": "some day"},
        lambda: {"moment": datetime.datetime(2026, 1, 1)},
        lambda: {"data": {1, 2}},
        lambda: {"owner": Owner(name="unsaved")},
        lambda: {"owner": 1},
        lambda: {"owner": Owner(id=999, name="gone")},
        lambda: {"owner_id": 1, "owner": None},
        lambda: {"no_column": 1},
        lambda: {"text": ["a"]},
    ],
    ids=range(26),
)
def test_unusual_values_and_errors(alias: str, values: Any) -> None:
    assert_same(alias, Kinds.objects, values)


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (Keyed, lambda: {"text": "a"}),
        (Keyed, lambda: {"text": "a", "id": uuid.UUID(int=9)}),
        (Keyed, lambda: {"text": "a", "id": "no key"}),
        (Keyed, lambda: {"text": "a", "id": None}),
        (Keyed, lambda: {"text": "a", "partner": Owner.objects.get(pk=1)}),
        (Keyed, lambda: {"text": None}),
        (Owner, lambda: {"name": "owner-1"}),
        (Owner, lambda: {"name": "new", "keyed": None}),
        (Numbered, dict),
        (Further, lambda: {"text": "a"}),
        (Stand, lambda: {"text": "a"}),
        (Ordered, lambda: {"owner_id": 1}),
        (Generated, lambda: {"number": 4}),
        (SavesItself, lambda: {"text": "a"}),
        (Dressed, lambda: {"text": "a"}),
        (Dressed, lambda: {"text": "own"}),
        (Dressed, lambda: {"shout": "LOUD"}),
        (Counted, lambda: {"text": "a"}),
        (Counted, lambda: {"text": Lower(Value("UPPER"))}),
    ],
    ids=range(19),
)
def test_models_of_other_kinds(alias: str, model: Any, values: Any) -> None:
    assert_same(alias, model._default_manager, values)


def test_defaults_of_the_database_are_left_to_it(alias: str) -> None:
    made = create_row(Computed.objects, {"number": 4})
    made.refresh_from_db()
    assert made.at is not None
    assert bytes(made.raw) == b"\x00\xff"
    made.delete()


@pytest.mark.parametrize("name", ["objects", "loud", "gentle", "marked", "fewer"])
def test_managers_are_asked_themselves(alias: str, name: str) -> None:
    assert_same(alias, getattr(Saved, name), lambda: {"text": "some"})


# ---- what stands around the query ----


def test_the_text_is_made_once(alias: str, monkeypatch: Any) -> None:
    values = {"text": "a", "price": Decimal("1.50"), "owner_id": 1}
    assert_same(alias, Kinds.objects, lambda: values)
    monkeypatch.setattr(SQLInsertCompiler, "assemble_as_sql", None)
    queries = outcome(alias, lambda: create_row(Kinds.objects, values))[2]
    assert len(queries) == 1


def test_queries_are_logged(alias: str) -> None:
    connection = connections[alias]
    with transaction.atomic(using=alias), CaptureQueriesContext(connection) as logged:
        create_row(Owner.objects, {"name": "logged"})
        transaction.set_rollback(True, using=alias)
    assert len(logged) == 1
    assert "INSERT INTO" in logged[0]["sql"]
    assert "logged" in logged[0]["sql"]


def test_an_error_of_the_database_breaks_the_transaction(alias: str) -> None:
    result, _row, _queries, _heard, broken = assert_same(
        alias, Owner.objects, lambda: {"name": "owner-1"}
    )
    assert result[0] is not None
    assert issubclass(result[0], DatabaseError)
    assert broken


def test_receivers_may_change_the_instance(alias: str) -> None:
    def change(instance: Any, **told: Any) -> None:
        instance.text = Lower(Value("BY RECEIVER")) if instance.text == "e" else "by receiver"
        instance.owner = Owner.objects.get(pk=2)

    pre_save.connect(change, sender=Kinds)
    try:
        for text in ("a", "e"):
            _result, rows, *_ = assert_same(alias, Kinds.objects, lambda text=text: {"text": text})
            assert rows[0]["text"] == "by receiver"
            assert rows[0]["owner_id"] == 2
    finally:
        pre_save.disconnect(change, sender=Kinds)


def test_a_method_that_is_replaced_later_is_called(alias: str, monkeypatch: Any) -> None:
    assert_same(alias, Saved.objects, lambda: {"text": "a"})
    for owner, name in [(Saved, "save"), (models.Model, "save_base"), (models.QuerySet, "create")]:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, lambda self, **values: None)
            wanted = outcome(alias, lambda: Saved.objects.create(text="a") or Saved())
            assert (
                outcome(alias, lambda: create_row(Saved.objects, {"text": "a"}) or Saved())
                == wanted
            )
            assert wanted[2] == []
    monkeypatch.setattr(Saved.objects, "create", lambda **values: values, raising=False)
    assert create_row(Saved.objects, {"text": "a"}) == {"text": "a"}


def test_the_router_chooses_the_database(alias: str) -> None:
    class Elsewhere(Router):
        def db_for_write(self, model: Any, **hints: Any) -> str:
            return "elsewhere"

    with override_settings(DATABASE_ROUTERS=[Elsewhere(alias)]):
        for make in (
            lambda: Owner.objects.create(name="a"),
            lambda: create_row(Owner.objects, {"name": "a"}),
        ):
            with pytest.raises(Exception, match="elsewhere"):
                make()
        manager = Owner.objects.db_manager(alias)
        assert_same(alias, manager, lambda: {"name": "a"})


def test_instances_are_freed_at_once(alias: str) -> None:
    gc.collect()
    with transaction.atomic(using=alias):
        create_row(Owner.objects, {"name": "freed"})
        transaction.set_rollback(True, using=alias)
    assert not [one for one in gc.get_objects() if type(one) is Owner and one.name == "freed"]


def test_a_connection_keeps_a_limited_number(alias: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(statements, "MAX_STATEMENTS", 2)
    connections[alias].__dict__.pop("_lintel_statements", None)
    for model in (Keyed, Owner, Saved, Dressed):
        outcome(alias, lambda model=model: create_row(model._default_manager, {}))
    assert len(connections[alias]._lintel_statements) <= 2
