"""Whatever a project uses to write SQL or to convert values counts in each world anew.

Two worlds, as of two tenants, languages or roles, take turns with everything kept from the world
before; each must see what Django alone finds there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from django.db import connections, models, transaction
from django.db.models import F
from django.db.models.expressions import Col
from django.db.models.sql.compiler import SQLCompiler
from django.test import RequestFactory, override_settings

from lintel import generics, serializers
from lintel.orm import row_of
from lintel.pagination import CursorPagination, PageNumberPagination
from lintel.renderers import JSONRenderer

PLAIN = {"ORM_SHORTCUTS": False, "READ_FROM_ROWS": "never", "COMPILE_SERIALIZERS": "never"}
WORLD: ContextVar[str] = ContextVar("world", default="first")


class Name(models.CharField):
    """A field of the project; tests give it methods."""


class Owner(models.Model):
    name = models.CharField(max_length=9)

    class Meta:
        app_label = "contract_project"
        managed = False
        db_table = "worlds_owner"


class Thing(models.Model):
    name = Name(max_length=9)
    first = models.CharField(max_length=9)
    second = models.CharField(max_length=9)
    owner = models.ForeignKey(Owner, models.DO_NOTHING, db_constraint=False)

    class Meta:
        app_label = "contract_project"
        managed = False
        db_table = "worlds_thing"
        ordering = ["id"]


class ThingSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class KeySerializer(serializers.Serializer):
    thing = serializers.PrimaryKeyRelatedField(queryset=Thing.objects)
    things = serializers.PrimaryKeyRelatedField(queryset=Thing.objects, many=True)


class Pages(PageNumberPagination):
    page_size = 2


class ByName(CursorPagination):
    page_size = 2
    ordering = "name"


TABLES = (
    "CREATE TABLE {0}worlds_owner (id integer PRIMARY KEY, name varchar(9))",
    "CREATE TABLE {0}worlds_thing (id integer PRIMARY KEY, name varchar(9), "
    "first varchar(9), second varchar(9), owner_id integer)",
    "INSERT INTO {0}worlds_owner VALUES (1, 'owner')",
)


@pytest.fixture(params=["sqlite_file", "postgresql"])
def alias(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A database with tables of two tenants; nothing of them stays."""
    name = request.param
    request.getfixturevalue(name)
    with django_db_blocker.unblock(), transaction.atomic(name):
        with connections[name].cursor() as cursor:
            for prefix in ("", "first_", "second_"):
                for statement in TABLES:
                    cursor.execute(statement.format(prefix))
                for number in range(2 if prefix == "second_" else 5):
                    row = (number, f"{prefix or 'n'}{number}", "one", "two", 1 + number % 2)
                    cursor.execute(f"INSERT INTO {prefix}worlds_thing VALUES {row}")
        yield name
        transaction.set_rollback(True, using=name)


@contextmanager
def world(name: str) -> Iterator[None]:
    token = WORLD.set(name)
    try:
        yield
    finally:
        WORLD.reset(token)


def page_of(queryset: Any, style: Any = Pages, query: str = "") -> Any:
    attributes = {
        "queryset": queryset,
        "serializer_class": ThingSerializer,
        "pagination_class": style,
        "renderer_classes": [JSONRenderer],
    }
    view = type("View", (generics.ListAPIView,), attributes).as_view()
    return view(RequestFactory().get(f"/{query}")).render().content


def columns(instance: Any) -> Any:
    return {name: value for name, value in vars(instance).items() if name != "_state"}


def validated(alias: str, key: int) -> Any:
    serializer = KeySerializer(data={"thing": key, "things": [0, key]})
    serializer.fields["thing"].queryset = Thing.objects.using(alias)
    serializer.fields["things"].child_relation.queryset = Thing.objects.using(alias)
    if not serializer.is_valid():
        return serializer.errors
    found = serializer.validated_data
    return columns(found["thing"]), [*map(columns, found["things"])]


LOOK_UPS: dict[str, Callable[[str], Any]] = {
    "a list": lambda alias: ThingSerializer(Thing.objects.using(alias), many=True).data,
    "a page": lambda alias: page_of(Thing.objects.using(alias)),
    "a page by cursor": lambda alias: page_of(Thing.objects.using(alias), ByName),
    "a filtered page": lambda alias: page_of(Thing.objects.using(alias).exclude(name="n1")),
    "one row": lambda alias: columns(row_of(Thing.objects.using(alias), "pk", 1)),
    "one row of a manager": lambda alias: columns(row_of(Thing.objects.db_manager(alias), "pk", 1)),
    "keys of input": lambda alias: validated(alias, 3),
}


def outcome(call: Callable[[str], Any], alias: str) -> Any:
    try:
        with transaction.atomic(alias):
            return "found", repr(call(alias))
    except Exception as error:
        return type(error).__name__, str(error)


def assert_worlds_never_meet(alias: str, differ: bool = True) -> None:
    """Check that every look-up finds in each world what Django finds there."""
    for name, call in LOOK_UPS.items():
        expected = {}
        for each in ("first", "second"):
            with world(each), override_settings(REST_FRAMEWORK=PLAIN):
                expected[each] = outcome(call, alias)
        if name == "a list":
            assert (expected["first"] != expected["second"]) is differ
        for each in ("first", "first", "second", "second", "first"):
            with world(each):
                assert outcome(call, alias) == expected[each], (name, each)


def used_before(alias: str) -> None:
    """Use every look-up, so that everything is kept that may be."""
    for call in LOOK_UPS.values():
        for _ in range(2):
            outcome(call, alias)


# ---- databases ----


def prefixed(own: Any) -> Any:
    def quote_name(*args: Any) -> str:
        quoted: str = own(*args)
        return quoted.replace('"worlds_', f'"{WORLD.get()}_worlds_')

    return quote_name


@pytest.mark.parametrize("place", ["class", "instance", "base"])
def test_operations_that_quote_names(alias: str, place: str, monkeypatch: Any) -> None:
    operations = connections[alias].ops
    used_before(alias)
    if place == "class":
        kind = type("Operations", (type(operations),), {})
        kind.quote_name = prefixed(type(operations).quote_name)
        monkeypatch.setattr(operations, "__class__", kind)
    elif place == "instance":
        monkeypatch.setattr(operations, "quote_name", prefixed(operations.quote_name))
    else:
        own = type(operations).quote_name
        monkeypatch.setattr(type(operations), "quote_name", prefixed(own))
    assert_worlds_never_meet(alias)


def test_operations_that_hand_out_converters(alias: str, monkeypatch: Any) -> None:
    operations = connections[alias].ops
    own = type(operations).get_db_converters

    def get_db_converters(self: Any, expression: Any) -> Any:
        # A key of the tenant, which decrypts what is read.
        key = WORLD.get()
        found = own(self, expression)
        if expression.output_field.get_internal_type() == "CharField":
            return [*found, lambda value, *rest: f"{key} {value}"]
        return found

    kind = type("Operations", (type(operations),), {"get_db_converters": get_db_converters})
    used_before(alias)
    monkeypatch.setattr(operations, "__class__", kind)
    assert_worlds_never_meet(alias)


def in_tables_of_a_tenant(sql: str) -> str:
    table = f'"{WORLD.get()}_worlds_thing" AS "worlds_thing"'
    return sql.replace('"worlds_thing"', table, 1)


def get_from_clause(self: Any) -> Any:
    result, params = SQLCompiler.get_from_clause(self)
    return [in_tables_of_a_tenant(each) for each in result], params


def as_sql(self: Any, *args: Any, **kwargs: Any) -> Any:
    sql, params = SQLCompiler.as_sql(self, *args, **kwargs)
    head, separator, tail = sql.partition(" FROM ")
    return head + separator + in_tables_of_a_tenant(tail), params


def get_order_by(self: Any) -> Any:
    found = SQLCompiler.get_order_by(self)
    if WORLD.get() == "first":
        return found
    return [(each, (sql.replace(" ASC", " DESC"), *rest)) for each, (sql, *rest) in found]


@pytest.mark.parametrize("method", [get_from_clause, as_sql, get_order_by])
def test_a_compiler_of_the_project(alias: str, method: Any, monkeypatch: Any) -> None:
    operations = connections[alias].ops
    own = type(operations).compiler
    kind = type("Compiler", (own(operations, "SQLCompiler"),), {method.__name__: method})

    def compiler(self: Any, name: str) -> Any:
        return kind if name == "SQLCompiler" else own(self, name)

    used_before(alias)
    others = type("Operations", (type(operations),), {"compiler": compiler})
    monkeypatch.setattr(operations, "__class__", others)
    assert_worlds_never_meet(alias)


# ---- columns ----


def get_col(self: Any, alias: str, output_field: Any = None) -> Any:
    column = Thing._meta.get_field(WORLD.get())
    return Col(alias, column, output_field or self)


def select_format(self: Any, compiler: Any, sql: str, params: Any) -> Any:
    return (f"'{WORLD.get()}'", params)


def get_db_converters(self: Any, connection: Any) -> Any:
    key = WORLD.get()
    return [lambda value, *rest: f"{key} {value}"]


def from_db_value(self: Any) -> Any:
    key = WORLD.get()
    return lambda value, *rest: f"{key} {value}"


def read_value(self: Any, value: Any, expression: Any, connection: Any) -> Any:
    return f"{WORLD.get()} {value}"


WAYS: dict[str, Any] = {
    "get_col": get_col,
    "cached_col": property(lambda self: get_col(self, "worlds_thing")),
    "select_format": select_format,
    "get_db_converters": get_db_converters,
    "from_db_value": property(from_db_value),
    "column": property(lambda self: WORLD.get(), lambda self, value: None),
    "from_db_value()": read_value,
}


def of_an_instance(name: str) -> bool:
    return not isinstance(WAYS[name], property)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        *((name, place) for name in WAYS for place in ("class", "another class")),
        *((name, "instance") for name in filter(of_an_instance, WAYS)),
    ],
)
def test_a_field_of_the_project(alias: str, name: str, place: str, monkeypatch: Any) -> None:
    field = Thing._meta.get_field("name")
    way = WAYS[name]
    name = name.removesuffix("()")
    used_before(alias)
    monkeypatch.delitem(vars(field), "cached_col", raising=False)
    if place == "class":
        monkeypatch.setattr(Name, name, way, raising=False)
    elif place == "another class":
        monkeypatch.setattr(field, "__class__", type("Other", (Name,), {name: way}))
    else:
        monkeypatch.setattr(field, name, way.__get__(field), raising=False)
    assert_worlds_never_meet(alias)


def test_a_column_that_was_replaced(alias: str, monkeypatch: Any) -> None:
    field = Thing._meta.get_field("name")
    used_before(alias)
    other = Col("worlds_thing", Thing._meta.get_field("first"), field)
    monkeypatch.setitem(vars(field), "cached_col", other)
    assert_worlds_never_meet(alias, differ=False)


def test_lookups_of_the_project(alias: str, monkeypatch: Any) -> None:
    class Visible(models.lookups.Exact):
        def as_sql(self, compiler: Any, connection: Any) -> Any:
            sql, params = super().as_sql(compiler, connection)
            return f"({sql} AND {WORLD.get() == 'first'})", params

    used_before(alias)
    key = Thing._meta.pk
    own = type(key).get_lookup
    monkeypatch.setattr(
        type(key), "get_lookup", lambda self, name: Visible if name == "exact" else own(self, name)
    )
    for name in ("one row", "one row of a manager", "keys of input"):
        call = LOOK_UPS[name]
        for each in ("first", "second", "first"):
            with world(each):
                found = outcome(call, alias)
                with override_settings(REST_FRAMEWORK=PLAIN):
                    assert found == outcome(call, alias)


# ---- joins ----

JOINED: dict[str, Callable[[str], Any]] = {
    "related rows": lambda alias: Thing.objects.using(alias).select_related("owner"),
    "all related rows": lambda alias: Thing.objects.using(alias).select_related(),
    "an annotation": lambda alias: Thing.objects.using(alias).annotate(by=F("owner__name")),
    "a filter": lambda alias: Thing.objects.using(alias).exclude(owner__name="nobody"),
}


@pytest.mark.parametrize("query", ["", "?page=2", "?page=3"])
@pytest.mark.parametrize("name", JOINED)
def test_joins_hide_the_same_rows(alias: str, name: str, query: str) -> None:
    """Rows whose owner does not exist, which no constraint prevents."""

    def page(alias: str) -> Any:
        return page_of(JOINED[name](alias), query=query)

    with override_settings(REST_FRAMEWORK=PLAIN):
        expected = outcome(page, alias)
    for _ in range(3):
        assert outcome(page, alias) == expected
