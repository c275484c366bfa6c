"""Dates of SQLite come as text if only their text is needed."""

import datetime
import sqlite3
from typing import Any

import pytest
from contract_project.models import Everything
from django.db import connection

from lintel import serializers
from lintel.fast.answers import Answer
from lintel.fast.compiled import class_state
from lintel.fast.selections import selection_of

MOMENT = datetime.datetime(2026, 5, 17, 8, 30, 15, 123456, tzinfo=datetime.UTC)
NAMES = ("pk", "when", "day", "at")

pytestmark = pytest.mark.django_db


def head(*order: str) -> str:
    selection = selection_of(Everything.objects.order_by(*order), NAMES)
    assert selection is not None
    return selection.head


def signed(*order: str) -> list[str]:
    return [name for name in NAMES if f'+"contract_project_everything"."{name}"' in head(*order)]


@pytest.mark.fast_way
def test_dates_have_a_sign_unless_rows_are_ordered_by_them() -> None:
    assert signed("pk") == ["when", "day"]
    assert signed("-when", "pk") == ["day"]
    assert signed("day", "when") == []


def test_values_are_dates_where_dates_are_wanted() -> None:
    row = Everything.objects.create(amount=1, when=MOMENT, text="a", day=datetime.date(1, 2, 3))
    Everything.objects.create(amount=1, when=MOMENT, text="a")
    rows = Everything.objects.order_by("pk")
    answer = Answer(rows, NAMES, (None,) * 4)
    found = answer.fetch()
    assert list(answer.converted(found)) == list(rows.values_list(*NAMES))
    assert [answer.value(found[0], place) for place in (1, 2)] == [row.when, row.day]


@pytest.mark.fast_way
def test_a_converter_of_the_project_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    class DaySerializer(serializers.ModelSerializer):
        class Meta:
            model = Everything
            fields = ["day"]

    def text_of_days() -> Any:
        return [
            row["day"] for row in DaySerializer(Everything.objects.order_by("pk"), many=True).data
        ]

    class_state(DaySerializer)
    Everything.objects.create(amount=1, when=MOMENT, text="a", day=datetime.date(2026, 5, 17))
    assert text_of_days() == ["2026-05-17"]
    monkeypatch.setitem(sqlite3.converters, "DATE", lambda raw: datetime.date(1, 2, int(raw[-2:])))
    assert signed("pk") == ["when"]
    assert text_of_days() == ["0001-02-17"]
    monkeypatch.undo()
    assert text_of_days() == ["2026-05-17"]


@pytest.mark.fast_way
def test_an_index_still_gives_the_order() -> None:
    with connection.cursor() as cursor:
        cursor.execute('CREATE INDEX in_order ON contract_project_everything ("when")')
        cursor.execute(f"EXPLAIN QUERY PLAN {head('when')} ORDER BY 2")
        assert "in_order" in str(cursor.fetchall())
