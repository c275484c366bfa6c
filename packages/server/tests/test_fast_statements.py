"""A statement is used as long as everything it was made from is unchanged."""

import datetime
import functools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, models, transaction
from django.db.models.sql.compiler import SQLCompiler
from django.test.utils import CaptureQueriesContext, isolate_apps

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
    assert [still_holds() for still_holds in mine.origin.warrants] == [True, True]
    monkeypatch.setattr(User._meta.get_field("email"), "column", "mail")
    assert [still_holds() for still_holds in mine.origin.warrants] == [True, False]


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


class Seen(models.CharField):
    """Notes the connections that convert its values."""

    by: list[Any] = []

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        self.by.append(connection)
        return value


@pytest.fixture
def noticed(postgresql: str, django_db_blocker: Any) -> Iterator[tuple[str, Any]]:
    """PostgreSQL, and a model there of a table with one row."""
    with isolate_apps("contract_project"), django_db_blocker.unblock():

        class Noticed(models.Model):
            name: Any = Seen(max_length=9)

            class Meta:
                app_label = "contract_project"
                db_table = "statements_noticed"

        def execute(connection: Any, statements: Iterable[str]) -> None:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)

        in_a_thread(partial(execute, statements=TABLE), postgresql)
        yield postgresql, Noticed
        in_a_thread(partial(execute, statements=TABLE[:1]), postgresql)


TABLE = (
    "DROP TABLE IF EXISTS statements_noticed",
    "CREATE TABLE statements_noticed (id bigint PRIMARY KEY, name text)",
    "INSERT INTO statements_noticed VALUES (1, 'one')",
)


def in_a_thread(function: Callable[[Any], Any], alias: str) -> Any:
    """What a function says of the connection that a new thread opens."""

    def answer() -> Any:
        connection = connections[alias]
        try:
            return function(connection)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as executor:
        return executor.submit(answer).result()


@pytest.mark.fast_way
def test_connections_of_threads_share_statements(noticed: Any, monkeypatch: Any) -> None:
    alias, model = noticed

    def look_up(connection: Any) -> Any:
        Seen.by.clear()
        rows = model.objects.using(alias)
        found = [row_of(rows, "pk", 1).name, *(row["name"] for row in page_of(rows))]
        return found, {id(each) == id(connection) for each in Seen.by}

    class Page(serializers.Serializer[Any]):
        name = serializers.CharField()

    def page_of(rows: Any) -> Any:
        return Page(rows.order_by("id"), many=True).data

    compiled = []
    own = SQLCompiler.as_sql
    assert in_a_thread(look_up, alias) == (["one", "one"], {True})
    kept = dict(in_a_thread(kept_statements, alias))
    assert {key[0] for key in kept} >= {model}
    assert in_a_thread(look_up, alias) == (["one", "one"], {True})
    again = in_a_thread(kept_statements, alias)
    assert all(again[key] is statement for key, statement in kept.items())
    monkeypatch.setattr(
        SQLCompiler, "as_sql", lambda *args, **kw: (compiled.append(1), own(*args, **kw))[1]
    )
    assert in_a_thread(look_up, alias) == (["one", "one"], {True})
    assert compiled


@pytest.mark.fast_way
def test_a_connection_that_is_told_otherwise_takes_no_statement_of_others(noticed: Any) -> None:
    alias, model = noticed

    def look_up(connection: Any) -> Any:
        return row_of(model.objects.using(alias), "pk", 1)

    def look_up_with_a_switch(connection: Any) -> Any:
        connection.features.supports_select_for_update_with_limit = False
        return look_up(connection)

    def look_up_with_operators(connection: Any) -> Any:
        connection.operators = {**connection.operators, "exact": "< %s + 1"}
        with CaptureQueriesContext(connection) as captured:
            look_up(connection)
        return captured[0]["sql"]

    def statement(connection: Any) -> Any:
        return kept_statements(connection)[model, "id", None]

    in_a_thread(look_up, alias)
    first = in_a_thread(statement, alias)
    in_a_thread(look_up_with_a_switch, alias)
    second = in_a_thread(statement, alias)
    assert second is not first
    in_a_thread(look_up, alias)
    assert in_a_thread(statement, alias) not in (first, second)
    assert "< 1 + 1" in in_a_thread(look_up_with_operators, alias)


@pytest.mark.fast_way
def test_data_that_operations_of_one_connection_hold_is_its_own(noticed: Any) -> None:
    alias, model = noticed

    def look_up(connection: Any) -> Any:
        return row_of(model.objects.using(alias), "pk", 1)

    def look_up_with_ranges(connection: Any) -> Any:
        ranges = connection.ops.integer_field_ranges
        connection.ops.integer_field_ranges = dict.fromkeys(ranges, (2, 3))
        return look_up(connection)

    assert in_a_thread(look_up, alias).name == "one"
    for _ in range(2):
        with pytest.raises(model.DoesNotExist):
            in_a_thread(look_up_with_ranges, alias)
    assert in_a_thread(look_up, alias).name == "one"


def test_converters_get_the_connection_of_the_query(noticed: Any) -> None:
    alias, model = noticed

    def read(connection: Any) -> Any:
        connections["statements_other"] = type(connection)(connection.settings_dict, alias)
        Seen.by.clear()
        try:
            other = connections["statements_other"]
            names = [one["name"] for one in Page(rows.using("statements_other"), many=True).data]
            return names, {each is other for each in Seen.by}
        finally:
            other.close()
            del connections["statements_other"]

    class Page(serializers.Serializer[Any]):
        name = serializers.CharField()

    rows = model.objects.order_by("id")
    assert in_a_thread(read, alias) == (["one"], {True})
