"""Projects that speak drf-yasg: with the package and without it; and the views of the stand-ins."""

import json

import pytest
from openapi_spec_validator import validate
from other_processes import folder_with, printed_by
from test_schemas_spectacular import body, names, reference

SETTINGS = """
from lintel import dropin

dropin.enable()
SECRET_KEY = "not secret: a test"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_yasg",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
STATIC_URL = "/static/"
ALLOWED_HOSTS = ["testserver"]
ROOT_URLCONF = "shop.urls"
REST_FRAMEWORK = {
    "OPENAPI_VERSION": "3.1",
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
}
SPECTACULAR_SETTINGS = {"TITLE": "Shop", "OAS_VERSION": "3.1.0"}
"""

URLS = """
from django.urls import path
from django.utils.decorators import method_decorator
from drf_spectacular.views import (
    SpectacularAPIView,
    SpectacularJSONAPIView,
    SpectacularRedocView,
    SpectacularSwaggerView,
)
from drf_yasg import openapi
from drf_yasg.utils import no_body, swagger_auto_schema, swagger_serializer_method
from drf_yasg.views import get_schema_view
from rest_framework import permissions, serializers, views, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.routers import SimpleRouter


class ItemSerializer(serializers.Serializer):
    number = serializers.IntegerField()


class BoxSerializer(serializers.Serializer):
    items = serializers.SerializerMethodField()

    @swagger_serializer_method(ItemSerializer(many=True))
    def get_items(self, box): ...


@method_decorator(name="create", decorator=swagger_auto_schema(operation_summary="Decorated"))
class BoxViewSet(viewsets.ViewSet):
    @swagger_auto_schema(
        operation_id="boxes",
        operation_summary="All boxes",
        operation_description="Each of them.",
        tags=["boxes"],
        security=[],
        deprecated=True,
        query_serializer=ItemSerializer,
        manual_parameters=[
            openapi.Parameter(
                "since", openapi.IN_QUERY, description="From then on.", required=True,
                type=openapi.TYPE_STRING, format=openapi.FORMAT_DATE,
            ),
            openapi.Parameter(
                "kinds", openapi.IN_QUERY, type=openapi.TYPE_ARRAY,
                items=openapi.Items(type=openapi.TYPE_STRING), collectionFormat="multi",
            ),
        ],
        responses={
            200: BoxSerializer(many=True),
            400: openapi.Response("Not so.", ItemSerializer),
            404: "Gone.",
        },
    )
    def list(self, request): ...

    def create(self, request): ...

    @swagger_auto_schema(auto_schema=None)
    def retrieve(self, request, pk): ...

    @swagger_auto_schema(
        method="post",
        request_body=openapi.Schema(
            type=openapi.TYPE_OBJECT,
            required=["names"],
            properties={
                "names": openapi.Schema(
                    type=openapi.TYPE_ARRAY, items=openapi.Items(type=openapi.TYPE_STRING)
                )
            },
        ),
        responses={201: openapi.Schema(type=openapi.TYPE_FILE)},
    )
    @swagger_auto_schema(method="get", operation_summary="Look", responses={404: "None."})
    @action(detail=False, methods=["get", "post"])
    def pack(self, request): ...

    @swagger_auto_schema(request_body=no_body, responses={204: ""})
    @action(detail=True, methods=["post"])
    def close(self, request, pk): ...

    @swagger_auto_schema(
        manual_parameters=[
            openapi.Parameter("photo", openapi.IN_FORM, type=openapi.TYPE_FILE, required=True)
        ]
    )
    @action(detail=False, methods=["post"])
    def photo(self, request): ...


@swagger_auto_schema(method="get", operation_summary="A function")
@api_view(["GET"])
def count(request): ...


router = SimpleRouter()
router.register("boxes", BoxViewSet, basename="box")
described = [*router.urls, path("count/", count)]
yasg = get_schema_view(
    openapi.Info(title="Boxes", default_version="v1", contact=openapi.Contact(email="a@b.example")),
    public=True,
    patterns=described,
    permission_classes=[permissions.AllowAny],
)
urlpatterns = [
    *described,
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("schema.json", SpectacularJSONAPIView.as_view()),
    path("private/", SpectacularAPIView.as_view(permission_classes=[permissions.IsAuthenticated])),
    path("swagger/", SpectacularSwaggerView.as_view(url_name="schema")),
    path("redoc/", SpectacularRedocView.as_view(url_name="schema")),
    path("yasg.json", yasg.without_ui(cache_timeout=0)),
    path("yasg<format>/", yasg.without_ui(cache_timeout=0)),
    path("yasg/", yasg.with_ui("swagger", cache_timeout=0)),
]
"""

READ = """
import json, warnings

import django

django.setup()

from lintel.schemas import SchemaGenerator
from lintel.utils.encoders import JSONEncoder
from shop.urls import described

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    document = SchemaGenerator(patterns=described).get_schema(public=True)
print("found:" + json.dumps(document, cls=JSONEncoder))
"""

ASK = """
import io, json, warnings

import django

django.setup()
warnings.simplefilter("ignore")

from django.core.management import call_command
from django.test import Client

found = {}
URLS = ("schema/", "schema.json", "private/", "swagger/", "redoc/", "yasg.json", "yasg/")
URLS += ("yasg.json/", "yasg.yaml/", "yasg.xml/", "yasg/?format=openapi")
for url in URLS:
    response = Client().get("/" + url)
    found[url] = [response.status_code, response["Content-Type"], response.content.decode()]
posted = Client(enforce_csrf_checks=True).post("/yasg/?format=openapi")
found["posted"] = [posted.status_code, "", ""]
output = io.StringIO()
call_command("spectacular", "--format", "openapi-json", "--validate", stdout=output)
found["command"] = json.loads(output.getvalue())
print("found:" + json.dumps(found))
"""

FILES = {"set": SETTINGS, "urls": URLS}


#: The package, and what it imports.
YASG = ("drf-yasg==1.21.18", "pytz==2026.6", "uritemplate==4.2.0")


@pytest.fixture(scope="module", params=["installed", "absent"])
def document(request):
    if request.param == "absent":
        return printed_by("shop", FILES, READ, [])
    views = URLS.index("from drf_spectacular.views"), URLS.index("from drf_yasg import openapi")
    urls = URLS[: views[0]] + URLS[views[1] :].partition("yasg = ")[0]
    settings = SETTINGS.replace('"drf_spectacular",', "")
    return printed_by("shop", {"set": settings, "urls": urls}, READ, [folder_with(*YASG)])


@pytest.fixture
def paths(document):
    return document["paths"]


def test_the_document_is_valid(document):
    validate(document)


def test_an_operation_says_what_its_decorator_says(paths):
    found = paths["/boxes/"]["get"]
    assert found["operationId"] == "boxes"
    assert (found["summary"], found["description"]) == ("All boxes", "Each of them.")
    assert found["tags"] == ["boxes"]
    assert found["security"] == []
    assert found["deprecated"] is True
    assert body(found, "200") == {"type": "array", "items": reference("Box")}
    assert found["responses"]["400"]["description"] == "Not so."
    assert body(found, "400") == reference("Item")
    assert found["responses"]["404"]["description"] == "Gone."
    assert names(found) == ["since", "kinds", "number"]
    since, kinds, _ = found["parameters"]
    assert since["schema"] == {"type": "string", "format": "date"}
    assert since["required"]
    assert kinds["schema"] == {"type": "array", "items": {"type": "string"}}
    assert kinds["explode"] is True


def test_other_places_of_the_decorator(paths):
    assert paths["/boxes/"]["post"]["summary"] == "Decorated"
    assert "/boxes/{id}/" not in paths
    assert paths["/count/"]["get"]["summary"] == "A function"


def test_methods_of_one_action(paths):
    found = paths["/boxes/pack/"]
    assert found["get"]["summary"] == "Look"
    assert "200" in found["get"]["responses"]
    sent = body(found["post"])
    assert sent["required"] == ["names"]
    assert sent["properties"]["names"] == {"type": "array", "items": {"type": "string"}}
    assert body(found["post"], "201")["contentMediaType"] == "application/octet-stream"


def test_bodies(paths):
    assert "requestBody" not in paths["/boxes/{id}/close/"]["post"]
    assert "content" not in paths["/boxes/{id}/close/"]["post"]["responses"]["204"]
    content = paths["/boxes/photo/"]["post"]["requestBody"]["content"]
    photo = content["multipart/form-data"]["schema"]
    assert photo["required"] == ["photo"]
    assert photo["properties"]["photo"]["type"] == "string"


def test_methods_of_serializers(document):
    box = document["components"]["schemas"]["Box"]
    assert box["properties"]["items"]["items"] == reference("Item")


@pytest.fixture(scope="module")
def answers():
    return printed_by("shop", FILES, ASK, [])


def test_documents_of_the_stand_ins_are_served(answers):
    status, media_type, content = answers["schema/"]
    assert (status, media_type) == (200, "application/vnd.oai.openapi")
    assert content.startswith("openapi: 3.1.0")
    served = json.loads(answers["schema.json"][2])
    assert served["info"]["title"] == "Shop"
    assert "/boxes/" in served["paths"]
    assert answers["command"]["paths"] == served["paths"]
    status, _, content = answers["yasg.json"]
    assert status == 200
    assert "title: Boxes" in content
    assert answers["private/"][0] in (401, 403)


@pytest.mark.parametrize(
    ("url", "media_type", "start"),
    [
        ("yasg.json", "application/yaml", "openapi: 3.1.0"),
        ("yasg.yaml/", "application/yaml", "openapi: 3.1.0"),
        ("yasg.json/", "application/json", "{"),
        ("yasg/?format=openapi", "application/openapi+json", "{"),
    ],
)
def test_the_addresses_of_drf_yasg_for_the_document_stay(answers, url, media_type, start):
    status, found, content = answers[url]
    assert (status, found) == (200, media_type)
    assert content.startswith(start)


def test_the_page_takes_no_writes(answers):
    assert answers["posted"][0] == 405


def test_a_format_that_nobody_writes_is_not_found(answers):
    assert answers["yasg.xml/"][0] == 404


@pytest.mark.parametrize("url", ["swagger/", "redoc/", "yasg/"])
def test_pages_of_the_stand_ins_are_the_documentation(answers, url):
    status, media_type, content = answers[url]
    assert status == 200
    assert media_type.startswith("text/html")
    assert "boxes" in content
    assert "https://cdn" not in content


# ---- the title that only a view in the URL configuration has ----

TITLED = """
from django.urls import include, path
from drf_yasg import openapi
from drf_yasg.views import get_schema_view

yasg = get_schema_view(
    openapi.Info(title="Boxes", default_version="v1", contact=openapi.Contact(email="a@b.example")),
    public=True,
)
urlpatterns = [path("docs/", include([path("", yasg.PAGE)]))]
"""

READ_INFO = """
import json, warnings

import django

django.setup()
warnings.simplefilter("ignore")

from django.test import override_settings
from lintel.schemas import SchemaGenerator

infos = [SchemaGenerator(title=title).get_schema(public=True)["info"] for title in (None, "Crates")]
with override_settings(REST_FRAMEWORK={"OPENAPI_DOCUMENT": {"info": {"title": "Chests"}}}):
    infos.append(SchemaGenerator().get_schema(public=True)["info"])
print("found:" + json.dumps(infos))
"""


@pytest.mark.parametrize("page", ["without_ui(cache_timeout=0)", "with_ui(cache_timeout=9)"])
@pytest.mark.parametrize("is_installed", [True, False])
def test_the_title_of_a_view_of_drf_yasg_is_that_of_all_documents(page, is_installed):
    settings = SETTINGS.replace('"drf_spectacular",', "")
    settings += "\nSPECTACULAR_SETTINGS = {}\n"
    files = {"set": settings, "urls": TITLED.replace("PAGE", page)}
    packages = [folder_with(*YASG)] if is_installed else []
    found, given, said = printed_by("shop", files, READ_INFO, packages)
    assert found == {"title": "Boxes", "version": "v1", "contact": {"email": "a@b.example"}}
    assert given == {"title": "Crates", "version": ""}
    assert said == {"title": "Chests", "version": ""}
