"""The full description: directions, errors, security and values, in all versions but 3.0.2."""

from __future__ import annotations

import dataclasses
import json
import re
import typing
import warnings
from datetime import date
from enum import Enum
from pathlib import Path

import django_filters
import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import Group, User
from django.core.validators import RegexValidator
from django.db import models
from django.test import override_settings
from django.urls import path
from django_filters.rest_framework import DjangoFilterBackend
from openapi_spec_validator import validate

from lintel import (
    filters,
    generics,
    pagination,
    parsers,
    permissions,
    serializers,
    throttling,
    viewsets,
)
from lintel.authentication import BaseAuthentication, BasicAuthentication, TokenAuthentication
from lintel.decorators import action, api_view
from lintel.renderers import JSONRenderer, StaticHTMLRenderer
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas.inspection import Inspection, number_of
from lintel.schemas.openapi import AutoSchema, SchemaGenerator
from lintel.utils.encoders import JSONEncoder
from lintel.views import APIView

pytestmark = pytest.mark.filterwarnings("error")

VERSIONS = ["3.0.3", "3.1.0", "3.2.0"]


def documented(*patterns, version="3.1.0", **arguments):
    """The document of these URL patterns, which is valid, as a client reads it."""
    generator = SchemaGenerator(title="T", version="1", patterns=list(patterns), **arguments)
    generator.openapi_version = version
    text = json.dumps(generator.get_schema(public=True), cls=JSONEncoder)
    plain = json.loads(text)
    validate(plain)
    return plain


def view_of(serializer=None, base=generics.ListCreateAPIView, **members):
    name = members.pop("name", "Things")
    members.setdefault("queryset", Group.objects.all())
    if serializer is not None:
        members["serializer_class"] = serializer
    return type(name, (base,), members).as_view()


def described(serializer, version="3.1.0", **members):
    """The components of a view of a serializer."""
    return documented(path("things/", view_of(serializer, **members)), version=version)[
        "components"
    ]["schemas"]


def one(field, version="3.1.0", name="value"):
    """The description of one field, as clients receive it."""
    serializer = type("ThingSerializer", (serializers.Serializer,), {name: field})
    return described(serializer, version)["Thing"]["properties"][name]


def sent(field, version="3.1.0", name="value"):
    """The description of one field, as clients send it."""
    serializer = type("ThingSerializer", (serializers.Serializer,), {name: field})
    components = described(serializer, version)
    return components.get("ThingRequest", components["Thing"])["properties"][name]


# ---- directions ----


class PlainSerializer(serializers.Serializer):
    name = serializers.CharField()


class OwnedSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField()
    secret = serializers.CharField(write_only=True)


def references(document, operation):
    body = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    answer = next(iter(operation["responses"].values()))
    return body.split("/")[-1], answer["content"]["application/json"]["schema"]["$ref"].split("/")[
        -1
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_one_component_serves_both_directions_where_they_agree(version):
    alike = type("AlikeSerializer", (serializers.Serializer,), {"on": serializers.BooleanField()})
    document = documented(path("things/", view_of(alike)), version=version)
    assert references(document, document["paths"]["/things/"]["post"]) == ("Alike", "Alike")


@pytest.mark.parametrize("name", ["type", "format", "description", "properties"])
def test_a_component_is_found_behind_a_property_that_is_named_like_a_word(name):
    members = {name: PlainSerializer(), "__module__": __name__}
    schemas = described(type("OuterSerializer", (serializers.Serializer,), members))
    assert schemas["Outer"]["properties"][name] == {"$ref": "#/components/schemas/Plain"}
    assert "Plain" in schemas


@pytest.mark.parametrize("version", VERSIONS)
def test_a_component_is_split_where_directions_differ(version):
    class Nested(serializers.Serializer):
        inner = OwnedSerializer()

    view = view_of(Nested, generics.RetrieveUpdateAPIView)
    document = documented(path("things/<int:pk>/", view), version=version)
    item = document["paths"]["/things/{id}/"]
    assert references(document, item["put"]) == ("NestedRequest", "Nested")
    assert references(document, item["patch"]) == ("PatchedNestedRequest", "Nested")
    schemas = document["components"]["schemas"]
    assert set(schemas["Owned"]["properties"]) == {"id", "name"}
    assert set(schemas["OwnedRequest"]["properties"]) == {"name", "secret"}
    assert schemas["OwnedRequest"]["required"] == ["name", "secret"]
    assert "required" not in schemas["PatchedOwnedRequest"]
    inner = schemas["PatchedNestedRequest"]["properties"]["inner"]
    assert inner == {"$ref": "#/components/schemas/PatchedOwnedRequest"}


def test_the_description_follows_the_setting():
    patterns = [path("things/", view_of(PlainSerializer))]
    for version, found in (("3.0.2", "3.0.2"), ("3.1", "3.1.0"), ("3.2", "3.2.0")):
        with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": version}):
            document = SchemaGenerator(patterns=patterns).get_schema(public=True)
        assert document["openapi"] == found
        assert ("security" in document["paths"]["/things/"]["get"]) == (version != "3.0.2")


def test_a_serializer_may_contain_itself():
    class TreeSerializer(serializers.Serializer):
        name = serializers.CharField()

        def get_fields(self):
            fields = super().get_fields()
            fields["children"] = TreeSerializer(many=True)
            return fields

    children = described(TreeSerializer)["Tree"]["properties"]["children"]
    assert children == {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}


# ---- values ----


def test_null_is_a_type_since_3_1():
    field = serializers.IntegerField(allow_null=True)
    assert one(field)["type"] == ["integer", "null"]
    assert one(field, "3.0.3") == {"type": "integer", "nullable": True}


def test_a_reference_may_be_null():
    field = OwnedSerializer(allow_null=True)
    reference = {"$ref": "#/components/schemas/Owned"}
    assert one(field) == {"anyOf": [reference, {"type": "null"}]}
    assert one(field, "3.0.3") == {"allOf": [reference], "nullable": True}


def test_big_integers_are_described_as_they_travel():
    assert one(serializers.BigIntegerField(coerce_to_string=True))["type"] == "string"
    assert one(serializers.BigIntegerField())["type"] == "integer"


def test_files_are_sent_in_forms_and_received_as_addresses():
    class UploadSerializer(serializers.Serializer):
        file = serializers.FileField()

    document = documented(path("things/", view_of(UploadSerializer)))
    post = document["paths"]["/things/"]["post"]
    assert list(post["requestBody"]["content"]) == ["multipart/form-data"]
    schemas = document["components"]["schemas"]
    assert schemas["UploadRequest"]["properties"]["file"]["format"] == "binary"
    assert schemas["Upload"]["properties"]["file"] == {"type": "string", "format": "uri"}


def test_defaults_of_what_is_only_sent_are_not_shown():
    class SecretSerializer(serializers.Serializer):
        key = serializers.CharField(write_only=True, default="hunter2")
        size = serializers.IntegerField(default=3)

    assert "hunter2" not in json.dumps(described(SecretSerializer))
    assert described(SecretSerializer)["Secret"]["properties"]["size"]["default"] == 3


def test_json_is_any_value_and_unknown_fields_are_not_constrained():
    assert one(serializers.JSONField()) == {}
    assert one(serializers.ReadOnlyField()) == {"readOnly": True}


# ---- method fields ----


class Hue(Enum):
    RED = "red"
    BLUE = "blue"


class Point(typing.TypedDict):
    x: int
    y: typing.NotRequired[float]


@dataclasses.dataclass
class Size:
    width: int
    unit: str | None


@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        (int, {"type": "integer"}),
        (str | None, {"type": ["string", "null"]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (typing.Any, {}),
        (typing.Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Hue, {"$ref": "#/components/schemas/HueEnum"}),
        (Point, {"$ref": "#/components/schemas/Point"}),
        (Size, {"$ref": "#/components/schemas/Size"}),
        (PlainSerializer, {"$ref": "#/components/schemas/Plain"}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    ],
)
def test_method_fields_are_described_by_their_annotation(annotation, found):
    def get_value(self, obj):
        return None

    get_value.__annotations__["return"] = annotation
    members = {"value": serializers.SerializerMethodField(), "get_value": get_value}
    schemas = described(type("ThingSerializer", (serializers.Serializer,), members))
    value = schemas["Thing"]["properties"]["value"]
    assert value == {**found, "readOnly": True}
    if annotation is Point:
        assert schemas["Point"]["required"] == ["x"]
    if annotation is Size:
        assert schemas["Size"]["properties"]["unit"] == {"type": ["string", "null"]}


def test_a_method_without_annotation_is_warned_of_with_its_place():
    class ThingSerializer(serializers.Serializer):
        value = serializers.SerializerMethodField()

        def get_value(self, obj):
            return 1

    with pytest.warns(UserWarning, match="Things: .*ThingSerializer: value: nothing is known.*py:"):
        schemas = described(ThingSerializer)
    assert schemas["Thing"]["properties"]["value"] == {"readOnly": True}


def test_an_annotation_that_cannot_be_read_is_warned_of():
    class ThingSerializer(serializers.Serializer):
        value = serializers.SerializerMethodField()

        def get_value(self, obj) -> Missing:  # noqa: F821
            return 1

    with pytest.warns(UserWarning, match="the annotation of its method cannot be read"):
        schemas = described(ThingSerializer)
    assert schemas["Thing"]["properties"]["value"] == {"readOnly": True}


# ---- choices ----


class Status(models.TextChoices):
    DRAFT = "draft"
    LIVE = "live"


class Phase(models.TextChoices):
    DRAFT = "draft"
    LIVE = "live"


class ArticleSerializer(serializers.Serializer):
    status = serializers.ChoiceField(choices=Status.choices, default=Status.DRAFT)
    phase = serializers.ChoiceField(choices=Phase.choices, default=Phase.LIVE)
    kind = serializers.ChoiceField(choices=["a", "b"], allow_blank=True)


class PageSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(choices=["a", "b"], allow_null=True)


def test_choices_are_named_after_their_class_then_after_their_field():
    schemas = described(ArticleSerializer)
    properties = schemas["Article"]["properties"]
    assert properties["status"]["$ref"].endswith("/StatusEnum")
    assert properties["phase"]["$ref"].endswith("/PhaseEnum")
    assert properties["status"]["default"] == "draft"
    kind = [{"$ref": "#/components/schemas/ArticleKindEnum"}, {"enum": [""]}]
    assert properties["kind"]["oneOf"] == kind
    assert schemas["StatusEnum"] == {"type": "string", "enum": ["draft", "live"]}


def test_a_new_endpoint_renames_no_choices():
    first = path("articles/", view_of(ArticleSerializer, name="Articles"))
    second = path("pages/", view_of(PageSerializer, name="Pages", queryset=User.objects.all()))
    alone = documented(first)["components"]["schemas"]
    together = documented(second, first)["components"]["schemas"]
    assert alone.items() <= together.items()
    assert {"ArticleKindEnum", "PageKindEnum"} <= set(together)


# ---- errors and security ----


class Keys(BaseAuthentication):
    def get_openapi_security_scheme(self):
        return {"type": "apiKey", "in": "header", "name": "X-Key"}


class Guessed(BaseAuthentication):
    def authenticate_header(self, request):
        return 'Bearer realm="api"'


def statuses(view, method="get", where="things/"):
    document = documented(path(where, view))
    item = next(iter(document["paths"].values()))
    return set(item[method]["responses"])


OPEN = {"authentication_classes": [], "permission_classes": []}


class Pages(pagination.PageNumberPagination):
    page_size = 20


def test_only_errors_that_can_occur_are_described():
    assert statuses(view_of(PlainSerializer, **OPEN)) == {"200", "406"}
    assert statuses(view_of(PlainSerializer, **OPEN), "post") == {"201", "400", "406", "415"}
    closed = {"authentication_classes": [BasicAuthentication]}
    known = view_of(PlainSerializer, **closed, permission_classes=[permissions.IsAuthenticated])
    assert statuses(known) == {"200", "401", "406"}
    admin = view_of(PlainSerializer, **closed, permission_classes=[permissions.IsAdminUser])
    assert statuses(admin) == {"200", "401", "403", "406"}
    paged = view_of(PlainSerializer, **OPEN, pagination_class=Pages)
    assert statuses(paged) == {"200", "404", "406"}
    slow = view_of(PlainSerializer, **OPEN, throttle_classes=[throttling.AnonRateThrottle])
    assert statuses(slow) == {"200", "406", "429"}


def test_errors_are_shared_and_name_their_headers():
    view = view_of(
        PlainSerializer,
        authentication_classes=[BasicAuthentication],
        throttle_classes=[throttling.AnonRateThrottle],
    )
    document = documented(path("things/", view))
    get = document["paths"]["/things/"]["get"]
    assert get["responses"]["401"] == {"$ref": "#/components/responses/Unauthorized"}
    shared = document["components"]["responses"]
    assert list(shared["Unauthorized"]["headers"]) == ["WWW-Authenticate"]
    assert list(shared["TooManyRequests"]["headers"]) == ["Retry-After"]


@pytest.mark.parametrize(
    ("error_format", "found"),
    [
        ("drf", {"application/json"}),
        ("problem", {"application/problem+json"}),
        ("both", {"application/json", "application/problem+json"}),
    ],
)
def test_errors_have_the_format_of_the_setting(error_format, found):
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": error_format}):
        document = documented(path("things/", view_of(PlainSerializer)))
    assert set(document["components"]["responses"]["BadRequest"]["content"]) == found


def test_a_serializer_named_like_an_error_gets_another_name():
    class ErrorSerializer(serializers.Serializer):
        code = serializers.IntegerField()

    with pytest.warns(UserWarning, match="shares its name with another one"):
        schemas = described(ErrorSerializer)
    assert [name for name in schemas if "code" in schemas[name].get("properties", ())] == [
        "TestSchemasFullError"
    ]


def test_security_schemes_come_from_the_authentication_classes():
    members = {"authentication_classes": [TokenAuthentication, Keys, Guessed, BasicAuthentication]}
    document = documented(path("things/", view_of(PlainSerializer, **members)))
    schemes = document["components"]["securitySchemes"]
    assert schemes["basicAuth"] == {"type": "http", "scheme": "basic"}
    assert schemes["bearerAuth"] == {"type": "http", "scheme": "bearer"}
    assert schemes["keysAuth"]["name"] == "X-Key"
    assert schemes["tokenAuth"]["in"] == "header"
    ways = document["paths"]["/things/"]["get"]["security"]
    assert ways == [{"tokenAuth": []}, {"keysAuth": []}, {"bearerAuth": []}, {"basicAuth": []}, {}]


def test_an_authentication_class_that_says_nothing_is_warned_of():
    class Silent(BaseAuthentication):
        pass

    with pytest.warns(UserWarning, match="Silent: nothing is known about its authentication"):
        documented(path("things/", view_of(PlainSerializer, authentication_classes=[Silent])))


# ---- operations ----


class SnippetSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title"]


class Cursor(pagination.CursorPagination):
    page_size = 20


class Snippets(viewsets.ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    pagination_class = Cursor
    renderer_classes = [JSONRenderer]

    @action(detail=True, methods=["get", "post"], renderer_classes=[StaticHTMLRenderer])
    def page(self, request, pk):
        return Response("")


def snippets(version="3.1.0"):
    router = SimpleRouter()
    router.register("snippets", Snippets)
    return documented(*router.urls, version=version)


class Sized(pagination.PageNumberPagination):
    page_size_query_param = "size"


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


# ---- what fails ----


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


def test_a_view_that_says_nothing_is_warned_of():
    class Plain(APIView):
        parser_classes = [parsers.JSONParser]

        def post(self, request):
            return Response()

    with pytest.warns(UserWarning, match="nothing is known about the response of POST /plain/"):
        documented(path("plain/", Plain.as_view()))


def test_ordinary_views_cause_no_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        snippets()
        described(ArticleSerializer)
    assert not caught


# ---- what goes away ----


def test_deprecated_views_are_deprecated_operations():
    view = view_of(PlainSerializer, deprecated=date(2026, 1, 1), sunset=date(2027, 1, 1))
    get = documented(path("things/", view))["paths"]["/things/"]["get"]
    assert get["deprecated"] is True
    assert get["x-sunset"] == "2027-01-01T00:00:00+00:00"
    assert set(get["responses"]["200"]["headers"]) == {"Deprecation", "Sunset"}


def test_permissions_that_a_view_chooses_are_asked_for():
    class Chosen(generics.ListAPIView):
        queryset = Group.objects.all()
        serializer_class = PlainSerializer
        authentication_classes = [BasicAuthentication]

        def get_permissions(self):
            return [permissions.IsAdminUser()]

    assert statuses(Chosen.as_view()) == {"200", "401", "403", "406"}


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
    assert set(documented(path("search/", Search.as_view()))["paths"]["/search/"]) == {"get"}


def test_warnings_name_the_place_of_a_function_view():
    @api_view(["GET"])
    def about(request):
        return Response()

    with pytest.warns(UserWarning, match=rf"about: nothing is known.*{Path(__file__).name}:\d+"):
        documented(path("about/", about))


def test_many_operations_share_few_errors():
    policies = [permissions.AllowAny, permissions.IsAuthenticated, permissions.IsAdminUser]
    router = SimpleRouter()
    for number in range(90):
        members = {
            "queryset": Group.objects.all(),
            "serializer_class": PlainSerializer,
            "permission_classes": [policies[number % 3]],
            "throttle_classes": [throttling.AnonRateThrottle] if number % 2 else [],
            "schema": AutoSchema(operation_id_base=f"Thing{number}"),
        }
        viewset = type(f"Thing{number}ViewSet", (viewsets.ModelViewSet,), members)
        router.register(f"things-{number}", viewset, basename=f"thing{number}")
    document = documented(*router.urls)
    assert sum(map(len, document["paths"].values())) == 540
    assert len(document["components"]["responses"]) < 40


# ---- values that rows have and schemas forbade ----


class Branch(typing.TypedDict):
    name: str
    branches: list[Branch]


@dataclasses.dataclass
class Leaf:
    colour: str
    parent: Leaf | None = None


class TreeSerializer(serializers.Serializer):
    branch = serializers.SerializerMethodField()
    leaf = serializers.SerializerMethodField()

    def get_branch(self, value) -> Branch: ...

    def get_leaf(self, value) -> Leaf: ...


def test_annotated_types_may_contain_themselves():
    components = described(TreeSerializer)
    assert components["Branch"]["properties"]["branches"]["items"] == {
        "$ref": "#/components/schemas/Branch"
    }
    parent = components["Leaf"]["properties"]["parent"]
    assert parent == {"anyOf": [{"$ref": "#/components/schemas/Leaf"}, {"type": "null"}]}


class Error(typing.TypedDict):
    reason: str


class FailedSerializer(serializers.Serializer):
    error = serializers.SerializerMethodField()

    def get_error(self, value) -> Error: ...


def test_a_type_that_is_called_like_an_error_gets_another_name():
    components = described(FailedSerializer)
    found = components["Failed"]["properties"]["error"]
    assert found == {"$ref": "#/components/schemas/Error2", "readOnly": True}
    assert list(components["Error2"]["properties"]) == ["reason"]
    assert "detail" in components["Error"]["properties"]


@pytest.mark.parametrize("version", VERSIONS)
def test_choices_without_a_choice_demand_nothing(version):
    assert one(serializers.ChoiceField(choices=[]), version) == {}


@pytest.mark.parametrize("version", VERSIONS)
def test_serializers_made_by_depth_stand_where_they_are_used(version):
    class DeepSerializer(serializers.ModelSerializer):
        class Meta:
            model = Snippet
            fields = ("owner",)
            depth = 2

    components = described(DeepSerializer, version, queryset=Snippet.objects.all())
    owner = components["Deep"]["properties"]["owner"]
    assert "username" in owner["properties"]
    assert not [name for name in components if "Nested" in name]


def test_the_empty_text_is_held_to_no_format():
    field = serializers.URLField(allow_blank=True, max_length=9, default="")
    assert sent(field) == {
        "anyOf": [
            {"type": "string", "format": "uri", "maxLength": 9},
            {"type": "string", "maxLength": 0},
        ],
        "default": "",
    }
    assert one(field) == {"type": "string", "default": ""}


class UserMailSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ("email", "last_login")
        read_only_fields = ("email",)
        extra_kwargs: typing.ClassVar = {"last_login": {"allow_null": False}}


def test_a_field_that_reads_has_the_blanks_and_nulls_of_its_column():
    components = described(UserMailSerializer, queryset=User.objects.all())
    found = components["UserMail"]["properties"]
    assert found["email"] == {"type": "string", "readOnly": True}
    assert found["last_login"]["type"] == ["string", "null"]
    sent = components["UserMailRequest"]["properties"]
    assert sent["last_login"]["type"] == "string"


def test_null_inside_a_list_is_described():
    field = serializers.ListField(child=serializers.CharField(allow_null=True))
    assert one(field)["items"]["type"] == ["string", "null"]


def test_patterns_that_say_something_else_to_readers_are_left_out():
    text = serializers.CharField
    assert sent(text(validators=[RegexValidator("[a-z]")]))["pattern"] == "[a-z]"
    without_case = RegexValidator("[a-z]", flags=re.IGNORECASE)
    assert "pattern" not in sent(text(validators=[without_case]))
    refused = sent(text(validators=[RegexValidator("[a-z]", inverse_match=True)]))
    assert refused["not"] == {"pattern": "[a-z]"}
    assert "pattern" not in refused


def test_an_unknown_format_is_a_404_where_formats_can_be_chosen():
    chosen = view_of(PlainSerializer, renderer_classes=[JSONRenderer, StaticHTMLRenderer])
    responses = documented(path("things/", chosen))["paths"]["/things/"]["get"]["responses"]
    assert "404" in responses


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


class GrößeSerializer(serializers.Serializer):
    größe = serializers.ChoiceField(choices=[("a", "A")])


@pytest.mark.parametrize("version", VERSIONS)
def test_components_have_names_that_documents_allow(version):
    class Pets(serializers.UnionSerializer):
        discriminator = "kind"
        serializers = {"a/b": PlainSerializer, "ü": OwnedSerializer}

    assert "GroeGroeEnum" in described(GrößeSerializer, version)
    assert {"Pets", "PetsAb", "PetsU"} <= set(described(Pets, version))


@pytest.mark.parametrize("version", VERSIONS)
def test_what_json_has_no_words_for_is_left_out(version):
    number = serializers.FloatField(
        max_value=float("inf"), min_value=float("-inf"), default=float("nan")
    )
    assert sent(number, version) == {"type": "number"}
    anything = serializers.JSONField(default=object())
    assert one(anything, version) == {}
    assert sent(serializers.FloatField(max_value=2.5, default=1.5), version) == {
        "type": "number",
        "maximum": 2.5,
        "default": 1.5,
    }


def test_a_scheme_has_a_name_that_documents_allow():
    class Plus(BaseAuthentication):
        def authenticate_header(self, request):
            return 'Key+é realm="x"'

    view = view_of(PlainSerializer, authentication_classes=[Plus])
    schemes = documented(path("things/", view))["components"]["securitySchemes"]
    assert list(schemes) == ["keyeAuth"]


class Windows(pagination.LimitOffsetPagination):
    """Pages of another form."""


def paged(paginator, **members):
    return view_of(FlatSerializer, pagination_class=paginator, **members)


class FlatSerializer(serializers.Serializer):
    name = serializers.CharField()


def test_another_paginator_over_the_same_items_renames_no_component():
    standard, other = pagination.PageNumberPagination, Windows
    settings = {
        "DEFAULT_PAGINATION_CLASS": "lintel.pagination.PageNumberPagination",
        "PAGE_SIZE": 20,
    }
    with override_settings(REST_FRAMEWORK=settings):
        last = path("b/", paged(standard, name="Things"))
        before = documented(last)["components"]["schemas"]
        first = path("a/", paged(other, name="Others", queryset=User.objects.all()))
        after = documented(first, last)["components"]["schemas"]
    assert before["PaginatedFlatList"] == after["PaginatedFlatList"]
    assert after.keys() - before.keys() == {"WindowsPaginatedFlatList"}


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


def test_words_of_versions_are_chosen_by_number():
    assert documented(path("a/", view_of(FlatSerializer)), version="3.1.0")
    later = Inspection(version="3.10.0")
    assert later.is_full
    assert number_of(later.version) > (3, 2)
    assert not Inspection(version="own").is_full
    assert not Inspection(version="3.0.2").is_full


class Counting(throttling.AnonRateThrottle):
    rate = "5/min"

    def get_schema_response_headers(self, view):
        return {"X-Left": {"description": "Requests left.", "schema": {"type": "integer"}}}


class Linked(pagination.PageNumberPagination):
    def get_schema_response_headers(self, view):
        return {"Link": {"schema": {"type": "string"}}}


def test_policies_tell_of_the_headers_that_they_send():
    view = view_of(FlatSerializer, throttle_classes=[Counting], pagination_class=Linked)
    item = documented(path("a/", view))["paths"]["/a/"]
    assert item["get"]["responses"]["200"]["headers"].keys() == {"X-Left", "Link"}
    assert item["post"]["responses"]["201"]["headers"].keys() == {"X-Left"}
    assert item["get"]["responses"]["200"]["headers"]["Link"] == {"schema": {"type": "string"}}


def test_headers_that_cannot_be_told_leave_the_rest():
    class Failing(Counting):
        def get_schema_response_headers(self, view):
            return view.request.tenant

    with pytest.warns(UserWarning, match=r"Failing: get_schema_response_headers\(\) failed"):
        item = documented(path("a/", view_of(FlatSerializer, throttle_classes=[Failing])))["paths"]
    assert item["/a/"]["get"]["responses"]["200"]["content"]


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


def test_a_column_without_values_makes_no_request_accept_null():
    class NamedOnce(models.Model):
        name = models.CharField(max_length=5, null=True)

        class Meta:
            app_label = "contract_project"

    class NamedSerializer(serializers.ModelSerializer):
        name = serializers.CharField()

        class Meta:
            model = NamedOnce
            fields = ["name"]

    found = described(NamedSerializer)
    assert found["Named"]["properties"]["name"]["type"] == ["string", "null"]
    assert found["NamedRequest"]["properties"]["name"]["type"] == "string"
