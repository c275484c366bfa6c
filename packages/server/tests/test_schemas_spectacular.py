"""Projects that speak drf-spectacular: with the package, without it, and with its schema class.

The same project is described in a process of its own for each: by the package's decorators with
its DEFAULT_SCHEMA_CLASS kept or removed, and by the modules that stand for the package.
"""

from typing import Any

import pytest
from openapi_spec_validator import validate
from other_processes import printed_by
from test_ecosystem_documents import generator

SETTINGS = """
from lintel import dropin

dropin.enable()
SECRET_KEY = "not secret: a test"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "drf_spectacular"
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
ROOT_URLCONF = "shop.urls"
USE_TZ = True
REST_FRAMEWORK = {
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "DEFAULT_FILTER_BACKENDS": ["rest_framework.filters.SearchFilter"],
    "OPENAPI_VERSION": "3.1",
    "PAGE_SIZE": 5,
    %s
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Shop",
    "VERSION": "7",
    "TOS": "https://example.com/terms",
    "CONTACT": {"name": "Ann"},
    "LICENSE": {"name": "MIT"},
    "SERVERS": [{"url": "https://api.example.com"}],
    "TAGS": [{"name": "groups", "description": "Who belongs together."}],
    "EXTENSIONS_INFO": {"x-logo": "a.png"},
    "EXTENSIONS_ROOT": {"x-root": 1},
    "APPEND_COMPONENTS": {"schemas": {"More": {"type": "integer"}}},
    "APPEND_PATHS": {"/more/": {"get": {"responses": {"200": {"description": "Yes"}}}}},
    "ENUM_NAME_OVERRIDES": {
        "ColourName": [("r", "Red"), ("g", "Green")],
        "ShapeName": "shop.urls.ShapeSerializer.Shape",
        "Missing": "shop.urls.ShapeSerializer.Nothing",
    },
    "WEBHOOKS": ["shop.urls.made"],
    "PREPROCESSING_HOOKS": ["shop.urls.without_secrets"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "shop.urls.with_a_mark",
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "CAMELIZE_NAMES": True,
    "DEFAULT_GENERATOR_CLASS": "shop.urls.Generator",
}
"""

URLS = """
from typing import Optional

from django.contrib.auth.models import Group
from django.db import models
from django.urls import include, path
from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiFilterExtension,
    OpenApiSerializerExtension,
    OpenApiSerializerFieldExtension,
    OpenApiViewExtension,
)
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiCallback,
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    OpenApiWebhook,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
    extend_schema_view,
    inline_serializer,
)
from rest_framework import generics, serializers, views, viewsets
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import action, api_view
from rest_framework.filters import BaseFilterBackend
from rest_framework.routers import SimpleRouter


class ItemSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    colour = serializers.ChoiceField(choices=[("r", "Red"), ("g", "Green")])


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


@extend_schema_field({"type": "string", "format": "hex"}, component_name="Hex")
class HexField(serializers.Field):
    pass


@extend_schema_serializer(
    component_name="Renamed",
    exclude_fields=["gone"],
    deprecate_fields=["old"],
    examples=[OpenApiExample("valid", value={"old": "x"})],
    extensions={"x-s": 1},
)
class FacetSerializer(serializers.Serializer):
    gone = serializers.CharField()
    old = serializers.CharField()
    hex = HexField()
    key = serializers.SerializerMethodField()
    items = serializers.SerializerMethodField()
    item = serializers.SerializerMethodField()
    link = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.UUID)
    def get_key(self, facet): ...

    @extend_schema_field(ItemSerializer(many=True))
    def get_items(self, facet): ...

    @extend_schema_field(ItemSerializer(allow_null=True))
    def get_item(self, facet): ...

    def get_link(self, facet) -> Optional[OpenApiTypes.URI]: ...


@extend_schema(tags=["groups"])
@extend_schema_view(
    list=extend_schema(summary="All of them"),
    destroy=extend_schema(exclude=True),
    update=[extend_schema(summary="Change"), extend_schema(tags=["changes"])],
    partial_update=extend_schema(summary="Change parts"),
)
class GroupViewSet(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    @extend_schema(responses=ItemSerializer(many=True))
    @action(detail=True)
    def items(self, request, pk): ...

    @extend_schema(
        request=OpenApiRequest(ItemSerializer),
        responses={
            200: OpenApiResponse(GroupSerializer, "Done"),
            (202, "text/csv"): OpenApiTypes.STR,
            204: None,
        },
        parameters=[
            OpenApiParameter("dry", OpenApiTypes.BOOL, description="Only try.", required=True),
            OpenApiParameter("X-Left", int, "header", response=[200]),
        ],
        examples=[OpenApiExample("one", value={"number": 1}, request_only=True)],
        operation_id="groups_order",
        description="Orders it.",
        external_docs="https://example.com/",
        extensions={"x-mark": 1},
        deprecated=True,
        auth=[{"basicAuth": []}],
        callbacks=[
            OpenApiCallback(
                "done",
                "{$request.body#/url}",
                extend_schema(request=ItemSerializer, responses={204: None}),
            )
        ],
    )
    @action(detail=False, methods=["post"])
    def order(self, request): ...

    @extend_schema(
        responses=PolymorphicProxySerializer("Either", [ItemSerializer, GroupSerializer], None),
        filters=True,
    )
    @action(detail=False)
    def either(self, request): ...


@extend_schema(methods=["GET"], responses=ItemSerializer, summary="Look")
@extend_schema(methods=["POST"], request=ItemSerializer, responses=None, operation_id="put_it")
@api_view(["GET", "POST"])
def item(request): ...


class Facets(generics.CreateAPIView):
    serializer_class = FacetSerializer


class Plain(views.APIView):
    @extend_schema(
        request=inline_serializer("Ask", {"q": serializers.CharField()}),
        responses={200: OpenApiTypes.BINARY},
    )
    def post(self, request): ...

    @extend_schema(operation={"operationId": "raw", "responses": {"200": {"description": "Raw"}}})
    def get(self, request): ...

    @extend_schema(versions=["9"], summary="Nine")
    def put(self, request): ...


class Own(AutoSchema):
    def get_tags(self):
        return ["own", *super().get_tags()]

    def get_operation(self, path, path_regex, path_prefix, method, registry):
        operation = super().get_operation(path, path_regex, path_prefix, method, registry)
        operation["x-own"] = path
        return operation

    def get_summary(self):
        raise LookupError("nothing")


class Owned(generics.RetrieveAPIView):
    schema = Own()
    serializer_class = GroupSerializer
    queryset = Group.objects.all()


class Foreign(views.APIView):
    def get(self, request): ...


class ForeignExtension(OpenApiViewExtension):
    target_class = "shop.urls.Foreign"

    def view_replacement(self):
        class Fixed(self.target_class):
            @extend_schema(responses=GroupSerializer, summary="Replaced")
            def get(self, request): ...

        return Fixed


class KeyAuthentication(BaseAuthentication):
    pass


class KeyExtension(OpenApiAuthenticationExtension):
    target_class = KeyAuthentication
    name = "key"

    def get_security_definition(self, auto_schema):
        return {"type": "apiKey", "in": "header", "name": "X-Key"}


class Near(BaseFilterBackend):
    pass


class NearExtension(OpenApiFilterExtension):
    target_class = Near

    def get_schema_operation_parameters(self, auto_schema, *args, **kwargs):
        schema = {"type": "number"}
        return [{"name": "near", "in": "query", "required": False, "schema": schema}]


class Money(serializers.Field):
    pass


class Euro(Money):
    pass


class MoneyExtension(OpenApiSerializerFieldExtension):
    target_class = Money
    match_subclasses = True

    def map_serializer_field(self, auto_schema, direction):
        return {"type": "string", "format": "money"}

    def get_name(self):
        return "Money"


class PriceSerializer(serializers.Serializer):
    euros = Euro()


class PriceExtension(OpenApiSerializerExtension):
    target_class = PriceSerializer

    def get_name(self):
        return "Cost"

    def map_serializer(self, auto_schema, direction):
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        schema["properties"]["item"] = auto_schema.resolve_serializer(ItemSerializer, direction).ref
        return schema


class Broken(serializers.Field):
    pass


class BrokenExtension(OpenApiSerializerFieldExtension):
    target_class = Broken

    def map_serializer_field(self, auto_schema, direction):
        raise LookupError("broken")


class BrokenSerializer(serializers.Serializer):
    broken = Broken()


class Prices(generics.ListAPIView):
    queryset = Group.objects.all()
    serializer_class = PriceSerializer
    filter_backends = [Near]
    authentication_classes = [KeyAuthentication]


class Breaking(generics.CreateAPIView):
    serializer_class = BrokenSerializer


class ShapeSerializer(serializers.Serializer):
    class Shape(models.TextChoices):
        ROUND = "o"

    one = serializers.ChoiceField(choices=Shape.choices)


class Shapes(generics.CreateAPIView):
    serializer_class = ShapeSerializer


class Secret(views.APIView):
    def get(self, request): ...


made = OpenApiWebhook("made", extend_schema(request=ItemSerializer, responses={200: None}))


def without_secrets(endpoints):
    return [each for each in endpoints if "secret" not in each[0]]


def with_a_mark(result, generator, request, public):
    result["components"]["schemas"]["Emptied"] = {"type": "object", "required": []}
    return {**result, "x-marked": public}


router = SimpleRouter()
router.register("groups", GroupViewSet)
urlpatterns = [
    path("", include(router.urls)),
    path("item/", item),
    path("facets/", Facets.as_view()),
    path("plain/", Plain.as_view()),
    path("owned/<int:pk>/", Owned.as_view()),
    path("foreign/", Foreign.as_view()),
    path("prices/", Prices.as_view()),
    path("breaking/", Breaking.as_view()),
    path("shapes/", Shapes.as_view()),
    path("secret/", Secret.as_view()),
]
"""

SCRIPT = """
import json, warnings

import django

django.setup()

from lintel.schemas import SchemaGenerator
from lintel.utils.encoders import JSONEncoder

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    document = SchemaGenerator().get_schema(public=True)
found = {"document": document, "warnings": [str(each.message) for each in caught]}
print("found:" + json.dumps(found, cls=JSONEncoder))
"""

KEPT = '"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",'


@pytest.fixture(scope="module", params=["installed", "class kept", "absent", "absent, class kept"])
def found(request):
    settings = SETTINGS % (KEPT if "kept" in request.param else "")
    path = [] if "absent" in request.param else generator()
    return printed_by("shop", {"set": settings, "urls": URLS}, SCRIPT, path)


@pytest.fixture
def paths(found):
    return found["document"]["paths"]


@pytest.fixture
def components(found):
    return found["document"]["components"]["schemas"]


def reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def body(operation: Any, status: str = "") -> Any:
    part = operation["responses"][status] if status else operation["requestBody"]
    return part["content"]["application/json"]["schema"]


def names(operation: Any) -> list[str]:
    return [each["name"] for each in operation["parameters"]]


def test_the_document_is_valid(found):
    validate(found["document"])


def test_decorators_of_a_class_reach_its_operations(paths):
    assert paths["/groups/"]["get"]["summary"] == "All of them"
    assert paths["/groups/"]["get"]["tags"] == ["groups"]
    assert paths["/groups/{id}/"].keys() == {"get", "put", "patch"}
    assert paths["/groups/{id}/"]["put"]["summary"] == "Change"
    assert paths["/groups/{id}/"]["put"]["tags"] == ["changes"]
    assert paths["/groups/{id}/"]["patch"]["summary"] == "Change parts"


def test_a_list_of_a_decorator_is_in_the_envelope(paths):
    found = paths["/groups/{id}/items/"]["get"]
    assert body(found, "200") == reference("PaginatedItemList")
    assert {"page", "search"} <= set(names(found))


def test_an_operation_says_what_its_decorator_says(paths):
    found = paths["/groups/order/"]["post"]
    assert body(found) == reference("Item")
    assert body(found, "200") == reference("Group")
    assert found["responses"]["200"]["description"] == "Done"
    assert "X-Left" in found["responses"]["200"]["headers"]
    assert found["responses"]["202"]["content"] == {"text/csv": {"schema": {"type": "string"}}}
    assert "content" not in found["responses"]["204"]
    dry = next(each for each in found["parameters"] if each["name"] == "dry")
    assert dry["required"]
    assert dry["schema"] == {"type": "boolean"}
    assert found["requestBody"]["content"]["application/json"]["examples"]
    assert found["operationId"] == "groups_order"
    assert found["description"] == "Orders it."
    assert found["externalDocs"] == {"url": "https://example.com/"}
    assert found["x-mark"] == 1
    assert found["deprecated"] is True
    assert found["security"] == [{"basicAuth": []}]
    sent = found["callbacks"]["done"]["{$request.body#/url}"]["post"]
    assert body(sent) == reference("Item")
    assert sent["responses"] == {"204": {"description": ""}}


def test_a_proxy_and_filters_on_an_action(paths, components):
    found = paths["/groups/either/"]["get"]
    assert body(found, "200") == reference("Either")
    assert components["Either"] == {"oneOf": [reference("Item"), reference("Group")]}
    assert "search" in names(found)


def test_function_views_by_method(paths):
    assert paths["/item/"]["get"]["summary"] == "Look"
    assert body(paths["/item/"]["get"], "200") == reference("Item")
    assert paths["/item/"]["post"]["operationId"] == "put_it"
    assert "content" not in paths["/item/"]["post"]["responses"]["200"]


def test_serializers_and_fields(paths, components):
    assert body(paths["/facets/"]["post"], "201") == reference("Renamed")
    found = components["Renamed"]
    assert found["properties"].keys() == {"old", "hex", "key", "items", "item", "link"}
    assert found["properties"]["old"]["deprecated"] is True
    assert found["properties"]["hex"] == reference("Hex")
    assert components["Hex"] == {"type": "string", "format": "hex"}
    assert found["properties"]["key"]["format"] == "uuid"
    assert found["properties"]["items"]["items"] == reference("Item")
    assert {"type": "null"} in found["properties"]["item"]["anyOf"]
    link = {"type": ["string", "null"], "format": "uri", "readOnly": True}
    assert found["properties"]["link"] == link
    assert found["x-s"] == 1
    assert {"old": "x"} in found["examples"]


def test_types_and_raw_operations(paths):
    assert body(paths["/plain/"]["post"]) == reference("AskRequest")
    assert body(paths["/plain/"]["post"], "200")["format"] == "binary"
    assert paths["/plain/"]["get"]["operationId"] == "raw"
    assert paths["/plain/"]["put"]["summary"] == "Nine"


def test_hooks_of_a_schema_class_are_asked(found, paths):
    operation = paths["/owned/{id}/"]["get"]
    assert operation["tags"][0] == "own"
    assert operation["tags"][1:] == ["owned"]
    assert operation["x-own"].startswith("/owned/")
    assert body(operation, "200") == reference("Group")
    warned = "\n".join(found["warnings"])
    assert "get_summary() of its drf-spectacular schema failed: LookupError('nothing')" in warned


def test_extensions_by_class(found, paths, components):
    assert paths["/foreign/"]["get"]["summary"] == "Replaced"
    assert body(paths["/foreign/"]["get"], "200") == reference("Group")
    prices = paths["/prices/"]["get"]
    assert "near" in names(prices)
    assert {"key": []} in prices["security"]
    schemes = found["document"]["components"]["securitySchemes"]
    assert schemes["key"] == {"type": "apiKey", "in": "header", "name": "X-Key"}
    assert components["Cost"]["properties"]["euros"] == reference("Money")
    assert components["Cost"]["properties"]["item"] == reference("Item")
    assert components["Money"] == {"type": "string", "format": "money"}


def test_a_failing_extension_is_one_warning(found, components):
    failures = [each for each in found["warnings"] if "LookupError('broken')" in each]
    assert ["BrokenExtension" in each for each in failures] == [True]
    assert components["Broken"]["properties"] == {"broken": {}}


def test_settings_name_parts_of_the_document(found, paths, components):
    document = found["document"]
    assert document["info"] == {
        "title": "Shop",
        "version": "7",
        "termsOfService": "https://example.com/terms",
        "contact": {"name": "Ann"},
        "license": {"name": "MIT"},
        "x-logo": "a.png",
    }
    assert document["servers"] == [{"url": "https://api.example.com"}]
    tags = {each["name"]: each for each in document["tags"]}
    assert tags["groups"]["description"] == "Who belongs together."
    assert document["x-root"] == 1
    assert components["More"] == {"type": "integer"}
    assert "/more/" in paths
    assert components["ColourName"]["enum"] == ["r", "g"]
    assert components["ShapeName"]["enum"] == ["o"]
    assert [each for each in found["warnings"] if "Missing cannot be read" in each] != []
    assert body(document["webhooks"]["made"]["post"]) == reference("Item")


def test_hooks_of_settings_change_endpoints_and_the_document(found, paths):
    assert "/secret/" not in paths
    assert found["document"]["x-marked"] is True


def test_a_hook_that_requires_nothing_leaves_a_valid_document(found):
    assert found["document"]["components"]["schemas"]["Emptied"] == {"type": "object"}


def test_settings_without_effect_are_one_warning(found):
    named = [each for each in found["warnings"] if "SPECTACULAR_SETTINGS" in each]
    assert ["CAMELIZE_NAMES, DEFAULT_GENERATOR_CLASS" in each for each in named] == [True]
