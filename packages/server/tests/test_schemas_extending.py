"""Extending operations, serializers and fields with decorators named as in drf-spectacular."""

from __future__ import annotations

import json
import uuid

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import Group
from django.urls import path
from openapi_spec_validator import validate

from lintel import generics, pagination, serializers, viewsets
from lintel.decorators import action, api_view
from lintel.filters import BaseFilterBackend, SearchFilter
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import (
    OpenApiCallback,
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    OpenApiTypes,
    PolymorphicProxySerializer,
    SchemaGenerator,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
    extend_schema_view,
    inline_serializer,
)
from lintel.schemas.openapi import AutoSchema
from lintel.utils.encoders import JSONEncoder
from lintel.views import APIView

pytestmark = pytest.mark.filterwarnings("error")


class ItemSerializer(serializers.Serializer):
    name = serializers.CharField()


class FaultSerializer(serializers.Serializer):
    reason = serializers.CharField()


def documented(*patterns, version="3.1.0"):
    generator = SchemaGenerator(title="T", version="1", patterns=list(patterns))
    generator.openapi_version = version
    document = json.loads(json.dumps(generator.get_schema(public=True), cls=JSONEncoder))
    validate(document)
    return document


def operation(view, method="get", version="3.1.0"):
    return documented(path("items/", view), version=version)["paths"]["/items/"][method]


class LimitOffset(pagination.LimitOffsetPagination):
    default_limit = 20


class Items(generics.ListCreateAPIView):
    queryset = Group.objects.all()
    serializer_class = ItemSerializer
    pagination_class = LimitOffset


ITEM = {"$ref": "#/components/schemas/Item"}
FAULT = {"$ref": "#/components/schemas/Fault"}


def schema_at(operation, status):
    return operation["responses"][status]["content"]["application/json"]["schema"]


@pytest.mark.parametrize("version", ["3.0.2", "3.0.3", "3.1.0", "3.2.0"])
def test_names_and_texts_are_replaced_in_every_version(version):
    @extend_schema(
        operation_id="all_items",
        summary="All",
        description="All of them.",
        tags=["x"],
        deprecated=True,
        external_docs="https://example.com/",
        extensions={"x-own": 1},
        methods=["GET"],
    )
    class Extended(Items):
        pass

    found = operation(Extended.as_view(), version=version)
    assert found["operationId"] == "all_items"
    assert (found["summary"], found["description"]) == ("All", "All of them.")
    assert found["tags"] == ["x"]
    assert found["deprecated"] is True
    assert found["externalDocs"] == {"url": "https://example.com/"}
    assert found["x-own"] == 1
    assert operation(Extended.as_view(), "post", version)["operationId"] == "createGroup"


def test_responses_by_status():
    class Extended(Items):
        @extend_schema(
            request=FaultSerializer,
            responses={
                200: ItemSerializer(many=True),
                202: OpenApiResponse(FaultSerializer, description="Later."),
                204: None,
                (207, "text/csv"): str,
                409: FaultSerializer,
            },
        )
        def post(self, request):
            return Response()

    found = operation(Extended.as_view(), "post")
    assert found["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": f"{FAULT['$ref']}Request"
    }
    assert schema_at(found, "200") == {"type": "array", "items": ITEM}
    assert schema_at(found, "202") == FAULT
    assert found["responses"]["202"]["description"] == "Later."
    assert "content" not in found["responses"]["204"]
    assert found["responses"]["207"]["content"] == {"text/csv": {"schema": {"type": "string"}}}
    assert schema_at(found, "409") == FAULT
    assert "201" not in found["responses"]
    assert "415" in found["responses"]


def test_serializers_of_an_extension_are_components_of_version_3_0_2():
    class OtherSerializer(serializers.Serializer):
        number = serializers.IntegerField()

    class Extended(Items):
        @extend_schema(request=FaultSerializer, responses={200: OtherSerializer(many=True)})
        def post(self, request):
            return Response()

    document = documented(path("items/", Extended.as_view()), version="3.0.2")
    assert list(document["components"]["schemas"]) == ["Item", "Fault", "Other"]
    found = document["paths"]["/items/"]["post"]
    assert found["requestBody"]["content"]["application/json"]["schema"] == FAULT
    items = {"$ref": "#/components/schemas/Other"}
    assert schema_at(found, "200") == {"type": "array", "items": items}


def test_a_serializer_whose_name_is_taken_is_described_in_place_in_version_3_0_2():
    class Extended(Items):
        schema = AutoSchema(component_name="Thing")

        @extend_schema(responses={409: FaultSerializer})
        def post(self, request):
            return Response()

    document = documented(path("items/", Extended.as_view()), version="3.0.2")
    found = schema_at(document["paths"]["/items/"]["post"], "409")
    assert list(found["properties"]) == ["reason"]
    assert list(document["components"]["schemas"]["Thing"]["properties"]) == ["name"]


@pytest.mark.parametrize("version", ["3.0.2", "3.1.0"])
def test_the_tree_of_a_service_can_be_asked_for_alone(version):
    class Extended(Items):
        @extend_schema(responses={409: FaultSerializer})
        def post(self, request):
            return Response()

    generator = SchemaGenerator(patterns=[path("items/", Extended.as_view())])
    generator.openapi_version = version
    service = generator.get_service(public=True)
    responses = {each.status: each for each in service.operations[1].responses}
    assert responses["409"].content[0].schema == FAULT


@pytest.mark.parametrize("one", [ItemSerializer, ItemSerializer()])
def test_a_serializer_or_its_class_stands_for_the_items_of_a_list(one):
    class Groups(viewsets.ReadOnlyModelViewSet):
        queryset = Group.objects.all()
        serializer_class = FaultSerializer

        @extend_schema(responses={200: one})
        def list(self, request): ...

        @extend_schema(responses=one)
        def retrieve(self, request, pk): ...

    router = SimpleRouter()
    router.register("groups", Groups)
    found = documented(*router.urls)["paths"]
    assert schema_at(found["/groups/"]["get"], "200") == {"type": "array", "items": ITEM}
    assert schema_at(found["/groups/{id}/"]["get"], "200") == ITEM


@extend_schema_serializer(many=False)
class SummarySerializer(ItemSerializer):
    pass


@pytest.mark.parametrize(
    "one",
    [
        SummarySerializer,
        SummarySerializer(),
        PolymorphicProxySerializer("Summary", [ItemSerializer], None, many=False),
    ],
)
def test_a_serializer_may_say_that_a_list_answers_with_one_object(one):
    class Groups(viewsets.ReadOnlyModelViewSet):
        queryset = Group.objects.all()
        serializer_class = FaultSerializer

        @extend_schema(responses=one)
        def list(self, request): ...

    router = SimpleRouter()
    router.register("groups", Groups)
    found = documented(*router.urls)["paths"]["/groups/"]["get"]
    assert schema_at(found, "200") == {"$ref": "#/components/schemas/Summary"}


def test_a_serializer_class_stands_for_the_items_of_a_list():
    @extend_schema_view(get=extend_schema(responses=FaultSerializer))
    class Extended(Items):
        pass

    document = documented(path("items/", Extended.as_view()))
    found = document["paths"]["/items/"]["get"]
    assert schema_at(found, "200")["$ref"].endswith("/LimitOffsetPaginatedFaultList")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (OpenApiTypes.INT64, {"type": "integer", "format": "int64"}),
        (OpenApiTypes.ANY, {}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        ({"type": "object"}, {"type": "object"}),
        (serializers.BooleanField(), {"type": "boolean"}),
    ],
)
def test_values_that_are_no_serializers(given, found):
    @extend_schema(responses={200: given, 201: str})
    @api_view(["GET"])
    def view(request):
        return Response()

    if found == {}:
        with pytest.warns(UserWarning, match="nothing is known"):
            assert schema_at(operation(view), "200") == found
    else:
        assert schema_at(operation(view), "200") == found


def test_parameters_are_added_replaced_and_taken_away():
    @extend_schema(
        parameters=[
            OpenApiParameter("limit", int, description="Own.", required=True),
            OpenApiParameter("offset", exclude=True),
            OpenApiParameter("X-Trace", str, OpenApiParameter.HEADER, deprecated=True),
            OpenApiParameter("tag", OpenApiTypes.STR, enum=["a", "b"], many=True, explode=False),
            ItemSerializer,
        ],
        methods=["GET"],
    )
    class Extended(Items):
        pass

    found = {each["name"]: each for each in operation(Extended.as_view())["parameters"]}
    assert list(found) == ["limit", "X-Trace", "tag", "name"]
    assert found["limit"]["required"] is True
    assert found["X-Trace"]["in"] == "header"
    assert found["X-Trace"]["deprecated"] is True
    assert found["tag"]["schema"]["type"] == "array"
    assert found["tag"]["explode"] is False
    assert found["name"]["in"] == "query"


def test_examples_stand_in_the_bodies_they_are_for():
    @extend_schema(
        request=OpenApiRequest(ItemSerializer, examples=[OpenApiExample("Sent", {"name": "a"})]),
        examples=[
            OpenApiExample("Got it", {"name": "b"}, response_only=True),
            OpenApiExample("No", {"reason": "c"}, response_only=True, status_codes=["409"]),
        ],
        responses={201: ItemSerializer, 409: FaultSerializer},
    )
    @api_view(["POST"])
    def view(request):
        return Response()

    found = operation(view, "post")
    sent = found["requestBody"]["content"]["application/json"]["examples"]
    assert sent == {"Sent": {"value": {"name": "a"}, "summary": "Sent"}}
    answers = {
        status: list(found["responses"][status]["content"]["application/json"]["examples"])
        for status in ("201", "409")
    }
    assert answers == {"201": ["GotIt"], "409": ["No"]}


def test_operations_may_be_left_out_replaced_or_open():
    @extend_schema_view(
        get=extend_schema(exclude=True),
        post=extend_schema(
            operation={"operationId": "own", "responses": {"200": {"description": ""}}}
        ),
    )
    class Extended(Items):
        pass

    document = documented(path("items/", Extended.as_view()))
    assert set(document["paths"]["/items/"]) == {"post"}
    assert document["paths"]["/items/"]["post"] == {
        "operationId": "own",
        "responses": {"200": {"description": ""}},
    }
    assert operation(extend_schema(auth=[])(type("Free", (Items,), {})).as_view())["security"] == []


def test_inherited_actions_of_a_viewset_are_extended_on_their_class_alone():
    class Base(viewsets.ReadOnlyModelViewSet):
        queryset = Snippet.objects.all()
        serializer_class = ItemSerializer

        @extend_schema(summary="Copies", request=None, responses={204: None})
        @action(detail=True, methods=["post"])
        def copy(self, request, pk):
            return Response()

    @extend_schema_view(list=extend_schema(summary="Listed"))
    class Extended(Base):
        pass

    def summaries(viewset):
        router = SimpleRouter()
        router.register("items", viewset, basename="item")
        paths = documented(*router.urls)["paths"]
        return [
            operation.get("summary") for methods in paths.values() for operation in methods.values()
        ]

    assert summaries(Extended) == ["Listed", "Retrieve a snippet", "Copies"]
    assert summaries(Base) == ["List snippets", "Retrieve a snippet", "Copies"]
    with pytest.raises(TypeError, match="no method nothing"):
        extend_schema_view(nothing=extend_schema())(Base)


class Searched(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = ItemSerializer
    pagination_class = LimitOffset
    filter_backends = [SearchFilter]
    search_fields = ["name"]

    @extend_schema(responses=FaultSerializer(many=True))
    def list(self, request): ...

    @extend_schema(request=FaultSerializer)
    def retrieve(self, request, pk): ...

    @extend_schema(responses=None)
    def create(self, request): ...

    @extend_schema(responses=None)
    def destroy(self, request, pk): ...

    @extend_schema(responses=OpenApiResponse(FaultSerializer(many=True)))
    @action(detail=True)
    def faults(self, request, pk): ...

    @extend_schema(responses={200: FaultSerializer(many=True)}, filters=False)
    @action(detail=False, pagination_class=None)
    def every_fault(self, request): ...

    @extend_schema(responses=None, filters=True)
    @action(detail=False, methods=["post"])
    def mend(self, request): ...

    @extend_schema(request=OpenApiRequest(FaultSerializer), responses=FaultSerializer(many=True))
    @action(detail=False, methods=["delete"])
    def forget(self, request): ...

    @extend_schema(responses=FaultSerializer(allow_null=True))
    @action(detail=False)
    def last(self, request): ...


@pytest.fixture(scope="module")
def searched():
    router = SimpleRouter()
    router.register("items", Searched)
    return documented(*router.urls)["paths"]


def names(operation):
    return [each["name"] for each in operation["parameters"]]


FAULTS = {"$ref": "#/components/schemas/LimitOffsetPaginatedFaultList"}


@pytest.mark.parametrize("path", ["/items/", "/items/{id}/faults/"])
def test_many_objects_of_a_response_are_in_the_envelope_of_the_paginator(searched, path):
    found = searched[path]["get"]
    assert schema_at(found, "200") == FAULTS
    assert {"limit", "offset", "search"} <= set(names(found))


def test_a_list_without_a_paginator_or_filters_has_neither(searched):
    found = searched["/items/every_fault/"]["get"]
    assert schema_at(found, "200") == {"type": "array", "items": FAULT}
    assert names(found) == []


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_the_objects_of_a_list_serializer_may_be_plain_values(version):
    words = serializers.ListSerializer(child=serializers.CharField())

    class CountedSerializer(serializers.Serializer):
        numbers = serializers.ListSerializer(child=serializers.IntegerField())

    @extend_schema(responses={(200, "application/json"): words, 201: CountedSerializer})
    @api_view(["GET"])
    def complete(request):
        return Response()

    document = documented(path("items/", complete), version=version)
    said = schema_at(document["paths"]["/items/"]["get"], "200")
    assert said == {"type": "array", "items": {"type": "string"}}
    numbers = document["components"]["schemas"]["Counted"]["properties"]["numbers"]
    assert numbers == {"type": "array", "items": {"type": "integer"}}


def test_a_response_without_content_has_the_status_of_its_method(searched):
    def statuses(path, method):
        return {
            status: "content" in each
            for status, each in searched[path][method]["responses"].items()
            if status.startswith("2")
        }

    assert statuses("/items/", "post") == {"201": False}
    assert statuses("/items/{id}/", "delete") == {"204": False}
    assert statuses("/items/mend/", "post") == {"200": False}
    assert statuses("/items/forget/", "delete") == {"200": True}


def test_filters_are_listed_where_an_extension_asks_for_them(searched):
    assert names(searched["/items/mend/"]["post"]) == ["search"]


def test_only_an_explicit_request_is_the_body_of_a_get_or_delete(searched):
    assert "requestBody" not in searched["/items/{id}/"]["get"]
    content = searched["/items/forget/"]["delete"]["requestBody"]["content"]
    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/FaultRequest"}


def test_a_serializer_that_allows_null_is_nullable(searched):
    described = schema_at(searched["/items/last/"]["get"], "200")
    assert described == {"anyOf": [FAULT, {"type": "null"}]}


RAW = {"200": {"description": ""}}


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_callbacks_are_written_as_their_receiver_sees_them(version):
    class WatchSerializer(serializers.Serializer):
        number = serializers.IntegerField(read_only=True)
        secret = serializers.CharField(write_only=True)

    done = extend_schema(request=WatchSerializer, responses={204: None}, summary="Done")

    class Watch(Items):
        @extend_schema(
            callbacks=[
                OpenApiCallback("done", "{$request.body#/url}", done),
                OpenApiCallback("failed", "https://example.com", {"put": done}),
                OpenApiCallback("raw", "https://example.com", {"post": {"responses": RAW}}),
            ]
        )
        def post(self, request): ...

    document = documented(path("items/", Watch.as_view()), version=version)
    found = document["paths"]["/items/"]["post"]["callbacks"]
    sent = found["done"]["{$request.body#/url}"]["post"]
    assert sent["summary"] == "Done"
    content = sent["requestBody"]["content"]
    assert content == {"application/json": {"schema": {"$ref": "#/components/schemas/Watch"}}}
    assert sent["responses"] == {"204": {"description": ""}}
    assert "put" in found["failed"]["https://example.com"]
    assert found["raw"] == {"https://example.com": {"post": {"responses": RAW}}}
    assert list(document["components"]["schemas"]["Watch"]["properties"]) == ["number"]


@pytest.mark.parametrize("wrong", ["x", OpenApiCallback("x", "https://example.com", "nothing")])
def test_what_is_no_callback_is_named(wrong):
    class Extended(Items):
        @extend_schema(callbacks=[wrong])
        def post(self, request): ...

    with pytest.warns(UserWarning, match="is not an OpenApiCallback|does not describe a request"):
        documented(path("items/", Extended.as_view()))


class MewSerializer(serializers.Serializer):
    kind = serializers.SerializerMethodField()

    def get_kind(self, animal) -> str:
        return "cat"


class BarkSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(choices=["dog"])


@pytest.mark.parametrize("version", ["3.0.2", "3.0.3", "3.1.0"])
def test_a_polymorphic_proxy_is_one_of_its_serializers(version):
    class Animals(APIView):
        @extend_schema(
            responses={
                200: PolymorphicProxySerializer(
                    component_name="Animal",
                    serializers=[MewSerializer, BarkSerializer],
                    resource_type_field_name="kind",
                    many=True,
                ),
                201: PolymorphicProxySerializer("Named", lambda: {"c": MewSerializer}, "kind"),
                202: PolymorphicProxySerializer("Any", [MewSerializer, ItemSerializer], None),
            }
        )
        def get(self, request): ...

    document = documented(path("items/", Animals.as_view()), version=version)
    found, known = document["paths"]["/items/"]["get"], document["components"]["schemas"]
    animal = {"$ref": "#/components/schemas/Animal"}
    assert schema_at(found, "200") == {"type": "array", "items": animal}
    cat, dog = "#/components/schemas/Mew", "#/components/schemas/Bark"
    assert known["Animal"] == {
        "oneOf": [{"$ref": cat}, {"$ref": dog}],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": cat, "dog": dog}},
    }
    assert known["Named"]["discriminator"]["mapping"] == {"c": cat}
    assert known["Any"] == {"oneOf": [{"$ref": cat}, ITEM]}


def test_parameters_of_several_values_and_without_blanks():
    class Extended(Items):
        @extend_schema(
            parameters=[
                OpenApiParameter("a", int, many=True, enum=[1, 2], default=1),
                OpenApiParameter("b", int, many=True, default=[1]),
                OpenApiParameter("c", allow_blank=False),
            ]
        )
        def get(self, request): ...

    found = {each["name"]: each["schema"] for each in operation(Extended.as_view())["parameters"]}
    assert found["a"] == {
        "type": "array",
        "items": {"type": "integer", "enum": [1, 2], "default": 1},
    }
    assert found["b"] == {"type": "array", "items": {"type": "integer"}, "default": [1]}
    assert found["c"] == {"type": "string", "minLength": 1}


def test_a_parameter_may_be_a_header_of_responses():
    class Extended(Items):
        @extend_schema(
            parameters=[
                OpenApiParameter("X-Total", int, OpenApiParameter.HEADER, response=True),
                OpenApiParameter("X-Later", str, OpenApiParameter.HEADER, response=[202]),
            ],
            responses={200: FaultSerializer, 202: FaultSerializer},
        )
        def post(self, request):
            return Response()

    found = operation(Extended.as_view(), "post")
    assert not [each for each in found["parameters"] if each["name"].startswith("X-")]
    assert list(found["responses"]["200"]["headers"]) == ["X-Total"]
    assert list(found["responses"]["202"]["headers"]) == ["X-Total", "X-Later"]
    assert found["responses"]["200"]["headers"]["X-Total"]["schema"] == {"type": "integer"}
    assert "name" not in found["responses"]["200"]["headers"]["X-Total"]


def test_an_example_may_be_that_of_a_parameter_alone():
    class Extended(Items):
        @extend_schema(
            parameters=[OpenApiParameter("colour")],
            responses=FaultSerializer,
            examples=[OpenApiExample("Red", "red", parameter_only=("colour", "query"))],
        )
        def post(self, request):
            return Response()

    found = operation(Extended.as_view(), "post")
    colour = next(each for each in found["parameters"] if each["name"] == "colour")
    assert colour["examples"] == {"Red": {"value": "red", "summary": "Red"}}
    assert "examples" not in str(found["responses"]) + str(found["requestBody"])


def test_the_description_of_a_field_may_be_a_component():
    @extend_schema_field({"type": "string", "format": "colour"}, component_name="Colour")
    class ColourField(serializers.CharField):
        pass

    class PaintSerializer(serializers.Serializer):
        colour = ColourField()
        other = ColourField()

    view = type("Paints", (generics.RetrieveAPIView,), {"serializer_class": PaintSerializer})
    endpoint = path("items/", view.as_view(queryset=Group.objects.all()))
    schemas = documented(endpoint)["components"]["schemas"]
    assert schemas["Colour"] == {"type": "string", "format": "colour"}
    reference = {"$ref": "#/components/schemas/Colour"}
    assert schemas["Paint"]["properties"] == {"colour": reference, "other": reference}


def test_fields_and_serializers_say_more():
    @extend_schema_field({"type": "string", "format": "colour"})
    class ColourField(serializers.Field):
        def to_representation(self, value):
            return value

    @extend_schema_serializer(
        component_name="Thing", exclude_fields=["hidden"], deprecate_fields=["old"]
    )
    class RawSerializer(serializers.Serializer):
        colour = ColourField()
        hidden = serializers.CharField()
        old = serializers.CharField(required=False)
        made = serializers.SerializerMethodField()

        @extend_schema_field(OpenApiTypes.DATE)
        def get_made(self, obj):
            return None

    view = type("Things", (generics.RetrieveAPIView,), {"serializer_class": RawSerializer})
    document = documented(path("items/", view.as_view(queryset=Group.objects.all())))
    properties = document["components"]["schemas"]["Thing"]["properties"]
    assert properties == {
        "colour": {"type": "string", "format": "colour"},
        "old": {"type": "string", "deprecated": True},
        "made": {"type": "string", "format": "date", "readOnly": True},
    }


def test_a_serializer_may_answer_for_a_whole_list_and_have_examples():
    @extend_schema_serializer(
        many=False,
        examples=[OpenApiExample("One", {"total": 1}), OpenApiExample("None", request_only=True)],
        extensions={"x-own": 1},
    )
    class TotalSerializer(serializers.Serializer):
        total = serializers.IntegerField()

    view = type("Totals", (generics.ListAPIView,), {"serializer_class": TotalSerializer})
    document = documented(path("items/", view.as_view(queryset=Group.objects.all())))
    get = document["paths"]["/items/"]["get"]
    assert schema_at(get, "200") == {"$ref": "#/components/schemas/Total"}
    component = document["components"]["schemas"]["Total"]
    assert (component["examples"], component["x-own"]) == ([{"total": 1}], 1)


def test_a_serializer_may_be_made_on_the_spot():
    class Plain(APIView):
        @extend_schema(
            request=inline_serializer("Ask", {"question": serializers.CharField()}),
            responses=inline_serializer("Answer", {"answer": serializers.CharField()}),
        )
        def post(self, request):
            return Response()

    schemas = documented(path("items/", Plain.as_view()))["components"]["schemas"]
    assert {"AskRequest", "Answer"} <= set(schemas)


# ---- unions ----


class CatSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    lives = serializers.IntegerField()


class DogSerializer(serializers.Serializer):
    tricks = serializers.ListField(child=serializers.CharField())


class PetSerializer(serializers.UnionSerializer):
    discriminator = "kind"
    serializers = {"cat": CatSerializer, "dog": DogSerializer}


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_a_union_is_one_of_its_kinds(version):
    class Pets(generics.RetrieveUpdateAPIView):
        queryset = Group.objects.all()
        serializer_class = PetSerializer

    document = documented(path("pets/<int:pk>/", Pets.as_view()), version=version)
    schemas = document["components"]["schemas"]
    prefix = "#/components/schemas/"
    assert schemas["Pet"]["oneOf"] == [{"$ref": f"{prefix}PetCat"}, {"$ref": f"{prefix}PetDog"}]
    mapping = schemas["PetRequest"]["discriminator"]["mapping"]
    assert mapping == {"cat": f"{prefix}PetCatRequest", "dog": f"{prefix}PetDogRequest"}
    assert schemas["PetCat"]["properties"]["kind"] == {"type": "string", "enum": ["cat"]}
    assert schemas["PetCatRequest"]["required"] == ["kind", "lives"]
    assert "required" not in schemas["PatchedPetCatRequest"]
    assert "anyOf" in schemas["PatchedPetRequest"]


def test_responses_may_be_named_by_their_hundred():
    class Stocked(Items):
        @extend_schema(responses={200: int, "4XX": str})
        def get(self, request): ...

    found = operation(Stocked.as_view())
    assert schema_at(found, "4XX") == {"type": "string"}
    assert schema_at(found, "200") == {"type": "integer"}


def test_responses_by_what_is_no_status_are_warned_of():
    class Extended(Items):
        @extend_schema(responses={"nope": FaultSerializer, 200: ItemSerializer})
        def post(self, request):
            return Response()

        @extend_schema(responses={"nope": FaultSerializer})
        def put(self, request):
            return Response()

    with pytest.warns(UserWarning, match="@extend_schema") as caught:
        document = documented(path("items/", Extended.as_view()))
    texts = [str(each.message) for each in caught]
    assert any("'nope' is not a status of a response" in text for text in texts)
    assert any("has no statuses and is not a schema" in text for text in texts)
    found = document["paths"]["/items/"]["post"]["responses"]
    assert "nope" not in found
    assert "200" in found


@pytest.mark.parametrize("version", ["3.1.0", "3.2.0"])
def test_streams_are_described_by_their_items_since_version_3_2(version):
    class Lines(APIView):
        @extend_schema(responses={(200, "application/jsonl"): ItemSerializer(many=True)})
        def get(self, request):
            return Response([])

    generator = SchemaGenerator(title="T", version="1", patterns=[path("x/", Lines.as_view())])
    generator.openapi_version = version
    responses = generator.get_schema(public=True)["paths"]["/x/"]["get"]["responses"]
    found = responses["200"]["content"]["application/jsonl"]
    item = {"$ref": "#/components/schemas/Item"}
    whole = {"schema": {"type": "array", "items": item}}
    assert found == ({"itemSchema": item} if version == "3.2.0" else whole)


class IdFilter(BaseFilterBackend):
    def get_schema_operation_parameters(self, view):
        return [{"name": "id", "in": "query", "required": False, "schema": {"type": "integer"}}]


class Filtered(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = ItemSerializer
    filter_backends = [IdFilter]

    @extend_schema(filters=False, responses=ItemSerializer(many=True))
    @action(detail=True)
    def members(self, request, pk):
        return Response([])


def routed():
    router = SimpleRouter()
    router.register("filtered", Filtered)
    return router.urls


def places(operation):
    return [(each["name"], each["in"]) for each in operation["parameters"]]


def test_filters_are_those_of_lists_and_leave_parameters_of_paths_alone():
    paths = documented(*routed())["paths"]
    assert places(paths["/filtered/"]["get"]) == [("id", "query")]
    for method in ("get", "put", "patch", "delete"):
        assert places(paths["/filtered/{id}/"][method]) == [("id", "path")]
    assert places(paths["/filtered/{id}/members/"]["get"]) == [("id", "path")]


def test_the_form_of_the_contract_lists_filters_of_objects_too():
    generator = SchemaGenerator(title="T", patterns=routed())
    paths = generator.get_schema(public=True)["paths"]
    assert places(paths["/filtered/{id}/"]["delete"]) == [("id", "path"), ("id", "query")]
