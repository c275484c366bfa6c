"""What the full description leaves out or names by its path alone, with a warning."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from described_service import (
    ArticleSerializer,
    FlatSerializer,
    PlainSerializer,
    described,
    documented,
    snippets,
    view_of,
)
from django.contrib.auth.models import Group
from django.urls import path

from lintel import generics, parsers, serializers
from lintel.decorators import api_view
from lintel.response import Response
from lintel.schemas import extend_schema
from lintel.schemas.openapi import AutoSchema
from lintel.views import APIView

pytestmark = pytest.mark.filterwarnings("error")


def test_a_view_that_fails_is_described_by_its_path():
    class Broken(AutoSchema):
        def get_tags(self, path, method):
            raise KeyError("x")

    patterns = [
        path("broken/<slug:name>/", view_of(PlainSerializer, schema=Broken())),
        path("things/", view_of(PlainSerializer)),
    ]
    with pytest.warns(UserWarning, match="described by its path alone: KeyError"):
        document = documented(*patterns)
    assert set(document["paths"]) == {"/broken/{name}/", "/things/"}


def test_a_serializer_that_needs_a_request_is_warned_of():
    class Things(generics.ListAPIView):
        queryset = Group.objects.all()

        def get_serializer_class(self):
            return {"x": PlainSerializer}[self.request.user.name]

    with pytest.warns(UserWarning, match="get_serializer|nothing is known") as caught:
        document = documented(path("things/", Things.as_view()))
    assert any("Things: get_serializer() failed" in str(each.message) for each in caught)
    assert any(f"({__file__}:" in str(each.message) for each in caught)
    content = document["paths"]["/things/"]["get"]["responses"]["200"]["content"]
    assert content["application/json"] == {"schema": {"type": "array", "items": {}}}


class Bare(generics.GenericAPIView):
    """Has no serializer: its decorators say what it reads and returns."""

    @extend_schema(responses=PlainSerializer)
    def get(self, request):
        return Response(made(request))

    @extend_schema(request=PlainSerializer, responses=PlainSerializer)
    def post(self, request):
        return Response(made(request))

    @extend_schema(request=None, responses=None)
    def delete(self, request):
        return Response(made(request))


def made(request):
    return {"name": request.method}


@pytest.mark.filterwarnings("error")
def test_a_view_without_a_serializer_is_not_warned_of_where_its_decorators_say_everything():
    document = documented(path("bare/", Bare.as_view()))
    operations = document["paths"]["/bare/"]
    answers = operations["get"]["responses"]["200"], operations["post"]["requestBody"]
    schemas = [answer["content"]["application/json"]["schema"] for answer in answers]
    assert [schema["$ref"].rpartition("/")[2] for schema in schemas] == ["Plain", "PlainRequest"]


def test_a_body_of_which_nothing_is_known_is_warned_of():
    class Reading(generics.GenericAPIView):
        @extend_schema(responses=PlainSerializer)
        def post(self, request):
            return Response(made(request))

    with pytest.warns(
        UserWarning, match="nothing is known about the body of POST /reading/"
    ) as seen:
        documented(path("reading/", Reading.as_view()))
    assert len(seen) == 1


def test_a_view_that_says_nothing_is_warned_of():
    class Plain(APIView):
        parser_classes = [parsers.JSONParser]

        def post(self, request):
            return Response(request.query_params)

    with pytest.warns(UserWarning, match="nothing is known about the response of POST /plain/"):
        documented(path("plain/", Plain.as_view()))


def test_ordinary_views_cause_no_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        snippets()
        described(ArticleSerializer)
    assert not caught


def test_warnings_name_the_place_of_a_function_view():
    @api_view(["GET"])
    def about(request):
        return Response(request.query_params)

    with pytest.warns(UserWarning, match=rf"about: nothing is known.*{Path(__file__).name}:\d+"):
        documented(path("about/", about))


def test_operations_that_share_an_identifier_are_told_apart_with_a_warning():
    views = [view_of(FlatSerializer, generics.ListAPIView) for _ in range(2)]
    with pytest.warns(UserWarning, match=r"2 operations .* listGroups.*GET /a/ .*GET /b/ "):
        document = documented(path("a/", views[0]), path("b/", views[1]))
    names = {item["get"]["operationId"] for item in document["paths"].values()}
    assert len(names) == 2


def test_a_view_that_is_not_configured_leaves_the_others_described():
    class Broken(generics.ListAPIView):
        queryset = Group.objects.all()

        class Serializer(serializers.ModelSerializer):
            class Meta:
                model = Group
                fields = ["missing"]

        serializer_class = Serializer

    with pytest.warns(UserWarning, match=r"Broken.*GET /broken/ is described by its path alone"):
        document = documented(
            path("broken/", Broken.as_view()), path("flat/", view_of(FlatSerializer))
        )
    assert list(document["paths"]) == ["/broken/", "/flat/"]
    assert "Flat" in document["components"]["schemas"]


class Own(AutoSchema):
    def get_operation(self, path, method):
        return {"responses": 5, "parameters": "x", "tags": ["a"], "x-own": 1}


def test_words_that_openapi_lacks_are_left_out_with_a_warning():
    view = view_of(FlatSerializer, generics.ListAPIView, schema=Own())
    with pytest.warns(UserWarning, match="Own: get_operation") as caught:
        operation = documented(path("a/", view), version="3.2.0")["paths"]["/a/"]["get"]
    said = " ".join(str(each.message) for each in caught)
    assert "get_operation() says 'x' of parameters" in said
    assert "get_operation() says 5 of responses" in said
    assert (operation["tags"], operation["x-own"]) == (["a"], 1)


def test_an_operation_that_json_has_no_words_for_is_described_by_its_path():
    class Unwritable(AutoSchema):
        def get_operation(self, path, method):
            return {"responses": {}, "x-own": object()}

    view = view_of(FlatSerializer, generics.ListAPIView, schema=Unwritable())
    with pytest.warns(UserWarning, match="GET /a/ is described by its path alone: TypeError"):
        documented(path("a/", view))
