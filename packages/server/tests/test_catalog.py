"""Clients find the description of the API by a Link header and by the catalog of the host."""

import pytest
from django.core.checks import run_checks
from django.test import Client
from django.urls import include, path

from lintel.routers import DefaultRouter
from lintel.schemas import api_catalog, get_schema_view

urlpatterns = [
    path("", include(DefaultRouter().urls)),
    path("schema/", get_schema_view(title="One"), name="schema"),
    path("two/", include(([path("schema/", get_schema_view(title="Two"), name="schema")], "two"))),
    path(".well-known/api-catalog", api_catalog),
]
CATALOG = "/.well-known/api-catalog"
HERE = "http://testserver"

pytestmark = pytest.mark.urls(__name__)


def test_by_default_nothing_is_sent():
    assert "Link" not in Client().get("/").headers
    linkset = Client().get(CATALOG).json()["linkset"]
    assert linkset == [{"anchor": f"{HERE}/", "service-desc": []}]


def test_the_root_view_links_to_the_description(settings):
    settings.REST_FRAMEWORK = {"SERVICE_DESCRIPTION": "schema"}
    answer = Client().get("/")
    assert answer.headers["Link"] == f'<{HERE}/schema/>; rel="service-desc"'
    assert answer.status_code == 200
    assert Client().get("/schema/").status_code == 200
    assert "Link" not in Client().get("/schema/").headers


def test_several_descriptions(settings):
    settings.REST_FRAMEWORK = {"SERVICE_DESCRIPTION": ["schema", "two:schema"]}
    found = Client().get("/").headers["Link"]
    assert found == ", ".join(
        f'<{HERE}{url}>; rel="service-desc"' for url in ("/schema/", "/two/schema/")
    )
    [context] = Client().get(CATALOG).json()["linkset"]
    assert [each["href"] for each in context["service-desc"]] == [
        f"{HERE}/schema/",
        f"{HERE}/two/schema/",
    ]


def test_the_catalog_is_a_linkset_that_names_itself(settings):
    settings.REST_FRAMEWORK = {"SERVICE_DESCRIPTION": "schema"}
    for answer in (Client().get(CATALOG), Client().head(CATALOG)):
        profile = "https://www.rfc-editor.org/info/rfc9727"
        assert answer.headers["Content-Type"] == f'application/linkset+json; profile="{profile}"'
        assert answer.headers["Link"] == f'<{HERE}{CATALOG}>; rel="api-catalog"'
    assert Client().post(CATALOG).status_code == 405


def test_a_name_without_a_pattern_is_a_mistake(settings):
    """The check says so; clients are told of the others, and nothing fails."""
    settings.REST_FRAMEWORK = {"SERVICE_DESCRIPTION": ["shema", "schema", "one:schema"]}
    found = [each for each in run_checks(databases=[]) if each.id == "lintel.E020"]
    assert ["'shema'" in found[0].msg, "'one:schema'" in found[1].msg] == [True, True]
    assert "'SERVICE_DESCRIPTION'" in found[0].hint
    assert Client().get("/").headers["Link"] == f'<{HERE}/schema/>; rel="service-desc"'
    settings.REST_FRAMEWORK = {"SERVICE_DESCRIPTION": "shema"}
    assert "Link" not in Client().get("/").headers
    assert Client().get(CATALOG).json()["linkset"][0]["service-desc"] == []
    settings.REST_FRAMEWORK = {"SERVICE_DESCRIPTION": ["schema", "two:schema"]}
    assert "lintel.E020" not in [each.id for each in run_checks(databases=[])]
