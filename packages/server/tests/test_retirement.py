"""Deprecation and Sunset headers of views, actions, function views and versions."""

import asyncio
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from django.http import HttpResponse
from django.test import override_settings
from django.urls import include, path

from lintel import exceptions, routers, viewsets
from lintel.decorators import action, api_view, deprecated
from lintel.request import Request
from lintel.response import Response
from lintel.retirement import Deprecation, deprecation_of, headers_of
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient
from lintel.versioning import QueryParameterVersioning
from lintel.views import APIView

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
LINKED = Deprecation(SINCE, date(2027, 1, 1), link="https://example.com/v2", sunset_link="/gone")
DEPRECATION = "@1767225600"
SUNSET = "Fri, 01 Jan 2027 00:00:00 GMT"
LINK = '<https://example.com/v2>; rel="deprecation", </gone>; rel="sunset"'


class Plain(APIView):
    def get(self, request):
        return Response({"error": request.query_params.get("version")})


class Old(Plain):
    deprecated = SINCE
    sunset = date(2027, 1, 1)

    def post(self, request):
        raise exceptions.NotFound

    def put(self, request):
        return HttpResponse("plain")


class Linked(Plain):
    deprecated = LINKED

    def get(self, request):
        response = HttpResponse() if "plain" in request.query_params else Response()
        response["Link"] = "</?page=2>; rel=next"
        return response


class Undated(Plain):
    deprecated = True


class Later(APIView):
    deprecated = LINKED

    async def get(self, request):
        return Response()

    async def post(self, request):
        raise exceptions.ParseError


class OwnHeaders(Old):
    shared = {"X-Own": "1"}

    @property
    def default_response_headers(self):
        return self.shared


class Versions(QueryParameterVersioning):
    deprecated_versions = {"1": LINKED, "2": date(2026, 1, 1), "3": True}


class Versioned(Plain):
    versioning_class = Versions


class VersionedOld(Old):
    versioning_class = Versions
    sunset = None


class Scheme:
    """A scheme of another package."""

    def determine_version(self, request, *args, **kwargs):
        return "1"


class Orders(viewsets.ViewSet):
    def list(self, request):
        return Response([])

    @action(detail=False, deprecated=SINCE, sunset=date(2027, 1, 1))
    def old(self, request):
        return Response([])

    @action(detail=False, sunset=date(2027, 1, 1))
    def fading(self, request):
        return Response([])


class Phones(viewsets.ViewSet):
    """Has these names for something of its own."""

    sunset = "18:00"

    @action(detail=False)
    def deprecated(self, request):
        return Response([])

    def list(self, request):
        return Response([])


class ByAction(viewsets.ViewSet):
    @property
    def deprecated(self):
        return SINCE if self.action == "create" else None

    def list(self, request):
        return Response([])

    def create(self, request):
        return Response([])


@api_view(["GET"])
@deprecated(SINCE, sunset=date(2027, 1, 1))
def function(request):
    return Response([])


router = routers.SimpleRouter()
router.register("orders", Orders, basename="order")
router.register("phones", Phones, basename="phone")
router.register("byaction", ByAction, basename="byaction")
urlpatterns = [
    path("plain/", Plain.as_view()),
    path("old/", Old.as_view()),
    path("linked/", Linked.as_view()),
    path("undated/", Undated.as_view()),
    path("later/", Later.as_view()),
    path("own/", OwnHeaders.as_view()),
    path("versioned/", Versioned.as_view()),
    path("versionedold/", VersionedOld.as_view()),
    path("scheme/", Plain.as_view(versioning_class=Scheme)),
    path("initkwargs/", Plain.as_view(deprecated=SINCE)),
    path("function/", function),
    path("", include(router.urls)),
]
NAMES = ("Deprecation", "Sunset", "Link")


@pytest.fixture
def client():
    with override_settings(ROOT_URLCONF=__name__):
        yield APIClient()


def told(response):
    return tuple(response.headers.get(name) for name in NAMES)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/plain/", (None, None, None)),
        ("/old/", (DEPRECATION, SUNSET, None)),
        ("/undated/", (None, None, None)),
        ("/own/", (DEPRECATION, SUNSET, None)),
        ("/initkwargs/", (DEPRECATION, None, None)),
        ("/function/", (DEPRECATION, SUNSET, None)),
        ("/versioned/?version=0", (None, None, None)),
        ("/versioned/?version=1", (DEPRECATION, SUNSET, LINK)),
        ("/versioned/?version=2", (DEPRECATION, None, None)),
        ("/versioned/?version=3", (None, None, None)),
        ("/versionedold/?version=1", (DEPRECATION, SUNSET, LINK)),
        ("/scheme/", (None, None, None)),
        ("/orders/", (None, None, None)),
        ("/orders/old/", (DEPRECATION, SUNSET, None)),
        ("/orders/fading/", (None, SUNSET, None)),
        ("/phones/", (None, None, None)),
        ("/phones/deprecated/", (None, None, None)),
        ("/byaction/", (None, None, None)),
    ],
)
def test_the_headers_of_each_address(client, url, expected):
    for _ in range(2):
        response = client.get(url)
        assert response.status_code == 200, response.content
        assert told(response) == expected
    assert OwnHeaders.shared == {"X-Own": "1"}


def test_every_answer_of_a_deprecated_view_carries_them(client):
    expected = (DEPRECATION, SUNSET, None)
    for response in (
        client.head("/old/"),
        client.options("/old/"),
        client.post("/old/"),
        client.put("/old/"),
        client.delete("/old/"),
        client.get("/old/?format=nope"),
        client.get("/old/", HTTP_ACCEPT="text/html"),
    ):
        assert told(response) == expected, response
    assert told(client.post("/byaction/")) == (DEPRECATION, None, None)


def test_links_are_added_to_those_of_the_response(client):
    for url in ("/linked/", "/linked/?plain"):
        assert client.get(url)["Link"] == f"</?page=2>; rel=next, {LINK}"


def test_on_the_event_loop():
    async def ask():
        client = AsyncAPIClient()
        return [told(await client.get("/later/")), told(await client.post("/later/"))]

    with override_settings(ROOT_URLCONF=__name__):
        assert asyncio.run(ask()) == [(DEPRECATION, SUNSET, LINK)] * 2


@pytest.mark.parametrize(
    "since",
    [
        date(2026, 1, 1),
        datetime(2026, 1, 1),
        datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_dates_are_in_utc_unless_they_say_otherwise(since):
    assert headers_of(Deprecation(since)) == {"Deprecation": DEPRECATION}


def test_what_attributes_mean():
    assert deprecation_of(None) is deprecation_of(False) is deprecation_of("yes") is None
    assert deprecation_of(1) is deprecation_of(print, SINCE) is None
    assert deprecation_of(True, "18:00") == Deprecation()
    assert deprecation_of(LINKED, date(2030, 1, 1)) is LINKED


def test_a_sunset_before_the_deprecation_is_refused():
    with pytest.raises(ValueError, match="sunset 2025-12-31 is before"):
        Deprecation(SINCE, date(2025, 12, 31))


@pytest.mark.filterwarnings("ignore::UserWarning")  # these views tell nothing of their bodies
@pytest.mark.parametrize("openapi", ["3.0.2", "3.1.0"])
def test_the_schema_says_so(openapi):
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": openapi}):
        request = Request(APIRequestFactory().get("/?version=2"))
        request.version = "2"
        paths = SchemaGenerator(patterns=urlpatterns).get_schema(request, public=True)["paths"]
    found = {address: next(iter(each.values())) for address, each in paths.items()}
    deprecated = {address for address, each in found.items() if each.get("deprecated")}
    assert deprecated == {
        *("/old/", "/linked/", "/undated/", "/later/", "/own/", "/initkwargs/", "/function/"),
        *("/versioned/", "/versionedold/", "/orders/old/", "/orders/fading/"),
    }
    assert found["/old/"]["x-sunset"] == "2027-01-01T00:00:00+00:00"
    assert "x-sunset" not in found["/undated/"]
    assert paths["/byaction/"]["post"]["deprecated"] is True
