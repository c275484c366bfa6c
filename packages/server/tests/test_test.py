"""The test tools, tried on simple views."""

import asyncio
import io
import sys

import pytest
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.test import override_settings
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

import lintel.test
from lintel import renderers
from lintel.response import Response
from lintel.test import (
    APIClient,
    APIRequestFactory,
    APISimpleTestCase,
    AsyncAPIClient,
    AsyncAPIRequestFactory,
    CoreAPIClient,
    RequestsClient,
    URLPatternsTestCase,
    force_authenticate,
)
from lintel.views import APIView


class Echo(APIView):
    authentication_classes = []

    def get(self, request):
        return Response(
            {
                "user": str(request.user),
                "auth": str(request.auth),
                "query": request.query_params,
                "authorization": request.META.get("HTTP_AUTHORIZATION"),
                "cookies": sorted(request.COOKIES),
            }
        )

    def post(self, request):
        return Response({"data": request.data, "method": request.method})

    put = patch = delete = post


class SchemaView(APIView):
    renderer_classes = [renderers.CoreJSONRenderer]

    def get(self, request):
        from lintel_document import Document, Link

        return Response(Document(content={"echo": Link(url="/echo/", action="get")}))


def moved(request):
    return HttpResponseRedirect("/echo/?moved=1")


class KeepMethod(HttpResponseRedirect):
    status_code = 307


def moved_with_body(request):
    return KeepMethod("/echo/")


def cookie(request):
    response = HttpResponse("plain", status=201)
    response.set_cookie("flavour", "mint")
    return response


def host(request):
    length = request.META.get("CONTENT_LENGTH")
    return JsonResponse({"url": request.build_absolute_uri(), "length": length})


urlpatterns = [
    path("host/", csrf_exempt(host)),
    path("echo/", Echo.as_view()),
    path("moved/", moved),
    path("moved-with-body/", moved_with_body),
    path("cookie/", cookie),
    path("schema/", SchemaView.as_view()),
]

pytestmark = pytest.mark.urls(__name__)
METHODS = ["post", "put", "patch", "delete"]


@pytest.fixture(autouse=True)
def sessions_without_a_database(settings):
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"


@pytest.mark.parametrize("factory", [APIRequestFactory(), AsyncAPIRequestFactory()])
@pytest.mark.parametrize("method", [*METHODS, "options"])
def test_a_factory_encodes_by_format_or_content_type(factory, method):
    make = getattr(factory, method)
    as_json = make("/", {"a": "é"}, format="json")
    assert (as_json.content_type, as_json.body) == ("application/json", '{"a":"é"}'.encode())
    assert make("/", {"a": 1}).content_type == "multipart/form-data"
    assert make("/", "é", content_type="text/plain").body == "é".encode()
    assert make("/").body == b""
    assert make("/", {}, format="json", query_params={"q": 1}).GET["q"] == "1"


@pytest.mark.parametrize("factory", [APIRequestFactory(), AsyncAPIRequestFactory()])
def test_a_factory_puts_the_data_of_get_into_the_query(factory):
    assert factory.get("/", {"a": [1, 2]}).GET.getlist("a") == ["1", "2"]
    assert factory.get("/?a=1").GET["a"] == "1"
    assert factory.get("/?a=é١").GET["a"] == "é١"
    assert factory.get("/", HTTP_X_OWN="yes").headers["X-Own"] == "yes"


def test_a_factory_sends_an_empty_content_type():
    assert APIRequestFactory().get("/", content_type="").META["CONTENT_TYPE"] == ""


def test_a_factory_refuses_what_it_cannot_encode():
    factory = APIRequestFactory()
    with pytest.raises(AssertionError, match="Invalid format 'xml'"):
        factory.post("/", {}, format="xml")
    with pytest.raises(AssertionError, match="may not set both"):
        factory.post("/", {}, format="json", content_type="text/plain")
    own = {"TEST_REQUEST_DEFAULT_FORMAT": "json"}
    with override_settings(REST_FRAMEWORK=own):
        assert APIRequestFactory().post("/", {}).content_type == "application/json"


def test_csrf_checks_are_off_until_they_are_wanted():
    assert APIRequestFactory().get("/")._dont_enforce_csrf_checks
    assert not APIRequestFactory(enforce_csrf_checks=True).get("/")._dont_enforce_csrf_checks


def test_force_authenticate_marks_a_request():
    request = APIRequestFactory().get("/")
    force_authenticate(request, user="me", token="mine")
    response = Echo.as_view()(request)
    assert (response.data["user"], response.data["auth"]) == ("me", "mine")


def test_a_client_sends_files():
    upload = io.BytesIO(b"content")
    upload.name = "n.txt"
    body = APIRequestFactory().post("/", {"f": upload}).body
    assert b'filename="n.txt"' in body


@pytest.mark.parametrize("method", METHODS)
def test_a_client_sends_every_method(method):
    response = getattr(APIClient(), method)("/echo/", {"a": 1}, format="json")
    assert response.json() == {"data": {"a": 1}, "method": method.upper()}


def test_a_client_remembers_credentials_and_user_until_logout():
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Token x")
    client.force_authenticate(user="me", token="mine")
    data = client.get("/echo/").data
    assert (data["authorization"], data["user"], data["auth"]) == ("Token x", "me", "mine")
    client.logout()
    data = client.get("/echo/").data
    assert (data["authorization"], data["user"]) == (None, "AnonymousUser")
    client.force_authenticate(user="me")
    client.force_authenticate(user=None)
    assert client.get("/echo/").data["user"] == "AnonymousUser"


def test_a_client_follows_redirects_with_the_data_they_keep():
    client = APIClient()
    assert client.get("/moved/", follow=True).data["query"] == {"moved": ["1"]}
    kept = client.post("/moved-with-body/", {"a": 1}, format="json", follow=True)
    assert kept.data == {"data": {"a": 1}, "method": "POST"}
    assert kept.redirect_chain == [("/echo/", 307)]


def test_the_async_client_does_the_same():
    async def talk():
        client = AsyncAPIClient()
        client.credentials(HTTP_AUTHORIZATION="Token x")
        client.force_authenticate(user="me")
        got = await client.get("/echo/", {"a": 1})
        sent = [
            await getattr(client, method)("/echo/", {"a": 1}, format="json") for method in METHODS
        ]
        kept = await client.post("/moved-with-body/", {"a": 1}, format="json", follow=True)
        return got.data, [response.data["method"] for response in sent], kept.data

    got, methods, kept = asyncio.run(talk())
    assert (got["authorization"], got["user"]) == ("Token x", "me")
    assert methods == ["POST", "PUT", "PATCH", "DELETE"]
    assert kept == {"data": {"a": 1}, "method": "POST"}


def test_a_session_of_requests_talks_to_the_project():
    session = RequestsClient()
    answer = session.get("http://testserver/echo/?a=1", headers={"Authorization": "own"})
    assert answer.json()["authorization"] == "own"
    assert answer.headers["Content-Type"] == "application/json"
    assert session.post("https://other.example/echo/", json={"a": 1}).json()["data"] == {"a": 1}
    assert session.get("http://testserver/moved/").url == "http://testserver/echo/?moved=1"
    assert session.get("http://testserver/cookie/").status_code == 201
    assert session.get("http://testserver/echo/").json()["cookies"] == ["flavour"]
    with pytest.raises(ValueError, match='Missing "http:"'):
        session.get("/echo/")


@override_settings(ALLOWED_HOSTS=["testserver", "own.example"])
def test_every_address_is_that_of_the_test_server():
    session = RequestsClient()
    for url in ("http://api.example.com/host/", "https://api.example.com:8443/host/"):
        assert session.get(url).json() == {"url": "http://testserver/host/", "length": None}
    answer = session.post("http://api.example.com/host/", data=b"abc")
    assert answer.json()["length"] == "3"
    named = session.get("http://api.example.com/host/", headers={"Host": "own.example"})
    assert named.json()["url"] == "http://own.example/host/"


def test_a_schema_client_talks_to_the_project():
    client = CoreAPIClient()
    client.session.headers["Authorization"] = "own"
    document = client.get("http://testserver/schema/")
    assert client.action(document, ["echo"])["authorization"] == "own"


def test_what_a_missing_library_is_for_is_said(monkeypatch):
    monkeypatch.delitem(vars(lintel.test), "RequestsClient", raising=False)
    monkeypatch.delitem(sys.modules, "lintel.test.requests")
    monkeypatch.setitem(sys.modules, "requests", None)
    with pytest.raises(ImportError, match=r"install django-lintel\[test\]"):
        _ = lintel.test.RequestsClient
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = lintel.test.Nothing


class TestOwnPatterns(URLPatternsTestCase, APISimpleTestCase):
    urlpatterns = [path("own/", Echo.as_view())]

    def test_the_patterns_of_the_case_are_in_place(self):
        assert type(self.client) is APIClient
        assert self.client.get("/own/").status_code == 200
        assert self.client.get("/echo/").status_code == 404


def test_patterns_are_needed_and_given_back():
    class Empty(URLPatternsTestCase):
        pass

    with pytest.raises(AttributeError, match="urlpatterns"):
        Empty.setUpClass()
    before = urlpatterns
    TestOwnPatterns.setUpClass()
    TestOwnPatterns.doClassCleanups()
    assert urlpatterns is before
