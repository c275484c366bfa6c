"""Every kind of field, with every value, from every source: generated code equals the field."""

import datetime
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from contract_project.models import Everything
from django.test import override_settings
from servers import everything_in

from lintel import serializers
from lintel.fast.compiled import class_state
from lintel.fast.compiler.kinds import KINDS
from lintel.fast.compiler.plan import conversion

KATHMANDU = ZoneInfo("Asia/Kathmandu")
MOMENT = datetime.datetime(2026, 5, 17, 8, 30, 15, 10000, tzinfo=datetime.UTC)
ZONES = ["UTC", "America/Chicago"]

#: Kind → what makes fields of it, from the arguments that all fields have.
FIELDS: dict[str, list[Callable[..., Any]]] = {
    "text": [
        serializers.CharField,
        lambda **more: serializers.CharField(allow_blank=True, trim_whitespace=False, **more),
        lambda **more: serializers.CharField(max_length=3, min_length=2, **more),
        serializers.SlugField,
    ],
    "uuid": [
        serializers.UUIDField,
        lambda **more: serializers.UUIDField(format="urn", **more),
        lambda **more: serializers.UUIDField(format="int", **more),
    ],
    "integer": [
        serializers.IntegerField,
        lambda **more: serializers.IntegerField(min_value=-1, max_value=5, **more),
    ],
    "big_integer": [
        serializers.BigIntegerField,
        lambda **more: serializers.BigIntegerField(coerce_to_string=True, **more),
    ],
    "float": [
        serializers.FloatField,
        lambda **more: serializers.FloatField(max_value=0.5, **more),
    ],
    "boolean": [serializers.BooleanField],
    "decimal": [
        lambda **more: serializers.DecimalField(6, 2, **more),
        lambda **more: serializers.DecimalField(12, 8, max_value=Decimal(3), **more),
        lambda **more: serializers.DecimalField(None, None, **more),
        lambda **more: serializers.DecimalField(6, 1, coerce_to_string=False, **more),
        lambda **more: serializers.DecimalField(8, 1, rounding="ROUND_UP", **more),
        lambda **more: serializers.DecimalField(8, 2, normalize_output=True, **more),
        lambda **more: serializers.DecimalField(8, 2, localize=True, **more),
    ],
    "datetime": [
        serializers.DateTimeField,
        lambda **more: serializers.DateTimeField(default_timezone=KATHMANDU, **more),
        lambda **more: serializers.DateTimeField(format="%d.%m.%Y", **more),
        lambda **more: serializers.DateTimeField(
            format=None, input_formats=["%Y-%m-%d", "iso-8601"], **more
        ),
    ],
    "date": [
        serializers.DateField,
        lambda **more: serializers.DateField(format="%d.%m.%Y", input_formats=["%d"], **more),
    ],
    "time": [
        serializers.TimeField,
        lambda **more: serializers.TimeField(format="%H", input_formats=["ISO-8601"], **more),
    ],
    "duration": [
        serializers.DurationField,
        lambda **more: serializers.DurationField(format="iso-8601", **more),
    ],
    "choice": [
        lambda **more: serializers.ChoiceField(choices=["a", ("3", "three"), 2], **more),
        lambda **more: serializers.ChoiceField(choices=[3, "", True], allow_blank=True, **more),
    ],
    "list": [
        lambda **more: serializers.ListField(child=serializers.DateTimeField(), **more),
        lambda **more: serializers.ListField(
            child=serializers.ListField(child=serializers.IntegerField()), **more
        ),
    ],
    "json": [
        serializers.JSONField,
        lambda **more: serializers.JSONField(binary=True, **more),
    ],
    "as_is": [serializers.ReadOnlyField],
}
CASES = [(kind, number) for kind, makers in FIELDS.items() for number in range(len(makers))]

#: The relations have tests of their own: their values are rows.
RELATED = {"primary_key", "slug_related"}

VALUES: list[Any] = [
    *(None, "", " ", "a", " ab ", "abcdef", "\0", "\ud800", "ä", "a-b_c", "a\nb"),
    *(0, 3, -1, 2**70, True, False, 0.25, -1e-7, float("nan"), float("inf")),
    *("3", "2", "-0.00", "1.50", "12.3", "1e3", "99999999.99", "true", "yes"),
    *(Decimal("1.50"), Decimal("-0"), Decimal("1E+3"), Decimal("NaN"), Decimal("123456.789")),
    *("2026-05-17T08:30:15Z", "2026-05-17T08:30:15.5+02:00", "2026-05-17T08:30:15"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-05-17", "17", "2026-02-30"),
    *("08:30", "08:30:15.010000", "08:30:15+02:00", "24:00", "1 02:03:04", "P1D"),
    *(MOMENT, MOMENT.astimezone(KATHMANDU), MOMENT.replace(tzinfo=None), MOMENT.replace(year=1)),
    *(datetime.date(1, 2, 3), datetime.time(8, 30, 15, 10000), datetime.time(0)),
    *(datetime.timedelta(days=1, seconds=5), datetime.timedelta(0), -datetime.timedelta(1)),
    *(
        uuid.UUID(int=5),
        str(uuid.UUID(int=5)),
        "{" + uuid.UUID(int=5).hex + "}",
        uuid.UUID(int=5).hex,
    ),
    *([], [MOMENT, None], [[1, "2"], [True]], (1, 2), {"a": [1]}, {1, 2}, b"bytes", b"\xff"),
]

COLUMNS = [field.name for field in Everything._meta.fields if field.name not in ("id", "upload")]
ROWS: list[dict[str, Any]] = [
    {},
    {"text": "3", "number": 3, "amount": Decimal("-0.05"), "ratio": 0.25, "data": [1, "a"]},
    {"day": datetime.date(1, 2, 3), "at": datetime.time(8, 30, 15, 10000), "flag": True},
    {"when": MOMENT.replace(year=9999), "maybe": False, "span": datetime.timedelta(1, 5)},
    {"key": uuid.UUID(int=0), "text": "", "data": [MOMENT.isoformat(), None], "ip": "::1"},
]


def test_every_kind_is_tested() -> None:
    assert set(FIELDS) | RELATED == set(KINDS)
    for kind, number in CASES:
        field = FIELDS[kind][number]()
        found = conversion(field, "to_representation")
        assert found is not None
        assert found.kind == kind


def outcome(call: Callable[..., Any], *arguments: Any) -> tuple[str, str]:
    """What a call returned or raised, with types, so that 1 and True and 1.0 differ."""
    try:
        return "value", repr(call(*arguments))
    except serializers.ValidationError as error:
        return "refused", repr(error.get_full_details())
    except Exception as error:
        return type(error).__name__, str(error)


def made(kind: str, number: int, **more: Any) -> Any:
    """A serializer class with one field, which is compiled."""
    cls = type("Made", (serializers.Serializer,), {"value": FIELDS[kind][number](**more)})
    class_state(cls)
    return cls


def plain(cls: Any) -> Any:
    """A serializer on the plain path: whoever touches the fields may have changed them."""
    serializer = cls()
    serializer.fields  # noqa: B018
    return serializer


@pytest.mark.parametrize(("kind", "number"), CASES)
@pytest.mark.parametrize("zone", ZONES)
def test_reading_from_attributes_and_items(kind: str, number: int, zone: str) -> None:
    cls = made(kind, number)
    with override_settings(TIME_ZONE=zone):
        for value in VALUES:
            for instance in (SimpleNamespace(value=value), {"value": value}):
                expected = outcome(plain(cls).to_representation, instance)
                assert outcome(cls().to_representation, instance) == expected, repr(value)


@pytest.mark.parametrize(("kind", "number"), CASES)
@pytest.mark.parametrize("more", [{}, {"allow_null": True}], ids=str)
def test_writing(kind: str, number: int, more: Any) -> None:
    cls = made(kind, number, **({} if kind == "as_is" else more))
    with override_settings(TIME_ZONE="America/Chicago"):
        for value in VALUES:
            expected = outcome(plain(cls).run_validation, {"value": value})
            assert outcome(cls().run_validation, {"value": value}) == expected, repr(value)


def compare_columns(kind: str, number: int, rows: Any) -> Iterator[str]:
    """Columns whose rows give something else than the fields of their instances do."""
    for column in COLUMNS:
        cls = made(kind, number, source=column)
        found = outcome(lambda cls=cls: list(map(dict, cls(rows.all(), many=True).data)))
        read = plain(cls).to_representation
        if found != outcome(lambda read=read: list(map(read, list(rows)))):
            yield column


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "number"), CASES)
def test_reading_from_columns(kind: str, number: int) -> None:
    for row in ROWS:
        Everything.objects.create(**{"amount": 1, "when": MOMENT, "text": "a", **row})
    for zone in ZONES:
        with override_settings(TIME_ZONE=zone):
            assert not list(compare_columns(kind, number, Everything.objects.order_by("pk")))


def test_reading_from_columns_of_postgresql(postgresql: str, django_db_blocker: Any) -> None:
    with everything_in(postgresql, django_db_blocker, Everything):
        manager = Everything.objects.using(postgresql)
        for row in ROWS:
            manager.create(**{"amount": 1, "when": MOMENT, "text": "a", **row})
        for kind, number in CASES:
            assert not list(compare_columns(kind, number, manager.order_by("pk"))), (kind, number)
