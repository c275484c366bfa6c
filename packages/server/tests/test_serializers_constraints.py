"""Constraints over expressions, with conditions, and of exclusion, as errors of fields."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from django.apps.registry import Apps
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateRangeField, RangeOperators
from django.db import IntegrityError, connection, connections, models
from django.db.backends.postgresql.psycopg_any import DateRange
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.test.utils import CaptureQueriesContext
from servers import everything_in

from lintel import serializers
from lintel.exceptions import ValidationError
from lintel.metadata import SimpleMetadata

APPS = Apps(["contract_project"])


class Seat(models.Model):
    name = models.CharField(max_length=20)
    hall = models.CharField(max_length=20, default="main")
    code = models.IntegerField(null=True, blank=True)
    is_open = models.BooleanField(default=True)
    owner = models.CharField(max_length=20, default="")

    class Meta:
        apps = APPS
        app_label = "contract_project"
        constraints = [
            models.UniqueConstraint(Lower("name"), name="name_any_case"),
            models.UniqueConstraint(
                Lower("owner"), F("hall"), condition=Q(is_open=True), name="one_open"
            ),
            models.UniqueConstraint(
                Lower("hall"),
                "code",
                name="own_words",
                violation_error_message="This hall has the code.",
                violation_error_code="taken",
            ),
        ]


class SeatSerializer(serializers.ModelSerializer):
    title = serializers.CharField(source="name", max_length=20)

    class Meta:
        model = Seat
        fields = ["title", "hall", "code", "is_open"]


@pytest.fixture
def _table(transactional_db: None) -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(Seat)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Seat)


def errors_of(data: Any, instance: Any = None, **options: Any) -> Any:
    serializer = SeatSerializer(instance, data=data, **options)
    return {} if serializer.is_valid() else serializer.errors


@pytest.mark.usefixtures("_table")
def test_an_expression_over_one_column_is_an_error_of_its_field() -> None:
    Seat.objects.create(name="Blue", code=1, owner="a")
    found = errors_of({"title": "bLUE", "code": 2})
    assert found == {"title": ["seat with this name already exists."]}
    assert found["title"][0].code == "unique"
    assert errors_of({"title": "green", "code": 2}) == {}


@pytest.mark.usefixtures("_table")
def test_an_update_is_not_its_own_duplicate_and_asks_only_for_what_changes() -> None:
    blue = Seat.objects.create(name="Blue", code=1, owner="a")
    Seat.objects.create(name="Green", code=2, owner="b")
    assert errors_of({"title": "BLUE"}, blue, partial=True) == {}
    assert errors_of({"title": "GREEN"}, blue, partial=True) == {
        "title": ["seat with this name already exists."]
    }
    with CaptureQueriesContext(connection) as queries:
        assert errors_of({"title": "Blue"}, blue, partial=True) == {}
    assert len(queries) == 0
    # The stored values complete those of a partial update.
    assert errors_of({"code": 2}, blue, partial=True)["non_field_errors"] == [
        "This hall has the code."
    ]


@pytest.mark.usefixtures("_table")
def test_words_and_code_of_the_constraint() -> None:
    Seat.objects.create(name="Blue", code=1, owner="a")
    found = errors_of({"title": "red", "hall": "MAIN", "code": 1})
    assert found["non_field_errors"] == ["This hall has the code."]
    assert found["non_field_errors"][0].code == "taken"


@pytest.mark.usefixtures("_table")
def test_what_validation_could_not_see_is_an_error_of_the_write() -> None:
    Seat.objects.create(name="Blue", code=1, owner="me")
    serializer = SeatSerializer(data={"title": "red", "code": 3})
    serializer.is_valid(raise_exception=True)
    with pytest.raises(ValidationError) as caught:
        serializer.save(owner="ME")
    assert caught.value.status_code == 400
    assert caught.value.detail == {"non_field_errors": ["The fields hall must make a unique set."]}
    assert Seat.objects.count() == 1


@pytest.mark.usefixtures("_table")
@pytest.mark.parametrize(("status", "answer"), [(None, 400), (409, 409), (400, 400)])
def test_a_race_has_the_status_of_races(status: Any, answer: int, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"UNIQUE_RACE_STATUS": status}
    serializer = SeatSerializer(data={"title": "blue", "code": 3})
    serializer.is_valid(raise_exception=True)
    Seat.objects.create(name="Blue", code=1, owner="a")
    with pytest.raises(ValidationError) as caught:
        serializer.save(owner="b")
    assert caught.value.status_code == answer
    assert caught.value.detail == {"title": ["seat with this name already exists."]}


@pytest.mark.usefixtures("_table")
def test_values_that_no_row_can_hold_and_rows_of_an_update() -> None:
    assert errors_of({"title": "a", "code": 10**30}) != {}
    rows = [Seat(name="a"), Seat(name="b")]
    many = SeatSerializer(rows, data=[{"title": "c"}], many=True)
    with pytest.raises(RuntimeError, match="ConstraintValidator"):
        many.is_valid()


def test_a_validator_shows_what_it_checks() -> None:
    shown = repr(SeatSerializer().validators)
    assert "ConstraintValidator(Seat, <UniqueConstraint:" in shown
    # Those who copy the fields of a serializer get it anyway.
    assert "ConstraintValidator" not in repr(SeatSerializer())


class Plain(models.Model):
    name = models.CharField(max_length=20)

    class Meta:
        apps = APPS
        app_label = "contract_project"
        constraints = [models.UniqueConstraint(Lower("name"), name="plain_name")]


def test_declared_validators_replace_those_of_constraints() -> None:
    class Own(serializers.ModelSerializer):
        class Meta:
            model = Plain
            fields = ["name"]
            validators: list[Any] = []

    class ReadOnly(serializers.ModelSerializer):
        class Meta:
            model = Plain
            fields = ["name"]
            read_only_fields = ["name"]

    assert Own().validators == []
    assert ReadOnly().validators == []


# ---- PostgreSQL ----


class Booking(models.Model):
    room = models.IntegerField()
    days = DateRangeField()
    note = models.CharField(max_length=20, null=True)

    class Meta:
        apps = APPS
        app_label = "contract_project"
        constraints = [
            ExclusionConstraint(
                name="no_overlap",
                expressions=[("days", RangeOperators.OVERLAPS), ("room", RangeOperators.EQUAL)],
            ),
            models.UniqueConstraint(fields=["note"], nulls_distinct=False, name="one_null"),
        ]


class BookingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Booking
        fields = ["room", "days", "note"]


@pytest.fixture
def _bookings(postgresql: str, django_db_blocker: Any) -> Iterator[None]:
    with everything_in(postgresql, django_db_blocker):
        with connections[postgresql].schema_editor() as editor:
            # A GiST index over whole numbers, for "the same room".
            editor.execute("CREATE EXTENSION IF NOT EXISTS btree_gist")
            editor.create_model(Booking)
        yield
        with connections[postgresql].schema_editor() as editor:
            editor.delete_model(Booking)


def days(first: str, last: str) -> str:
    return json.dumps({"lower": first, "upper": last, "bounds": "[)"})


@pytest.mark.usefixtures("_bookings")
def test_exclusion_and_nulls_that_are_equal() -> None:
    Booking.objects.create(room=1, days=DateRange("2026-01-01", "2026-01-05"), note=None)
    overlapping = {"room": 1, "days": days("2026-01-04", "2026-01-06"), "note": "b"}
    serializer = BookingSerializer(data=overlapping)
    assert not serializer.is_valid()
    assert serializer.errors == {"non_field_errors": ["Constraint “no_overlap” is violated."]}
    other = BookingSerializer(data={**overlapping, "room": 2, "note": None})
    assert not other.is_valid()
    assert list(other.errors) == ["note"]
    fine = BookingSerializer(data={**overlapping, "room": 2})
    assert fine.is_valid(), fine.errors
    fine.save()
    assert Booking.objects.count() == 2


@pytest.mark.usefixtures("_bookings")
def test_a_booking_that_appears_meanwhile_is_no_server_error() -> None:
    data = {"room": 1, "days": days("2026-01-04", "2026-01-06"), "note": "b"}
    serializer = BookingSerializer(data=data)
    serializer.is_valid(raise_exception=True)
    Booking.objects.create(room=1, days=DateRange("2026-01-01", "2026-01-05"), note="a")
    with pytest.raises(ValidationError, match="no_overlap"):
        serializer.save()
    with pytest.raises(IntegrityError):
        Booking.objects.create(room=1, days=DateRange("2026-01-01", "2026-01-05"), note="c")


class Document:
    """What a package for another kind of database has in place of a model."""

    _meta: ClassVar[dict[str, object]] = {}

    def __init__(self, title: str) -> None:
        self.title = title


class DocumentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Document
        fields = ("title",)

    def get_fields(self) -> Any:
        return {"title": serializers.CharField(max_length=5)}

    def get_unique_together_validators(self) -> Any:
        return []

    def get_unique_for_date_validators(self) -> Any:
        return []

    def create(self, validated_data: Any) -> Document:
        return Document(**validated_data)


@pytest.mark.fast_way
def test_a_stand_in_for_a_model_has_no_constraints() -> None:
    serializer = DocumentSerializer(data={"title": "first"})
    assert serializer.validators == []
    assert serializer.is_valid(), serializer.errors
    assert serializer.save().title == "first"
    assert serializer.data == {"title": "first"}
    many = DocumentSerializer(data=[{"title": "first"}, {"title": "second"}], many=True)
    assert not many.is_valid()
    assert many.errors[1]["title"][0].code == "max_length"
    shown = DocumentSerializer([Document("first"), Document("other")], many=True)
    assert shown.data == [{"title": "first"}, {"title": "other"}]
    assert SimpleMetadata().get_serializer_info(serializer)["title"]["max_length"] == 5
