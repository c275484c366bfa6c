"""Local times that a clock change skips or repeats."""

import datetime
from zoneinfo import ZoneInfo

import pytest

from lintel.utils.timezone import datetime_ambiguous, datetime_exists, valid_datetime

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "exists", "ambiguous"),
    [
        ("2024-03-31T01:59", True, False),
        ("2024-03-31T02:00", False, False),
        ("2024-03-31T02:59", False, False),
        ("2024-03-31T03:00", True, False),
        ("2024-10-27T01:59", True, False),
        ("2024-10-27T02:30", True, True),
        ("2024-10-27T03:00", True, False),
        ("0001-01-01T00:00", True, False),
        ("9999-12-31T23:59", True, False),
    ],
)
@pytest.mark.parametrize("fold", [0, 1])
def test_clock_changes(text: str, exists: bool, ambiguous: bool, fold: int) -> None:
    moment = datetime.datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold)
    assert datetime_exists(moment) is exists
    assert datetime_ambiguous(moment) is ambiguous
    assert valid_datetime(moment) is (exists and not ambiguous)


def test_naive_times_belong_to_no_clock() -> None:
    moment = datetime.datetime(2024, 1, 1)
    assert not datetime_exists(moment)
    assert not datetime_ambiguous(moment)
    assert not valid_datetime(moment)
