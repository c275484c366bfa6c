"""Published advisories of Django and of packages around it, tried where lintel has code of its own.

``tests/data/advisories.toml`` names the test of each; these are those that no other page of the
suite has. The addresses of ``RESOURCES`` stand for views of a project.
"""

import asyncio
import json
import logging
from typing import Any
from urllib.parse import quote

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import User
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.handlers.asgi import ASGIHandler
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path

from lintel import filters, generics, pagination, parsers, serializers
from lintel.request import Request
from lintel.requestlog import JSONFormatter
from lintel.response import Response
from lintel.serving.asgi import ASGIApplication
from lintel.sparse import SparseFieldsMixin
from lintel.throttling import SimpleRateThrottle
from lintel.views import APIView

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


class Facts(APIView):
    """What a view sees of a request."""

    authentication_classes = ()
    permission_classes = ()

    def get(self, request: Request) -> Response:
        names = [name for name in request.META if name.startswith("HTTP_")]
        ident = SimpleRateThrottle.get_ident(_Throttle(), request)
        return Response(
            {"names": sorted(names), "ident": ident, "odd": request.headers.get("x-odd", "")}
        )


class _Throttle(SimpleRateThrottle):
    rate = "1/s"


class Uploads(APIView):
    """The files of a form: how each was kept, and its size."""

    authentication_classes = ()
    permission_classes = ()
    parser_classes = (parsers.MultiPartParser,)

    def post(self, request: Request) -> Response:
        files = [file for name in request.FILES for file in request.FILES.getlist(name)]
        on_disk = [isinstance(file, TemporaryUploadedFile) for file in files]
        return Response({"on_disk": on_disk, "sizes": [file.size for file in files]})


class OneFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(max_length=10)


class OneFile(APIView):
    """A form with one file that has limits."""

    authentication_classes = ()
    permission_classes = ()
    parser_classes = (parsers.MultiPartParser,)

    def post(self, request: Request) -> Response:
        serializer = OneFileSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response({"name": serializer.validated_data["file"].name})


class SnippetSerializer(serializers.ModelSerializer[Any]):
    class Meta:
        model = Snippet
        fields = ["id", "title", "language"]


class Snippets(SparseFieldsMixin, generics.ListAPIView[Any]):
    """Rows that may be filtered, searched, ordered, and shown in part."""

    authentication_classes = ()
    permission_classes = ()
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    sparse_fields = ("id", "title", "language")
    pagination_class = pagination.LimitOffsetPagination
    filter_backends = (filters.FieldFilter, filters.SearchFilter, filters.OrderingFilter)
    filter_fields = ("id", "title", "id__gte")
    search_fields = ("title",)
    ordering_fields = ("title", "id")


class AddressesSerializer(serializers.Serializer[Any]):
    url = serializers.URLField(required=False, trim_whitespace=False)
    email = serializers.EmailField(required=False, trim_whitespace=False)
    ip = serializers.IPAddressField(required=False, trim_whitespace=False)


urlpatterns = [
    path("facts/", Facts.as_view()),
    path("uploads/", Uploads.as_view()),
    path("one/", OneFile.as_view()),
    path("snippets/", Snippets.as_view()),
]

Headers = list[tuple[bytes, bytes]]


def ask(
    url: str, headers: Headers, method: str = "GET", pieces: list[bytes] | None = None
) -> tuple[int, bytes]:
    """Return status and body of a request to ``lintel.serving``, as a server hands it on."""
    waiting = list(pieces or [b""])
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()  # the client stays
        body = waiting.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "path": url, "raw_path": url.encode(), "query_string": b"", "root_path": "",
        "headers": [(b"host", b"testserver"), *headers],
        "client": ("192.0.2.7", 1), "server": ("testserver", 80), "scheme": "http",
    }  # fmt: skip
    with override_settings(ALLOWED_HOSTS=["testserver"], MIDDLEWARE=[]):
        asyncio.run(ASGIApplication(ASGIHandler())(scope, receive, send))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], body


def test_headers_with_underscores_are_not_those_with_hyphens() -> None:
    forged = [(b"x_forwarded_for", b"203.0.113.9"), (b"x_odd", b"1"), (b"x-forwarded_for", b"2")]
    status, body = ask("/facts/", forged)
    assert status == 200
    facts = json.loads(body)
    assert facts == {"names": ["HTTP_HOST"], "ident": "192.0.2.7", "odd": ""}


def test_a_header_may_be_repeated_very_often() -> None:
    status, body = ask("/facts/", [(b"x-odd", b"v" * 50)] * 20_000)
    assert status == 200
    assert len(json.loads(body)["odd"]) == 20_000 * 51 - 1


def form(*parts: tuple[str, bytes], more: str = "") -> list[bytes]:
    """Return the pieces of a form with files."""
    pieces = []
    for name, content in parts:
        head = f'--X\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\n{more}\r\n'
        pieces += [head.encode(), content, b"\r\n"]
    return [*pieces, b"--X--\r\n"]


MULTIPART = (b"content-type", b"multipart/form-data; boundary=X")


@pytest.mark.parametrize("length", [None, b"10"])
def test_large_files_are_kept_on_disk_whatever_length_was_declared(length: bytes | None) -> None:
    headers = [MULTIPART, *([(b"content-length", length)] if length else [])]
    with override_settings(FILE_UPLOAD_MAX_MEMORY_SIZE=1000):
        pieces = form(("a.txt", b"z" * 5000))
        status, body = ask("/uploads/", headers, "POST", pieces)
    if length is None:
        assert (status, json.loads(body)) == (200, {"on_disk": [True], "sizes": [5000]})
    else:  # what is beyond the declared length may be refused, and is never kept in memory
        assert status in (200, 400)
        assert "false" not in body.decode()


@pytest.mark.parametrize(
    "content",
    [b" " * 200_000, b"A" + b"\r\n" * 100_000, b"QUJD" + b" \t" * 100_000 + b"QUJD", b"Q"],
)
def test_encoded_files_take_no_time(content: bytes) -> None:
    more = "Content-Transfer-Encoding: base64\r\n"
    status, _ = ask("/uploads/", [MULTIPART], "POST", form(("a.txt", content), more=more))
    assert status in (200, 400)


def test_the_number_of_files_is_limited() -> None:
    with override_settings(DATA_UPLOAD_MAX_NUMBER_FILES=3):
        few = form(*[("a.txt", b"z")] * 3)
        many = form(*[("a.txt", b"z")] * 4)
        assert ask("/uploads/", [MULTIPART], "POST", few)[0] == 200
        assert ask("/uploads/", [MULTIPART], "POST", many)[0] == 400


def test_the_file_that_is_validated_is_the_one_that_is_used() -> None:
    good, bad = ("a.txt", b"z"), ("a-name-that-is-too-long.txt", b"z")
    content = {True: b"".join(form(bad, good)), False: b"".join(form(good, bad))}
    for last_is_good, body in content.items():
        body = body.replace(b'name="f"', b'name="file"')
        status, answer = ask("/one/", [MULTIPART], "POST", [body])
        assert status == (200 if last_is_good else 400)
        if last_is_good:
            assert json.loads(answer) == {"name": "a.txt"}


HOSTILE = [
    "_connector=OR+1=1+OR",
    "_negated=1",
    "_connector=XOR&_negated=1&id__gte=1",
    "owner__password__startswith=p",
    "title__regex=.*",
    "id__in=1)+OR+(1=1",
    "ordering=" + quote('title" DESC) --'),
    "ordering=" + quote("-owner__password"),
    "ordering=" + quote("?"),
    "ordering=" + quote("title\x00"),
    "ordering=" + quote("-title; DROP TABLE x"),
    "fields=" + quote('id" AS x, password FROM auth_user --'),
    "fields=" + quote("title.%s(a)"),
    "limit=1&offset=" + quote("0 UNION SELECT 1"),
    "id=1e1000000",
    "id__gte=" + "9" * 4000,
    "search=" + quote("' OR 1=1 --"),
]


@pytest.mark.parametrize("query", HOSTILE)
def test_names_and_values_of_parameters_are_never_sql(query: str) -> None:
    owner = User.objects.create_user("ada", password="secret")
    Snippet.objects.create(title="visible", owner=owner)
    with CaptureQueriesContext(connection) as context:
        response = Client().get(f"/snippets/?{query}")
    assert response.status_code in (200, 400)
    said = " ".join(captured["sql"] for captured in context.captured_queries)
    assert "auth_user" not in said
    assert "password" not in said
    assert "DROP" not in said
    assert "secret" not in response.content.decode()
    if response.status_code == 200:
        found = response.json()
        rows = found["results"] if isinstance(found, dict) else found
        assert len(rows) <= 1
        assert all(set(row) <= {"id", "title", "language"} for row in rows)


@pytest.mark.parametrize(
    "data",
    [
        {"url": "http://example.com/\n"},
        {"url": "http://example.com\r\nSet-Cookie: a=b"},
        {"url": "http://" + "a." * 100_000},
        {"url": "javascript:alert(1)"},
        {"email": "ada@example.com\n"},
        {"email": "ada@example.com\r\nBcc: eve@example.com"},
        {"email": "ada@" + "a." * 100_000 + "b"},
        {"ip": "127.0.0.01"},
        {"ip": "192.0.2.1\n"},
        {"ip": "1:" * 100_000},
        {"ip": "::ffff:" + "0" * 100_000},
    ],
)
def test_addresses_hold_no_line_breaks_and_take_no_time(data: dict[str, str]) -> None:
    serializer = AddressesSerializer(data=data)
    assert not serializer.is_valid()
    assert set(serializer.errors) == set(data)


def test_a_path_cannot_write_lines_of_a_log() -> None:
    record = logging.LogRecord(
        "django.request", logging.WARNING, __file__, 1, "Not Found: %s",
        ("/x\r\n2026-01-01 INFO all is well\x1b[2J\u2028",), None,
    )  # fmt: skip
    line = JSONFormatter().format(record)
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line
    assert json.loads(line)
