"""What the code of handlers shows of their responses: statuses, serializers, lists and keys."""

import functools

import pytest
from described_service import documented
from django.contrib.auth.models import Group
from django.db import transaction
from django.urls import include, path

from lintel import generics, serializers, status, views, viewsets
from lintel.decorators import action, api_view
from lintel.pagination import PageNumberPagination
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import extend_schema
from lintel.schemas.openapi import AutoSchema

pytestmark = pytest.mark.filterwarnings("ignore:nothing is known")


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


class NameSerializer(serializers.Serializer):
    name = serializers.CharField()


class Pages(PageNumberPagination):
    page_size = 2


def changed(handler):
    @functools.wraps(handler)
    def changing(view, request, *args, **kwargs):
        return Response(handler(view, request, request.data, *args, **kwargs))

    return changing


class Said(AutoSchema):
    def get_response_serializer(self, path, method):
        return NameSerializer()


ROWS = {"type": "array", "items": {"$ref": "#/components/schemas/Group"}}
NAMES = {"type": "array", "items": {"$ref": "#/components/schemas/Name"}}
ONE = {"$ref": "#/components/schemas/Group"}
NAME = {"$ref": "#/components/schemas/Name"}
#: What operations return, by their names.
EXPECTED: dict[str, tuple[str, object]] = {}


def returns(schema, code="200"):
    def noted(handler):
        EXPECTED[handler.__name__] = (code, schema)
        return handler

    return noted


class Groups(viewsets.GenericViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    pagination_class = Pages

    @returns(ROWS)
    @action(detail=False)
    def recent(self, request):
        serializer = self.get_serializer(self.get_queryset(), many=True)
        return Response(serializer.data)

    @returns(NAMES)
    @action(detail=False)
    def keyword(self, request):
        return Response(data=NameSerializer(self.queryset, many=True).data, status=200)

    @returns(ROWS)
    @action(detail=False)
    def directly(self, request):
        if request.user.is_anonymous:
            return Response({"reason": "no user"}, status=status.HTTP_403_FORBIDDEN)
        return Response(self.get_serializer(self.queryset, many=True, context={}).data)

    @returns(NAMES)
    @action(detail=False)
    def named(self, request):
        return Response(NameSerializer(self.queryset, many=True).data)

    @returns(NAME, "201")
    @action(detail=False, methods=["post"])
    def made(self, request):
        serializer = NameSerializer(data=request.data)
        if not serializer.is_valid():
            return Response(serializer.errors, 400)
        return Response(serializer.data, status=201)

    @returns(ONE)
    @action(detail=True)
    def atomic(self, request, pk):
        with transaction.atomic():
            return Response(self.get_serializer(self.get_object()).data)

    @returns(
        {
            "type": "object",
            "properties": {"done": {"type": "boolean"}, "text": {"type": "string"}, "rows": {}},
            "required": ["done", "text", "rows"],
        },
        "202",
    )
    @action(detail=False, methods=["post"])
    def keys(self, request):
        return Response({"done": True, "text": f"{1}", "rows": []}, status.HTTP_202_ACCEPTED)

    @returns(None, "202")
    @action(detail=False, methods=["post"])
    def empty(self, request):
        if request.data:
            return Response({"reason": "full"}, status=status.HTTP_409_CONFLICT)
        return Response(status=status.HTTP_202_ACCEPTED)

    @returns({"type": "object", "properties": {"gone": {}}, "required": ["gone"]})
    @action(detail=False, methods=["delete"])
    def clear(self, request):
        return Response({"gone": self.queryset.count()})

    # What is not plain leaves the description as it is.

    @returns({"$ref": "#/components/schemas/PagesPaginatedGroupList"})
    @action(detail=False)
    def pages(self, request):
        page = self.paginate_queryset(self.queryset)
        if page is not None:
            return self.get_paginated_response(self.get_serializer(page, many=True).data)
        return Response(self.get_serializer(self.queryset, many=True).data)

    @returns(ONE)
    @action(detail=False)
    def either(self, request):
        many = "many" in request.GET
        return Response(self.get_serializer(self.queryset, many=many).data)

    @returns(ONE)
    @action(detail=False)
    def both(self, request):
        if request.GET:
            return Response({"some": 1})
        return Response({"others": 1})

    @returns(ONE)
    @action(detail=False)
    def inner(self, request):
        def make():
            return Response(NameSerializer(self.queryset, many=True).data)

        return make()

    @returns(ONE)
    @action(detail=False)
    def again(self, request):
        serializer = self.get_serializer(self.queryset, many=True)
        for serializer in [NameSerializer()]:
            serializer.is_valid()
        return Response(serializer.data)

    @returns(ONE)
    @action(detail=False)
    @changed
    def decorated(self, request, data):
        return Response({"never": data})

    @returns(ONE)
    @action(detail=False)
    def unknown(self, request):
        return Response(missing(self.queryset, many=True).data)  # noqa: F821 -- unknown on purpose

    @returns(ONE)
    @action(detail=False)
    def odd(self, request):
        return Response({"never": 1}, status=799)

    @returns(ONE)
    @action(detail=False)
    def chosen_status(self, request):
        return Response({"never": 1}, status=request.GET["status"])

    @returns(ONE)
    @action(detail=False)
    def unpacked(self, request):
        return Response(data=[1])

    @returns(ONE)
    @action(detail=False)
    def computed(self, request):
        return Response({request.user.pk: 1, **request.GET})

    @returns({"type": "string"})
    @extend_schema(responses=str)
    @action(detail=False)
    def said(self, request):
        return Response({"never": 1})

    @returns(NAME)
    @action(detail=False, schema=Said())
    def chosen(self, request):
        return Response({"never": 1})


class Plain(views.APIView):
    def get(self, request):
        return Response(NameSerializer([], many=True).data)

    def post(self, request):
        return Response({"message": "Made"}, status=201)

    def delete(self, request):
        return Response({"gone": 3})


class Own(generics.ListAPIView):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    pagination_class = Pages

    def get(self, request):
        return Response({"count": 3})


@api_view(["GET"])
def function(request):
    return Response(NameSerializer([], many=True).data)


@pytest.fixture(scope="module")
def paths():
    router = SimpleRouter()
    router.register("groups", Groups)
    return documented(
        path("", include(router.urls)),
        path("plain/", Plain.as_view()),
        path("own/", Own.as_view()),
        path("function/", function),
    )["paths"]


def success(operation):
    code = next(each for each in operation["responses"] if each.startswith("2"))
    content = operation["responses"][code].get("content")
    return code, content and content["application/json"]["schema"]


@pytest.mark.parametrize("name", EXPECTED)
def test_an_action_returns_what_its_code_says(paths, name):
    found = paths.get(f"/groups/{name}/") or paths[f"/groups/{{id}}/{name}/"]
    (operation,) = [each for method, each in found.items() if method != "parameters"]
    assert success(operation) == EXPECTED[name]


def test_so_do_views_without_a_serializer(paths):
    made = {"type": "object", "properties": {"message": {"type": "string"}}}
    gone = {"type": "object", "properties": {"gone": {"type": "integer"}}}
    assert success(paths["/plain/"]["get"]) == ("200", NAMES)
    assert success(paths["/plain/"]["post"]) == ("201", {**made, "required": ["message"]})
    assert success(paths["/plain/"]["delete"]) == ("200", {**gone, "required": ["gone"]})
    assert success(paths["/function/"]["get"]) == ("200", NAMES)


def test_and_handlers_that_a_project_overrides(paths):
    count = {"type": "object", "properties": {"count": {"type": "integer"}}}
    assert success(paths["/own/"]["get"]) == ("200", {**count, "required": ["count"]})
