"""Request ids, and the line of JSON that each request leaves."""

import asyncio
import io
import json
import logging
import logging.config
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import AsyncClient, Client, override_settings
from django.urls import include, path

from lintel import permissions, serializers, throttling, views, viewsets
from lintel.authentication import BasicAuthentication
from lintel.requestlog import JSONFormatter, bound, current_request_id, json_logging
from lintel.requestlog.operations import identifiers
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import get_schema_view
from lintel.schemas.openapi import SchemaGenerator

MIDDLEWARE = ["lintel.requestlog.RequestLogMiddleware"]
NEW_ID = re.compile(r"[0-9a-f]{32}")
TRACE = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{TRACE}-b7ad6b7169203331-01"
PROXY = {"TRUSTED_PROXIES": ["127.0.0.1"]}


class UserSerializer(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["id", "username"]


class Users(viewsets.ModelViewSet[User]):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer


class Guarded(views.APIView):
    authentication_classes = [BasicAuthentication]
    permission_classes = [permissions.IsAuthenticated]

    def get(self, request: Any) -> Response:
        return Response({"id": current_request_id()})


class Never(throttling.SimpleRateThrottle):
    rate = "1/day"

    def get_cache_key(self, request: Any, view: Any) -> str:
        return "never"


class Limited(views.APIView):
    throttle_classes = [Never]

    def get(self, request: Any) -> Response:
        return Response({})


def broken(request: HttpRequest) -> HttpResponse:
    raise ValueError("it broke")


def many(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(iter([b"a", b"b"]))


async def told(request: HttpRequest) -> HttpResponse:
    await asyncio.sleep(0.01)
    inside = await sync_to_async(current_request_id)()
    return HttpResponse(f"{current_request_id()} {inside}")


router = SimpleRouter()
router.register("users", Users)
urlpatterns = [
    *router.urls,
    path("guarded/", Guarded.as_view(), name="guarded"),
    path("limited/", Limited.as_view()),
    path("broken/", broken),
    path("many/", many),
    path("told/", told),
]


@pytest.fixture(autouse=True)
def service() -> Iterator[None]:
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=MIDDLEWARE):
        yield


@pytest.fixture
def lines() -> Iterator[Any]:
    """The lines that are written, as objects."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JSONFormatter())
    names = ("lintel.requests", "django.request", "project")
    for name in names:
        logging.getLogger(name).addHandler(handler)
    before = logging.getLogger("lintel.requests").level
    logging.getLogger("lintel.requests").setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logging.getLogger("lintel.requests").setLevel(before)
    for name in names:
        logging.getLogger(name).removeHandler(handler)


def line_of(lines: Any) -> dict[str, Any]:
    (line,) = (each for each in lines() if each["logger"] == "lintel.requests")
    return line  # type: ignore[no-any-return]


@pytest.mark.django_db
def test_a_line_says_what_became_of_a_request(lines: Any) -> None:
    user = User.objects.create(username="ada")
    response = Client().get(f"/users/{user.pk}/")
    line = line_of(lines)
    request_id = response["X-Request-ID"]
    assert NEW_ID.fullmatch(request_id)
    assert line.pop("duration_ms") >= line.pop("query_ms") >= 0
    assert line.pop("time").endswith("+00:00")
    assert line.pop("rows") >= 0
    # There as soon as the thread that finds identifiers has ended.
    assert line.pop("operation_id", "retrieveUser") == "retrieveUser"
    assert line == {
        "level": "INFO",
        "logger": "lintel.requests",
        "message": f"GET /users/{user.pk}/ 200",
        "request_id": request_id,
        "method": "GET",
        "path": f"/users/{user.pk}/",
        "route": "^users/(?P<pk>[^/.]+)/$",
        "name": "user-detail",
        "view": "Users",
        "action": "retrieve",
        "status": 200,
        "queries": 1,
        "bytes": len(response.content),
    }


def test_queries_of_urls_are_not_written(lines: Any) -> None:
    Client().get("/many/?token=hunter2")
    assert line_of(lines)["path"] == "/many/"
    assert "hunter2" not in json.dumps(lines())


@pytest.mark.django_db
def test_every_statement_is_counted_also_compiled_ones(lines: Any) -> None:
    User.objects.bulk_create(User(username=f"u{n}") for n in range(3))
    for _ in range(3):
        Client().get("/users/")
    assert [line["queries"] for line in lines()] == [1, 1, 1]
    Client().post("/users/", {"username": "new"})
    assert lines()[-1]["queries"] >= 2  # one that looks for the name, one that inserts


def test_rows_are_what_the_driver_tells(
    postgresql: str, django_db_blocker: Any, lines: Any
) -> None:
    def read(request: HttpRequest) -> HttpResponse:
        with connections[postgresql].cursor() as cursor:
            cursor.execute("SELECT generate_series(1, 7)")
            cursor.execute("SELECT 1 WHERE false")
        return HttpResponse()

    urlpatterns.append(path("rows/", read))
    try:
        with override_settings(ROOT_URLCONF=tuple(urlpatterns)), django_db_blocker.unblock():
            Client().get("/rows/")
    finally:
        urlpatterns.pop()
    assert (line_of(lines)["queries"], line_of(lines)["rows"]) == (2, 7)


@pytest.mark.parametrize(
    ("url", "status", "code"),
    [("/guarded/", 401, "not_authenticated"), ("/missing/", 404, None)],
)
def test_refusals_have_their_code(url: str, status: int, code: str | None, lines: Any) -> None:
    response = Client().get(url)
    assert (response.status_code, line_of(lines).get("code")) == (status, code)


def test_lines_of_django_after_the_answer_have_the_id(lines: Any) -> None:
    ids = [Client().get(url)["X-Request-ID"] for url in ("/nowhere/", "/guarded/", "/guarded/")]
    told = [line["request_id"] for line in lines() if line["logger"] == "django.request"]
    assert told == ids
    assert len(set(ids)) == 3


def test_throttles_have_their_code(lines: Any) -> None:
    assert [Client().get("/limited/").status_code for _ in range(2)] == [200, 429]
    written = [line for line in lines() if line["logger"] == "lintel.requests"]
    assert [line.get("code") for line in written] == [None, "throttled"]


@pytest.mark.django_db
def test_invalid_input_has_its_code_and_nothing_of_it_is_written(lines: Any) -> None:
    Client().post("/users/", {"username": "not valid", "password": "hunter2"})
    line = next(each for each in lines() if each["logger"] == "lintel.requests")
    assert (line["status"], line["code"]) == (400, "invalid")
    assert "hunter2" not in json.dumps(lines())


def test_failures_are_errors_with_their_traceback_and_id(lines: Any) -> None:
    response = Client(raise_request_exception=False).get("/broken/")
    failure = next(each for each in lines() if each["logger"] == "django.request")
    assert "ValueError: it broke" in failure["exception"]
    assert failure["request_id"] == response["X-Request-ID"] == line_of(lines)["request_id"]
    assert (line_of(lines)["level"], line_of(lines)["status"]) == ("ERROR", 500)


def test_streams_have_no_size(lines: Any) -> None:
    assert b"".join(Client().get("/many/")) == b"ab"  # type: ignore[arg-type]
    assert "bytes" not in line_of(lines)


@pytest.mark.django_db
@pytest.mark.parametrize("wanted", [False, True])
def test_users_are_named_by_setting(wanted: bool, lines: Any) -> None:
    user = User.objects.create_user("ada", password="secret")
    with override_settings(REST_FRAMEWORK={"REQUEST_LOG_USER": wanted}):
        Client().get("/guarded/", headers={"Authorization": "Basic YWRhOnNlY3JldA=="})
    assert line_of(lines).get("user") == (str(user.pk) if wanted else None)


@pytest.mark.django_db
def test_a_session_that_nobody_reads_is_not_loaded(lines: Any) -> None:
    user = User.objects.create_user("ada")
    client = Client()
    client.force_login(user)
    middleware = [
        *MIDDLEWARE,
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
    with override_settings(MIDDLEWARE=middleware, REST_FRAMEWORK={"REQUEST_LOG_USER": True}):
        client.get("/many/")
    line = line_of(lines)
    assert (line["queries"], "user" in line) == (0, False)


# ---- operation ids ----


def ask_until_known(url: str, lines: Any, **kwargs: Any) -> dict[str, Any]:
    """The line of a second request: the first one has the operations described."""
    Client().get(url)
    thread = identifiers.thread
    assert thread is not None
    thread.join()
    Client(**kwargs).get(url)
    return lines()[-1]  # type: ignore[no-any-return]


class Documented(viewsets.ReadOnlyModelViewSet[User]):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer

    def get_queryset(self) -> Any:
        queryset = super().get_queryset()
        return queryset.filter(pk=self.kwargs["nobody"]) if self.request is None else queryset


documented = SimpleRouter()
documented.register("people", Documented)


def urls_of(*patterns: Any) -> Any:
    module = ModuleType("urls_of_a_test")
    module.urlpatterns = [*documented.urls, *patterns]  # type: ignore[attr-defined]
    return override_settings(ROOT_URLCONF=module)


@pytest.mark.django_db
@pytest.mark.parametrize("version", ["3.0.2", "3.1", "3.2"])
@pytest.mark.parametrize("style", ["model", "path"])
def test_operations_are_named_as_in_the_document(version: str, style: str, lines: Any) -> None:
    rest = {"OPENAPI_VERSION": version, "OPENAPI_OPERATION_IDS": style}
    with override_settings(REST_FRAMEWORK=rest), urls_of(path("schema/", get_schema_view())):
        line = ask_until_known("/people/", lines)
        document = SchemaGenerator().get_schema()
        assert line["operation_id"] == document["paths"]["/people/"]["get"]["operationId"]
        pk = User.objects.create(username="ada").pk
        Client().get(f"/people/{pk}/")
        expected = document["paths"]["/people/{id}/"]["get"]["operationId"]
        assert lines()[-1]["operation_id"] == expected
        Client().head("/people/")
        Client().get("/schema/")
        Client().post("/people/")
    assert all("operation_id" not in line for line in lines()[-3:])


@pytest.mark.django_db
def test_a_schema_view_of_the_project_names_operations(lines: Any) -> None:
    class Loud(SchemaGenerator):
        def coerce_path(self, path: str, method: str, view: Any) -> str:
            return path

        def get_schema(self, request: Any = None, public: bool = False) -> Any:
            raise AssertionError("nobody asks for the document")

    inside = path("docs/", include([path("schema/", get_schema_view(generator_class=Loud))]))
    with urls_of(inside):
        pk = User.objects.create(username="ada").pk
        line = ask_until_known(f"/people/{pk}/", lines)
    assert line["operation_id"] == "retrieveUser"


@pytest.mark.django_db
def test_an_api_that_cannot_be_described_is_served_and_logged(lines: Any) -> None:
    class Broken(SchemaGenerator):
        def _initialise_endpoints(self) -> None:
            raise ValueError("no endpoints today")

    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger("lintel.requestlog").addHandler(handler)
    try:
        with urls_of(path("schema/", get_schema_view(generator_class=Broken))):
            line = ask_until_known("/people/", lines)
            assert Client().get("/people/").status_code == 200
    finally:
        logging.getLogger("lintel.requestlog").removeHandler(handler)
    assert (line["status"], "operation_id" in line) == (200, False)
    assert stream.getvalue().count("no endpoints today") == 1


@pytest.mark.django_db
def test_nothing_is_described_if_no_line_is_written(lines: Any) -> None:
    before = identifiers.thread
    logging.getLogger("lintel.requests").setLevel(logging.ERROR)
    with urls_of():
        assert Client().get("/people/").status_code == 200
    assert identifiers.thread is before
    assert lines() == []


# ---- ids ----


@pytest.mark.parametrize(
    ("headers", "expected", "trace"),
    [
        ({"X-Request-ID": "abc-123"}, "abc-123", None),
        ({"traceparent": TRACEPARENT}, TRACE, TRACE),
        ({"traceparent": TRACEPARENT, "X-Request-ID": "abc"}, "abc", TRACE),
        ({"traceparent": TRACEPARENT + "-more"}, TRACE, TRACE),  # of a later version
        ({"traceparent": "ff" + TRACEPARENT[2:]}, None, None),
        ({"traceparent": f"00-{'0' * 32}-b7ad6b7169203331-01"}, None, None),
        ({"traceparent": f"00-{TRACE}-{'0' * 16}-01"}, None, None),
        ({"traceparent": TRACEPARENT.upper()}, None, None),
        ({"X-Request-ID": "a" * 129}, None, None),
        ({"X-Request-ID": 'x" admin="1'}, None, None),
        ({"X-Request-ID": "a\r\nSet-Cookie: b"}, None, None),
        ({"X-Request-ID": "ä"}, None, None),
        ({"X-Request-ID": ""}, None, None),
    ],
)
def test_trusted_proxies_name_requests(
    headers: dict[str, str], expected: str | None, trace: str | None, lines: Any
) -> None:
    with override_settings(REST_FRAMEWORK=PROXY):
        given = Client().get("/many/", headers=headers)["X-Request-ID"]
    assert given == expected if expected else NEW_ID.fullmatch(given)
    assert line_of(lines).get("trace_id") == trace
    with override_settings(REST_FRAMEWORK={"TRUSTED_PROXIES": ["10.0.0.0/8"]}):
        assert NEW_ID.fullmatch(Client().get("/many/", headers=headers)["X-Request-ID"])
    assert NEW_ID.fullmatch(Client().get("/many/", headers=headers)["X-Request-ID"])


def test_problem_details_have_the_id() -> None:
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": "problem"}):
        response = Client().get("/guarded/")
        assert response.json()["request_id"] == response["X-Request-ID"]
        with override_settings(MIDDLEWARE=[]):
            assert "request_id" not in Client().get("/guarded/").json()
    assert set(Client().get("/guarded/").json()) == {"detail"}


def test_code_of_a_request_knows_its_id() -> None:
    assert current_request_id() == ""
    with bound("task of abc"):
        assert current_request_id() == "task of abc"
    assert current_request_id() == ""


def test_requests_at_the_same_time_keep_their_ids() -> None:
    async def ask() -> list[Any]:
        client = AsyncClient()
        return await asyncio.gather(*(client.get("/told/") for _ in range(20)))

    answers = asyncio.run(ask())
    ids = {answer["X-Request-ID"] for answer in answers}
    assert len(ids) == 20
    for answer in answers:
        own = answer["X-Request-ID"]
        assert answer.content.decode() == f"{own} {own}"


def test_requests_in_threads_keep_their_ids() -> None:
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(Client().get("/told/"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each.content.decode().split()[0] == each["X-Request-ID"] for each in answers)
    assert len({each["X-Request-ID"] for each in answers}) == 8


# ---- lines ----


@contextmanager
def configured() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    root = logging.getLogger()
    before = root.handlers[:], root.level
    config = json_logging()
    config["handlers"]["stderr"]["stream"] = stream
    try:
        logging.config.dictConfig(config)
        yield stream
    finally:
        root.handlers[:], root.level = before


def test_a_path_adds_no_line_whatever_writes_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "lintel.requests")
    for address in ("/%0D%0AERROR%20all%20is%20lost", "/%1b[2J", "/%E2%80%A8E", "/%C2%85ERROR"):
        Client().get(address)
    Client().get("/caf%C3%A9/")
    messages = [it.getMessage() for it in caplog.records if it.name == "lintel.requests"]
    assert all(message.isprintable() for message in messages)
    assert messages[-1] == "GET /café/ 404"


def test_every_record_is_one_line() -> None:
    with configured() as stream:
        with bound("abc"):
            logging.getLogger("project").warning("two\nlines %s", {"é": object})
        try:
            raise OSError("x" * 20_000)
        except OSError:
            logging.getLogger("project").exception("failed")
    first, second = stream.getvalue().splitlines()
    assert json.loads(first)["message"].startswith("two\nlines {'é'")
    assert json.loads(first)["request_id"] == "abc"
    assert len(json.loads(second)["exception"]) == 8_000
    assert "request_id" not in json.loads(second)
