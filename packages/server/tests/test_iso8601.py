"""ISO 8601 is implemented in one place, and everything that writes dates uses it."""

import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings

import lintel
from lintel import fields, serializers
from lintel.fast.compiled import class_state
from lintel.iso8601 import datetime_text, is_iso
from lintel.renderers import JSONRenderer

MOMENT = datetime.datetime(2026, 5, 17, 8, 30, 15, 10000, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (MOMENT, "2026-05-17T08:30:15.010000Z"),
        (
            MOMENT.replace(microsecond=0, tzinfo=ZoneInfo("Europe/London")),
            "2026-05-17T08:30:15+01:00",
        ),
        (MOMENT.replace(month=1, tzinfo=ZoneInfo("Europe/London")), "2026-01-17T08:30:15.010000Z"),
        (MOMENT.replace(tzinfo=None), "2026-05-17T08:30:15.010000"),
    ],
)
def test_text_of_a_moment(value: datetime.datetime, text: str) -> None:
    assert datetime_text(value) == text
    assert JSONRenderer().render(value) == f'"{text}"'.encode()


def test_fields_and_their_generated_text_write_the_same() -> None:
    class Event(serializers.Serializer):
        when = fields.DateTimeField()

    class_state(Event)
    for zone in ("UTC", "Europe/London", "Asia/Kathmandu"):
        with override_settings(TIME_ZONE=zone):
            plain = Event()
            text = plain.fields["when"].to_representation(MOMENT)
            assert text == datetime_text(MOMENT.astimezone(ZoneInfo(zone)))
            assert Event({"when": MOMENT}).data == {"when": text}


@pytest.mark.parametrize("format", ["iso-8601", "ISO-8601", "%Y", "", None, 5, ["iso-8601"]])
def test_formats(format: object) -> None:
    assert is_iso(format) == (isinstance(format, str) and format.upper() == "ISO-8601")


def test_nobody_else_spells_it() -> None:
    root = Path(lintel.__file__).parent
    spelled = [path.name for path in root.rglob("*.py") if '"+00:00"' in path.read_text()]
    lowered = [
        path.name for path in root.rglob("*.py") if ".lower() == ISO_8601" in path.read_text()
    ]
    assert (spelled, lowered) == (["iso8601.py"], ["iso8601.py"])
