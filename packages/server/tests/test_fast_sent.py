"""Columns that stay text say what Django's values say, whatever is in them and whoever looks on."""

import datetime
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from contract_project.models import Entry, Everything
from django.db import connections, models
from django.db.backends.utils import CursorWrapper
from django.test import RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.adapt import Loader
from psycopg.rows import tuple_row
from servers import everything_in

from lintel import fast, generics, serializers
from lintel.fast.compiler.kinds import base, dates, numbers
from lintel.pagination import CursorPagination
from lintel.renderers import JSONRenderer

NUMBERS = {"date": 1082, "timestamptz": 1184, "numeric": 1700, "uuid": 2950}
MOMENT = datetime.datetime(2026, 5, 17, 8, 30, 15, 120000, tzinfo=datetime.UTC)
ZONES = ["UTC", "Europe/Berlin", "America/Chicago", "Africa/Monrovia"]


class EverythingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Everything
        fields = ["id", "amount", "when", "day", "key", "text"]


class SomeSerializer(serializers.ModelSerializer):
    """Other columns of the same types are not shown, and one is shown as it is."""

    raw = serializers.ReadOnlyField(source="amount")

    class Meta:
        model = Everything
        fields = ["when", "raw", "key"]


@pytest.fixture
def database(postgresql: str, django_db_blocker: Any) -> Iterator[str]:
    with everything_in(postgresql, django_db_blocker, Everything, Entry):
        connections[postgresql].close()
        yield postgresql
        connections[postgresql].close()


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """The types that have stayed text, once for each column that was."""
    seen: list[set[int]] = []

    def noted(method: Callable[..., Any]) -> Callable[..., Any]:
        def sent_texts(self: Any, texts: Any) -> Any:
            made = method(self, texts)
            if made is not None:
                seen.append({self.number})
            return made

        return sent_texts

    for encoder in (base.TypeEncoder, dates.DatetimeEncoder, numbers.DecimalEncoder):
        monkeypatch.setattr(encoder, "sent_texts", noted(encoder.sent_texts))
    return seen


def add(**values: Any) -> Everything:
    return Everything.objects.create(
        **{"amount": Decimal("1.50"), "when": MOMENT, "text": "a", **values}
    )


def execute(statement: str, parameters: Any = None, alias: str = "postgresql") -> None:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, parameters)


def outcome(cls: Any, queryset: Any) -> tuple[str, Any]:
    try:
        return "data", [dict(row) for row in cls(queryset.all(), many=True).data]
    except Exception as error:
        return "error", (type(error), str(error))


def assert_same(cls: Any = EverythingSerializer, model: Any = Everything) -> tuple[str, Any]:
    """The outcome of rows, which is that of the plain way, ordered or not."""
    ordered = model.objects.order_by("pk")
    found = outcome(cls, ordered)
    unordered = outcome(cls, model.objects.all())
    with fast.off():
        plain = outcome(cls, ordered), outcome(cls, model.objects.all())
    # Decimals that are no numbers equal nothing.
    assert repr((found, unordered)) == repr(plain)
    return found


@pytest.mark.fast_way
def test_columns_stay_text(database: str, kept: list[set[int]]) -> None:
    for number in range(150):
        add(day=datetime.date(2026, 5, 17) if number % 3 else None)
    kind, data = assert_same()
    assert (kind, len(data)) == ("data", 150)
    assert set().union(*kept) == set(NUMBERS.values())
    assert data[1] | {"id": 0, "key": ""} == {
        "id": 0,
        "amount": "1.50",
        "when": "2026-05-17T08:30:15.120000Z",
        "day": "2026-05-17",
        "key": "",
        "text": "a",
    }


@pytest.mark.fast_way
def test_a_type_is_loaded_where_a_column_needs_its_values(
    database: str, kept: list[set[int]]
) -> None:
    add()
    assert_same(SomeSerializer)
    assert set().union(*kept) == {NUMBERS["timestamptz"], NUMBERS["uuid"]}


HOSTILE = [
    *[("when", text) for text in ("infinity", "-infinity", "0044-03-15 12:00:00+00 BC")],
    *[("when", text) for text in ("10000-01-01 00:00:00+00", "1850-01-01 00:00:00.1+00")],
    *[("when", text) for text in ("0001-01-01 00:00:00+00", "9999-12-31 23:59:59.999999+00")],
    *[("day", text) for text in ("infinity", "-infinity", "0044-03-15 BC", "10000-01-01")],
    *[("day", text) for text in ("0001-01-01", "9999-12-31")],
    *[("amount", text) for text in ("NaN", "-0.00", "-9999.99", "0", "9999.99")],
    ("key", str(uuid.UUID(int=0))),
]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("column", "text"), HOSTILE)
def test_values_that_only_the_database_knows(
    database: str, column: str, text: str, zone: str
) -> None:
    add(), add(day=datetime.date(2026, 5, 17))
    table = Everything._meta.db_table
    execute(f'UPDATE {table} SET "{column}" = %s WHERE id = %s', [text, add().pk])
    with override_settings(TIME_ZONE=zone):
        assert_same()
        if column != "day":  # which is not read, whatever it says
            assert_same(SomeSerializer)


@pytest.mark.parametrize("style", ["SQL, DMY", "German", "Postgres", "ISO, MDY"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "Africa/Monrovia"])
def test_sessions_in_another_style_or_zone(database: str, style: str, zone: str) -> None:
    add(day=datetime.date(2026, 5, 17))
    add(when=MOMENT.replace(year=1890))
    execute(f"SET datestyle TO '{style}'")
    execute(f"SET timezone TO '{zone}'")
    assert_same()


@override_settings(USE_TZ=False)
def test_moments_without_a_zone(database: str) -> None:
    connections[database].__dict__.pop("timezone", None)
    add(when=MOMENT.replace(tzinfo=None))
    assert_same()
    connections[database].__dict__.pop("timezone", None)


def test_another_zone_of_the_thread(database: str, kept: list[set[int]]) -> None:
    add(), add(when=MOMENT.replace(year=1))
    with timezone.override("Asia/Kathmandu"):
        assert_same()


class TestAnyRows:
    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(
        rows=st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "amount": st.decimals("-9999.99", "9999.99", places=2),
                    "when": st.datetimes(timezones=st.just(datetime.UTC)),
                    "day": st.none() | st.dates(),
                    "key": st.uuids(),
                },
            ),
            max_size=6,
        ),
        zone=st.sampled_from(ZONES),
    )
    def test_are_those_of_the_plain_way(self, database: str, rows: Any, zone: str) -> None:
        Everything.objects.all().delete()
        for row in rows:
            add(**row)
        with override_settings(TIME_ZONE=zone):
            assert_same()
            assert_same(SomeSerializer)


# ---- the database is not what the model says ----


@isolate_apps("contract_project")
def test_columns_of_other_types_than_the_model_says(database: str, kept: list[set[int]]) -> None:
    class Odd(models.Model):
        title = models.CharField(max_length=40)
        note = models.TextField()
        when = models.DateTimeField()
        right = models.DateTimeField()
        key = models.UUIDField()
        code = models.UUIDField()
        number = models.CharField(max_length=40)
        amount = models.DecimalField(max_digits=6, decimal_places=2)

        class Meta:
            app_label = "contract_project"
            db_table = "odd_types"
            managed = False

    class OddSerializer(serializers.ModelSerializer):
        class Meta:
            model = Odd
            fields = "__all__"

    execute(
        "CREATE TABLE odd_types (id serial, title timestamptz, note uuid, "
        '"when" timestamp, "right" timestamptz, key varchar, code timestamptz, number numeric, '
        "amount float8)"
    )
    try:
        execute(
            "INSERT INTO odd_types VALUES (1, now(), gen_random_uuid(), '2026-05-17 08:30', "
            "'2026-05-17 08:30+00', 'x', now(), 'NaN', 2.5)"
        )
        assert assert_same(OddSerializer, Odd)[0] == "data"
    finally:
        execute("DROP TABLE odd_types")


@isolate_apps("contract_project")
def test_keys_that_are_uuids(database: str, kept: list[set[int]]) -> None:
    class Owner(models.Model):
        id = models.UUIDField(primary_key=True, default=uuid.uuid4)
        token = models.UUIDField(default=uuid.uuid4)

        class Meta:
            app_label = "contract_project"
            db_table = "sent_owner"

    class Owned(models.Model):
        id = models.UUIDField(primary_key=True, default=uuid.uuid4)
        made = models.DateTimeField(default=MOMENT)
        owner = models.ForeignKey(Owner, models.CASCADE, related_name="things", null=True)

        class Meta:
            app_label = "contract_project"
            db_table = "sent_owned"

    class OwnedSerializer(serializers.ModelSerializer):
        class Meta:
            model = Owned
            fields = ["id", "made", "owner"]

    class OwnerSerializer(serializers.ModelSerializer):
        things = OwnedSerializer(many=True)

        class Meta:
            model = Owner
            fields = ["id", "token", "things"]

    with connections[database].schema_editor() as editor:
        editor.create_model(Owner), editor.create_model(Owned)
    try:
        first, _ = Owner.objects.create(), Owner.objects.create()
        Owned.objects.create(owner=first), Owned.objects.create(owner=first)
        Owned.objects.create()
        assert assert_same(OwnerSerializer, Owner)[0] == "data"
        assert assert_same(OwnedSerializer, Owned)[0] == "data"
    finally:
        with connections[database].schema_editor() as editor:
            editor.delete_model(Owned), editor.delete_model(Owner)


def test_keys_of_cursors_have_values(database: str) -> None:
    class EntrySerializer(serializers.ModelSerializer):
        class Meta:
            model = Entry
            fields = ["id", "created"]

    style = type("Newest", (CursorPagination,), {"page_size": 2, "ordering": "-created"})
    attributes = {
        "queryset": Entry.objects.all(),
        "serializer_class": EntrySerializer,
        "pagination_class": style,
        "renderer_classes": [JSONRenderer],
    }
    view = type("View", (generics.ListAPIView,), attributes).as_view()
    for number in range(7):
        Entry.objects.create(name="a", created=MOMENT + datetime.timedelta(seconds=number // 2))

    def walk() -> list[Any]:
        found, address = [], "/"
        while address:
            data = view(RequestFactory().get(address)).data
            found.append((data["results"], data["next"], data["previous"]))
            address = data["next"]
        return found

    pages = walk()
    assert len(pages) == 4
    with fast.off():
        assert walk() == pages


# ---- who looks on ----


def test_a_loader_of_the_project_is_asked(database: str, kept: list[set[int]]) -> None:
    class Masking(Loader):
        def load(self, data: Any) -> uuid.UUID:
            return uuid.UUID(int=7)

    add()
    adapters = connections[database].connection.adapters
    adapters.register_loader("uuid", Masking)
    kind, data = assert_same()
    assert (kind, data[0]["key"]) == ("data", str(uuid.UUID(int=7)))
    assert {NUMBERS["uuid"]} not in kept


def test_texts_of_the_project_are_not_taken(database: str, kept: list[set[int]]) -> None:
    class Loud(Loader):
        def load(self, data: Any) -> str:
            return bytes(data).decode().upper()

    add()
    connections[database].connection.adapters.register_loader("text", Loud)
    assert_same()
    assert kept == []


def seen_by(rows: list[Any], found: Any) -> Any:
    rows += found
    return found


def test_a_method_of_cursors_that_sees_rows_sees_values(
    database: str, kept: list[set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    add()
    seen: list[Any] = []

    def fetchmany(self: Any, *arguments: Any) -> Any:
        return seen_by(seen, self.cursor.fetchmany(*arguments))

    assert_same()
    monkeypatch.setattr(CursorWrapper, "fetchmany", fetchmany, raising=False)
    kept.clear()
    assert_same()
    assert kept == []
    assert {type(value) for row in seen for value in row} >= {datetime.datetime, uuid.UUID}


def test_a_cursor_of_the_project_sees_values(
    database: str, kept: list[set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tracing(CursorWrapper):
        """What tracing tools put around the rows."""

    add()
    connection = connections[database]
    cursor = connection.cursor
    monkeypatch.setattr(connection, "cursor", lambda: Tracing(cursor().cursor, connection))
    assert_same()
    assert kept == []


def test_a_method_of_one_cursor_sees_values(
    database: str, kept: list[set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    add()
    connection = connections[database]
    cursor, seen = connection.cursor, list[Any]()

    def patched() -> Any:
        made = cursor()
        fetchmany = made.cursor.fetchmany
        made.cursor.fetchmany = lambda *arguments: seen_by(seen, fetchmany(*arguments))
        return made

    monkeypatch.setattr(connection, "cursor", patched)
    assert_same()
    assert kept == []
    assert seen


def test_a_factory_of_rows_sees_values(database: str, kept: list[set[int]]) -> None:
    seen: list[Any] = []

    def factory(cursor: Any) -> Any:
        make = tuple_row(cursor)
        return lambda values: make(seen_by(seen, values))

    add()
    connection = connections[database]
    connection.connection.row_factory = factory
    assert_same()
    assert kept == []
    assert uuid.UUID in set(map(type, seen))


@pytest.mark.fast_way
def test_statements_are_logged_and_wrapped_as_ever(database: str, kept: list[set[int]]) -> None:
    add()
    wrapped: list[str] = []

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        wrapped.append(sql)
        return execute(sql, params, many, context)

    connection = connections[database]
    with connection.execute_wrapper(wrapper), CaptureQueriesContext(connection) as queries:
        assert outcome(EverythingSerializer, Everything.objects.order_by("pk"))[0] == "data"
    assert len(wrapped) == len(queries) == 1
    assert kept


def test_bytes_of_a_database_without_an_encoding() -> None:
    assert not any(
        encoder.sent_texts([b"2026-05-17"])
        for encoder in (
            base.TypeEncoder(uuid.UUID, "UUIDField", 2950, lambda texts: False),
            dates.DatetimeEncoder(None),
            numbers.DecimalEncoder(6, 2),
        )
    )
