"""A statement is used as long as everything it was made from is unchanged."""

import datetime
import functools
from functools import partial
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, models, transaction
from django.db.models.sql.compiler import SQLCompiler
from django.test.utils import isolate_apps

from lintel import serializers
from lintel.fast.plain import PLAIN
from lintel.fast.rows import known_row, row_of
from lintel.fast.statements import kept_statements

pytestmark = pytest.mark.django_db

CONVERTER = "from_db_value"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    connections[DEFAULT_DB_ALIAS].__dict__.pop("_lintel_statements", None)


def found() -> Any:
    return row_of(Tag.objects.all(), "pk", Tag.objects.create(name="four").pk)


@pytest.mark.parametrize("when", ["before", "later"])
def test_tools_around_the_compiler_are_called(when: str, monkeypatch: Any) -> None:
    if when == "later":
        found().delete()
    heard = []
    own = SQLCompiler.execute_sql

    @functools.wraps(own)
    def listening(self: Any, *args: Any, **kwargs: Any) -> Any:
        heard.append(type(self))
        return own(self, *args, **kwargs)

    monkeypatch.setattr(SQLCompiler, "execute_sql", listening)
    found().delete()
    assert SQLCompiler in heard


def test_another_table_is_another_statement(monkeypatch: Any) -> None:
    tag = found()
    monkeypatch.setattr(Tag._meta, "db_table", "nowhere")
    with pytest.raises(OperationalError, match="nowhere"), transaction.atomic():
        row_of(Tag.objects.all(), "pk", tag.pk)


@pytest.mark.fast_way
def test_what_could_not_be_kept_during_a_patch_is_kept_afterwards(monkeypatch: Any) -> None:
    tag = Tag.objects.create(name="a")
    kept_statements(connections[DEFAULT_DB_ALIAS]).clear()
    own = SQLCompiler.as_sql
    with monkeypatch.context() as patched:
        patched.setattr(SQLCompiler, "as_sql", lambda self, *args, **kwargs: own(self))
        assert known_row(Tag.objects, "pk", tag.pk) is PLAIN
    assert known_row(Tag.objects, "pk", tag.pk) == tag


@pytest.mark.fast_way
def test_statements_that_are_used_outlive_many_others() -> None:
    tag = Tag.objects.create(name="a")
    row_of(Tag.objects, "pk", tag.pk)
    statements = kept_statements(connections[DEFAULT_DB_ALIAS])
    (mine,) = (made for key, made in statements.items() if key[:2] == (Tag, "id"))
    for number in range(600):
        statements.keep((Tag, number), None)
        row_of(Tag.objects, "pk", tag.pk)
    assert mine in statements.values()


@pytest.mark.fast_way
def test_a_column_that_is_renamed_later_is_another_statement(monkeypatch: Any) -> None:
    tag = Tag.objects.create(name="a")
    row_of(Tag.objects, "pk", tag.pk)
    statements = kept_statements(connections[DEFAULT_DB_ALIAS])
    (mine,) = (made for key, made in statements.items() if key[:2] == (Tag, "id"))
    assert all(still_holds() for still_holds in mine.origin.warrants)
    monkeypatch.setattr(Tag._meta.get_field("name"), "column", "label")
    assert not all(still_holds() for still_holds in mine.origin.warrants)


@pytest.mark.fast_way
def test_columns_of_related_models_count(monkeypatch: Any) -> None:
    snippet = Snippet.objects.create(code="", owner=User.objects.create(username="ada"))
    queryset = Snippet.objects.select_related("owner")
    assert row_of(queryset, "pk", snippet.pk) == snippet
    (mine,) = kept_statements(connections[DEFAULT_DB_ALIAS]).values()
    assert [still_holds() for still_holds in mine.origin.warrants] == [True, True, True]
    monkeypatch.setattr(User._meta.get_field("email"), "column", "mail")
    assert [still_holds() for still_holds in mine.origin.warrants] == [True, True, False]


@pytest.mark.parametrize("many", [False, True])
def test_converters_that_are_patched_later_are_called(many: bool, monkeypatch: Any) -> None:
    class ShownSerializer(serializers.ModelSerializer[Any]):
        class Meta:
            model = Snippet
            fields = ["created"]

    def shown() -> Any:
        if many:
            return ShownSerializer(Snippet.objects.all(), many=True).data[0]["created"]
        return ShownSerializer(row_of(Snippet.objects.all(), "pk", made.pk)).data["created"]

    made = Snippet.objects.create(code="", owner=User.objects.create(username="ada"))
    before = shown()
    later = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)
    own: Any = type(connections[DEFAULT_DB_ALIAS].ops)
    with monkeypatch.context() as patched:
        patched.setattr(own, "convert_datetimefield_value", lambda *arguments: later)
        assert shown()[:4] == "2001" != before[:4]
    assert shown() == before
    with monkeypatch.context() as patched:
        patched.setattr(models.Field, "get_db_converters", lambda *arguments: [lambda *_: later])
        assert shown()[:4] == "2001"
    assert shown() == before


def marked(self: Any, value: Any, expression: Any, connection: Any) -> str:
    return f"<{value}>"


class Name(models.CharField):
    """A class of columns with a base that a mixin can be inserted before."""


class ShortName(Name):
    """The class of the column."""


@pytest.fixture
def named() -> Any:
    with isolate_apps("contract_project"):

        class Named(models.Model):
            name = ShortName(max_length=50, unique=True)

            class Meta:
                app_label = "contract_project"
                db_table = Tag._meta.db_table

    Tag.objects.create(name="a")
    return Named


@pytest.mark.parametrize("owner", ["column", "class", "base"])
def test_a_converter_that_is_added_later_is_called(
    owner: str, named: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert row_of(named.objects, "name", "a").name == "a"
    column = named._meta.get_field("name")
    with monkeypatch.context() as patched:
        if owner == "column":
            patched.setattr(column, CONVERTER, partial(marked, column), raising=False)
        else:
            changed = {"class": ShortName, "base": Name}[owner]
            patched.setattr(changed, CONVERTER, marked, raising=False)
        assert row_of(named.objects, "name", "a").name == "<a>"
    assert row_of(named.objects, "name", "a").name == "a"


def test_the_converter_of_a_mixin_that_is_inserted_later_is_called(named: Any) -> None:
    assert row_of(named.objects, "name", "a").name == "a"
    ShortName.__bases__ = (type("Mixin", (), {CONVERTER: marked}), Name)
    try:
        assert row_of(named.objects, "name", "a").name == "<a>"
    finally:
        ShortName.__bases__ = (Name,)
    assert row_of(named.objects, "name", "a").name == "a"


def test_another_table_of_a_parent_is_another_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    with isolate_apps("contract_project"):

        class Parent(models.Model):
            name = models.CharField(max_length=50, unique=True)

            class Meta:
                app_label = "contract_project"
                db_table = Tag._meta.db_table

        class Child(Parent):
            parent = models.OneToOneField(
                Parent, models.CASCADE, parent_link=True, db_column="id", primary_key=True
            )

            class Meta:
                app_label = "contract_project"
                db_table = Snippet._meta.db_table

    with pytest.raises(Child.DoesNotExist):
        row_of(Child.objects, "name", "a")
    monkeypatch.setattr(Parent._meta, "db_table", "nowhere")
    with pytest.raises(OperationalError, match="nowhere"), transaction.atomic():
        row_of(Child.objects, "name", "a")
