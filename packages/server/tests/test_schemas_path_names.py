"""Identifiers from paths are those that drf-spectacular 0.30.0 gave the same views."""

import pytest
from django.contrib.auth.models import Group
from django.core.checks import run_checks
from django.urls import include, path

from lintel import generics, serializers, viewsets
from lintel.decorators import action, api_view
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import OpenApiResponse, extend_schema
from lintel.schemas.openapi import SchemaGenerator
from lintel.views import APIView


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


class Groups(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    @action(detail=True, methods=["post", "get", "delete"])
    def star_it(self, request, pk=None):
        return Response()

    @action(detail=False, url_path="by-name/(?P<name>[^/.]+)")
    def by_name(self, request, name=None):
        return Response()

    @action(detail=False, methods=["put", "patch"])
    def bulk(self, request):
        return Response()

    @extend_schema(responses=GroupSerializer(many=True))
    @action(detail=False)
    def mine(self, request):
        return Response([])

    @extend_schema(operation_id="chosen", responses=GroupSerializer(many=True))
    @action(detail=False)
    def named(self, request):
        return Response([])


class Pages(generics.ListCreateAPIView):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer


class Single(generics.RetrieveUpdateDestroyAPIView):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer


class Plain(APIView):
    @extend_schema(responses=GroupSerializer)
    def get(self, request, **kwargs):
        return Response({})

    @extend_schema(request=GroupSerializer, responses=GroupSerializer)
    def post(self, request, **kwargs):
        return Response({})


class Several(APIView):
    @extend_schema(responses={200: GroupSerializer(many=True), 404: None})
    def get(self, request):
        return Response([])


class Wrapped(APIView):
    @extend_schema(responses={200: OpenApiResponse(GroupSerializer(many=True))})
    def get(self, request):
        return Response([])


@extend_schema(responses=int)
@api_view(["GET"])
def count(request):
    return Response(1)


router = SimpleRouter()
router.register("groups", Groups)
URLS = [
    path("api/v1/", include(router.urls)),
    path("api/v1/list/", Pages.as_view()),
    path("api/v1/list/<int:pk>/", Single.as_view()),
    path("api/v1/view/", Plain.as_view()),
    path("api/v1/view/<slug:name>/", Plain.as_view()),
    path("api/v1/several-of/", Several.as_view()),
    path("api/v1/wrapped/", Wrapped.as_view()),
    path("api/v1/count/", count),
    path("api/v1/pair/<int:a>/<int:b>/", Plain.as_view()),
    path("api/v1/file-<str:name>.json", Plain.as_view()),
    path("api/v1/Camel/a.b/", Plain.as_view()),
    path("api/v1/", Plain.as_view()),
]

NAMES = """
GET /api/v1/ root_retrieve
POST /api/v1/ root_create
GET /api/v1/Camel/a.b/ Camel_a.b_retrieve
POST /api/v1/Camel/a.b/ Camel_a.b_create
GET /api/v1/count/ count_retrieve
GET /api/v1/file-{name}.json file_.json_retrieve
POST /api/v1/file-{name}.json file_.json_create
GET /api/v1/groups/ groups_list
POST /api/v1/groups/ groups_create
GET /api/v1/groups/{id}/ groups_retrieve
PUT /api/v1/groups/{id}/ groups_update
PATCH /api/v1/groups/{id}/ groups_partial_update
DELETE /api/v1/groups/{id}/ groups_destroy
GET /api/v1/groups/{id}/star_it/ groups_star_it_retrieve
POST /api/v1/groups/{id}/star_it/ groups_star_it_create
DELETE /api/v1/groups/{id}/star_it/ groups_star_it_destroy
PUT /api/v1/groups/bulk/ groups_bulk_update
PATCH /api/v1/groups/bulk/ groups_bulk_partial_update
GET /api/v1/groups/by-name/{name}/ groups_by_name_retrieve
GET /api/v1/groups/mine/ groups_mine_list
GET /api/v1/groups/named/ chosen
GET /api/v1/list/ list_list
POST /api/v1/list/ list_create
GET /api/v1/list/{id}/ list_retrieve
PUT /api/v1/list/{id}/ list_update
PATCH /api/v1/list/{id}/ list_partial_update
DELETE /api/v1/list/{id}/ list_destroy
GET /api/v1/pair/{a}/{b}/ pair_retrieve
POST /api/v1/pair/{a}/{b}/ pair_create
GET /api/v1/several-of/ several_of_list
GET /api/v1/wrapped/ wrapped_retrieve
GET /api/v1/view/ view_retrieve
POST /api/v1/view/ view_create
GET /api/v1/view/{name}/ view_retrieve_2
POST /api/v1/view/{name}/ view_create_2
"""


def names(version="3.1.0", patterns=URLS):
    generator = SchemaGenerator(patterns=patterns)
    generator.openapi_version = version
    return {
        f"{method.upper()} {path} {operation['operationId']}"
        for path, item in generator.get_schema(public=True)["paths"].items()
        for method, operation in item.items()
    }


@pytest.fixture
def by_path(settings):
    settings.REST_FRAMEWORK = {"OPENAPI_OPERATION_IDS": "path"}


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_identifiers_are_the_segments_of_the_path_and_what_the_method_does(by_path, version):
    assert names(version) == set(NAMES.strip().split("\n"))


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("/api/v[0-9]", "groups_list"),
        ("/api", "v1_groups_list"),
        ("^/", "api_v1_groups_list"),
        ("", "api_v1_groups_list"),
    ],
)
def test_the_prefix_of_the_settings_is_left_out(by_path, settings, prefix, name):
    settings.SPECTACULAR_SETTINGS = {"SCHEMA_PATH_PREFIX": prefix}
    assert f"GET /api/v1/groups/ {name}" in names()


def test_models_name_operations_unless_asked_otherwise():
    assert "GET /api/v1/groups/ listGroups" in names(patterns=URLS[:1])


def test_version_3_0_2_keeps_its_identifiers(by_path):
    urls = [path("groups/", Pages.as_view())]
    assert names("3.0.2", urls) == {"GET /groups/ listGroups", "POST /groups/ createGroup"}


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        ([path("api/a/", Pages.as_view()), path("api/a/z/", Plain.as_view())], "root_list"),
        ([path("api/a/", Pages.as_view()), path("api/b/", Plain.as_view())], "a_list"),
        # One class: what its paths share says what they are about.
        ([path("api/a/", Pages.as_view())], "api_a_list"),
        ([path("api/a/", Pages.as_view()), path("api/a/z/", Pages.as_view())], "api_a_list"),
        ([path("a/", Pages.as_view()), path("b/", Plain.as_view())], "a_list"),
        ([path("", Pages.as_view())], "root_list"),
    ],
)
def test_what_the_paths_of_several_views_share_is_left_out(by_path, patterns, found):
    assert found in {each.split()[-1] for each in names(patterns=patterns)}


def test_numbers_are_not_those_that_somebody_has_chosen(by_path):
    class Chosen(Plain):
        @extend_schema(operation_id="a_retrieve_2", responses=int)
        def get(self, request, **kwargs):
            return Response(1)

    urls = [path("a/", Plain.as_view()), path("a/<int:b>/", Plain.as_view())]
    found = names(patterns=[*urls, path("c/", Chosen.as_view())])
    assert {each for each in found if each.startswith("GET")} == {
        "GET /a/ a_retrieve",
        "GET /a/{b}/ a_retrieve_3",
        "GET /c/ a_retrieve_2",
    }


@pytest.mark.django_db
def test_an_unknown_word_is_an_error(settings):
    settings.REST_FRAMEWORK = {"OPENAPI_OPERATION_IDS": "paths"}
    assert "lintel.E017" in [each.id for each in run_checks(databases=["default"])]
