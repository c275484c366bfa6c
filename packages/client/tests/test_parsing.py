"""Dates, UUIDs and decimals in answers."""

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest

from lintel_client import AsyncClient, Client
from lintel_codecs.openapi import OpenAPICodec

BOOKING = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "day": {"type": "string", "format": "date"},
        "made": {"type": ["string", "null"], "format": "date-time"},
        "at": {"type": "string", "format": "time"},
        "price": {"type": "string", "format": "decimal"},
        "note": {"type": "string"},
        "either": {"oneOf": [{"type": "string", "format": "date"}, {"type": "string"}]},
        "maybe": {"anyOf": [{"$ref": "#/components/schemas/Day"}, {"type": "null"}]},
        "parent": {"$ref": "#/components/schemas/Booking"},
        "stays": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/Day"}]}},
        "by_name": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Day"}},
    },
}
DAY = {"type": "string", "format": "date"}


def description(url, schema, kind="application/json", status="200"):
    content = {kind: {"schema": schema}}
    get = {"operationId": "show", "responses": {status: {"description": "", "content": content}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "", "version": "1"},
        "servers": [{"url": url}],
        "paths": {"/x/": {"get": get}},
        "components": {"schemas": {"Booking": BOOKING, "Day": DAY}},
    }


def answer(service, data, schema=None, *, parse=True, **options):
    schema = schema or {"$ref": "#/components/schemas/Booking"}
    text = json.dumps(description(service.url("/"), schema, **options))
    document = OpenAPICodec().decode(text.encode(), base_url=service.url("/"))
    service.answer("/x/", data)
    with Client(parse=parse) as client:
        return client.action(document, "show")


ID = "12345678-1234-5678-1234-567812345678"
DATA = {
    "id": ID,
    "day": "2026-05-01",
    "made": "2026-05-01T12:00:00Z",
    "at": "09:30:00",
    "price": "10.50",
    "note": "2026-05-01",
    "either": "2026-05-01",
    "maybe": "2026-05-02",
    "parent": {"day": "2026-05-03", "parent": {"id": ID}},
    "stays": ["2026-05-04"],
    "by_name": {"a": "2026-05-05"},
    "unknown": "2026-05-06",
}


def test_texts_become_values(service):
    assert answer(service, DATA) == {
        "id": UUID(ID),
        "day": date(2026, 5, 1),
        "made": datetime(2026, 5, 1, 12, tzinfo=UTC),
        "at": time(9, 30),
        "price": Decimal("10.50"),
        "note": "2026-05-01",
        "either": "2026-05-01",
        "maybe": date(2026, 5, 2),
        "parent": {"day": date(2026, 5, 3), "parent": {"id": UUID(ID)}},
        "stays": [date(2026, 5, 4)],
        "by_name": {"a": date(2026, 5, 5)},
        "unknown": "2026-05-06",
    }


def test_without_the_option_they_stay_texts(service):
    assert answer(service, DATA, parse=False) == DATA


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "2026-13-01", "٢٠٢٦-05-01x", "1" * 5000, "09:30:00.1234567"]
)
@pytest.mark.parametrize("name", ["id", "day", "made", "at", "price"])
def test_what_does_not_fit_stays_a_text(service, name, text):
    result = answer(service, {name: text})[name]
    assert result == (Decimal(text) if name == "price" and text.isdigit() else text)


def test_other_types_than_described_stay(service):
    data = {"id": None, "day": 5, "stays": "x", "parent": [1], "by_name": None, "price": 1.5}
    assert answer(service, data) == data


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("price", "NaN"),
        ("price", "1_0"),
        ("price", "٣"),
        ("id", "{" + ID + "}"),
        ("day", "20260501"),
    ],
)
def test_other_spellings_stay_texts(service, name, text):
    assert answer(service, {name: text}) == {name: text}


def test_lists_at_the_top(service):
    schema = {"type": "array", "items": {"$ref": "#/components/schemas/Booking"}}
    assert answer(service, [{"day": "2026-05-01"}], schema) == [{"day": date(2026, 5, 1)}]


@pytest.mark.parametrize("status", ["2XX", "2xx", "default"])
def test_ranges_of_statuses(service, status):
    assert answer(service, {"day": "2026-05-01"}, status=status) == {"day": date(2026, 5, 1)}


@pytest.mark.parametrize(
    ("kind", "is_read"),
    [("*/*", True), ("application/*", True), ("application/json; v=1", True), ("text/csv", False)],
)
def test_media_types(service, kind, is_read):
    day = answer(service, {"day": "2026-05-01"}, kind=kind)["day"]
    assert day == (date(2026, 5, 1) if is_read else "2026-05-01")


def test_circular_schemas_end(service):
    circle = {"$ref": "#/components/schemas/Booking/properties/parent"}
    assert answer(service, {"a": {"a": "b"}}, circle) == {"a": {"a": "b"}}


def test_values_can_be_sent_again(service):
    made = answer(service, {"made": "2026-05-01T14:00:00+02:00"})["made"]
    assert made == datetime(2026, 5, 1, 14, tzinfo=timezone(timedelta(hours=2)))


class TestPages:
    SCHEMA = {
        "type": "object",
        "properties": {
            "next": {"type": ["string", "null"], "format": "uri"},
            "results": {"type": "array", "items": {"$ref": "#/components/schemas/Booking"}},
        },
    }

    def document(self, service):
        text = json.dumps(description(service.url("/"), self.SCHEMA))
        service.answer("/x/", {"next": service.url("/y/"), "results": [{"day": "2026-05-01"}]})
        service.answer("/y/", {"next": None, "results": [{"day": "2026-05-02"}]})
        return OpenAPICodec().decode(text.encode(), base_url=service.url("/"))

    def test_each_item(self, service):
        with Client(parse=True) as client:
            items = [item["day"] for item in client.pages(self.document(service), "show")]
        assert items == [date(2026, 5, 1), date(2026, 5, 2)]

    @pytest.mark.anyio
    async def test_asynchronously(self, service):
        async with AsyncClient(parse=True) as client:
            result = await client.action(self.document(service), "show")
        assert result["results"] == [{"day": date(2026, 5, 1)}]
