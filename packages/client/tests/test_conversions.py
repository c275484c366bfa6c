"""Values of Python in requests."""

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from uuid import UUID

import pytest

from lintel_client import AsyncClient, Client, ParameterError
from lintel_document import Document, Field, Link

ROOM = UUID("12345678-1234-5678-1234-567812345678")
NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


class Status(Enum):
    FIRM = "firm"
    OPTION = 2


class Word(str, Enum):  # noqa: UP042  as projects wrote it before StrEnum
    HELLO = "hello"


class Level(IntEnum):
    HIGH = 3


class Colour(StrEnum):
    RED = "red"


@dataclass
class Guest:
    name: str
    born: date | None = None
    tags: set[str] = field(default_factory=set)


TEXTS = [
    (date(2026, 5, 1), "2026-05-01"),
    (NOON, "2026-05-01T12:00:00Z"),
    (datetime(2026, 5, 1, 12, 0, 0, 5), "2026-05-01T12:00:00.000005"),
    (NOON.astimezone(timezone(timedelta(hours=2))), "2026-05-01T14:00:00+02:00"),
    (time(9, 30), "09:30:00"),
    (time(9, 30, tzinfo=UTC), "09:30:00Z"),
    (ROOM, str(ROOM)),
    (Status.FIRM, "firm"),
    (Word.HELLO, "hello"),
    (Colour.RED, "red"),
    (Path("a") / "b.txt", str(Path("a/b.txt"))),
]


def document(location, encoding=""):
    fields = [Field("a", location=location)]
    url = "/{a}/" if location == "path" else "/"
    action = "post" if location in ("form", "body") else "get"
    link = Link(url, action, encoding=encoding, fields=fields)
    return Document("http://x.org/", content={"go": link})


def body(value, encoding="application/json"):
    request = Client().request(document("form", encoding), "go", {"a": value})
    return bytes(request.body)


@pytest.mark.parametrize(("value", "text"), TEXTS)
class TestText:
    def test_json(self, value, text):
        assert body([value]) == f'{{"a":["{text}"]}}'.encode()

    def test_header(self, value, text):
        request = Client().request(document("header"), "go", {"a": value})
        assert request.headers["a"] == text

    def test_query_and_path(self, value, text):
        escaped = (
            re.escape(text).replace(":", "%3A").replace(r"\+", "%2B").replace("/", "(?:/|%2F)")
        )
        for location in ("query", "path"):
            request = Client().request(document(location), "go", {"a": value})
            assert re.search(f"{escaped}/?$", request.url), request.url


def test_numbers_stay_numbers():
    assert body([Status.OPTION, Level.HIGH]) == b'{"a":[2,3]}'


def test_sets_have_one_order():
    assert body({"b", "c", "a"}) == b'{"a":["a","b","c"]}'
    assert body(frozenset([3, 1])) == b'{"a":[1,3]}'
    request = Client().request(document("query"), "go", {"a": {Status.FIRM, Colour.RED}})
    assert request.url == "http://x.org/?a=firm&a=red"


def test_dataclasses_are_objects():
    guest = Guest("Ann", date(1990, 1, 2), {"vip"})
    assert body(guest) == b'{"a":{"name":"Ann","born":"1990-01-02","tags":["vip"]}}'
    whole = Client().request(document("body", "application/json"), "go", {"a": [guest]})
    assert bytes(whole.body) == b'[{"name":"Ann","born":"1990-01-02","tags":["vip"]}]'


def test_keys_of_mappings():
    assert body({Colour.RED: 1, ROOM: 2}) == f'{{"a":{{"red":1,"{ROOM}":2}}}}'.encode()


@pytest.mark.parametrize("value", [timedelta(1), object(), Guest, [lambda: 1], 1j, {1: 2}])
def test_others_are_refused(value):
    with pytest.raises(ParameterError):
        body(value)


def test_circles_are_refused():
    circle = []
    circle.append(circle)
    with pytest.raises(ParameterError):
        body(circle)


class TestPathsOfFiles:
    def test_a_multipart_form_sends_the_file(self, tmp_path):
        path = tmp_path / "note.txt"
        path.write_text("content")
        sent = body(path, "multipart/form-data")
        assert b'filename="note.txt"' in sent
        assert b"Content-Type: text/plain" in sent
        assert b"content" in sent

    def test_a_form_without_files_sends_its_name(self):
        assert body(Path("a.txt"), "application/x-www-form-urlencoded") == b"a=a.txt"

    def test_a_body_is_the_file(self, tmp_path):
        path = tmp_path / "note.bin"
        path.write_bytes(b"\x00\x01")
        link = Link(
            "/", "put", encoding="application/octet-stream", fields=[Field("a", location="body")]
        )
        made = Client().request(Document("http://x.org/", content={"go": link}), "go", {"a": path})
        assert bytes(made.body) == b"\x00\x01"
        assert 'filename="note.bin"' in made.headers["Content-Disposition"]

    def test_a_missing_file(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            body(tmp_path / "none", "multipart/form-data")

    def test_a_large_file_is_read_while_it_is_sent(self, service, tmp_path):
        path = tmp_path / "large.bin"
        path.write_bytes(b"0123456789abcdef" * 100_000)
        service.answer("/", {})
        link = Link(
            "/", "put", encoding="application/octet-stream", fields=[Field("a", location="body")]
        )
        found = Document(service.url(), content={"go": link})
        with Client() as client:
            assert not isinstance(client.request(found, "go", {"a": path}).body, bytes)
            client.action(found, "go", {"a": path})
        assert service.last.body == path.read_bytes()

    @pytest.mark.anyio
    async def test_asynchronously(self, service, tmp_path):
        path = tmp_path / "large.bin"
        path.write_bytes(b"0123456789abcdef" * 100_000)
        service.answer("/", {})
        link = Link(
            "/", "put", encoding="application/octet-stream", fields=[Field("a", location="body")]
        )
        async with AsyncClient() as client:
            await client.action(Document(service.url(), content={"go": link}), "go", {"a": path})
        assert service.last.body == path.read_bytes()
