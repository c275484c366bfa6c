"""Dates of rows equal those of instances, whatever is stored."""

import datetime
import sqlite3
from typing import Any

import pytest
from contract_project.models import Everything
from django.db import connection
from django.test import override_settings
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lintel import serializers
from lintel.fast.pages import LazyPage, Rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="it is about SQLite"),
]


class WhenSerializer(serializers.ModelSerializer):
    class Meta:
        model = Everything
        fields = ["when", "day"]


def stored(rows: list[tuple[Any, Any]]) -> None:
    Everything.objects.all().delete()
    with connection.cursor() as cursor:
        for when, day in rows:
            Everything.objects.create(
                text="a", amount=1, when=datetime.datetime.now(datetime.UTC), day=None
            )
            cursor.execute(
                'UPDATE contract_project_everything SET day = %s, "when" = %s'
                " WHERE id = (SELECT MAX(id) FROM contract_project_everything)",
                [day, when],
            )


def outcome() -> Any:
    try:
        return WhenSerializer(Everything.objects.order_by("id"), many=True).data
    except ValueError:
        return ValueError  # which of two unreadable values is met first may differ
    except Exception as error:
        return type(error)


def assert_same() -> Any:
    with override_settings(REST_FRAMEWORK={"ORM_SHORTCUTS": False}):
        wanted = outcome()
    for _ in range(3):
        assert outcome() == wanted
    return wanted


MOMENTS = st.datetimes().map(str)
NEAR = st.from_regex(
    r"\A[0-9]{4}-?[01][0-9]-?[0-3][0-9]([T ][0-2][0-9]:[0-5][0-9](:[0-9]{2}([.,][0-9]{1,7})?)?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?)?\Z"
)
ODD = st.one_of(
    NEAR,
    st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=12),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),  # SQLite keeps NaN as NULL
    st.binary(max_size=20),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.one_of(MOMENTS, MOMENTS, ODD),
            st.one_of(st.none(), st.dates().map(str), ODD),
        ),
        min_size=1,
        max_size=4,
    )
)
@example([("2026-01-01 00:00:00", "2026-01-01")])
@example([("2026-01-01 00:00:00.120", "20260101"), ("2026-01-01", 20260101)])
@example([("20260101", "2026-W01-1"), ("2026-02-30 00:00:00", "2026-02-30")])
@example([("2026-01-01T00:00:00Z", "2026-01-01 "), (2026.5, b"2026-01-01")])
@example([("0001-01-01 00:00:00", "0001-01-01"), ("9999-12-31 23:59:59.999999", "9999-12-31")])
def test_whatever_is_stored_is_read_as_the_driver_reads_it(rows: list[tuple[Any, Any]]) -> None:
    try:
        stored(rows)
    except (UnicodeError, OverflowError, ValueError):
        return
    assert_same()


@pytest.mark.fast_way
def test_a_function_that_the_project_gave_the_driver_is_called(monkeypatch: Any) -> None:
    stored([("2026-01-01 00:00:00", "2026-01-01")] * 2)
    assert_same()
    monkeypatch.setitem(sqlite3.converters, "DATE", lambda value: datetime.date(1999, 1, 1))
    assert assert_same()[0]["day"] == "1999-01-01"


def test_values_are_dates_where_dates_are_wanted() -> None:
    moment = datetime.datetime(2026, 5, 17, 8, 30, 15, 123456, tzinfo=datetime.UTC)
    row = Everything.objects.create(amount=1, when=moment, text="a", day=datetime.date(1, 2, 3))
    Everything.objects.create(amount=1, when=moment, text="a")
    rows = Everything.objects.order_by("pk")
    names = ("pk", "when", "day", "at")
    keys: list[Any] = []

    def take(fetch: Any, key_of: Any) -> Any:
        found = fetch()
        keys.extend(map(key_of, found))
        return found

    page = LazyPage(rows, take, ("when", "day"))
    answer = Rows(rows, names, (None,) * 4, page)
    assert list(answer.read()) == list(rows.values_list(*names))
    assert keys[0] == [row.when, row.day]
