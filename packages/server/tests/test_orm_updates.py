"""A row changed by the kept text equals one changed by ``save()``: row, instance, queries."""

import datetime
import uuid
from collections.abc import Iterator
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connections, models
from django.db.models import F, Value
from django.db.models.functions import Lower
from django.db.models.signals import pre_save
from django.db.models.sql.compiler import SQLUpdateCompiler
from django.test import override_settings
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

from lintel.orm import save_row


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


def assert_same(alias: str, find: Any, values: Any = dict) -> Any:
    """Set the values on a found instance and save it, by ``save()`` and by the kept text."""

    def saved(save: Any) -> Any:
        instance = find()
        for name, value in values().items():
            setattr(instance, name, value)
        save(instance)
        return instance

    wanted = without_nulls(outcome(alias, lambda: saved(lambda instance: instance.save())))
    for _ in range(2):  # compiled, and then used again
        assert without_nulls(outcome(alias, lambda: saved(save_row))) == wanted
    return wanted


def without_nulls(left: Any) -> Any:
    """Django before 6.1 writes NULL into the text of an UPDATE, later versions hand None over."""
    queries = [
        (sql.replace("= NULL", "= %s"), params.replace("None, ", ""), many)
        for sql, params, many in left[2]
    ]
    return left[0], left[1], queries, *left[3:]


def made(model: Any, **values: Any) -> Any:
    """Finds a new row; a number as the key is the same for all."""
    if isinstance(model._meta.pk, models.AutoField):
        values["id"] = 77
    return lambda: model._base_manager.get(pk=model._base_manager.create(**values).pk)


@settings(max_examples=60, deadline=None)
@given(values=st.fixed_dictionaries({}, optional=VALUES))
def test_a_row_is_that_of_save(alias: str, values: Any) -> None:
    assert_same(alias, made(Kinds, text="old"), lambda: values)


@pytest.mark.parametrize(
    "values",
    [
        dict,
        lambda: {"owner": Owner.objects.get(pk=1), "named": Owner.objects.get(pk=2)},
        lambda: {"owner_id": Owner.objects.get(pk=1)},
        lambda: {"owner": None},
        lambda: {"owner": Owner(name="unsaved")},
        lambda: {"owner": Owner(id=999, name="gone")},
        lambda: {"file": ContentFile(b"x", name="a.txt")},
        lambda: {"text": Lower(Value("UPPER"))},
        lambda: {"number": F("number") + 1},
        lambda: {"number": None},
        lambda: {"number": "many"},
        lambda: {"price": Decimal("NaN")},
        lambda: {"text": "a\x00b"},
        lambda: {"moment": datetime.datetime(2026, 1, 1)},
        lambda: {"data": {1, 2}},
        lambda: {"id": 999},
        lambda: {"id": None},
        lambda: {"id": "998"},
        lambda: {"id": 2**70},
        lambda: {"pk": uuid.UUID(int=1)},
    ],
    ids=range(20),
)
def test_unusual_values_and_errors(alias: str, values: Any) -> None:
    assert_same(alias, made(Kinds, text="old"), values)


@pytest.mark.parametrize(
    ("find", "values"),
    [
        (made(Keyed, text="a"), lambda: {"text": "b"}),
        (made(Keyed, text="a"), lambda: {"id": uuid.UUID(int=9)}),
        (made(Keyed, text="a"), lambda: {"id": str(uuid.UUID(int=7))}),
        (made(Owner, name="new"), lambda: {"name": "owner-1"}),
        (made(Numbered), dict),
        (made(Further, text="a"), lambda: {"text": "b", "more": 2}),
        (made(Stand, text="a"), lambda: {"text": "b"}),
        (made(Ordered, owner_id=1), lambda: {"owner_id": 2}),
        (made(Generated, number=4), lambda: {"number": 5}),
        (made(SavesItself, text="a"), lambda: {"text": "b"}),
        (made(Dressed, text="own"), lambda: {"text": "b"}),
        (made(Dressed, text="a"), lambda: {"shout": "LOUD"}),
        (made(Counted, text="a"), lambda: {"text": "b"}),
        (made(Counted, text="a"), lambda: {"text": Lower(Value("UPPER"))}),
        (lambda: Kinds(text="new"), dict),
        (lambda: Kinds(id=5, text="new"), dict),
        (lambda: Owner.objects.only("name").get(pk=1), lambda: {"name": "b"}),
        (lambda: Kinds.objects.defer("text").get(pk=made(Kinds)().pk), lambda: {"number": 7}),
    ],
    ids=range(18),
)
def test_instances_of_other_kinds(alias: str, find: Any, values: Any) -> None:
    assert_same(alias, find, values)


def test_a_row_that_is_gone_is_made_anew(alias: str) -> None:
    def find() -> Any:
        instance = made(Kinds, text="old")()
        Kinds.objects.all().delete()
        return instance

    *_, heard, _broken = assert_same(alias, find)
    assert heard[-1][2]["created"]


def test_defaults_of_the_database_are_left_to_it(alias: str) -> None:
    instance = Computed.objects.create(number=4)
    instance.refresh_from_db()
    instance.number = 5
    save_row(instance)
    instance.refresh_from_db()
    assert instance.number == 5
    instance.delete()


def test_the_text_is_made_once(alias: str, monkeypatch: Any) -> None:
    assert_same(alias, made(Kinds, text="old"), lambda: {"text": "a"})
    monkeypatch.setattr(SQLUpdateCompiler, "pre_sql_setup", None)

    def changed() -> Any:
        instance = made(Kinds, text="old")()
        instance.text = "new"
        save_row(instance)
        return instance

    queries = outcome(alias, changed)[2]
    assert len(queries) == 3


def test_receivers_may_change_the_instance(alias: str) -> None:
    def change(instance: Any, **told: Any) -> None:
        instance.text = "by receiver"

    pre_save.connect(change, sender=Kinds)
    try:
        _result, rows, *_ = assert_same(alias, made(Kinds), lambda: {"text": "a"})
        assert rows[0]["text"] == "by receiver"
    finally:
        pre_save.disconnect(change, sender=Kinds)


def test_receivers_may_take_the_key_away(alias: str) -> None:
    def renew(instance: Any, **told: Any) -> None:
        if not instance._state.adding:
            Kinds.objects.using(told["using"]).all().delete()
            instance.pk = None

    pre_save.connect(renew, sender=Kinds)
    try:
        *_, heard, _broken = assert_same(alias, made(Kinds), lambda: {"text": "a"})
        assert heard[-1][2]["created"]
    finally:
        pre_save.disconnect(renew, sender=Kinds)


@pytest.mark.parametrize(
    ("owner", "name"), [(Saved, "save"), (models.Model, "save_base"), (Saved, "_do_update")]
)
def test_a_method_that_is_replaced_later_is_called(
    alias: str, monkeypatch: Any, owner: Any, name: str
) -> None:
    assert_same(alias, made(Saved, text="a"), lambda: {"text": "b"})
    find, heard = made(Saved, text="a"), []

    def changed() -> Any:
        instance = find()
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, lambda *args, **kwargs: heard.append(name) or [()])
            save_row(instance)
        return instance

    outcome(alias, changed)
    assert heard == [name]


def test_the_router_chooses_the_database(alias: str) -> None:
    class Elsewhere(Router):
        def db_for_write(self, model: Any, **hints: Any) -> str:
            return "elsewhere"

    instance = Owner.objects.get(pk=1)
    with override_settings(DATABASE_ROUTERS=[Elsewhere(alias)]):
        for save in (Owner.save, save_row):
            with pytest.raises(Exception, match="elsewhere"):
                save(instance)


def test_whatever_can_save_is_saved() -> None:
    heard = []
    save_row(SimpleNamespace(save=lambda: heard.append("saved")))
    assert heard == ["saved"]


def test_the_statement_belongs_to_its_connection(alias: str) -> None:
    outcome(alias, lambda: save_row(Owner.objects.get(pk=1)) or Owner.objects.get(pk=1))
    assert (Owner, "UPDATE") in connections[alias]._lintel_statements
