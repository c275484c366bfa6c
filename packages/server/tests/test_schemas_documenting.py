"""The tree for documentation pages: complete, and with the keys of the native document."""

import datetime

from django.contrib.auth.models import Group
from django.urls import path
from jsonschema import Draft202012Validator

from lintel import permissions, serializers, viewsets
from lintel.decorators import action
from lintel.documentation.reference import codes_of, reference_of
from lintel.renderers.documentation import walk
from lintel.request import Request
from lintel.response import Response
from lintel.retirement import Deprecation
from lintel.routers import SimpleRouter
from lintel.schemas import OpenApiExample, OpenApiResponse, coreapi, extend_schema, openapi
from lintel.schemas.documenting import service_for_pages
from lintel.test import APIRequestFactory


class GroupSerializer(serializers.ModelSerializer):
    size = serializers.IntegerField(read_only=True, allow_null=True)

    class Meta:
        model = Group
        fields = ["id", "name", "size"]


class Groups(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    @extend_schema(
        request=None,
        responses={
            200: OpenApiResponse(
                GroupSerializer, examples=[OpenApiExample("One", value={"id": 1, "name": "x"})]
            )
        },
    )
    @action(detail=True, methods=["post"])
    def merge(self, request, pk):
        return Response()


class Old(viewsets.ReadOnlyModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    permission_classes = [permissions.IsAdminUser]
    deprecated = Deprecation(datetime.date(2026, 1, 1), sunset=datetime.date(2027, 1, 1))


def patterns():
    router = SimpleRouter()
    router.register("groups", Groups, basename="group")
    router.register("old", Old, basename="old")
    return router.urls


def shown(generator_class=coreapi.SchemaGenerator, request=None, public=True, **options):
    generator = generator_class(title="T", patterns=patterns(), **options)
    return service_for_pages(generator, request, public)


def one(service, method, address):
    (found,) = [
        each for each in service.operations if (each.method, each.path) == (method, address)
    ]
    return found


def places(**options):
    """Method and path of each operation, by its keys in the native document."""
    generator = coreapi.SchemaGenerator(title="T", **{"patterns": patterns(), **options})
    document = generator.get_schema(public=True)
    reference = reference_of(generator, None, True, document)
    assert reference.keys() == {keys for keys, _ in walk(document)}
    return {
        keys: (parts.operation.method, parts.operation.path) for keys, parts in reference.items()
    }


def test_each_operation_is_found_by_its_keys_in_the_native_document():
    found = places()
    assert found["groups", "merge"] == ("POST", "/groups/{id}/merge/")
    assert found["old", "list"] == ("GET", "/old/")


def test_both_formats_and_addresses_below_another_one_give_the_same_operations():
    assert shown(url="/api/") == shown(openapi.SchemaGenerator, url="/api/")
    assert places(url="/api/")["groups", "list"] == ("GET", "/api/groups/")


def test_two_operations_of_one_address_have_two_places():
    twice = [path("groups/", Groups.as_view({"get": "list"}))] * 2
    assert list(places(patterns=twice)) == [("groups", "list"), ("groups", "list_0")]


def test_schemas_are_those_of_json_schema_and_name_their_direction():
    service = shown()
    create = one(service, "POST", "/groups/")
    assert {each.media_type for each in create.body.content} >= {"application/json"}
    assert create.body.content[0].schema == {"$ref": "#/components/schemas/GroupRequest"}
    components = {each.name: each.schema for each in service.components}
    assert "id" not in components["GroupRequest"]["properties"]
    assert components["Group"]["properties"]["size"]["type"] == ["integer", "null"]
    for schema in components.values():
        Draft202012Validator.check_schema(schema)


def test_errors_are_written_out_with_the_codes_that_programs_read():
    create = one(shown(), "POST", "/groups/")
    responses = {each.status: each for each in create.responses}
    assert responses["400"].reference is None
    assert responses["400"].content[0].schema == {"$ref": "#/components/schemas/ValidationErrors"}
    assert {"parse_error", "invalid"} <= set(codes_of("400"))
    assert codes_of("201") == ()


def test_examples_security_and_the_end_of_an_operation_are_told():
    service = shown()
    merge = one(service, "POST", "/groups/{id}/merge/")
    (content, *_) = merge.responses[0].content
    assert content.extra["examples"]["One"]["value"] == {"id": 1, "name": "x"}
    old = one(service, "GET", "/old/")
    assert old.deprecated
    assert old.deprecation.sunset == datetime.date(2027, 1, 1)
    assert {} not in old.security
    assert {name for way in old.security for name in way} <= {
        each.name for each in service.security_schemes
    }


def test_a_caller_sees_what_it_may_call():
    request = Request(APIRequestFactory().get("/"))
    service = shown(request=request, public=False)
    assert {each.path.split("/")[1] for each in service.operations} == {"groups"}
