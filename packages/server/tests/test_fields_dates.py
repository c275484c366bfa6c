"""Date fields: zones, gaps and folds, late settings."""

import datetime
import itertools
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings
from django.utils import timezone

from lintel import fast, fields, serializers
from lintel.exceptions import ValidationError
from lintel.fast.compiled import stored_fields

BERLIN = ZoneInfo("Europe/Berlin")
SKIPPED, REPEATED = "2024-03-31T02:30", "2024-10-27T02:30"


def read(given: Any, **options: Any) -> Any:
    return fields.DateTimeField(default_timezone=BERLIN, **options).run_validation(given)


def refused(given: Any, **options: Any) -> Any:
    with pytest.raises(ValidationError) as caught:
        read(given, **options)
    return caught.value.get_full_details()


def test_time_that_the_clock_skips() -> None:
    assert read(SKIPPED).replace(tzinfo=None) == datetime.datetime(2024, 3, 31, 2, 30)
    assert read(SKIPPED, gap="shift").isoformat() == "2024-03-31T03:30:00+02:00"
    assert refused(SKIPPED, gap="reject") == [
        {"message": 'Invalid datetime for the timezone "Europe/Berlin".', "code": "make_aware"}
    ]
    assert read("2024-03-31T03:30", gap="reject").isoformat() == "2024-03-31T03:30:00+02:00"


def test_time_that_the_clock_shows_twice() -> None:
    assert read(REPEATED).isoformat() == "2024-10-27T02:30:00+02:00"
    assert read(REPEATED, fold="second").isoformat() == "2024-10-27T02:30:00+01:00"
    assert refused(REPEATED, fold="reject")[0]["code"] == "make_aware"
    assert read("2024-10-27T03:30", fold="reject").isoformat() == "2024-10-27T03:30:00+01:00"


class OfProject(datetime.tzinfo):
    """A zone without an offset."""

    def utcoffset(self, moment: datetime.datetime | None) -> None:
        return None

    dst = utcoffset


ZONES = [
    *(datetime.UTC, ZoneInfo("UTC"), ZoneInfo("Etc/UTC"), BERLIN, ZoneInfo("Asia/Kathmandu")),
    *(datetime.timezone(datetime.timedelta(hours=-5, seconds=7)), OfProject(), None),
]
MOMENTS = [
    *(datetime.datetime.min, datetime.datetime.max, datetime.datetime(1880, 1, 1)),
    *(datetime.datetime.fromisoformat(text) for text in (SKIPPED, REPEATED)),
    datetime.datetime(2024, 10, 27, 2, 30, fold=1),
]


@pytest.mark.parametrize("current", ["UTC", "Europe/Berlin", "America/New_York"])
def test_a_moment_in_any_zone_is_written_as_the_plain_way_does(current: str) -> None:
    class Event(serializers.Serializer):
        at = fields.DateTimeField()
        local = fields.DateTimeField(source="at", default_timezone=BERLIN)

    with override_settings(USE_TZ=True), timezone.override(ZoneInfo(current)):
        for moment, zone in itertools.product(MOMENTS, ZONES):
            event = {"at": moment.replace(tzinfo=zone)}
            with fast.off():
                expected = Event(event).data
            assert Event(event).data == expected


@pytest.mark.compiled
def test_a_moment_in_a_zone_of_python_needs_no_field() -> None:
    class Event(serializers.Serializer):
        at = fields.DateTimeField()

    with override_settings(USE_TZ=True), timezone.override(ZoneInfo("UTC")):
        given = Event(data={"at": "2024-05-17T08:30:15+02:00"})
        assert given.is_valid()
        assert given.validated_data["at"].tzinfo is timezone.get_current_timezone()
        shown = Event(given.validated_data)
        assert shown.data == {"at": "2024-05-17T06:30:15Z"}
        assert stored_fields(shown) is None


@pytest.mark.parametrize("offset", ["+01:00", "+02:00"])
def test_an_offset_leaves_nothing_to_decide(offset: str) -> None:
    value = read(REPEATED + offset, gap="reject", fold="reject")
    assert value.isoformat() == f"{REPEATED}:00{offset}"


@pytest.mark.parametrize("options", [{"gap": "ignore"}, {"fold": 1}])
def test_unknown_answers_to_gaps_and_folds(options: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="must be one of"):
        fields.DateTimeField(**options)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00", datetime.datetime.min])
def test_moment_that_does_not_exist_in_utc(text: Any) -> None:
    assert refused(text)[0] == {"message": "Datetime value out of range.", "code": "overflow"}


def test_stored_moment_at_the_end_of_the_calendar_is_shown() -> None:
    first = datetime.datetime.min.replace(tzinfo=datetime.UTC)
    west = fields.DateTimeField(default_timezone=ZoneInfo("America/New_York"))
    assert west.to_representation(first) == "0001-01-01T00:00:00Z"


def test_current_zone_is_that_of_the_moment() -> None:
    field = fields.DateTimeField()
    with timezone.override(BERLIN):
        assert field.run_validation("2024-01-01T00:00").isoformat() == "2024-01-01T00:00:00+01:00"
        noon = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC)
        assert field.to_representation(noon) == "2024-01-01T13:00:00+01:00"


def test_without_zones_values_are_naive() -> None:
    field = fields.DateTimeField()
    with override_settings(USE_TZ=False):
        assert field.run_validation("2024-01-01T12:00+02:00") == datetime.datetime(2024, 1, 1, 10)
        assert field.to_representation(datetime.datetime(2024, 1, 1)) == "2024-01-01T00:00:00"


@pytest.mark.parametrize(
    ("field", "setting", "value", "text"),
    [
        (fields.DateTimeField(), "DATETIME_FORMAT", datetime.datetime(2024, 1, 2), "2024"),
        (fields.DateField(), "DATE_FORMAT", datetime.date(2024, 1, 2), "2024"),
        (fields.TimeField(), "TIME_FORMAT", datetime.time(1, 2), "1900"),
    ],
)
def test_formats_follow_the_settings(
    field: fields.Field, setting: str, value: Any, text: str
) -> None:
    before = field.to_representation(value)
    with override_settings(REST_FRAMEWORK={setting: "%Y"}):
        assert field.to_representation(value) == text
        assert type(field)(format="iso-8601").to_representation(value) == before
    assert field.to_representation(value) == before


def test_input_formats_follow_the_settings() -> None:
    field = fields.DateField()
    with override_settings(REST_FRAMEWORK={"DATE_INPUT_FORMATS": ["%d/%m/%Y"]}):
        assert field.run_validation("02/01/2024") == datetime.date(2024, 1, 2)
        with pytest.raises(ValidationError, match="DD/MM/YYYY"):
            field.run_validation("2024-01-02")


def test_format_of_a_subclass_wins() -> None:
    class Year(fields.DateField):
        format = "%Y"

    with override_settings(REST_FRAMEWORK={"DATE_FORMAT": "%d"}):
        assert Year().to_representation(datetime.date(2024, 1, 2)) == "2024"


@pytest.mark.parametrize("field", [fields.DateField(), fields.TimeField()])
def test_part_of_a_datetime_is_never_guessed(field: fields.Field) -> None:
    with pytest.raises(AssertionError, match="depends on the zone"):
        field.to_representation(datetime.datetime(2024, 1, 2))


def test_datetime_field_on_something_else() -> None:
    with pytest.raises(TypeError, match=r"got a date to write"):
        fields.DateTimeField().to_representation(datetime.date(2024, 1, 2))


@pytest.mark.parametrize("format", ["", "%H", "iso"])
def test_unknown_duration_format(format: str) -> None:
    with pytest.raises(ValueError, match="Unknown duration format"):
        fields.DurationField(format=format)


def test_durations_in_both_forms() -> None:
    value = datetime.timedelta(days=1, seconds=3661)
    for format, text in (("django", "1 01:01:01"), ("iso-8601", "P1DT01H01M01S")):
        field = fields.DurationField(format=format)
        assert field.to_representation(value) == text
        assert field.run_validation(text) == value


def test_the_zone_of_a_field_is_there_only_where_it_was_given() -> None:
    zone = ZoneInfo("Europe/Paris")
    assert not hasattr(fields.DateTimeField(), "timezone")
    assert fields.DateTimeField(default_timezone=zone).timezone is zone


@pytest.mark.parametrize("format", [5, True, ["iso-8601"]])
def test_a_format_of_another_kind_is_told_by_field(format: Any) -> None:
    moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)

    class Dates(serializers.Serializer):
        when = fields.DateTimeField(format=format)
        day = fields.DateField(format=format)
        at = fields.TimeField(format=format)

    values = {"when": moment, "day": moment.date(), "at": moment.time()}
    for name, field in Dates().fields.items():
        with pytest.raises(
            TypeError, match=f"'{name}': format must be text.*not {type(format).__name__}"
        ):
            field.to_representation(values[name])
    with pytest.raises(TypeError, match="'when': format must be text"):
        Dates(values).data  # noqa: B018
    with pytest.raises(TypeError, match="duration format must be either str or `None`, not"):
        fields.DurationField(format=format)


@pytest.mark.parametrize(
    ("format", "error", "text"),
    [
        (5, TypeError, "must be either str or `None`, not int.*'lasts'.*DURATION_FORMAT"),
        ("%H", ValueError, "got '%H' while expecting.*'lasts'.*DURATION_FORMAT"),
    ],
)
def test_a_duration_format_that_the_setting_cannot_have(
    format: Any, error: type[Exception], text: str
) -> None:
    class Timed(serializers.Serializer):
        lasts = fields.DurationField()

    with override_settings(REST_FRAMEWORK={"DURATION_FORMAT": format}):
        for _ in range(2):
            with pytest.raises(error, match=text):
                Timed({"lasts": datetime.timedelta(1)}).data  # noqa: B018


def test_input_formats_of_another_kind_are_told_by_field() -> None:
    class Dates(serializers.Serializer):
        when = fields.DateTimeField(input_formats=[5])

    for _ in range(2):
        with pytest.raises(TypeError, match=r"'when': each of input_formats must .* not int"):
            Dates().run_validation({"when": "2026-01-02T00:00:00Z"})
