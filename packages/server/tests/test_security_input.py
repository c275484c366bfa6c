"""Input that is hostile: methods, types, sizes, odd values, names of files.

One test for each kind of security fix that frameworks like this one have needed.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client, RequestFactory
from security_views import EVIL, Page, user_with_snippets
from servers import sqlite_database

from lintel import (
    parsers,
    renderers,
)
from lintel.response import Response
from lintel.views import APIView

pytestmark = [pytest.mark.django_db, pytest.mark.urls("security_views")]


@pytest.fixture(autouse=True)
def alice() -> User:
    return user_with_snippets()


# Methods


@pytest.mark.parametrize(
    "headers", [{"X-HTTP-Method-Override": "DELETE"}, {"X-Method-Override": "DELETE"}, {}]
)
def test_the_method_is_that_of_the_request(headers: dict[str, str]) -> None:
    pk = Snippet.objects.first().pk
    body = {"_method": "DELETE", "_content": "{}", "_content_type": "application/json"}
    response = Client().post(f"/snippets/{pk}/?_method=DELETE", body, headers=headers)
    assert response.status_code == 405
    assert Snippet.objects.filter(pk=pk).exists()
    echoed = Client().post("/echo", body, headers=headers).json()
    assert (echoed["method"], echoed["data"]) == ("POST", body)


# Content types


def test_a_body_is_read_by_its_own_type_alone() -> None:
    client = Client()
    for kind in ("text/plain", "application/json-evil", "application", "", "text/json"):
        response = client.post("/echo", '{"a": 1}', content_type=kind)
        assert response.status_code == 415
    form = client.post("/echo", '{"a": 1}', "application/x-www-form-urlencoded")
    assert form.json()["data"] == {'{"a": 1}': ""}


def test_an_unknown_type_is_not_echoed_as_html() -> None:
    html = Client().post("/echo", b"x", content_type=f"a/{EVIL}", headers={"accept": "text/html"})
    assert html.status_code == 415
    assert Page(html.content.decode()).is_safe


# Size


def multipart(parts: int, name: str = "a") -> tuple[bytes, str]:
    piece = f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n1\r\n'
    return (piece * parts + "--x--\r\n").encode(), "multipart/form-data; boundary=x"


def files(parts: int) -> tuple[bytes, str]:
    piece = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n1\r\n'
    return (piece * parts + "--x--\r\n").encode(), "multipart/form-data; boundary=x"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        multipart(2000),
        files(200),
        (b"a=1&" * 2000, "application/x-www-form-urlencoded"),
        (b"&".join(b"a[%d]=1" % n for n in range(2000)), "application/x-www-form-urlencoded"),
        (b"[" * 100_000, "application/json"),
        (b'{"a":' * 100_000, "application/json"),
        (b'{"a": ' + b"9" * 500_000 + b"}", "application/json"),
        (b"x" * 3_000_000, "application/json"),
        (b"a=" + b"x" * 3_000_000, "application/x-www-form-urlencoded"),
        multipart(1, "x" * 3_000_000),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value.partition(";")[0],
)
def test_bombs_are_bad_requests(body: bytes, content_type: str) -> None:
    for url in ("/echo", "/forms/", "/named/"):
        response = Client(raise_request_exception=False).post(url, body, content_type)
        assert response.status_code in (400, 413)


# Numbers, NUL and half characters


ODD = ["9" * 400, "-1", "0", "1e999", "NaN", "\0", "\ud800", "١", "1_0", " 1", "+1", "0x1", "½"]


@pytest.mark.parametrize("word", ODD)
@pytest.mark.parametrize(
    "url",
    [
        "/snippets/?page={}",
        "/snippets/?size={}",
        "/offsets/?limit={}",
        "/offsets/?offset={}",
        "/cursors/?cursor={}",
        "/snippets/?search={}",
        "/snippets/?ordering={}",
        "/snippets/?{}={}",
        "/echo/{}",
        "/router/set/{}/",
        "/router/set/{}.json",
        "/host/?format={}",
    ],
)
def test_odd_words_are_never_a_crash(url: str, word: str) -> None:
    address = url.replace("{}", quote(word, errors="surrogatepass"))
    response = Client(raise_request_exception=False).get(address)
    assert response.status_code < 500


@pytest.mark.parametrize("position", [2**31, 2**63, 10**100])
def test_cursors_beyond_every_number_are_bad_cursors(position: int) -> None:
    for text in (f"o={position}", f"p={position}", f"o={position}&p=2024-01-01&r=1"):
        cursor = base64.b64encode(text.encode()).decode()
        response = Client(raise_request_exception=False).get(f"/cursors/?cursor={quote(cursor)}")
        assert response.status_code in (200, 404)


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "\udc00x", "\U0010ffff"])
def test_odd_text_in_bodies_headers_and_cookies(value: str) -> None:
    client = Client(raise_request_exception=False)
    sent = json.dumps({"title": value, "code": value})
    assert client.post("/snippets/", sent, content_type="application/json").status_code < 500
    latin = value.encode("utf-8", "surrogatepass").decode("latin-1")
    client.cookies["sessionid"] = client.cookies["csrftoken"] = latin
    for name in ("authorization", "accept", "x-forwarded-for", "referer", "accept-language"):
        for prefix in ("", "Token ", "Basic "):
            for url in ("/session/", "/token/", "/guarded/", "/throttled/", "/snippets/"):
                headers = {name: prefix + latin}
                assert client.get(url, headers=headers).status_code < 500


# Several databases


@pytest.fixture
def two_files(django_db_setup: None, django_db_blocker: Any) -> Iterator[list[str]]:
    """Two real SQLite databases, both under ATOMIC_REQUESTS."""
    aliases = ["first_file", "second_file"]
    with (
        sqlite_database(aliases[0], django_db_blocker),
        sqlite_database(aliases[1], django_db_blocker),
        django_db_blocker.unblock(),
    ):
        for alias in aliases:
            connections[alias].settings_dict["ATOMIC_REQUESTS"] = True
        yield aliases


@pytest.mark.parametrize(
    ("query", "status", "rows"), [("", 200, 1), ("?fail=api", 400, 0), ("?fail=crash", 500, 0)]
)
def test_an_error_undoes_the_changes_of_every_database(
    two_files: list[str], query: str, status: int, rows: int
) -> None:
    client = Client(raise_request_exception=False)
    assert client.post(f"/two/{query}").status_code == status
    assert [Tag.objects.using(alias).count() for alias in two_files] == [rows, rows]


# Uploads


class Upload(APIView):
    parser_classes = [parsers.FileUploadParser]
    permission_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer]

    def put(self, request: Any, filename: str = "") -> Response:
        return Response({"name": request.data["file"].name})


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "a/../../b", "C:\\x", "x\0y"]
)
def test_the_name_of_an_upload_is_no_path(name: str, tmp_path: Path) -> None:
    header = f'attachment; filename="{name}"'
    request = RequestFactory().put("/", b"x", "text/plain", HTTP_CONTENT_DISPOSITION=header)
    response = Upload.as_view()(request)
    assert response.status_code in (200, 400)
    if response.status_code == 200:
        assert not {"/", "\0"} & set(response.data["name"])
        assert response.data["name"] not in ("", ".", "..")
