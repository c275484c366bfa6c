"""What the code of handlers shows of their responses: statuses, serializers, lists and keys."""

import functools
from http import HTTPStatus
from importlib import import_module

import pytest
from described_service import documented
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction
from django.urls import include, path
from django.utils.decorators import method_decorator

from lintel import generics, serializers, status, views, viewsets
from lintel.decorators import action, api_view
from lintel.pagination import PageNumberPagination
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import extend_schema
from lintel.schemas.inspection import Endpoint, Inspection
from lintel.schemas.openapi import AutoSchema
from lintel.schemas.returned import written_by
from lintel.schemas.sources import source_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:nothing is known"),
    pytest.mark.filterwarnings("ignore:.* operations have the operationId"),
]


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


def enveloping(handler):
    """Hands on anything, and changes what it gets."""

    @functools.wraps(handler)
    def enveloped(*args, **kwargs):
        return in_envelope(handler(*args, **kwargs))

    return enveloped


def in_envelope(response):
    response.data = {"data": response.data}
    return response


def guarded(handler):
    @functools.wraps(handler)
    def guard(*args, **kwargs):
        if not settings.SECRET_KEY:
            return Response({"reason": "closed"}, status=403)
        response = handler(*args, **kwargs)
        response["X-Guarded"] = "1"
        return response

    return guard


class Envelope(Response):
    """Writes more than it is called with."""

    def __init__(self, data=None, **options):
        super().__init__({"data": data}, **options)


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

    @returns({"type": "object", "properties": {}})
    @action(detail=False, methods=["put"])
    def nothing(self, request):
        serializer = NameSerializer(data=request.data)
        if serializer.is_valid():
            return Response({}, 200)
        return Response(serializer.errors, 400)

    @returns({"type": "object", "properties": {"msg": {}}, "required": ["msg"]})
    @action(detail=True, methods=["put"])
    def local(self, request, pk):
        try:
            group = self.get_object()
            content = {"msg": str(group)}
            group.delete()
            return Response(content, status=status.HTTP_200_OK)
        except ValueError:
            content = {"error": True}
            return Response(content, status=status.HTTP_400_BAD_REQUEST)

    @returns(NAME)
    @action(detail=True)
    def local_data(self, request, pk):
        data = NameSerializer(self.get_object()).data
        return Response(data)

    @returns(ONE)
    @action(detail=True)
    def filled(self, request, pk):
        content = {"name": "a"}
        content["more"] = 1
        return Response(content)

    @returns(ONE)
    @action(detail=True)
    def handed(self, request, pk):
        content = {"name": "a"}
        in_envelope(content)
        return Response(content)

    @returns(ONE)
    @action(detail=True)
    def further_out(self, request, pk):
        content = {"name": "a"}
        if pk:
            return Response(content)
        return Response({"name": "b"})

    @returns(ONE)
    @action(detail=True)
    def by_function(self, request, pk):
        content = {"name": "a"}
        self.kept = lambda: content.update(b=1)
        return Response(content)

    @returns(ONE)
    @action(detail=True)
    def unpacked_local(self, request, pk):
        content, _ = {"name": "a"}, self.get_object()
        return Response(content)

    @returns({"type": "object", "properties": {"gone": {}}, "required": ["gone"]})
    @action(detail=False, methods=["delete"])
    def clear(self, request):
        return Response({"gone": self.queryset.count()})

    @returns(NAMES)
    @action(detail=False)
    @guarded
    def handed_on(self, request):
        return Response(NameSerializer(self.queryset, many=True).data)

    @returns(ROWS)
    @action(detail=False)
    def inside(self, request):
        with transaction.atomic():
            serializer = self.get_serializer(self.queryset, many=True)
        return Response(serializer.data)

    @returns({"type": "object", "properties": {"made": {}}, "required": ["made"]}, "201")
    @action(detail=False, methods=["post"])
    def of_standard_library(self, request):
        query = """
SELECT 1"""
        return Response({"made": len(query)}, status=HTTPStatus.CREATED)

    # What is not plain leaves the description as it is.

    @returns(ONE)
    @action(detail=False)
    @enveloping
    def enveloped(self, request):
        return Response({"never": 1})

    @returns(ONE)
    @action(detail=False)
    @method_decorator(enveloping)
    def hidden(self, request):
        return Response({"never": 1})

    @returns(ONE)
    @action(detail=False)
    def of_project(self, request):
        return Envelope({"never": 1})

    @returns(ONE)
    @action(detail=False)
    def spread(self, request):
        options = {"status": 202}
        return Response({"never": 1}, **options)

    @returns(ONE)
    @action(detail=False)
    def shadowed(self, request, NameSerializer=GroupSerializer):
        return Response(NameSerializer(self.queryset, many=True).data)

    @returns(ONE)
    @action(detail=False)
    async def within(self, request):
        serializer = NameSerializer()
        serializer.is_valid()
        async with request.open() as serializer:
            return Response(serializer.data)

    @returns(ONE)
    @action(detail=False)
    def matched(self, request):
        serializer = NameSerializer()
        match request.data:
            case {"serializer": serializer}:
                pass
        return Response(serializer.data)

    @returns(ONE)
    @action(detail=False)
    def reduced(self, request):
        serializer = NameSerializer(self.queryset, many=True)
        serializer.child.fields.pop("name")
        serializer.fields.pop("name")
        return Response(serializer.data)

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


class Me(generics.ListAPIView):
    """Returns one object, though its class lists them."""

    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    pagination_class = Pages

    def get(self, request):
        return Response(self.get_serializer(self.queryset.first()).data)


class Bulk(generics.ListAPIView):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    pagination_class = None

    def get_serializer(self, *args, **kwargs):
        return super().get_serializer(*args, **{**kwargs, "many": True})

    def get(self, request):
        return Response(self.get_serializer(self.queryset).data)


class BulkPages(Bulk):
    pagination_class = Pages
    get = generics.ListAPIView.get


class Finished(generics.ListAPIView):
    """Changes all its responses."""

    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    pagination_class = None

    def get(self, request):
        return Response({"never": 1})

    def finalize_response(self, request, response, *args, **kwargs):
        return super().finalize_response(request, in_envelope(Response(response)), *args, **kwargs)


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
        path("me/", Me.as_view()),
        path("bulk/", Bulk.as_view()),
        path("bulk-pages/", BulkPages.as_view()),
        path("finished/", Finished.as_view()),
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


def test_a_handler_of_a_list_may_return_one_object(paths):
    assert success(paths["/me/"]["get"]) == ("200", ONE)
    assert success(paths["/bulk/"]["get"]) == ("200", ROWS)
    pages = {"$ref": "#/components/schemas/PagesPaginatedGroupList"}
    assert success(paths["/bulk-pages/"]["get"]) == ("200", pages)


class Partly(viewsets.GenericViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    @action(detail=False, methods=["put"])
    def batch(self, request):
        serializer = self.serializer_class(data=request.data, partial=True)
        return Response(data=serializer.is_valid())

    @action(detail=False, methods=["post"])
    def some(self, request):
        first = GroupSerializer(data=request.data, partial=True)
        return Response([first.is_valid(), GroupSerializer(data=request.data).is_valid()])

    @action(detail=False, methods=["post"])
    def perhaps(self, request):
        is_partial = bool(request.query_params)
        return Response(GroupSerializer(data=request.data, partial=is_partial).is_valid())

    @extend_schema(request=NameSerializer)
    @action(detail=False, methods=["post"])
    def said(self, request):
        return Response(GroupSerializer(data=request.data, partial=True).is_valid())


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_a_serializer_that_reads_partially_demands_nothing(version):
    router = SimpleRouter()
    router.register("groups", Partly)
    document = documented(*router.urls, version=version)
    paths, schemas = document["paths"], document["components"]["schemas"]
    body = paths["/groups/batch/"]["put"]["requestBody"]
    name = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert "required" not in body
    assert "required" not in schemas[name]
    for action_name in ("some", "perhaps"):
        body = paths[f"/groups/{action_name}/"]["post"]["requestBody"]
        whole = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert body["required"] is True
        assert schemas[whole]["required"] == ["name"]
    assert paths["/groups/said/"]["post"]["requestBody"]["required"] is True


def test_the_code_of_a_view_says_nothing_if_it_changes_responses(paths):
    assert success(paths["/finished/"]["get"]) == ("200", ROWS)


MODULE = """
from lintel.response import Response
from lintel.views import APIView


class First(APIView):
    def get(self, request):
        return Response({"first": 1})
"""


def test_a_file_that_has_changed_since_it_was_imported_says_nothing(tmp_path, monkeypatch):
    file = tmp_path / "changing_module.py"
    file.write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    view = import_module("changing_module").First()
    file.write_text(MODULE.replace("first", "other"))
    handler = Endpoint(Inspection(), "", "GET", view).handler
    assert written_by(Inspection(), view, handler) is None
    file.write_text(MODULE)
    source_of.cache_clear()
    assert written_by(Inspection(), view, handler).described["required"] == ["first"]
