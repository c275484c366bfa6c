"""QUERY (RFC 10008): what GET answers, with its parameters in the body."""

from __future__ import annotations

import json
from html import unescape
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Entry
from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import include, path
from django.utils import timezone

from lintel import filters, generics, permissions, serializers, throttling, viewsets
from lintel.authentication import SessionAuthentication
from lintel.conditional import ConditionalMixin
from lintel.decorators import action, api_view
from lintel.pagination import PageNumberPagination
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient, force_authenticate
from lintel.views import APIView

pytestmark = pytest.mark.django_db


class EntrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Entry
        fields = ["id", "name"]


class Pages(PageNumberPagination):
    page_size = 2


class Entries(generics.ListCreateAPIView):
    queryset = Entry.objects.order_by("pk")
    serializer_class = EntrySerializer
    filter_backends = [filters.FieldFilter, filters.SearchFilter, filters.OrderingFilter]
    filter_fields = ["name", "score__gte", "score__isnull", "name__in"]
    search_fields = ["name"]
    ordering_fields = ["name"]
    pagination_class = Pages
    query_handler = "get"


class EntrySet(viewsets.ModelViewSet):
    queryset = Entry.objects.order_by("pk")
    serializer_class = EntrySerializer
    filter_backends = [filters.SearchFilter]
    search_fields = ["name"]
    query_handler = "list"
    query = "an attribute of the project"

    @action(detail=False, methods=["query"], schema=None)
    def found(self, request: Any) -> Any:
        return Response({"method": request.method, "data": request.data, "query": self.query})


class AsyncEntries(generics.AsyncListAPIView):
    queryset = Entry.objects.order_by("pk")
    serializer_class = EntrySerializer
    filter_backends = [filters.SearchFilter]
    search_fields = ["name"]
    query_handler = "get"


class Secret(APIView):
    schema = None

    def get(self, request: Any) -> Any:
        return Response("open")

    def query(self, request: Any) -> Any:
        raise NotImplementedError


class SecretSet(viewsets.ModelViewSet):
    queryset = Entry.objects.all()
    serializer_class = EntrySerializer
    schema = None

    def query(self, request: Any) -> Any:
        raise NotImplementedError


class Own(APIView):
    schema = None
    query_handler = "search"

    def search(self, request: Any) -> Any:
        return Response({"found": request.data, "method": request.method})


class Tagged(ConditionalMixin, Entries):
    pass


class Undescribed(Entries):
    schema = None


class Strict(Entries):
    strict_query_params = True


class Reading(Entries):
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]


class ByModel(Entries):
    permission_classes = [permissions.DjangoModelPermissionsOrAnonReadOnly]


class Once(throttling.AnonRateThrottle):
    rate = "1/hour"


class Limited(Entries):
    throttle_classes = [Once]


@api_view(["QUERY"])
def function(request: Any) -> Any:
    return Response(request.data)


function.cls.schema = None  # type: ignore[attr-defined]

router = SimpleRouter()
router.register("set", EntrySet)
router.register("secret-set", SecretSet, basename="secret")
urlpatterns = [
    path("", include(router.urls)),
    path("entries/", Entries.as_view()),
    path("later/", AsyncEntries.as_view()),
    path("secret/", Secret.as_view()),
    path("own/", Own.as_view()),
    path("tagged/", Tagged.as_view()),
    path("undescribed/", Undescribed.as_view()),
    path("strict/", Strict.as_view()),
    path("reading/", Reading.as_view()),
    path("by-model/", ByModel.as_view()),
    path("limited/", Limited.as_view()),
    path("function/", function),
]


@pytest.fixture(autouse=True)
def urls() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.fixture
def client() -> APIClient:
    for number, name in enumerate(["tea", "steam", "coffee", "team"]):
        Entry.objects.create(name=name, score=number or None, created=timezone.now())
    return APIClient()


def ask(client: Any, url: str, body: Any = b"{}", content_type: str = "", **headers: str) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.generic(
        "QUERY", url, data, content_type=content_type or "application/json", headers=headers
    )


def names(response: Any) -> list[str]:
    assert response.status_code == 200, response.data
    rows = response.data["results"] if isinstance(response.data, dict) else response.data
    return [row["name"] for row in rows]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ["tea", "steam"]),
        ({"search": "tea"}, ["tea", "steam"]),
        ({"search": "tea", "page": 2}, ["team"]),
        ({"score__gte": 2}, ["coffee", "team"]),
        ({"score__isnull": True}, ["tea"]),
        ({"name__in": ["tea", "coffee"], "ordering": "name"}, ["coffee", "tea"]),
    ],
)
def test_parameters_are_in_the_body(body: Any, expected: list[str], client: APIClient) -> None:
    assert names(ask(client, "/entries/", body)) == expected


def test_null_is_no_filter(client: APIClient) -> None:
    assert names(ask(client, "/undescribed/", {"name": None})) == ["tea", "steam"]


def test_forms_and_the_url(client: APIClient) -> None:
    form = "application/x-www-form-urlencoded"
    assert names(ask(client, "/entries/", b"search=tea&page=2", form)) == ["team"]
    assert names(ask(client, "/undescribed/?search=tea", {"page": 2})) == ["team"]
    assert names(ask(client, "/undescribed/?search=tea", {"search": "coffee"})) == ["coffee"]


def test_links_and_location_lead_to_the_same_by_get(client: APIClient) -> None:
    response = ask(client, "/entries/", {"search": "tea"})
    assert response["Location"] == "http://testserver/entries/?search=tea"
    assert client.get(response["Location"]).data == response.data
    assert response.data["next"] == "http://testserver/entries/?page=2&search=tea"
    assert names(client.get(response.data["next"])) == ["team"]
    assert "Location" not in ask(client, "/entries/", {"search": "x" * 3000})
    assert "Location" not in ask(client, "/entries/", {"page": 9})


def test_what_is_accepted_is_told(client: APIClient) -> None:
    told = "application/json, application/x-www-form-urlencoded, multipart/form-data"
    for response in (ask(client, "/entries/"), client.get("/entries/"), client.delete("/entries/")):
        assert response["Accept-Query"] == told
        assert response["Allow"] == "GET, POST, HEAD, OPTIONS, QUERY"
    assert client.get("/set/")["Accept-Query"] == told


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"search": ', "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"1", "application/json", 400),
        (b'{"search": {"a": 1}}', "application/json", 400),
        (b'{"search": [["a"]]}', "application/json", 400),
        (b'{"search": "\\ud800"}', "application/json", 400),
        (b'{"score__gte": "many"}', "application/json", 400),
        (b'{"name__in": [' + b"1," * 2000 + b"1]}", "application/json", 400),
        (b"search", "text/csv", 415),
    ],
)
def test_bodies_that_say_nothing(
    body: bytes, content_type: str, status: int, client: APIClient
) -> None:
    response = ask(client, "/entries/", body, content_type)
    assert response.status_code == status, response.data
    assert "Location" not in response


def test_a_body_without_a_type_is_refused(client: APIClient) -> None:
    response = client.generic("QUERY", "/entries/", b"search=tea", content_type="")
    assert response.status_code == 415
    assert response["Accept-Query"]


def test_files_are_no_parameters(client: APIClient) -> None:
    head = b'Content-Disposition: form-data; name="search"; filename="a"'
    part = b"--x\r\n" + head + b"\r\n\r\ntea\r\n--x--\r\n"
    found = ask(client, "/undescribed/", part, "multipart/form-data; boundary=x")
    assert (found.status_code, found.data) == (400, {"search": ["Not a valid string."]})


def test_errors_name_parameters(client: APIClient) -> None:
    assert ask(client, "/entries/", {"search": {"a": 1}}).data == {
        "search": ["Not a valid string."]
    }
    assert set(ask(client, "/strict/", {"serch": "tea"}).data) == {"serch"}
    assert names(ask(client, "/strict/", {"search": "coffee"})) == ["coffee"]


def test_viewsets_and_their_own_names(client: APIClient) -> None:
    assert names(ask(client, "/set/", {"search": "coffee"})) == ["coffee"]
    found = ask(client, "/set/found/", {"deep": {"a": [1]}})
    assert found.data == {
        "method": "GET",
        "data": {"deep": {"a": [1]}},
        "query": "an attribute of the project",
    }
    entry = Entry.objects.first()
    assert entry is not None
    assert ask(client, f"/set/{entry.pk}/").status_code == 405


def test_nothing_is_reached_by_its_name(client: APIClient) -> None:
    for url in ("/secret/", "/secret-set/"):
        response = ask(client, url)
        assert response.status_code == 405
        assert "Accept-Query" not in response
        assert "QUERY" not in response["Allow"]


def test_handlers_of_a_project(client: APIClient) -> None:
    assert ask(client, "/own/", {"a": {"b": 1}}).data == {"found": {"a": {"b": 1}}, "method": "GET"}
    assert client.get("/own/").status_code == 405
    assert ask(client, "/function/", {"a": 1}).data == {"a": 1}
    assert client.generic("QUERY", "/own/", b"x", content_type="").status_code == 415


def test_on_the_loop(client: APIClient) -> None:
    asynchronous = AsyncAPIClient()

    async def later() -> None:
        response = await ask(asynchronous, "/later/", {"search": "coffee"})
        assert names(response) == ["coffee"]

    async_to_sync(later)()


def test_permissions_let_read(client: APIClient) -> None:
    assert names(ask(client, "/reading/", {"search": "coffee"})) == ["coffee"]
    assert names(ask(client, "/by-model/", {"search": "coffee"})) == ["coffee"]


def test_sessions_need_no_token_to_read(client: APIClient) -> None:
    user = User.objects.create_user("ann")
    strict = APIClient(enforce_csrf_checks=True)
    strict.force_login(user)
    with override_settings(
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [
                f"{SessionAuthentication.__module__}.SessionAuthentication"
            ]
        }
    ):
        assert names(ask(strict, "/reading/", {"search": "coffee"})) == ["coffee"]
        assert strict.post("/reading/", {"name": "x"}).status_code == 403


def test_throttles_count(client: APIClient) -> None:
    assert ask(client, "/limited/").status_code == 200
    assert ask(client, "/limited/", b"{").status_code == 429


def test_conditions(client: APIClient) -> None:
    first = ask(client, "/tagged/", {"search": "coffee"})
    tag = first["ETag"]
    again = ask(client, "/tagged/", {"search": "coffee"}, **{"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    other = ask(client, "/tagged/", {"search": "team"}, **{"If-None-Match": tag})
    assert other.status_code == 200


class QueriesForUsers(EntrySet):
    schema = None

    def get_permissions(self) -> Any:
        is_query = self.action == "found"
        return [permissions.IsAuthenticated()] if is_query else [permissions.AllowAny()]


def page_of(view: Any, query: str = "", user: Any = None) -> str:
    request = APIRequestFactory().get(f"/?{query}", headers={"Accept": "text/html"})
    if user is not None:
        force_authenticate(request, user)
    content: bytes = view(request).render().content
    return content.decode()


def test_pages_have_a_form_with_their_parameters() -> None:
    page = page_of(Entries.as_view(), "name=%3Cb%3E&search=a&search=b&format=api")
    form = page.partition('data-method="QUERY"')[2].partition("</form>")[0]
    assert 'action="/"' in page
    body = unescape(form.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0])
    assert json.loads(body) == {"name": "<b>", "search": ["a", "b"]}
    assert form.index('value="application/json"') < form.index('value="multipart/form-data"')
    for view in (Secret.as_view(), SecretSet.as_view({"get": "list"})):
        assert "QUERY" not in page_of(view)


def test_pages_offer_only_queries_that_are_allowed() -> None:
    view = QueriesForUsers.as_view({"get": "list", "query": "found"})
    assert 'data-method="QUERY"' not in page_of(view)
    assert 'data-method="QUERY"' in page_of(view, user=User(username="ann"))
    assert 'data-method="QUERY"' in page_of(Reading.as_view())


@pytest.mark.parametrize("version", ["3.0.2", "3.1", "3.2"])
def test_schemas(version: str) -> None:
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": version}):
        patterns = [path("entries/", Entries.as_view())]
        document: Any = SchemaGenerator(patterns=patterns).get_schema(public=True)
    item = document["paths"]["/entries/"]
    operation = item["query"] if version == "3.2" else item["x-additionalOperations"]["QUERY"]
    assert ("query" in item) == (version == "3.2")
    assert operation["operationId"] == "queryEntries"
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    assert {"name", "score__gte", "search", "ordering", "page"} <= set(body["properties"])
    assert body["properties"]["page"]["type"] == "integer"
    assert operation["parameters"] == []
    assert operation["responses"]["200"] == item["get"]["responses"]["200"]


def in_place_of(get_response: Any) -> Any:
    """A middleware that projects write: a header says what a POST is meant to be."""

    def answer(request: Any) -> Any:
        method = request.headers.get("X-HTTP-Method-Override")
        if method and request.method == "POST":
            request.method = method.upper()
        return get_response(request)

    return answer


class Told(APIView):
    authentication_classes = [SessionAuthentication]
    query_handler = "get"
    schema = None

    def get(self, request: Any) -> Any:
        return Response("read")

    def post(self, request: Any) -> Any:
        return Response("written")

    delete = put = post


@pytest.mark.parametrize("name", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
@pytest.mark.parametrize("is_read", [False, True], ids=["ignored", "read by a middleware"])
def test_headers_in_place_of_methods_open_nothing(
    client: APIClient, name: str, is_read: bool, settings: Any
) -> None:
    """Without a token, a session reads: whatever a header says, nothing is written."""
    if is_read:
        settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{__name__}.in_place_of"]
    strict = APIClient(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_user("carol"))
    urls = type("Urls", (), {"urlpatterns": [path("told/", Told.as_view())]})
    with override_settings(ROOT_URLCONF=urls):
        for said in ("GET", "QUERY", "query", "POST", "PUT", "DELETE", "dispatch", "__class__"):
            for method in ("get", "post", "put", "delete"):
                answer = getattr(strict, method)("/told/", headers={name: said})
                reads = method == "get" or (
                    is_read
                    and method == "post"
                    and name == "X-HTTP-Method-Override"
                    and said.upper() in ("GET", "QUERY")
                )
                assert answer.content != b'"written"'
                if method == "get":
                    assert (answer.status_code, answer.content) == (200, b'"read"')
                elif not reads:
                    assert answer.status_code == 403
