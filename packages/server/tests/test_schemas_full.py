"""The full description of operations: identifiers, pages, parameters, versions."""

from __future__ import annotations

from datetime import date

import django_filters
import pytest
from contract_project.models import Snippet
from described_service import (
    VERSIONS,
    FlatSerializer,
    Pages,
    PlainSerializer,
    documented,
    snippets,
    view_of,
)
from django.contrib.auth.models import Group
from django.urls import path
from django_filters.rest_framework import DjangoFilterBackend

from lintel import filters, generics, pagination, serializers
from lintel.renderers import BaseRenderer
from lintel.response import Response
from lintel.schemas.inspection import Inspection, number_of
from lintel.schemas.openapi import AutoSchema, SchemaGenerator

pytestmark = pytest.mark.filterwarnings("error")


class Sized(pagination.PageNumberPagination):
    page_size_query_param = "size"


class Portable(BaseRenderer):
    media_type, format, charset, render_style = "application/pdf", "pdf", None, "binary"


class Commas(BaseRenderer):
    media_type, format = "text/csv", "csv"


def test_formats_without_structure_are_text_or_bytes():
    view = view_of(PlainSerializer, renderer_classes=[Portable, Commas])
    document = documented(path("things/", view), version="3.0.3")
    content = document["paths"]["/things/"]["get"]["responses"]["200"]["content"]
    assert {name: each["schema"] for name, each in content.items()} == {
        "application/pdf": {"type": "string", "format": "binary"},
        "text/csv": {"type": "string"},
    }


class OwnSize(pagination.LimitOffsetPagination):
    limit_query_param = None

    def get_limit(self, request):
        return 3


@pytest.mark.parametrize(
    ("paginator", "kinds", "parameters"),
    [
        (Pages, {"object"}, ["page"]),
        (pagination.PageNumberPagination, {"array"}, []),
        (pagination.CursorPagination, {"array"}, []),
        (Sized, {"object", "array"}, ["page", "size"]),
        (pagination.LimitOffsetPagination, {"object", "array"}, ["limit", "offset"]),
        (OwnSize, {"object"}, ["offset"]),
    ],
)
def test_a_list_has_pages_where_somebody_says_how_many_rows_they_have(paginator, kinds, parameters):
    document = documented(path("things/", view_of(PlainSerializer, pagination_class=paginator)))
    listed = document["paths"]["/things/"]["get"]
    assert [each["name"] for each in listed.get("parameters", ())] == parameters
    schema = listed["responses"]["200"]["content"]["application/json"]["schema"]
    shared = document["components"]["schemas"]
    found = [
        shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        for each in schema.get("oneOf", [schema])
    ]
    assert {each["type"] for each in found} == kinds


def test_a_link_that_is_sent_may_leave_the_host_out():
    class Linked(serializers.Serializer):
        tag = serializers.HyperlinkedRelatedField(view_name="x", queryset=Snippet.objects.all())
        page = serializers.HyperlinkedIdentityField(view_name="x")

    shared = documented(path("things/", view_of(Linked)))["components"]["schemas"]
    formats = {
        (name, key): value["format"]
        for name in ("Linked", "LinkedRequest")
        for key, value in shared[name]["properties"].items()
    }
    assert formats == {
        ("Linked", "tag"): "uri",
        ("Linked", "page"): "uri",
        ("LinkedRequest", "tag"): "uri-reference",
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_viewset_is_described(version):
    document = snippets(version)
    listed = document["paths"]["/snippets/"]["get"]["responses"]["200"]
    reference = listed["content"]["application/json"]["schema"]["$ref"]
    assert reference == "#/components/schemas/CursorPaginatedSnippetList"
    page = document["paths"]["/snippets/{id}/page/"]
    assert page["get"]["responses"]["200"]["content"] == {
        "text/html": {"schema": {"type": "string"}}
    }
    assert page["get"]["parameters"][0]["schema"] == {"type": "integer"}


def test_identifiers_are_unique():
    items = snippets()["paths"].values()
    names = [operation["operationId"] for item in items for operation in item.values()]
    assert len(names) == len(set(names))


def test_an_override_of_a_project_acts_in_every_version():
    class Own(AutoSchema):
        def get_tags(self, path, method):
            return ["own"]

        def map_field(self, field):
            if isinstance(field, serializers.CharField):
                return {"type": "string", "nullable": True, "format": "own"}
            return super().map_field(field)

    patterns = [path("things/", view_of(PlainSerializer, schema=Own()))]
    found = {}
    for version in ["3.0.2", *VERSIONS]:
        generator = SchemaGenerator(patterns=patterns)
        generator.openapi_version = version
        document = generator.get_schema(public=True)
        assert document["paths"]["/things/"]["get"]["tags"] == ["own"]
        found[version] = document["components"]["schemas"]["Plain"]["properties"]["name"]
    assert found["3.0.2"]["nullable"] is True
    assert found["3.1.0"]["type"] == ["string", "null"]
    assert {value["format"] for value in found.values()} == {"own"}


def test_deprecated_views_are_deprecated_operations():
    view = view_of(PlainSerializer, deprecated=date(2026, 1, 1), sunset=date(2027, 1, 1))
    get = documented(path("things/", view))["paths"]["/things/"]["get"]
    assert get["deprecated"] is True
    assert get["x-sunset"] == "2027-01-01T00:00:00+00:00"
    assert set(get["responses"]["200"]["headers"]) == {"Deprecation", "Sunset"}


def test_the_method_query_has_a_place_since_3_2():
    class Search(generics.GenericAPIView):
        queryset = Group.objects.all()
        serializer_class = PlainSerializer
        http_method_names = ["get", "query"]

        def get(self, request):
            return Response()

        def query(self, request):
            return Response()

    newest = documented(path("search/", Search.as_view()), version="3.2.0")["paths"]["/search/"]
    assert "application/json" in newest["query"]["requestBody"]["content"]
    older = documented(path("search/", Search.as_view()))["paths"]["/search/"]
    assert set(older) == {"get", "x-additionalOperations"}
    assert set(older["x-additionalOperations"]) == {"QUERY"}


def test_a_body_without_content_is_kept_as_it_is():
    class OddSchema(AutoSchema):
        def get_request_body(self, path, method):
            return {"$ref": "#/components/requestBodies/Odd"} if method == "POST" else {}

    view = view_of(PlainSerializer, schema=OddSchema())
    generator = SchemaGenerator(title="T", version="1", patterns=[path("things/", view)])
    generator.openapi_version = "3.1.0"
    operation = generator.get_schema(public=True)["paths"]["/things/"]["post"]
    assert operation["requestBody"] == {"$ref": "#/components/requestBodies/Odd"}


class GroupFilters(django_filters.FilterSet):
    name__in = type("Names", (django_filters.BaseInFilter, django_filters.NumberFilter), {})(
        field_name="name", lookup_expr="in"
    )
    id__lt = django_filters.NumberFilter(field_name="id", lookup_expr="lt")
    kinds = django_filters.MultipleChoiceFilter(choices=[("a", "A")])


def test_filters_of_several_values_are_lists():
    view = view_of(PlainSerializer, filter_backends=[DjangoFilterBackend])
    view.cls.filterset_class = GroupFilters
    parameters = documented(path("things/", view))["paths"]["/things/"]["get"]["parameters"]
    found = {each["name"]: each for each in parameters}
    assert found["name__in"]["explode"] is False
    assert found["name__in"]["schema"] == {"type": "array", "items": {"type": "number"}}
    assert found["id__lt"]["schema"] == {"type": "integer"}
    kinds = {"type": "string", "enum": ["a"]}
    assert found["kinds"]["schema"] == {"type": "array", "items": kinds}
    assert "explode" not in found["kinds"]


def test_words_of_versions_are_chosen_by_number():
    assert documented(path("a/", view_of(FlatSerializer)), version="3.1.0")
    later = Inspection(version="3.10.0")
    assert later.is_full
    assert number_of(later.version) > (3, 2)
    assert not Inspection(version="own").is_full
    assert not Inspection(version="3.0.2").is_full


@pytest.mark.parametrize(
    ("members", "known"),
    [
        ({"ordering_fields": ["name", ("id", "Number")]}, "`name`, `id`"),
        ({"ordering_fields": "__all__"}, "`id`, `name`"),
        ({}, "`name`"),
    ],
)
def test_the_parameter_of_an_ordering_names_its_fields(members, known):
    view = view_of(FlatSerializer, filter_backends=[filters.OrderingFilter], **members)
    (parameter,) = [
        each
        for each in documented(path("a/", view))["paths"]["/a/"]["get"]["parameters"]
        if each["name"] == "ordering"
    ]
    assert f"Known are {known};" in parameter["description"]


def test_an_ordering_that_asks_the_request_is_described_without_its_fields():
    def get_queryset(self):
        return Group.objects.filter(name=self.request.tenant.name)

    backends = [filters.OrderingFilter]
    view = view_of(FlatSerializer, filter_backends=backends, get_queryset=get_queryset)
    (parameter,) = documented(path("a/", view))["paths"]["/a/"]["get"]["parameters"]
    assert parameter["description"] == "Which field to use when ordering the results."
