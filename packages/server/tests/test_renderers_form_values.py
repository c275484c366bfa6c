"""Inputs for datetimes hold what browsers read; errors of nested fields are lines of text."""

import datetime
import re
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from lintel import renderers, serializers
from lintel.templatetags.rest_framework import error_texts

MOMENT = datetime.datetime(2024, 1, 2, 23, 4, 5, 678901, tzinfo=datetime.UTC)


class Inner(serializers.Serializer):
    at = serializers.DateTimeField()


class Moments(serializers.Serializer):
    at = serializers.DateTimeField()
    there = serializers.DateTimeField(
        source="at", default_timezone=datetime.timezone(datetime.timedelta(hours=5, minutes=45))
    )
    day = serializers.DateField()
    clock = serializers.TimeField()
    inner = Inner()


ROW = {
    "at": MOMENT,
    "day": datetime.date(2024, 1, 2),
    "clock": datetime.time(3, 4, 5),
    "inner": {"at": MOMENT},
}
FORMATS: list[dict[str, Any]] = [
    {},
    {"DATETIME_FORMAT": "%d.%m.%Y", "DATE_FORMAT": "%d.%m.", "TIME_FORMAT": "%H Uhr"},
    {"DATETIME_FORMAT": None, "DATE_FORMAT": None, "TIME_FORMAT": None},
]


def values(serializer: Any) -> dict[str, str]:
    html = renderers.HTMLFormRenderer().render(serializer.data)
    inputs = re.findall(r"<input[^>]*>", html)
    found = {}
    for each in inputs:
        value = re.search(r'value="([^"]*)"', each)
        found[re.findall(r'name="([^"]*)"', each)[0]] = value[1] if value else ""
    return found


@pytest.mark.parametrize("formats", FORMATS)
def test_formats_of_the_api_do_not_reach_inputs(formats, settings):
    settings.REST_FRAMEWORK = {**getattr(settings, "REST_FRAMEWORK", {}), **formats}
    expected = {
        "at": "2024-01-02T23:04:05.678",
        "there": "2024-01-03T04:49:05.678",
        "day": "2024-01-02",
        "clock": "03:04:05",
        "inner.at": "2024-01-02T23:04:05.678",
    }
    assert values(Moments(ROW)) == expected


def test_moments_stand_on_the_clock_of_the_reader():
    with timezone.override("America/New_York"):
        assert values(Moments(ROW))["at"] == "2024-01-02T18:04:05.678"
    with override_settings(USE_TZ=False):
        naive = {**ROW, "at": datetime.datetime(2024, 1, 2, 3, 4)}
        assert values(Moments(naive))["at"] == "2024-01-02T03:04:00"


def test_what_an_input_holds_comes_back_as_the_same_moment():
    row = {**ROW, "at": MOMENT.replace(microsecond=0)}
    with timezone.override("Asia/Kathmandu"):
        shown = values(Moments(row))
        field = Moments().fields["at"]
        assert field.to_internal_value(shown["at"]) == row["at"]


class Odd(serializers.Serializer):
    at = serializers.CharField(style={"input_type": "datetime-local"})
    day = serializers.CharField(style={"input_type": "date"})
    clock = serializers.CharField(style={"input_type": "time"})


def test_other_fields_with_such_inputs():
    day, aware = datetime.date(2024, 1, 2), MOMENT.astimezone(datetime.UTC)
    assert values(Odd({"at": day, "day": aware, "clock": aware})) == {
        "at": "2024-01-02T00:00",
        "day": "2024-01-02",
        "clock": "23:04:05.678",
    }


@pytest.mark.parametrize("sent", ["never", "2024-13-45", "", [1], None, "\x00", "9" * 400])
def test_what_is_no_moment_is_shown_as_it_was_sent(sent):
    serializer = Moments(data={"at": sent, "day": sent, "clock": sent})
    assert not serializer.is_valid()
    html = renderers.HTMLFormRenderer().render(serializer.data)
    assert str("" if sent is None else sent) in html


def test_what_was_sent_stands_on_the_clock_of_the_reader():
    serializer = Moments(data={"at": "2024-01-02T03:04:05+02:00", "day": "2024-01-02"})
    assert not serializer.is_valid()
    shown = values(serializer)
    assert (shown["at"], shown["day"]) == ("2024-01-02T01:04:05", "2024-01-02")


def test_moments_at_the_end_of_the_calendar():
    end = datetime.datetime.max.replace(tzinfo=datetime.UTC, microsecond=0)
    with timezone.override("Asia/Tokyo"):
        assert values(Moments({**ROW, "at": end}))["at"] == "9999-12-31T23:59:59"


class Strict(serializers.Serializer):
    x = serializers.IntegerField()

    def validate(self, attrs):
        raise serializers.ValidationError("All of it.")


class Outer(serializers.Serializer):
    inner = Strict()
    rows = Strict(many=True)
    numbers = serializers.ListField(child=serializers.IntegerField())
    named = serializers.DictField(child=serializers.IntegerField())


def errors(data: Any) -> dict[str, list[str]]:
    serializer = Outer(data=data)
    assert not serializer.is_valid()
    return {field.name: error_texts(field) for field in serializer}


def test_errors_are_messages_with_their_places():
    found = errors(
        {"inner": {"x": "a"}, "rows": [{"x": 1}], "numbers": [1, "a"], "named": {"k": "a"}}
    )
    assert found == {
        "inner": [],
        "rows": ["0: All of it."],
        "numbers": ["1: A valid integer is required."],
        "named": ["k: A valid integer is required."],
    }
    assert errors({"inner": {"x": 1}, "rows": [{"x": "a"}]})["inner"] == ["All of it."]
    assert errors({"rows": [{"x": "a"}]})["rows"] == ["0.x: A valid integer is required."]
    assert errors({"inner": None})["inner"] == ["This field may not be null."]


def test_each_nested_field_has_its_own_errors():
    serializer = Outer(data={"inner": {"x": "a"}})
    assert not serializer.is_valid()
    html = renderers.HTMLFormRenderer().render(serializer.data)
    assert html.count("<div>A valid integer is required.</div>") == 1
    assert ">x</p>" not in html
