"""Lists that are sent while they are read."""

import asyncio
import gc
import json
import logging
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async
from contract_project.models import Entry, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections, transaction
from django.test import AsyncRequestFactory, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path, resolve
from django.utils import timezone, translation
from django.utils.decorators import method_decorator, sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin
from servers import everything_in

from lintel import serializers, streaming
from lintel.decorators import action
from lintel.exceptions import PermissionDenied
from lintel.filters import SearchFilter
from lintel.generics import AsyncListAPIView, ListAPIView
from lintel.pagination import PageNumberPagination
from lintel.permissions import IsAuthenticated
from lintel.renderers import BrowsableAPIRenderer, JSONRenderer, NDJSONRenderer, StaticHTMLRenderer
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.streaming import StreamingListMixin
from lintel.test import APIClient, AsyncAPIClient
from lintel.views import APIView
from lintel.viewsets import AsyncModelViewSet, ModelViewSet

LINES = {"Accept": "application/x-ndjson"}


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Pages(PageNumberPagination):
    page_size = 2


class Streamed(StreamingListMixin):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    pagination_class = Pages
    filter_backends = [SearchFilter]
    search_fields = ["name"]
    renderer_classes = [JSONRenderer, NDJSONRenderer, BrowsableAPIRenderer]
    stream_chunk_size = 2


class Tags(Streamed, ListAPIView):
    pass


class AsyncTags(Streamed, AsyncListAPIView):
    pass


class Arrays(Tags):
    stream_formats = ("json", "ndjson")


class TagSet(Streamed, ModelViewSet):
    pass


class AsyncTagSet(Streamed, AsyncModelViewSet):
    pass


class Closed(Tags):
    permission_classes = [IsAuthenticated]


class Breaking(serializers.Serializer):
    name = serializers.SerializerMethodField()

    def get_name(self, tag: Any) -> str:
        return str(1 / (tag.name != "t3"))


class Broken(Tags):
    serializer_class = Breaking


tenant: ContextVar[str] = ContextVar("tenant", default="nobody")


@sync_and_async_middleware
def of_a_tenant(get_response: Any) -> Any:
    """Says whose request it is, in which language and time zone, for as long as a view runs."""

    @contextmanager
    def world() -> Iterator[None]:
        token = tenant.set("a")
        with translation.override("de"), timezone.override("Asia/Tokyo"):
            yield
        tenant.reset(token)

    def sync(request: Any) -> Any:
        with world():
            return get_response(request)

    async def on_the_loop(request: Any) -> Any:
        with world():
            return await get_response(request)

    return on_the_loop if iscoroutinefunction(get_response) else sync


class OfTheWorld(serializers.Serializer):
    world = serializers.SerializerMethodField()

    def get_world(self, tag: Any) -> list[str]:
        zone = timezone.get_current_timezone_name()
        return [tenant.get(), translation.get_language(), zone]


class World(Tags):
    serializer_class = OfTheWorld


class AsyncWorld(AsyncTags):
    serializer_class = OfTheWorld


urlpatterns = [
    path("world/", World.as_view()),
    path("aworld/", AsyncWorld.as_view()),
    path("tags/", Tags.as_view()),
    path("atags/", AsyncTags.as_view()),
    path("arrays/", Arrays.as_view()),
    path("set/", TagSet.as_view({"get": "list", "post": "create"})),
    path("set/<int:pk>/", TagSet.as_view({"get": "retrieve"})),
    path("aset/", AsyncTagSet.as_view({"get": "list", "post": "create"})),
    path("closed/", Closed.as_view()),
    path("broken/", Broken.as_view()),
]


@pytest.fixture(autouse=True)
def _tags(settings: Any, db: None) -> None:
    settings.ROOT_URLCONF = __name__
    Tag.objects.bulk_create(Tag(id=number, name=f"t{number}") for number in range(1, 6))


@pytest.fixture
def client() -> APIClient:
    return APIClient()


ROWS = [{"id": number, "name": f"t{number}"} for number in range(1, 6)]


def lines_of(response: Any) -> list[Any]:
    assert (response.status_code, response.streaming) == (200, True)
    assert response.headers["Content-Type"] == "application/x-ndjson"
    text = b"".join(response.streaming_content)
    assert text.endswith(b"\n")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("name", ["tags", "atags", "set", "aset", "arrays"])
def test_all_rows_come_as_lines(name: str, client: APIClient) -> None:
    assert lines_of(client.get(f"/{name}/", headers=LINES)) == ROWS
    assert lines_of(client.get(f"/{name}/?format=ndjson&search=t3")) == ROWS[2:3]
    assert b"".join(client.get(f"/{name}/?format=ndjson&search=x").streaming_content) == b""


@pytest.mark.parametrize("name", ["tags", "atags", "set", "aset"])
def test_other_formats_have_pages_as_ever(name: str, client: APIClient) -> None:
    answer = client.get(f"/{name}/")
    assert (answer.json()["count"], answer.json()["results"]) == (5, ROWS[:2])
    page = client.get(f"/{name}/", headers={"Accept": "text/html"})
    assert (page.status_code, page.streaming) == (200, False)


def test_an_array_is_streamed_where_the_view_says_so(client: APIClient) -> None:
    for query, rows in (("", ROWS), ("?search=t3", ROWS[2:3]), ("?search=x", [])):
        answer = client.get(f"/arrays/{query}")
        assert (answer.streaming, answer.headers["Content-Type"]) == (True, "application/json")
        assert json.loads(b"".join(answer.streaming_content)) == rows
    assert next(iter(client.get("/arrays/").streaming_content)) == (
        b'[{"id":1,"name":"t1"},{"id":2,"name":"t2"}'
    )


def test_rows_are_read_while_they_are_sent(client: APIClient) -> None:
    with CaptureQueriesContext(connection) as queries:
        answer = client.get("/tags/", headers=LINES)
        assert len(queries) == 0
        pieces = iter(answer.streaming_content)
        assert next(pieces).count(b"\n") == 2
        assert [piece.count(b"\n") for piece in pieces] == [2, 1]
    assert len(queries) == 1


def test_head_reads_no_row(client: APIClient, settings: Any) -> None:
    settings.MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
    for name in ("tags", "atags"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.head(f"/{name}/", headers=LINES)
        assert (answer.status_code, b"".join(answer), len(queries)) == (200, b"", 0)
        assert "Content-Length" not in answer.headers  # that of GET is unknown
        assert answer.headers["Content-Type"] == "application/x-ndjson"


def test_errors_before_the_first_byte_are_answers(client: APIClient) -> None:
    refused = client.get("/closed/", headers=LINES)
    assert refused.status_code in (401, 403)
    assert json.loads(refused.content) == {
        "detail": "Authentication credentials were not provided."
    }
    assert refused.content.endswith(b"\n")
    assert client.post("/set/", {"name": ""}, headers=LINES).status_code == 400
    made = client.post("/set/", {"name": "new"}, headers=LINES)
    assert (made.status_code, json.loads(made.content)["name"]) == (201, "new")
    assert client.get("/set/1/", headers=LINES).content == b'{"id":1,"name":"t1"}\n'


def test_an_error_in_the_middle_breaks_the_answer_off(client: APIClient, caplog: Any) -> None:
    pieces = iter(client.get("/broken/", headers=LINES).streaming_content)
    assert next(pieces).count(b"\n") == 2
    with caplog.at_level(logging.ERROR, "lintel.streaming"), pytest.raises(ZeroDivisionError):
        next(pieces)
    assert caplog.messages == ["The list of Broken was interrupted after 2 rows."]


def test_on_the_loop() -> None:
    async def ask(address: str) -> list[Any]:
        answer = await AsyncAPIClient().get(address, headers=LINES)
        assert answer.is_async
        pieces = [piece async for piece in answer.streaming_content]
        assert len(pieces) == 3
        return [json.loads(line) for line in b"".join(pieces).splitlines()]

    for name in ("tags", "atags", "set", "aset"):
        assert async_to_sync(ask)(f"/{name}/") == ROWS


def test_a_client_that_leaves_ends_the_reading() -> None:
    ended = []

    class Rows(StreamingListMixin, ListAPIView):
        serializer_class = TagSerializer
        renderer_classes = [NDJSONRenderer]
        stream_chunk_size = 1

        def get_queryset(self) -> Iterator[Tag]:
            def rows() -> Iterator[Tag]:
                try:
                    while True:
                        yield Tag(id=1, name="x")
                finally:
                    ended.append(True)

            return rows()

    async def leave() -> None:
        answer = await asyncio.to_thread(Rows.as_view(), AsyncRequestFactory().get("/"))
        pieces = answer.streaming_content
        assert await anext(pieces) == b'{"id":1,"name":"x"}\n'
        await pieces.aclose()

    async_to_sync(leave)()
    assert ended == [True]


class EntrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Entry
        fields = "__all__"


class Entries(StreamingListMixin, ListAPIView):
    queryset = Entry.objects.order_by("id")
    serializer_class = EntrySerializer
    renderer_classes = [NDJSONRenderer]
    stream_chunk_size = 50


@pytest.fixture(autouse=True, scope="module")
def _closed() -> Iterator[None]:
    """End the reading of streams that tests have left: it would lock tables for later tests."""
    yield
    gc.collect()


@pytest.mark.django_db(databases="__all__")  # other tests may have opened them already
@pytest.mark.parametrize("database", ["sqlite_file", "postgresql"])
def test_memory_does_not_grow_with_the_rows(
    database: str, request: Any, django_db_blocker: Any
) -> None:
    with everything_in(request.getfixturevalue(database), django_db_blocker):
        now = timezone.now()
        gc.enable()  # what a piece leaves behind may be garbage in cycles
        try:
            Entry.objects.bulk_create(Entry(name=f"n{n}", created=now) for n in range(2000))
            made = Entries.as_view()
            b"".join(made(RequestFactory().get("/")).streaming_content)  # what is kept, once
            tracemalloc.start()
            count = sum(
                piece.count(b"\n") for piece in made(RequestFactory().get("/")).streaming_content
            )
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            Entry.objects.all().delete()
    assert count == 2000
    assert peak < 1_000_000


@pytest.mark.fast_way
def test_relations_take_one_query_for_each_piece(client: APIClient) -> None:
    class Nested(serializers.ModelSerializer):
        tags = TagSerializer(many=True)
        owner = serializers.CharField(source="owner.username")

        class Meta:
            model = Snippet
            fields = ["id", "owner", "tags"]

    class Snippets(StreamingListMixin, ListAPIView):
        queryset = Snippet.objects.order_by("id")
        serializer_class = Nested
        renderer_classes = [NDJSONRenderer]

    owner = User.objects.create_user("alice")
    for number in range(6):
        Snippet.objects.create(code=str(number), owner=owner).tags.set([1, 2])
    with CaptureQueriesContext(connection) as queries:
        answer = Snippets.as_view()(RequestFactory().get("/"))
        rows = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert [row["tags"] for row in rows] == [ROWS[:2]] * 6
    assert len(queries) <= 3


def test_only_renderers_of_json_can_stream() -> None:
    class Pages(Tags):
        renderer_classes = [StaticHTMLRenderer]
        stream_formats = ("html",)

    with pytest.raises(ImproperlyConfigured, match="names 'html', and StaticHTMLRenderer cannot"):
        Pages.as_view()(RequestFactory().get("/"))


# The renderer alone


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([{"a": 1}, [1, 2], None, "é\n"], b'{"a":1}\n[1,2]\nnull\n"\xc3\xa9\\n"\n'),
        ([], b""),
        ({"a": [1]}, b'{"a":[1]}\n'),
        ("x", b'"x"\n'),
        (None, b""),
    ],
)
def test_data_as_lines(data: Any, text: bytes) -> None:
    assert NDJSONRenderer().render(data, "application/x-ndjson; indent=4", {"indent": 2}) == text


def test_any_view_may_answer_in_lines() -> None:
    class Report(APIView):
        renderer_classes = [NDJSONRenderer]

        def get(self, request: Any) -> Response:
            return Response([{"a": 1}, {"a": 2}])

    answer = Report.as_view()(RequestFactory().get("/", headers=LINES)).render()
    assert answer.content == b'{"a":1}\n{"a":2}\n'
    assert answer.headers["Content-Type"] == "application/x-ndjson"


@pytest.mark.filterwarnings("ignore:.*operationId")
@pytest.mark.parametrize("version", ["3.1", "3.2"])
@pytest.mark.filterwarnings("ignore:.*have the operationId")
def test_streams_are_described_by_their_items(version: str) -> None:
    patterns = [path("tags/", Tags.as_view()), path("arrays/", Arrays.as_view())]
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": version}):
        document = SchemaGenerator(title="T", version="1", patterns=patterns).get_schema(None, True)
    item = {"$ref": "#/components/schemas/Tag"}
    array = {"schema": {"type": "array", "items": item}}
    lines = {"itemSchema": item} if version == "3.2" else array
    page = {"schema": {"$ref": "#/components/schemas/PagesPaginatedTagList"}}
    tags, arrays = (
        document["paths"][address]["get"]["responses"]["200"]["content"]
        for address in ("/tags/", "/arrays/")
    )
    assert (tags["application/json"], tags["application/x-ndjson"]) == (page, lines)
    assert (arrays["application/json"], arrays["application/x-ndjson"]) == (array, lines)


@pytest.mark.parametrize("reads_late", [None, True, False])
@pytest.mark.parametrize("address", ["/world/", "/aworld/"])
@override_settings(MIDDLEWARE=[f"{__name__}.of_a_tenant"])
def test_rows_are_sent_in_the_world_of_their_request(
    address: str, reads_late: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Streamed, "stream_reads_late", reads_late)
    expected = {"world": ["a", "de", "Asia/Tokyo"]}
    response: Any = APIClient().get(address, headers=LINES)
    body = b"".join(response)
    assert [json.loads(line) for line in body.splitlines()] == [expected] * 5

    async def on_the_loop() -> bytes:
        response = await AsyncAPIClient().get(address, headers=LINES)
        return b"".join([piece async for piece in response])  # type: ignore[attr-defined]

    body = async_to_sync(on_the_loop)()
    assert [json.loads(line) for line in body.splitlines()] == [expected] * 5
    assert tenant.get() == "nobody"


# ---- worlds that are put back when the view has returned ----

here = threading.local()


def of_a_thread(get_response: Any) -> Any:
    """Keeps the tenant per thread, and takes it back."""

    def call(request: Any) -> Any:
        here.tenant = "a"
        try:
            return get_response(request)
        finally:
            here.tenant = "nobody"

    return call


def of_a_schema(get_response: Any) -> Any:
    """Leads PostgreSQL to the tables of a tenant, and back."""

    def call(request: Any) -> Any:
        with connections["postgresql"].cursor() as cursor:
            cursor.execute("SET search_path = other")
            try:
                return get_response(request)
            finally:
                cursor.execute("RESET search_path")

    return call


class Announcing(MiddlewareMixin):
    """Runs no code after the view."""

    def process_request(self, request: Any) -> None:
        here.tenant = "announced"


class Ending(MiddlewareMixin):
    def process_response(self, request: Any, response: Any) -> Any:
        here.tenant = "nobody"
        return response


class OfTheThread(serializers.ModelSerializer):
    tenant = serializers.SerializerMethodField()
    count = serializers.SerializerMethodField()

    class Meta:
        model = Tag
        fields = ["id", "name", "tenant", "count"]

    def get_tenant(self, tag: Any) -> str:
        return getattr(here, "tenant", "unset")

    def get_count(self, tag: Any) -> int:
        return Tag.objects.count()


class Thread(Streamed, ListAPIView):
    serializer_class = OfTheThread
    pagination_class = None


class AsyncThread(Streamed, AsyncListAPIView):
    serializer_class = OfTheThread
    pagination_class = None


class Dispatched(Thread):
    def dispatch(self, *args: Any, **kwargs: Any) -> Any:
        return of_a_thread(super().dispatch)(*args, **kwargs)


@method_decorator(of_a_thread, name="dispatch")
class Decorated(Thread):
    pass


def around(view: Any) -> Any:
    return lambda request: of_a_thread(view)(request)


urlpatterns += [
    path("thread/", Thread.as_view()),
    path("athread/", AsyncThread.as_view()),
    path("dispatched/", Dispatched.as_view()),
    path("decorated/", Decorated.as_view()),
    path("around/", around(Thread.as_view())),
]


def rows_of(address: str, kind: str) -> list[Any]:
    response: Any = APIClient().get(address, headers={"Accept": kind})
    if kind == "application/json":
        return list(response.json())
    return lines_of(response)


async def rows_on_the_loop(address: str) -> list[Any]:
    response: Any = await AsyncAPIClient().get(address, headers=LINES)
    body = b"".join([piece async for piece in response])
    await sync_to_async(response.close)()
    return [json.loads(line) for line in body.splitlines()]


def assert_same_rows(address: str, tenant: str | None) -> None:
    """Check that JSON and NDJSON agree, under WSGI and ASGI."""
    rows = rows_of(address, "application/json")
    assert rows
    assert tenant is None or {row["tenant"] for row in rows} == {tenant}
    assert rows_of(address, "application/x-ndjson") == rows
    assert async_to_sync(rows_on_the_loop)(address) == rows


@pytest.mark.parametrize("address", ["/thread/", "/athread/"])
def test_rows_of_a_tenant_that_a_thread_keeps(address: str, settings: Any) -> None:
    here.tenant = "nobody"
    settings.MIDDLEWARE = [f"{__name__}.of_a_thread"]
    if address == "/thread/":
        assert_same_rows(address, "a")
    rows = rows_of(address, "application/x-ndjson")
    assert rows == rows_of(address, "application/json")
    settings.MIDDLEWARE = [f"{__name__}.Announcing", f"{__name__}.Ending"]
    assert {row["tenant"] for row in rows_of("/thread/", "application/x-ndjson")} == {"announced"}


@pytest.mark.parametrize("address", ["/dispatched/", "/decorated/", "/around/"])
def test_rows_of_a_tenant_that_a_view_sets(address: str) -> None:
    here.tenant = "nobody"
    assert_same_rows(address, "a")


@pytest.fixture
def schema_of_a_tenant(postgresql: str, django_db_blocker: Any) -> Iterator[str]:
    """Tags of everybody, and others in the schema of a tenant."""
    with everything_in(postgresql, django_db_blocker):
        with connections[postgresql].cursor() as cursor:
            cursor.execute("INSERT INTO contract_project_tag (name) VALUES ('everybody')")
            cursor.execute("CREATE SCHEMA other")
            cursor.execute(
                "CREATE TABLE other.contract_project_tag AS "
                "SELECT n AS id, 'other ' || n AS name FROM generate_series(1, 5) n"
            )
        try:
            yield postgresql
        finally:
            with connections[postgresql].cursor() as cursor:
                cursor.execute("DROP SCHEMA other CASCADE; DELETE FROM contract_project_tag")


@pytest.mark.django_db(databases="__all__")  # other tests may have opened them already
@pytest.mark.usefixtures("schema_of_a_tenant")
@pytest.mark.parametrize("address", ["/thread/", "/athread/"])
def test_rows_of_a_schema(address: str, settings: Any) -> None:
    settings.MIDDLEWARE = [f"{__name__}.of_a_schema"]
    rows = rows_of(address, "application/x-ndjson")
    assert [row["name"] for row in rows] == [f"other {number}" for number in range(1, 6)]
    assert {row["count"] for row in rows} == {5}
    assert rows == rows_of(address, "application/json")


def test_rows_of_a_transaction(client: APIClient, settings: Any) -> None:
    alias = connections["default"].settings_dict
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(alias, "ATOMIC_REQUESTS", True)
        written = client.get("/tags/", headers=LINES)
        assert "Content-Length" in written.headers
        written.close()
        free = transaction.non_atomic_requests(Tags.as_view())
        request = RequestFactory().get("/tags/", headers=LINES)
        request.resolver_match = resolve("/tags/")
        request.resolver_match.func = free
        assert "Content-Length" not in free(request).headers
    assert "Content-Length" not in client.get("/tags/", headers=LINES).headers


@pytest.mark.parametrize(
    ("middleware", "reads_late"),
    [
        ("django.middleware.locale.LocaleMiddleware", True),
        (f"{__name__}.Announcing", True),
        (f"{__name__}.Ending", False),
        (f"{__name__}.of_a_thread", False),
    ],
)
@pytest.mark.parametrize("name", ["tags", "atags", "set", "aset", "arrays"])
def test_only_what_follows_the_view_matters(
    name: str, middleware: str, reads_late: bool, client: APIClient, settings: Any
) -> None:
    settings.MIDDLEWARE = [middleware]
    with CaptureQueriesContext(connection) as queries:
        response = client.get(f"/{name}/", headers=LINES)
    assert (len(queries) == 0) is reads_late
    assert ("Content-Length" in response.headers) is not reads_late
    body = b"".join(response.streaming_content)
    assert int(response.headers.get("Content-Length", len(body))) == len(body)
    response.close()


def test_a_view_may_choose(client: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for chosen in (True, False):
        monkeypatch.setattr(Streamed, "stream_reads_late", chosen)
        response = client.get("/tags/", headers=LINES)
        assert ("Content-Length" in response.headers) is not chosen
        response.close()


def test_an_error_before_the_first_byte_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(Breaking):
        def get_name(self, tag: Any) -> str:
            raise serializers.ValidationError("no")

    class Refused(Tags):
        serializer_class = Refusing
        stream_reads_late = False

    answer = Refused.as_view()(RequestFactory().get("/", headers=LINES))
    assert (answer.status_code, answer.data) == (400, ["no"])


def test_what_was_written_is_closed_with_the_response(
    settings: Any, monkeypatch: pytest.MonkeyPatch, client: APIClient
) -> None:
    """Beyond the memory of uploads it is a file, whether it is sent or not."""
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    monkeypatch.setattr(Streamed, "stream_reads_late", False)
    files: list[Any] = []
    make = streaming.SpooledTemporaryFile

    def made(*args: Any, **kwargs: Any) -> Any:
        files.append(make(*args, **kwargs))
        return files[-1]

    monkeypatch.setattr(streaming, "SpooledTemporaryFile", made)
    response = client.get("/tags/", headers=LINES)
    assert files[0].fileno()
    assert lines_of(response) == ROWS
    response.close()
    client.get("/tags/", headers=LINES).close()
    with pytest.raises(ZeroDivisionError):
        client.get("/broken/", headers=LINES)
    assert [each.closed for each in files] == [True, True, True]


class Filtering:
    """Selects rows where a paginated view would: in its handler."""

    def list(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        rows = self.filter_queryset(self.get_queryset()).filter(name="t2")  # type: ignore[attr-defined]
        return Response(self.get_serializer(rows, many=True).data)  # type: ignore[attr-defined]


class Narrowing:
    """Chooses what ``super().list()`` selects, and adds a header."""

    def list(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        self.queryset = Tag.objects.filter(name="t3")
        response = super().list(request, *args, **kwargs)  # type: ignore[misc]
        response["X-Seen"] = "list"
        return response


class Guarding:
    """Refuses in the handler, as decorators do."""

    def get(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        if "key" not in request.query_params:
            raise PermissionDenied
        return self.list(request, *args, **kwargs)  # type: ignore[attr-defined]


class FilteringBase(Filtering, ListAPIView):
    pass


class AsyncNarrowed(AsyncTagSet):
    async def alist(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        self.queryset = Tag.objects.filter(name="t3")
        response = await super().alist(request, *args, **kwargs)
        response["X-Seen"] = "list"
        return response


def made(*bases: type) -> Any:
    return type("Made", bases, {})


FILTERED: dict[str, Any] = {
    "above": made(Filtering, Tags).as_view(),
    "below": made(Streamed, FilteringBase).as_view(),
    "set": made(Filtering, TagSet).as_view({"get": "list"}),
    "on the loop": made(Filtering, AsyncTagSet).as_view({"get": "list"}),
}

NARROWED: dict[str, Any] = {
    "above": made(Narrowing, Tags).as_view(),
    "below": made(Streamed, Narrowing, ListAPIView).as_view(),
    "set": made(Narrowing, TagSet).as_view({"get": "list"}),
    "alist": AsyncNarrowed.as_view({"get": "list"}),
}


@pytest.mark.parametrize("place", FILTERED)
def test_a_list_of_the_project_selects_the_rows(place: str) -> None:
    assert sent_by(FILTERED[place]) == ROWS[1:2]


@pytest.mark.parametrize("place", NARROWED)
def test_what_a_list_of_the_project_calls_is_streamed(place: str) -> None:
    response = answer_of(NARROWED[place])
    assert (response.streaming, response["X-Seen"]) == (True, "list")
    assert "Content-Length" in response.headers  # the project may follow it
    assert sent_by(NARROWED[place]) == ROWS[2:3]


def test_a_handler_of_the_project_may_refuse() -> None:
    view = made(Guarding, Tags).as_view()
    assert answer_of(view).status_code == 403
    assert sent_by(view, "/?key=1") == ROWS


def test_another_action_has_its_own_rows() -> None:
    class Latest(TagSet):
        @action(detail=False)
        def latest(self, request: Any) -> Any:
            return self.list(request)

    page = sent_by(Latest.as_view({"get": "latest"}))
    assert page[0]["count"] == 5
    assert page[0]["results"] == ROWS[:2]


def answer_of(view: Any, address: str = "/") -> Any:
    request = RequestFactory().get(address, headers=LINES)
    response: Any = async_to_sync(view)(request) if iscoroutinefunction(view) else view(request)
    return response if response.streaming else response.render()


def sent_by(view: Any, address: str = "/") -> list[Any]:
    response = answer_of(view, address)
    body = b"".join(response)
    response.close()
    return [json.loads(line) for line in body.splitlines()]
