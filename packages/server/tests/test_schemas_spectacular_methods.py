"""Projects that override more of drf-spectacular's AutoSchema than its public hooks.

One project, with the package and without it, in a process of its own for each.
"""

import pytest
from openapi_spec_validator import validate
from other_processes import printed_by
from test_ecosystem_documents import generator
from test_schemas_spectacular import SCRIPT, body, names, reference

SETTINGS = """
from lintel import dropin

dropin.enable()
SECRET_KEY = "not secret: a test"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "drf_spectacular"
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
ROOT_URLCONF = "yard.urls"
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "yard.schemas.YardSchema",
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 5,
    "OPENAPI_VERSION": "3.1",
    "OPENAPI_OPERATION_IDS": "path",
}
SPECTACULAR_SETTINGS = {"SCHEMA_PATH_PREFIX": "/harbour"}
"""

SCHEMAS = """
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers


class ReasonSerializer(serializers.Serializer):
    reason = serializers.CharField()


class YardSchema(AutoSchema):
    def _map_serializer_field(self, field, direction, bypass_extensions=False):
        if field.field_name == "secret":
            return None
        said = super()._map_serializer_field(field, direction, bypass_extensions)
        if isinstance(field, serializers.JSONField):
            return {"type": "object", "additionalProperties": {"type": "string"}}
        if isinstance(field, serializers.ChoiceField):
            said["x-names"] = list(field.choices.values())
        if field.field_name == "length":
            said["description"] = said["description"].upper()
        if field.field_name == "fails":
            raise LookupError("no field")
        return said

    def _map_serializer(self, serializer, direction, bypass_extensions=False):
        said = super()._map_serializer(serializer, direction, bypass_extensions)
        return {**said, "x-direction": direction}

    def get_serializer_name(self, serializer, direction):
        name = super().get_serializer_name(serializer, direction)
        return f"Yard{name}Serializer" if getattr(serializer, "brief", False) else name

    def _get_paginator(self):
        return None if getattr(self.view, "plain", False) else super()._get_paginator()

    def _is_list_view(self, serializer=None):
        return super()._is_list_view(serializer) and not getattr(self.view, "single", False)

    def map_renderers(self, attribute):
        found = super().map_renderers(attribute)
        return [*found, "text/csv"] if getattr(self.view, "tabular", False) else found

    def _get_request_for_media_type(self, serializer, direction="request"):
        schema, required = super()._get_request_for_media_type(serializer, direction)
        if getattr(self.view, "in_bulk", False):
            return {"oneOf": [schema, {"type": "array", "items": schema}]}, required
        return schema, required

    def _get_request_body(self):
        if self.method != "DELETE" or not getattr(self.view, "in_bulk", False):
            return super()._get_request_body()
        schema, required = self._get_request_for_media_type(self.view.get_serializer(), "request")
        content = {name: {"schema": schema} for name in self.map_parsers()}
        return {"content": content, "required": required}

    def _get_response_bodies(self):
        found = super()._get_response_bodies()
        if getattr(self.view, "in_bulk", False):
            found["409"] = self._get_response_for_code(ReasonSerializer, 409)
        return found

    def _get_response_for_code(self, serializer, status_code, media_types=None, **kwargs):
        found = super()._get_response_for_code(serializer, status_code, media_types, **kwargs)
        if getattr(self.view, "enveloped", False) and str(status_code) == "200":
            for each in found["content"].values():
                each["schema"] = {"type": "object", "properties": {"data": each["schema"]}}
        return found

    def _resolve_path_parameters(self, variables):
        found = super()._resolve_path_parameters(variables)
        return [{**each, "description": "Which one."} for each in found]

    def _get_parameters(self):
        return [*super()._get_parameters(), {"name": "X-Yard", "in": "header", "schema": {}}]

    def _get_filter_parameters(self):
        return [{"name": "near", "in": "query", "schema": {"type": "string"}}]

    def map_parsers(self):
        return [object()] if getattr(self.view, "hidden_parsers", False) else super().map_parsers()

    def _get_serializer(self):
        found = getattr(self.view, "found_serializer", None)
        return found() if found else super()._get_serializer()

    def get_operation(self, path, path_regex, path_prefix, method, registry):
        if getattr(self.view, "hidden", False):
            return None
        found = super().get_operation(path, path_regex, path_prefix, method, registry)
        if getattr(self.view, "unwritable", False):
            return {**found, "x-bad": object()}
        found["x-statuses"] = sorted(found["responses"])
        return found

    def get_operation_id(self):
        if not getattr(self.view, "in_bulk", False):
            return super().get_operation_id()
        return "_".join([*self._tokenize_path(), "in_bulk", self.method.lower()])

    def get_request_serializer(self):
        found = super().get_request_serializer()
        return type(found)() if found is not None and getattr(self.view, "anew", False) else found

    def get_response_serializers(self):
        found = super().get_response_serializers()
        return ReasonSerializer(many=True) if getattr(self.view, "in_bulk", False) else found

    def get_paginated_name(self, serializer_name):
        return f"{serializer_name}Page"
"""

URLS = """
from django.contrib.auth.models import Group
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, views, viewsets
from rest_framework.decorators import action
from rest_framework.response import Response


class BoatSerializer(serializers.Serializer):
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=[("s", "Sail"), ("m", "Motor")])
    notes = serializers.JSONField()
    secret = serializers.CharField()
    length = serializers.IntegerField(help_text="in feet")
    fails = serializers.BooleanField()


class BriefSerializer(serializers.Serializer):
    brief = True
    name = serializers.CharField()


class Boats(generics.ListCreateAPIView):
    queryset = Group.objects.all()
    serializer_class = BoatSerializer


class PlainBoats(Boats):
    plain = True


class OneBoat(generics.ListAPIView):
    single = True
    queryset = Group.objects.all()
    serializer_class = BoatSerializer

    @extend_schema(responses=BoatSerializer)
    def get(self, request): ...


class Table(generics.RetrieveAPIView):
    tabular = enveloped = True
    queryset = Group.objects.all()
    serializer_class = BriefSerializer


class Bulk(generics.CreateAPIView, generics.DestroyAPIView):
    in_bulk = True
    queryset = Group.objects.all()
    serializer_class = BoatSerializer


class Found(views.APIView):
    hidden_parsers = True
    found_serializer = BriefSerializer

    def post(self, request): ...


class Horns(viewsets.GenericViewSet):
    anew = True
    queryset = Group.objects.all()
    serializer_class = BriefSerializer

    @action(detail=True, methods=["post"])
    def sound(self, request, pk=None):
        self.get_object()
        return Response(status=204)

    @action(detail=True, methods=["post"])
    def tune(self, request, pk=None):
        return Response(self.get_serializer(data=request.data).initial_data)


class Hidden(Boats):
    hidden = True


class Unwritable(generics.ListAPIView):
    unwritable = True
    queryset = Group.objects.all()
    serializer_class = BriefSerializer


urlpatterns = [
    path("boats/", Boats.as_view()),
    path("plain/", PlainBoats.as_view()),
    path("one/", OneBoat.as_view()),
    path("table/<int:pk>/", Table.as_view()),
    path("bulk/", Bulk.as_view()),
    path("harbour/bulk/", type("Berths", (Bulk,), {}).as_view()),
    path("found/", Found.as_view()),
    path("sound/<int:pk>/", Horns.as_view({"post": "sound"})),
    path("tune/<int:pk>/", Horns.as_view({"post": "tune"})),
    path("hidden/", Hidden.as_view()),
    path("unwritable/", Unwritable.as_view()),
]
"""


@pytest.fixture(scope="module", params=["installed", "absent"])
def found(request):
    files = {"set": SETTINGS, "schemas": SCHEMAS, "urls": URLS}
    return printed_by("yard", files, SCRIPT, [] if request.param == "absent" else generator())


@pytest.fixture
def paths(found):
    return found["document"]["paths"]


@pytest.fixture
def components(found):
    return found["document"]["components"]["schemas"]


def test_the_document_is_valid(found):
    validate(found["document"])


def test_fields_are_described_as_the_project_says(components):
    boat = components["BoatRequest"]["properties"]
    assert boat["notes"] == {"type": "object", "additionalProperties": {"type": "string"}}
    assert boat["kind"]["x-names"] == ["Sail", "Motor"]
    assert boat["length"]["description"] == "IN FEET"
    assert boat["name"]["minLength"] == 1


def test_a_field_without_a_description_is_left_out(components):
    for name in ("Boat", "BoatRequest"):
        assert "secret" not in components[name]["properties"]
        assert "secret" not in components[name]["required"]


def test_a_method_that_fails_is_one_warning_and_lintel_describes_the_field(found, components):
    assert components["Boat"]["properties"]["fails"]["type"] == "boolean"
    failures = [each for each in found["warnings"] if "LookupError('no field')" in each]
    assert len({each.partition("(")[0] for each in failures}) == len(failures)
    assert "_map_serializer_field() of its drf-spectacular schema failed" in failures[0]


def test_serializers_and_their_names(components):
    assert components["Boat"]["x-direction"] == "response"
    assert components["BoatRequest"]["x-direction"] == "request"
    assert "YardBrief" in components


def test_pages_and_lists(paths):
    assert body(paths["/boats/"]["get"], "200") == reference("PaginatedBoatList")
    assert body(paths["/plain/"]["get"], "200") == {"type": "array", "items": reference("Boat")}
    assert "page" not in names(paths["/plain/"]["get"])
    assert body(paths["/one/"]["get"], "200") == reference("Boat")
    assert "page" not in names(paths["/one/"]["get"])


def test_media_types_and_envelopes(paths):
    table = paths["/table/{id}/"]["get"]["responses"]["200"]["content"]
    assert table.keys() == {"application/json", "text/csv"}
    enveloped = {"type": "object", "properties": {"data": reference("YardBrief")}}
    assert table["application/json"]["schema"] == enveloped


def test_bodies_and_errors(paths):
    either = {
        "oneOf": [reference("BoatRequest"), {"type": "array", "items": reference("BoatRequest")}]
    }
    assert body(paths["/bulk/"]["post"]) == either
    assert body(paths["/bulk/"]["delete"]) == either
    assert body(paths["/bulk/"]["post"], "409") == reference("Reason")
    assert "201" in paths["/bulk/"]["post"]["responses"]


def test_parameters(paths):
    found = paths["/table/{id}/"]["get"]["parameters"]
    assert found[0]["description"] == "Which one."
    assert names(paths["/boats/"]["get"]) == ["page", "near", "X-Yard"]


def test_a_view_without_a_serializer_of_its_own(paths):
    assert body(paths["/found/"]["post"]) == reference("YardBriefRequest")


def test_an_action_that_reads_no_body_gets_none_from_what_a_project_overrides(paths):
    assert "requestBody" not in paths["/sound/{id}/"]["post"]
    assert body(paths["/tune/{id}/"]["post"]) == reference("YardBriefRequest")


def test_an_answer_of_another_kind_is_a_warning(found, paths):
    assert "application/json" in paths["/found/"]["post"]["requestBody"]["content"]
    assert [each for each in found["warnings"] if "map_parsers() of its drf-spectacular" in each]


def test_whole_operations(found, paths):
    assert paths["/boats/"]["get"]["x-statuses"] == sorted(paths["/boats/"]["get"]["responses"])
    assert "/hidden/" not in paths
    assert "x-bad" not in paths["/unwritable/"]["get"]
    assert [each for each in found["warnings"] if "get_operation() of its drf-spec" in each] != []


def test_what_is_not_asked_is_a_warning_with_what_to_write(found):
    warned = [each for each in found["warnings"] if "get_paginated_name" in each]
    cure = "Override get_paginated_response_schema() of the paginator"
    assert [cure in each for each in warned] == [True]


def test_a_serializer_says_nothing_of_what_deleting_returns(paths):
    deleted = paths["/bulk/"]["delete"]["responses"]["204"]
    assert "content" not in deleted
    assert body(paths["/bulk/"]["post"], "201")["type"] == "array"


def test_identifiers_are_made_without_the_prefix_of_the_paths(paths):
    operation = paths["/harbour/bulk/"]["delete"]
    assert operation["operationId"] == "bulk_in_bulk_delete_2"
