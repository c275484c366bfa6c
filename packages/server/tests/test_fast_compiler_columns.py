"""Whole columns become text only if instances, one by one, give the same text."""

import datetime
import uuid
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import django
import pytest
from contract_project.models import Everything, Tag
from django.db import connection, connections, models
from django.test import override_settings
from django.test.utils import isolate_apps
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase
from servers import everything_in

from lintel import serializers
from lintel.fast.compiled import class_state
from lintel.fast.compiler.kinds import base, dates, numbers

ZONES = ["UTC", "Europe/Berlin", "Europe/London", "America/Chicago", "Africa/Monrovia"]
MOMENT = datetime.datetime(2026, 5, 17, 8, 30, 15, 123456, tzinfo=datetime.UTC)


class EverythingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Everything
        fields = ["amount", "when", "day", "at", "key", "flag", "maybe"]


class OtherFormsSerializer(serializers.ModelSerializer):
    """Fields that write their columns in another way than the database or ISO 8601 do."""

    amount = serializers.DecimalField(max_digits=8, decimal_places=1)
    number = serializers.DecimalField(source="amount", max_digits=8, decimal_places=3)
    wide = serializers.DecimalField(source="amount", max_digits=None, decimal_places=2)
    exact = serializers.DecimalField(
        source="amount", max_digits=6, decimal_places=2, coerce_to_string=False
    )
    when = serializers.DateTimeField(format="%H:%M")
    there = serializers.DateTimeField(
        source="when", default_timezone=datetime.timezone(datetime.timedelta(hours=3))
    )
    day = serializers.DateField(format=None)
    key = serializers.UUIDField(format="hex")
    same = serializers.UUIDField(source="key")

    class Meta:
        model = Everything
        fields = ["amount", "number", "wide", "exact", "when", "there", "day", "key", "same"]


def add(**values: Any) -> Any:
    return Everything.objects.create(**{"amount": 1, "when": MOMENT, "text": "a", **values})


def write_raw(column: str, values: Sequence[Any]) -> None:
    """Rows whose column holds what another program has left there."""
    for value in values:
        row = add()
        with connection.cursor() as cursor:
            table = Everything._meta.db_table
            cursor.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [value, row.pk])


def outcome(cls: Any, rows: Any) -> tuple[str, Any]:
    class_state(cls)
    try:
        return "data", [dict(row) for row in cls(rows, many=True).data]
    except Exception as error:
        return "error", (type(error), str(error))


def assert_same(cls: Any = EverythingSerializer, alias: str = "default") -> tuple[str, Any]:
    """The outcome for a queryset, after it was compared with that for its instances."""
    queryset = Everything.objects.using(alias).order_by("pk")
    found = outcome(cls, queryset)
    assert found == outcome(cls, queryset.iterator())
    return found


@pytest.fixture
def wired(monkeypatch: Any) -> Any:
    """The kinds of the columns that are made to text at once, once for each lot of rows."""
    seen: Counter[str] = Counter()
    for encoder in (base.TypeEncoder, dates.DatetimeEncoder, numbers.DecimalEncoder):
        for name in ("texts", "sent_texts"):
            monkeypatch.setattr(encoder, name, noting(seen, getattr(encoder, name)))
    return seen


def noting(seen: Counter[str], method: Any) -> Any:
    def noted(self: Any, *args: Any) -> Any:
        made = method(self, *args)
        if made is not None:
            seen[self.column_type] += 1
        return made

    return noted


ROWS = [
    {},
    {"amount": Decimal("-0.05"), "day": datetime.date(1, 2, 3), "at": datetime.time(1, 2, 3, 4)},
    {"amount": Decimal("9999.99"), "when": MOMENT.replace(microsecond=0), "maybe": True},
    {"amount": 0, "when": MOMENT.replace(year=1), "key": uuid.UUID(int=0), "flag": True},
    {"when": MOMENT.replace(year=9999, month=12, day=31, hour=23)},
    {"when": MOMENT.replace(year=1850)},
]


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("cls", [EverythingSerializer, OtherFormsSerializer])
def test_each_row_alone_and_all_together(zone: str, cls: Any) -> None:
    with override_settings(TIME_ZONE=zone):
        for row in ROWS:
            Everything.objects.all().delete()
            add(**row)
            assert_same(cls)
        Everything.objects.all().delete()
        for row in ROWS * 40:
            add(**row)
        assert_same(cls)
        with timezone.override("Asia/Kathmandu"):
            assert_same(cls)


@pytest.mark.fast_way
@pytest.mark.django_db
def test_columns_go_at_once(wired: Any) -> None:
    for number in range(150):
        add(day=None if number % 3 else datetime.date(2026, 5, 17))
    with override_settings(TIME_ZONE="UTC"):
        kind, data = assert_same()
    assert (kind, len(data)) == ("data", 150)
    kinds = ["DateField", "DateTimeField", "DecimalField", "UUIDField"]
    # Django reads a hundred rows at once.
    assert [wired[kind] for kind in kinds] == [2, 2, 2, 2]


class AnyMoment(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type(MOMENT))


class Stopped(datetime.datetime, metaclass=AnyMoment):
    """What tools that stop time put in the place of ``datetime.datetime``."""


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_moments_while_time_stands_still(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add(when=MOMENT)
    with override_settings(TIME_ZONE=zone):
        before = assert_same()
        with monkeypatch.context() as patch:
            patch.setattr(datetime, "datetime", Stopped)
            assert assert_same() == before
        assert assert_same() == before


@pytest.mark.django_db
@override_settings(USE_TZ=False)
def test_moments_without_a_zone() -> None:
    add(when=datetime.datetime(2026, 1, 1))
    assert assert_same()[1][0]["when"] == "2026-01-01T00:00:00"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("key", ["0" * 32, "A" * 32]),
        ("key", ["0b7a3f0e-6c1e-4c6e-9d5a-111111111111"]),
        ("key", ["0" * 31 + " "]),
        ("key", ["{" + "0" * 30 + "}"]),
        ("key", ["0" * 32, "nonsense"]),
        ("key", ["\u0661" * 32]),
        ("amount", [1, 2.5, "3.25"]),
        ("amount", [1.005, 2.675, 0.125]),
        ("amount", [1e20]),
        ("amount", [123456.78]),
        ("amount", [-0.0, 0.1 + 0.2]),
        ("amount", ["text"]),
        ("amount", [9e999]),
        ('"when"', ["2026-05-17 08:30:15+02:00", "2026-05-17 08:30:15"]),
        ('"when"', ["2026-05-17T08:30:15Z"]),
        ('"when"', ["2026-05-17"]),
        ('"when"', ["nonsense"]),
        ("day", ["2026-05-17 08:30:15", "2026-05-17"]),
        ("flag", [0, 1, 2, "1"]),
        ("at", ["08:30", "08:30:15.5"]),
    ],
    ids=str,
)
def test_what_another_program_has_left(column: str, values: Sequence[Any]) -> None:
    with override_settings(TIME_ZONE="UTC"):
        write_raw(column, values)
        assert_same()
        assert_same(OtherFormsSerializer)


@pytest.fixture
def untyped(db: None) -> Any:
    """A model whose columns have no declared type, so that SQLite hands out what it keeps."""
    table = Everything._meta.db_table
    with isolate_apps("contract_project"):

        class Untyped(models.Model):
            when = models.DateTimeField()
            day = models.DateField(null=True)

            class Meta:
                app_label = "contract_project"
                managed = False
                db_table = "untyped"

        class UntypedSerializer(serializers.ModelSerializer):
            class Meta:
                model = Untyped
                fields = ["when", "day"]

        with connection.cursor() as cursor:
            columns = 'id, +"when" AS "when", +day AS day'
            cursor.execute(f"CREATE TEMP VIEW untyped AS SELECT {columns} FROM {table}")
        yield UntypedSerializer
        with connection.cursor() as cursor:
            cursor.execute("DROP VIEW untyped")


@pytest.mark.fast_way
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "raw", [[], ["2026-05-17T08:30Z"], ["2026-05-17 8:30"], ["20260517"], ["nonsense"], [""]]
)
def test_columns_without_a_declared_type(
    untyped: Any, zone: str, raw: Sequence[str], wired: Any
) -> None:
    for row in ROWS:
        add(**row)
    write_raw('"when"', raw)
    write_raw("day", raw)
    model = untyped.Meta.model
    with override_settings(TIME_ZONE=zone):
        found = outcome(untyped, model.objects.order_by("pk"))
        assert found == outcome(untyped, model.objects.order_by("pk").iterator())
    if not raw and zone == "UTC":
        assert [wired[kind] for kind in ("DateField", "DateTimeField")] == [1, 1]


class GeneratedValues(HypothesisTestCase):
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        rows=st.lists(
            st.fixed_dictionaries(
                {
                    "amount": st.decimals(-9999, 9999, places=2),
                    "when": st.datetimes(timezones=st.just(datetime.UTC)),
                    "day": st.none() | st.dates(),
                    "at": st.none() | st.times(),
                    "key": st.uuids(),
                    "maybe": st.none() | st.booleans(),
                }
            ),
            max_size=5,
        ),
        zone=st.sampled_from(ZONES),
    )
    def test_any_rows(self, rows: Any, zone: str) -> None:
        with override_settings(TIME_ZONE=zone):
            Everything.objects.all().delete()
            for row in rows:
                add(**row)
            assert_same()
            assert_same(OtherFormsSerializer)


class ParentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Everything
        fields = ["id", "key", "tags"]


@pytest.mark.django_db
def test_keys_of_relations_keep_their_kind() -> None:
    related = [field.name for field in Everything._meta.many_to_many]
    cls = type(
        "Related",
        (ParentSerializer,),
        {"Meta": type("Meta", (), {"model": Everything, "fields": ["id", "key", *related]})},
    )
    row = add()
    for name in related:
        getattr(row, name).add(Tag.objects.create(name="red"))
    assert_same(cls)


@pytest.fixture
def database(postgresql: str, django_db_blocker: Any) -> Any:
    with everything_in(postgresql, django_db_blocker, Everything):
        yield postgresql


@pytest.mark.fast_way
def test_rows_of_postgresql(database: str, wired: Any) -> None:
    manager = Everything.objects.using(database)
    for row in ROWS:
        manager.create(**{"amount": 1, "when": MOMENT, "text": "a", **row})
    with override_settings(TIME_ZONE="UTC"):
        assert_same(alias=database)
        assert_same(OtherFormsSerializer, alias=database)
    kinds = {"DecimalField", "UUIDField", "DateTimeField"}
    assert kinds <= set(wired)
    assert connections[database].vendor == "postgresql"


@pytest.mark.skipif(django.VERSION < (6, 1), reason="decimals have limits")
@pytest.mark.django_db(transaction=True)
@isolate_apps("contract_project")
def test_decimals_without_limits() -> None:
    class Unlimited(models.Model):
        free = models.DecimalField()
        placed = models.DecimalField(decimal_places=2)

        class Meta:
            app_label = "contract_project"

    class UnlimitedSerializer(serializers.Serializer):
        free = serializers.DecimalField(None, None)
        placed = serializers.DecimalField(None, 2)
        shown = serializers.DecimalField(8, 2, source="placed")

    with connection.schema_editor() as editor:
        editor.create_model(Unlimited)
    try:
        Unlimited.objects.create(free="1.5", placed="2.50")
        class_state(UnlimitedSerializer)
        found = UnlimitedSerializer(Unlimited.objects.all(), many=True).data
        assert found == UnlimitedSerializer(list(Unlimited.objects.all()), many=True).data
        assert found[0]["shown"] == "2.50"
    finally:
        with connection.schema_editor() as editor:
            editor.delete_model(Unlimited)


@pytest.mark.django_db
def test_a_source_may_lead_through_a_column_that_is_not_loaded():
    class Year(serializers.ModelSerializer):
        year = serializers.IntegerField(source="when.year", required=False, allow_null=True)

        class Meta:
            model = Everything
            fields = ["year"]

    add()
    assert Year(Everything.objects.only("text"), many=True).data == [{"year": 2026}]
    assert Year(Everything.objects.only("text").get()).data == {"year": 2026}
