"""Cursors forged by clients give a page or 404 on PostgreSQL too, which rejects more values."""

import datetime
import json
import uuid
from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
from contract_project.models import Everything
from django.db import transaction
from django.test import RequestFactory
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from servers import everything_in

from lintel import generics, serializers
from lintel.pagination import Cursor, CursorPagination
from lintel.pagination.cursor_tokens import RowKey
from lintel.renderers import JSONRenderer
from lintel.request import Request

factory = RequestFactory()
MOMENT = datetime.datetime(2026, 5, 17, 8, 30, 15, 123456, tzinfo=datetime.UTC)
COLUMNS = ["id", "text", "number", "amount", "when", "day", "at", "span", "key", "ip", "flag"]
COLUMNS += ["maybe", "ratio", "slug"]

HOSTILE = [
    *("", "\0", "a\0b", "\ud800", "null", "true", "NaN", "Infinity", "-inf", "1e400", "1e-400"),
    *("0", "-1", "9" * 30, str(2**31), str(2**63), "0x10", "1_000", "\u0661", "1.5", "12e99999"),
    *("0001-01-01", "9999-12-31T23:59:59+23:59", "0000-00-00", "2026-02-30", "25:00", "-1 00:00"),
    *("P99999999999D", "00000000-0000-0000-0000-00000000000g", "::1", "999.1.1.1", "a" * 5000),
]


class EverythingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Everything
        fields = ["id", *COLUMNS[1:]]


@pytest.fixture
def _rows(postgresql: str, django_db_blocker: Any) -> Iterator[None]:
    with everything_in(postgresql, django_db_blocker):
        for number in range(12):
            Everything.objects.create(
                text=f"text {number // 2}",
                amount=number,
                when=MOMENT + datetime.timedelta(hours=number // 3),
                day=MOMENT.date() if number % 2 else None,
                at=MOMENT.time() if number % 3 else None,
                span=datetime.timedelta(seconds=number) if number % 4 else None,
                key=uuid.UUID(int=number),
                ip="10.0.0.1" if number % 2 else None,
                ratio=number / 7 if number % 5 else None,
            )
        yield
        Everything.objects.all().delete()


def view(column: str, descending: bool) -> Any:
    order = f"{'-' if descending else ''}{column}"
    style = type("Style", (CursorPagination,), {"ordering": order, "page_size": 5})
    attributes = {
        "queryset": Everything.objects.all(),
        "serializer_class": EverythingSerializer,
        "pagination_class": style,
        "renderer_classes": [JSONRenderer],
        "authentication_classes": [],
    }
    return type("View", (generics.ListAPIView,), attributes)


def second_page(made: Any) -> str:
    """The cursor of the next page, which is one that this list takes."""
    page = made.as_view()(factory.get("/")).data
    assert len(page["results"]) == 5
    return parse_qs(urlparse(page["next"]).query)["cursor"][0]


def status_of(made: Any, cursor: str) -> int:
    # A refusal by the database ends the transaction: the answer has to come without it.
    with transaction.atomic(using="postgresql"):
        response = made.as_view()(factory.get("/", {"cursor": cursor})).render()
        if response.status_code != 200:
            transaction.set_rollback(True, using="postgresql")
    json.loads(response.content)
    return response.status_code


def encoded(value: str, reverse: bool) -> str:
    tokens = f"{'r=1&' if reverse else ''}p={value}"
    return b64encode(tokens.encode(errors="replace")).decode()


def whole_key(made: Any, key: Any) -> str:
    """A cursor of a key as this list itself would make it."""
    paginator = made.pagination_class()
    paginator.request = Request(factory.get("/"))
    paginator.base_url = "/"
    address = paginator.encode_cursor(Cursor(0, False, RowKey(json.dumps(key))))
    return parse_qs(urlparse(address).query)["cursor"][0]


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize("column", COLUMNS)
def test_hostile_positions(column: str) -> None:
    for descending in (False, True):
        made = view(column, descending)
        assert status_of(made, second_page(made)) == 200
        for value in HOSTILE:
            for reverse in (False, True):
                assert status_of(made, encoded(value, reverse)) in (200, 404)
                assert status_of(made, whole_key(made, [value, value])) in (200, 404)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.datetimes().map(str),
    st.sampled_from(HOSTILE),
)


@pytest.mark.usefixtures("_rows")
@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    column=st.sampled_from(COLUMNS),
    key=st.lists(VALUES, max_size=3) | VALUES,
    text=st.text(max_size=30),
    descending=st.booleans(),
)
@example(column="when", key=[None, 1], text="p=1", descending=True)
def test_any_key_and_any_text(column: str, key: Any, text: str, descending: bool) -> None:
    made = view(column, descending)
    assert status_of(made, whole_key(made, key)) in (200, 404)
    assert status_of(made, encoded(text, descending)) in (200, 404)
