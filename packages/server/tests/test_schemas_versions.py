"""What URL patterns say about endpoints: their versions, and the types of parameters."""

from types import SimpleNamespace

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import Group
from django.urls import include, path, re_path, register_converter

from lintel import generics, serializers, versioning
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.versions import group

# Versions share the names of their operations.
pytestmark = pytest.mark.filterwarnings("ignore:.*operationId")


class GroupSerializer(serializers.Serializer):
    name = serializers.CharField()


def view_of(scheme):
    members = {
        "queryset": Group.objects.all(),
        "serializer_class": GroupSerializer,
        "versioning_class": scheme,
        "permission_classes": [],
    }
    return type("Groups", (generics.ListAPIView,), members).as_view()


class Namespaces(versioning.NamespaceVersioning):
    allowed_versions = ("v1", "v2")


class Addresses(versioning.URLPathVersioning):
    allowed_versions = ("v1", "v2")


class Accepted(versioning.AcceptHeaderVersioning):
    allowed_versions = ("v1", "v2")


def described(patterns, version):
    generator = SchemaGenerator(title="T", version="1", patterns=patterns)
    generator.openapi_version = "3.1.0"
    request = SimpleNamespace(version=version)
    return generator.get_schema(request=request, public=True)


BY_NAMESPACE = [
    path("one/", include(([path("groups/", view_of(Namespaces))], "app"), namespace="v1")),
    path("two/", include(([path("groups/", view_of(Namespaces))], "app"), namespace="v2")),
    path("inner/", include(([path("groups/", view_of(Namespaces))], "app"), namespace="other")),
    path("groups/", view_of(Namespaces)),
    path("plain/", include(([path("groups/", view_of(None))], "app"), namespace="v3")),
]


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("v1", ["/groups/", "/one/groups/", "/plain/groups/"]),
        ("v2", ["/groups/", "/plain/groups/", "/two/groups/"]),
        (
            None,
            ["/groups/", "/inner/groups/", "/one/groups/", "/plain/groups/", "/two/groups/"],
        ),
    ],
)
def test_endpoints_of_other_namespaces_are_left_out(version, found):
    assert sorted(described(BY_NAMESPACE, version)["paths"]) == found


BY_PATH = [
    re_path(r"^(?P<version>(v1|v2))/groups/$", view_of(Addresses)),
    re_path(r"^(?P<version>v1)/old/$", view_of(Addresses)),
    path("<str:version>/all/", view_of(Addresses)),
]


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("v1", ["/{version}/all/", "/{version}/groups/", "/{version}/old/"]),
        ("v2", ["/{version}/all/", "/{version}/groups/"]),
    ],
)
def test_endpoints_whose_address_takes_another_version_are_left_out(version, found):
    document = described(BY_PATH, version)
    assert sorted(document["paths"]) == found
    (parameter,) = document["paths"]["/{version}/all/"]["get"]["parameters"][:1]
    assert parameter["schema"] == {"type": "string", "enum": [version]}


@pytest.mark.parametrize(
    ("version", "found"),
    [("v1", ["application/json; version=v1"]), (None, ["application/json"])],
)
def test_the_media_types_that_choose_a_version_are_described(version, found):
    document = described([path("groups/", view_of(Accepted))], version)
    content = document["paths"]["/groups/"]["get"]["responses"]["200"]["content"]
    assert list(content) == found


@pytest.mark.parametrize(
    ("regex", "found"),
    [
        (r"^(?P<version>(v1|v2))/x", "(v1|v2)"),
        (r"^(?P<version>[)(]\))/x", r"[)(]\)"),
        (r"^(?P<other>v1)/x", None),
        (r"(?P<version>open", None),
    ],
)
def test_what_a_group_of_a_pattern_takes(regex, found):
    assert group(regex, "version") == found


class YearConverter:
    regex = "[0-9]{4}"

    def to_python(self, value):
        return int(value)

    def to_url(self, value):
        return str(value)


register_converter(YearConverter, "schema_year")


@pytest.mark.parametrize(
    ("argument", "found"),
    [
        ("<int:n>", {"type": "integer", "minimum": 0}),
        ("<uuid:n>", {"type": "string", "format": "uuid"}),
        ("<slug:n>", {"type": "string", "pattern": "^(?:[-a-zA-Z0-9_]+)$"}),
        ("<schema_year:n>", {"type": "string", "pattern": "^(?:[0-9]{4})$"}),
        ("<n>", {"type": "string"}),
    ],
)
def test_parameters_of_paths_are_what_their_converters_take(argument, found):
    (item,) = described([path(f"x/{argument}/", view_of(None))], None)["paths"].values()
    (parameter,) = [each for each in item["get"]["parameters"] if each["in"] == "path"]
    assert parameter["schema"] == found


@pytest.mark.parametrize(
    ("argument", "kind"),
    [("<slug:owner>", "string"), ("<int:owner>", "integer"), ("<str:owner>", "integer")],
)
def test_a_slug_is_not_the_key_of_a_relation_of_that_name(argument, kind):
    members = {"queryset": Snippet.objects.none(), "serializer_class": GroupSerializer}
    view = type("Snippets", (generics.ListAPIView,), members).as_view()
    (item,) = described([path(f"{argument}/snippets/", view)], None)["paths"].values()
    assert item["get"]["parameters"][0]["schema"]["type"] == kind


def test_a_view_under_two_routes_is_described_by_what_these_share():
    view = view_of(None)
    routes = [path("x/<int:n>/<int:m>/", view), re_path("^y/(?P<n>[a-z]+)/$", view)]
    paths = described(routes, None)["paths"]
    schemas = [item["get"]["parameters"][0]["schema"] for item in paths.values()]
    assert schemas == [{"type": "string"}, {"type": "string"}]
    assert paths["/x/{n}/{m}/"]["get"]["parameters"][1]["schema"]["type"] == "integer"
