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
from django.db.models.expressions import Col, RawSQL
from django.db.models.functions import Upper
from django.db.models.sql.compiler import SQLCompiler
from django.test import RequestFactory, override_settings

from lintel import generics, serializers
from lintel.fast.backends import writes_itself
from lintel.fast.originals import USES
from lintel.fast.prefetching import load
from lintel.fast.rows import _Statement, row_of
from lintel.fast.statements import kept_statements
from lintel.pagination import CursorPagination, PageNumberPagination
from lintel.pagination.counts import exact_count
from lintel.pagination.keysets import Keyset
from lintel.renderers import JSONRenderer

PLAIN = {"ORM_SHORTCUTS": False, "READ_FROM_ROWS": "never", "COMPILE_SERIALIZERS": "never"}
WORLD: ContextVar[str] = ContextVar("world", default="first")


class Name(models.CharField):
    """A field of the project; tests give it methods."""


class Key(models.IntegerField):
    """Another one, of a primary key."""


class Part(models.ForeignObject):
    """A relation of the project; tests give it methods."""


class Owner(models.Model):
    id = Key(primary_key=True)
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


class Generated(models.Model):
    first = models.GeneratedField(
        expression=Upper("name"), output_field=Name(max_length=9), db_persist=True
    )
    owner = models.ForeignKey(Owner, models.DO_NOTHING, null=True, related_name="+")
    part: Any = Part(Owner, models.DO_NOTHING, ["owner"], ["id"], null=True, related_name="+")

    class Meta:
        app_label = "contract_project"
        managed = False
        db_table = "worlds_thing"
        ordering = ["id"]


class ThingSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class InstanceSerializer(ThingSerializer):
    """Needs instances: of a method it is not known what it reads."""

    shown = serializers.SerializerMethodField()

    def get_shown(self, thing: Thing) -> str:
        return f"{thing.name} {thing.first}"


class GeneratedSerializer(serializers.Serializer):
    first = serializers.CharField()
    owner_id = serializers.CharField()


class NumberSerializer(serializers.Serializer):
    id = serializers.IntegerField()


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


def later_rows(alias: str) -> Any:
    return Keyset(Thing.objects.using(alias), ["name"]).beyond(["n0", 0], False)


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
    "instances": lambda alias: InstanceSerializer(Thing.objects.using(alias), many=True).data,
    "a page": lambda alias: page_of(Thing.objects.using(alias)),
    "a page by cursor": lambda alias: page_of(Thing.objects.using(alias), ByName),
    "a later page by cursor": lambda alias: [*map(columns, later_rows(alias))],
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


def assert_is_plain(call: Callable[[str], Any], alias: str, worlds: tuple[str, ...]) -> None:
    """Check that one look-up finds in each world what Django finds there."""
    expected = {}
    for each in worlds:
        with world(each), override_settings(REST_FRAMEWORK=PLAIN):
            expected[each] = outcome(call, alias)
    assert len(set(expected.values())) == len(expected)
    for each in (*worlds, *worlds, *reversed(worlds)):
        with world(each):
            assert outcome(call, alias) == expected[each], each


# ---- databases ----


@pytest.mark.fast_way
def test_django_itself_writes_for_both_databases(alias: str) -> None:
    assert all(use.may_be_replaced() for use in USES)
    assert writes_itself(connections[alias])
    used_before(alias)
    assert any(key[0] is Thing for key in kept_statements(connections[alias]))


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


def test_operations_that_compute_their_methods(alias: str, monkeypatch: Any) -> None:
    operations = connections[alias].ops
    own = type(operations)

    def __getattribute__(self: Any, name: str) -> Any:
        found = own.__getattribute__(self, name)
        return prefixed(found) if name == "quote_name" else found

    used_before(alias)
    kind = type("Operations", (own,), {"__getattribute__": __getattribute__})
    monkeypatch.setattr(operations, "__class__", kind)
    assert_worlds_never_meet(alias)


@pytest.mark.fast_way
def test_what_is_patched_while_a_statement_is_made_is_not_kept(
    alias: str, monkeypatch: Any
) -> None:
    """As another thread may do, which takes its patch back later."""
    make = vars(_Statement)["of"].__get__(None, _Statement)
    own = SQLCompiler.get_from_clause
    call = LOOK_UPS["one row"]

    def of_a_tenant(self: Any) -> Any:
        result, params = own(self)
        return [in_tables_of_a_tenant(each) for each in result], params

    kept_statements(connections[alias]).clear()
    with monkeypatch.context() as patch, world("first"):

        def of(*args: Any) -> Any:
            patch.setattr(SQLCompiler, "get_from_clause", of_a_tenant)
            return make(*args)

        patch.setattr(_Statement, "of", of)
        assert "first_1" in str(outcome(call, alias))
    assert_is_plain(call, alias, ("first",))


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


GENERATED: dict[str, Callable[[str], Any]] = {
    "a list": lambda alias: GeneratedSerializer(Generated.objects.using(alias), many=True).data,
    "one row": lambda alias: columns(row_of(Generated.objects.using(alias), "pk", 1)),
}


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("method", [get_db_converters, read_value])
@pytest.mark.parametrize("place", ["target", "target itself", "output field"])
def test_fields_that_convert_for_others(
    alias: str, place: str, method: Any, name: str, monkeypatch: Any
) -> None:
    """The values of a foreign key are those of its target; generated columns have another field."""
    call = GENERATED[name]
    call(alias)
    title = "from_db_value" if method is read_value else "get_db_converters"
    if place == "target itself":
        key = Owner._meta.pk
        monkeypatch.setattr(key, title, method.__get__(key), raising=False)
    else:
        kind = Key if place == "target" else Name
        monkeypatch.setattr(kind, title, method, raising=False)
    assert_is_plain(call, alias, ("first", "second"))


def get_extra_restriction(self: Any, alias: str, related_alias: str) -> Any:
    return RawSQL(f"'{WORLD.get()}' = 'first'", (), models.BooleanField())


@pytest.mark.parametrize("is_known", [True, False])
def test_relations_that_restrict_their_join(alias: str, is_known: bool, monkeypatch: Any) -> None:
    def owner(alias: str) -> Any:
        found = row_of(Generated.objects.using(alias).select_related("part"), "pk", 2)
        return found._state.fields_cache["part"]

    if is_known:
        owner(alias)
    monkeypatch.setattr(Part, "get_extra_restriction", get_extra_restriction)
    assert_is_plain(owner, alias, ("first", "second"))


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


@pytest.mark.filterwarnings("ignore:Calling select_related")
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


# ---- text of the project ----

BY_NAME = RawSQL("worlds_owner.name = 'owner'", (), models.BooleanField())
NAMED: dict[str, Callable[[Any], Any]] = {
    "a condition": lambda rows: rows.filter(BY_NAME),
    "an extra condition": lambda rows: rows.extra(where=["worlds_owner.name = 'owner'"]),
    "a negated condition": lambda rows: rows.exclude(~models.Q(BY_NAME)),
    "an order": lambda rows: rows.order_by(RawSQL("worlds_owner.name", ()), "id"),
}


@pytest.mark.parametrize("name", NAMED)
def test_text_may_name_a_joined_table(alias: str, name: str, monkeypatch: Any) -> None:
    def found(alias: str) -> Any:
        rows = NAMED[name](Thing.objects.using(alias).select_related("owner"))
        return NumberSerializer(rows, many=True).data

    def count(alias: str) -> Any:
        return exact_count(NAMED[name](Thing.objects.using(alias).annotate(by=F("owner__name"))))

    monkeypatch.setattr(Thing._meta.get_field("owner"), "db_constraint", True)
    for model in (Thing, Owner):
        monkeypatch.setattr(model._meta, "managed", True)
    for call in (found, count):
        assert_is_plain(call, alias, ("first",))


@pytest.mark.parametrize("alias", ["postgresql"], indirect=True)
def test_joins_hide_what_row_security_hides(alias: str, monkeypatch: Any) -> None:
    """A constraint finds rows that the role must not see."""
    monkeypatch.setattr(Thing._meta.get_field("owner"), "db_constraint", True)
    for model in (Thing, Owner):
        monkeypatch.setattr(model._meta, "managed", True)
    with connections[alias].cursor() as cursor:
        cursor.execute("INSERT INTO worlds_owner VALUES (2, 'hidden')")
        cursor.execute("ALTER TABLE worlds_owner ENABLE ROW LEVEL SECURITY")
        cursor.execute("CREATE POLICY shown ON worlds_owner USING (name <> 'hidden')")
        cursor.execute("CREATE ROLE worlds_reader")
        cursor.execute("GRANT SELECT ON worlds_owner, worlds_thing TO worlds_reader")
        cursor.execute("SET LOCAL ROLE worlds_reader")
    for name in ("related rows", "an annotation"):

        def found(alias: str, name: str = name) -> Any:
            rows = JOINED[name](alias)
            return NumberSerializer(rows, many=True).data, exact_count(rows)

        assert_is_plain(found, alias, ("first",))
    assert len(NumberSerializer(JOINED["related rows"](alias), many=True).data) == 3


def test_a_queryset_may_have_a_count_of_its_own(alias: str) -> None:
    rows = Thing.objects.using(alias)
    vars(rows)["count"] = lambda: 3
    assert exact_count(rows) == 3


# ---- managers and querysets that compute their methods ----


class Chosen(models.QuerySet[Any]):
    """Tests give it methods."""


class Choosing(models.Manager.from_queryset(Chosen)):  # type: ignore[misc]
    """Tests give it methods."""


class Choice(models.Model):
    name = models.CharField(max_length=9)
    objects = Choosing()

    class Meta:
        app_label = "contract_project"
        managed = False
        db_table = "worlds_thing"
        ordering = ["id"]


def computing(name: str, kind: Any, make: Callable[[Any], Any]) -> Any:
    def __getattribute__(self: Any, wanted: str) -> Any:
        found = super(kind, self).__getattribute__(wanted)
        return make(found) if wanted == name and WORLD.get() == "second" else found

    return __getattribute__


def restricted(query: Any) -> Any:
    if not hasattr(query, "is_restricted"):
        query = query.chain()
        query.is_restricted = True
        query.add_q(models.Q(id__gt=1))
    return query


CHOSEN: dict[str, tuple[Any, str, Any]] = {
    "a manager": (
        Choosing,
        "__getattribute__",
        computing("get_queryset", Choosing, lambda make: lambda: make().filter(id__gt=1)),
    ),
    "a queryset": (
        Chosen,
        "__getattribute__",
        computing("filter", Chosen, lambda found: lambda *args, **kwargs: found(pk=-1)),
    ),
    "a query": (
        Chosen,
        "query",
        property(
            lambda self: restricted(self._query) if WORLD.get() == "second" else self._query,
            models.QuerySet.query.fset,
        ),
    ),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_methods_that_are_computed(alias: str, name: str, monkeypatch: Any) -> None:
    def found(alias: str) -> Any:
        return columns(row_of(Choice.objects.db_manager(alias), "pk", 1))

    found(alias)
    owner, title, way = CHOSEN[name]
    monkeypatch.setattr(owner, title, way, raising=False)
    assert_is_plain(found, alias, ("first", "second"))


# ---- managers that look at the parent of a relation ----


class Looking(models.Manager[Any]):
    """Hides the rows of some parents."""

    def get_queryset(self) -> Any:
        found = super().get_queryset()
        parent = getattr(self, WORLD.get(), None)
        return found if getattr(parent, "name", None) != "hidden" else found.none()


class Piece(models.Model):
    owner = models.ForeignKey(Owner, models.DO_NOTHING, related_name="pieces")
    objects = Looking()

    class Meta:
        app_label = "contract_project"
        managed = False
        db_table = "worlds_thing"
        ordering = ["id"]


class OwnerSerializer(serializers.Serializer):
    pieces = NumberSerializer(many=True)


def owners(alias: str, kind: Any) -> Any:
    rows = Owner.objects.using(alias).order_by("id")
    if kind is load:
        rows = rows.prefetch_related("pieces")
    return OwnerSerializer(rows if kind is models.QuerySet else kind(rows), many=True).data


@pytest.fixture
def _hidden_owner(alias: str) -> None:
    """The parents before and after the hidden one look alike."""
    with connections[alias].cursor() as cursor:
        cursor.execute("INSERT INTO worlds_owner VALUES (2, 'hidden'), (3, 'other')")


@pytest.mark.usefixtures("_hidden_owner")
@pytest.mark.parametrize("kind", [models.QuerySet, list])
def test_managers_that_look_at_their_parent(alias: str, kind: Any) -> None:
    assert_is_plain(lambda alias: owners(alias, kind), alias, ("instance", "nothing"))


@pytest.mark.fast_way
@pytest.mark.usefixtures("_hidden_owner")
@pytest.mark.parametrize("kind", [models.QuerySet, list, load])
def test_managers_that_do_not_look_there_take_one_query(
    alias: str, kind: Any, django_assert_num_queries: Any
) -> None:
    with world("nothing"), django_assert_num_queries(2, using=alias):
        owners(alias, kind)
