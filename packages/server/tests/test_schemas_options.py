"""OPTIONS from the tree of operations, if a project asks for it."""

import sys
from types import ModuleType

import pytest
from django.contrib.auth.models import Group, User
from django.test import override_settings
from django.urls import include, path
from openapi_spec_validator import validate

from lintel import permissions, serializers, viewsets
from lintel.metadata import SimpleMetadata
from lintel.routers import DefaultRouter
from lintel.schemas import openapi
from lintel.schemas.options import OpenAPIMetadata
from lintel.test import APIClient

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("error")]


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


class Groups(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    metadata_class = OpenAPIMetadata


class Plain(Groups):
    metadata_class = SimpleMetadata
    schema = openapi.AutoSchema(operation_id_base="Plain")


class OfTeam(Groups):
    class InTeam(permissions.BasePermission):
        def has_permission(self, request, view):
            return view.kwargs["team"] == 1 or request.method == "OPTIONS"

    permission_classes = [InTeam]
    schema = openapi.AutoSchema(operation_id_base="OfTeam")


@pytest.fixture(autouse=True)
def urls(monkeypatch):
    router = DefaultRouter()
    router.register("groups", Groups, basename="group")
    router.register("plain", Plain, basename="plain")
    module = ModuleType("options_urls")
    teams = path("teams/<int:team>/", OfTeam.as_view({"get": "list", "post": "create"}))
    module.urlpatterns = [path("api/", include(router.urls)), teams]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with override_settings(ROOT_URLCONF=module.__name__):
        yield module


def options(address, user=None):
    client = APIClient()
    client.force_authenticate(user)
    return client.options(address).json()


def test_the_operations_of_the_address_are_described_as_in_the_schema(urls):
    described = options("/api/groups/", User(username="u"))["openapi"]
    validate(described)
    assert described["openapi"] == "3.1.1"
    generator = openapi.SchemaGenerator(patterns=urls.urlpatterns)
    generator.openapi_version = "3.1.1"
    whole = generator.get_schema(public=True)
    assert described["paths"] == {"/api/groups/": whole["paths"]["/api/groups/"]}
    for name, schema in described["components"]["schemas"].items():
        assert whole["components"]["schemas"][name] == schema


def test_the_caller_sees_what_it_may_do():
    Group.objects.create(pk=1, name="x")
    for address in ("/api/groups/", "/api/groups/1/"):
        (item,) = options(address)["openapi"]["paths"].values()
        assert list(item) == ["get"]
    (item,) = options("/api/groups/1/", User(username="u"))["openapi"]["paths"].values()
    assert list(item) == ["get", "put", "patch", "delete"]


def test_formats_in_the_address_have_no_description_of_their_own():
    assert "openapi" not in options("/api/groups.json")


def test_the_rest_is_what_simple_metadata_answers():
    described = options("/api/groups/", User(username="u"))
    del described["openapi"]
    plain = options("/api/plain/", User(username="u"))
    assert {**described, "name": plain["name"]} == plain


def test_permissions_see_the_parts_of_the_address():
    (item,) = options("/teams/1/")["openapi"]["paths"].values()
    assert {"get", "post"} <= set(item)
    assert options("/teams/2/")["openapi"]["paths"] == {}
