"""The schema view: formats, permissions, errors, and get_schema_view."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from urllib.parse import urlsplit

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from django.urls import path
from django.utils import translation

from lintel import compat, renderers
from lintel.permissions import IsAdminUser, IsAuthenticated
from lintel.renderers.documentation import walk
from lintel.response import Response
from lintel.schemas import coreapi, extend_schema, get_schema_view, openapi
from lintel.schemas.views import SchemaView
from lintel.test import APIRequestFactory, force_authenticate
from lintel.views import APIView
from lintel_codecs.hal import HALCodec
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import CoreJSONCodec

NATIVE = "application/coreapi+json"
NATIVE_SETTINGS = {"DEFAULT_SCHEMA_CLASS": "lintel.schemas.coreapi.AutoSchema"}


class Plain(APIView):
    """Plain."""

    def get(self, request):
        return Response()


class Closed(Plain):
    permission_classes = [IsAuthenticated]


PATTERNS = [path("plain/", Plain.as_view()), path("closed/", Closed.as_view())]


def get(view, accept="*/*", user=None, found="/schema/"):
    request = APIRequestFactory().get(found, headers={"accept": accept})
    if user is not None:
        force_authenticate(request, user)
    return view(request).render()


def test_openapi_is_served_by_default():
    response = get(get_schema_view(title="T", version="1", patterns=PATTERNS))
    assert response["Content-Type"] == "application/vnd.oai.openapi"
    document = yaml.safe_load(response.content)
    assert document["info"] == {"title": "T", "version": "1"}
    assert list(document["paths"]) == ["/plain/"]


def test_openapi_comes_as_json_when_asked_for():
    view = get_schema_view(patterns=PATTERNS)
    response = get(view, "application/vnd.oai.openapi+json")
    assert json.loads(response.content)["openapi"] == "3.0.2"


CODECS = {"corejson": CoreJSONCodec, "hal": HALCodec, "openapi": OpenAPICodec}


@pytest.mark.parametrize(
    ("settings", "media_type", "format_name", "codec"),
    [
        ({}, "application/openapi+json", "openapi-json", "openapi"),
        (NATIVE_SETTINGS, "application/openapi+json", "openapi-json", "openapi"),
        (NATIVE_SETTINGS, "application/hal+json", "hal", "hal"),
        (NATIVE_SETTINGS, NATIVE, "corejson", "corejson"),
    ],
)
def test_every_media_type_of_a_codec_is_served(settings, media_type, format_name, codec):
    with override_settings(REST_FRAMEWORK=settings):
        view = get_schema_view(title="T", patterns=PATTERNS)
        for found in ("/schema/", f"/schema/?format={format_name}"):
            response = get(view, media_type, found=found)
            assert (response.status_code, response["Content-Type"]) == (200, media_type)
            document = CODECS[codec]().decode(response.content)
            assert (document.title, document.issues) == ("T", ())
            links = [link for _keys, link in walk(document)]
            assert [urlsplit(link.url).path for link in links] == ["/plain/"]


def test_json_for_all_keeps_its_media_type():
    response = get(get_schema_view(patterns=PATTERNS), found="/schema/?format=openapi-json")
    assert response["Content-Type"] == "application/vnd.oai.openapi+json"


def test_hal_without_its_library_says_what_to_install(monkeypatch):
    monkeypatch.setattr(compat, "HALCodec", None)
    with override_settings(REST_FRAMEWORK=NATIVE_SETTINGS):
        assert get(get_schema_view(patterns=PATTERNS), NATIVE).status_code == 200
    view = get_schema_view(patterns=PATTERNS, renderer_classes=[renderers.HALRenderer])
    with pytest.raises(ImproperlyConfigured, match=r"install django-lintel\[hal\]"):
        get(view)


def test_the_page_lists_each_format_once():
    both = [renderers.JSONOpenAPIRenderer, renderers.StandardOpenAPIRenderer]
    view = get_schema_view(
        patterns=PATTERNS, renderer_classes=[*both, renderers.BrowsableAPIRenderer]
    )
    assert get(view, "text/html").content.count(b"format=openapi-json") == 1


def test_the_native_schema_is_not_offered_unless_a_renderer_writes_it():
    assert get(get_schema_view(patterns=PATTERNS), NATIVE).status_code == 406


def test_each_renderer_gets_the_document_of_its_format():
    view = get_schema_view(
        title="T",
        patterns=PATTERNS,
        renderer_classes=[renderers.JSONOpenAPIRenderer, renderers.CoreJSONRenderer],
    )
    assert json.loads(get(view).content)["openapi"] == "3.0.2"
    native = get(view, NATIVE)
    assert native["Content-Type"] == NATIVE
    document = json.loads(native.content)
    assert document["_type"] == "document"
    assert document["plain"]["list"]["description"] == "Plain."


def test_the_native_schema_alone_needs_no_setting():
    view = get_schema_view(patterns=PATTERNS, renderer_classes=[renderers.CoreJSONRenderer])
    document = json.loads(get(view).content)
    assert document["_meta"] == {"url": "http://testserver/schema/"}


@override_settings(REST_FRAMEWORK=NATIVE_SETTINGS)
def test_the_setting_makes_the_native_schema_the_default():
    view = get_schema_view(title="T", patterns=PATTERNS)
    assert yaml.safe_load(get(view).content)["openapi"] == "3.0.0"
    assert json.loads(get(view, NATIVE).content)["_meta"]["title"] == "T"
    assert get(view, "application/vnd.oai.openapi").status_code == 200


def test_a_generator_that_is_named_makes_every_format():
    view = get_schema_view(patterns=PATTERNS, generator_class=coreapi.SchemaGenerator)
    assert yaml.safe_load(get(view).content)["openapi"] == "3.0.0"
    assert json.loads(get(view, NATIVE).content)["_type"] == "document"


def test_users_see_what_they_may_call_unless_it_is_public():
    renderer_classes = [renderers.CoreJSONRenderer]
    view = get_schema_view(patterns=PATTERNS, renderer_classes=renderer_classes)
    public = get_schema_view(patterns=PATTERNS, renderer_classes=renderer_classes, public=True)
    assert "closed" not in json.loads(get(view).content)
    assert "closed" in json.loads(get(view, user=User(username="ann")).content)
    assert "closed" in json.loads(get(public).content)


def test_nothing_to_see_is_forbidden():
    view = get_schema_view(patterns=[], renderer_classes=[renderers.CoreJSONRenderer])
    response = get(view, user=User(username="ann"))
    assert response.status_code == 403
    assert response["Content-Type"] == "application/json"


def test_errors_are_written_by_the_default_renderers():
    view = get_schema_view(patterns=PATTERNS, renderer_classes=[renderers.CoreJSONRenderer])
    response = get(view, "application/x-unknown")
    assert response.status_code == 406
    assert response["Content-Type"] == "application/json"


def test_policies_of_the_view_may_be_given():
    view = get_schema_view(patterns=PATTERNS, permission_classes=[IsAdminUser])
    assert get(view, user=User(username="ann")).status_code == 403
    assert get(view, user=User(username="ann", is_staff=True)).status_code == 200


@override_settings(
    REST_FRAMEWORK={"DEFAULT_PERMISSION_CLASSES": ["lintel.permissions.IsAuthenticated"]}
)
def test_policies_follow_the_settings_of_the_moment():
    assert get(VIEW_MADE_EARLIER).status_code in (401, 403)


VIEW_MADE_EARLIER = get_schema_view(patterns=PATTERNS)


def test_the_schema_does_not_describe_itself():
    view = get_schema_view(patterns=PATTERNS)
    document = openapi.SchemaGenerator(patterns=[path("schema/", view)]).get_schema(public=True)
    assert document["paths"] == {}
    assert view.cls is SchemaView


def test_clients_are_told_no_description_of_ours():
    request = APIRequestFactory().options(
        "/schema/", headers={"accept": "application/vnd.oai.openapi+json"}
    )
    response = get_schema_view(patterns=PATTERNS)(request).render()
    assert json.loads(response.content)["description"] == ""


def test_the_page_for_people_shows_the_first_format():
    view = get_schema_view(
        title="Shown",
        patterns=PATTERNS,
        renderer_classes=[renderers.CoreJSONRenderer, renderers.BrowsableAPIRenderer],
    )
    response = get(view, "text/html")
    assert response.status_code == 200
    assert "_type" in response.content.decode()


@pytest.mark.parametrize(
    "setting", [{}, {"DEFAULT_RENDERER_CLASSES": ["lintel.renderers.JSONRenderer"]}]
)
def test_the_page_is_offered_where_the_project_offers_pages(setting):
    with override_settings(REST_FRAMEWORK=setting):
        view = get_schema_view(patterns=PATTERNS)
        assert get(view, "text/html").status_code == (406 if setting else 200)


# ---- validators, and documents that are kept ----

FULL = {"OPENAPI_VERSION": "3.1"}
JSON = "application/vnd.oai.openapi+json"


class Counted(openapi.AutoSchema):
    """Counts how often it is asked."""

    asked = 0

    def get_tags(self, path, method):
        type(self).asked += 1
        return super().get_tags(path, method)


class Thing(Plain):
    schema = Counted()

    @extend_schema(responses=str)
    def get(self, request):
        return Response()


KEPT = [path("thing/", Thing.as_view()), path("closed/", Closed.as_view())]


def conditional(view, etag, user=None):
    request = APIRequestFactory().get("/schema/", headers={"accept": JSON, "if-none-match": etag})
    if user is not None:
        force_authenticate(request, user)
    return view(request)


@pytest.mark.filterwarnings("ignore:.*nothing is known")
def test_full_descriptions_have_a_strong_validator():
    with override_settings(REST_FRAMEWORK=FULL):
        view = get_schema_view(patterns=PATTERNS)
        first = get_bytes(view)
        assert json.loads(first.content)["openapi"] == "3.1.0"
        assert first["ETag"].startswith('"')
        assert {"Accept", "Authorization", "Cookie"} <= set(first["Vary"].split(", "))
        again = conditional(view, first["ETag"])
        assert (again.status_code, again.content) == (304, b"")
        user = User(username="u")
        assert conditional(view, first["ETag"], user).status_code == 200


def get_bytes(view, accept=JSON, user=None, **headers):
    request = APIRequestFactory().get("/schema/", headers={"accept": accept, **headers})
    if user is not None:
        force_authenticate(request, user)
    return view(request)


@pytest.mark.filterwarnings("ignore:.*nothing is known")
def test_documents_are_made_once_for_each_audience_where_the_project_says_so():
    with override_settings(REST_FRAMEWORK=FULL):
        view = get_schema_view(patterns=KEPT, keeps_documents=True)
        Counted.asked = 0
        anonymous = [get_bytes(view).content for _ in range(3)]
        assert Counted.asked == 1
        known = [get_bytes(view, user=User(username=name)).content for name in "ab"]
        assert Counted.asked == 2
        assert anonymous[0] == anonymous[2] != known[0] == known[1]
        with translation.override("de"):
            get_bytes(view)
        assert Counted.asked == 3
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.0.3"}):
        assert json.loads(get_bytes(view).content)["openapi"] == "3.0.3"


@pytest.mark.filterwarnings("ignore:.*nothing is known")
def test_a_document_that_is_kept_has_the_form_that_each_caller_asks_for():
    with override_settings(REST_FRAMEWORK=FULL):
        classes = [renderers.JSONRenderer]
        view = get_schema_view(patterns=KEPT, keeps_documents=True, renderer_classes=classes)
        compact, indented = (
            get_bytes(view, accept=f"application/json{indent}").content
            for indent in ("", "; indent=4")
        )
        assert compact != indented
        assert json.loads(compact) == json.loads(indented)


@pytest.mark.filterwarnings("ignore:.*nothing is known")
def test_documents_are_made_anew_unless_the_project_says_otherwise():
    with override_settings(REST_FRAMEWORK=FULL):
        view = get_schema_view(patterns=KEPT, public=True)
        Counted.asked = 0
        assert get_bytes(view).content == get_bytes(view).content
        assert Counted.asked == 2


@pytest.mark.filterwarnings("ignore:.*nothing is known")
def test_threads_get_the_documents_of_their_own_callers():
    with override_settings(REST_FRAMEWORK=FULL):
        view = get_schema_view(patterns=KEPT, keeps_documents=True)

        def paths(number):
            user = User(username="u") if number % 2 else None
            return set(json.loads(get_bytes(view, user=user).content)["paths"])

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(paths, range(40)))
    assert found == [{"/thing/"}, {"/thing/", "/closed/"}] * 20


def test_both_media_types_of_the_native_schema_are_served():
    both = [renderers.CoreJSONRenderer, renderers.VendorCoreJSONRenderer]
    view = get_schema_view(patterns=PATTERNS, renderer_classes=both)
    for media_type in (NATIVE, "application/vnd.coreapi+json"):
        response = get(view, media_type)
        assert response["Content-Type"] == media_type
        assert json.loads(response.content)["_type"] == "document"


def urls_module(name, *patterns):
    module = ModuleType(name)
    module.urlpatterns = list(patterns)
    return module


@pytest.mark.filterwarnings("ignore:.*nothing is known")
@pytest.mark.parametrize("keeps_documents", [True, False])
@override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"})
def test_another_url_configuration_is_noticed(monkeypatch, keeps_documents):
    monkeypatch.setitem(sys.modules, "first", urls_module("first", PATTERNS[0]))
    moved = path("moved/", Plain.as_view())
    monkeypatch.setitem(sys.modules, "second", urls_module("second", moved))
    view = get_schema_view(public=True, keeps_documents=keeps_documents)
    for urlconf, expected in (("first", "/plain/"), ("second", "/moved/"), ("first", "/plain/")):
        with override_settings(ROOT_URLCONF=urlconf):
            request = APIRequestFactory().get("/schema/", {"format": "openapi-json"})
            assert list(json.loads(view(request).content)["paths"]) == [expected]


@override_settings(ROOT_URLCONF="lintel.urls")
def test_endpoints_that_a_project_sets_remain():
    generator = openapi.SchemaGenerator(title="T", version="1")
    generator.endpoints = [("/set/", "GET", Plain.as_view())]
    assert list(generator.get_schema(public=True)["paths"]) == ["/set/"]
