"""Components of the full description: one for both directions, or one for each."""

from __future__ import annotations

import pytest
from contract_project.models import Snippet
from described_service import (
    VERSIONS,
    FlatSerializer,
    OwnedSerializer,
    PlainSerializer,
    described,
    documented,
    view_of,
)
from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import path

from lintel import generics, pagination, serializers
from lintel.schemas.openapi import SchemaGenerator

pytestmark = pytest.mark.filterwarnings("error")


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


class GrößeSerializer(serializers.Serializer):
    größe = serializers.ChoiceField(choices=[("a", "A")])


@pytest.mark.parametrize("version", VERSIONS)
def test_components_have_names_that_documents_allow(version):
    class Pets(serializers.UnionSerializer):
        discriminator = "kind"
        serializers = {"a/b": PlainSerializer, "ü": OwnedSerializer}

    assert "GroeGroeEnum" in described(GrößeSerializer, version)
    assert {"Pets", "PetsAb", "PetsU"} <= set(described(Pets, version))


class Windows(pagination.LimitOffsetPagination):
    """Pages of another form."""


def paged(paginator, **members):
    return view_of(FlatSerializer, pagination_class=paginator, **members)


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


# ---- one component for both directions ----

JOINED = {"OPENAPI_SPLIT_COMPONENTS": False}


class BoatSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField(max_length=20, help_text="On the bow.")
    link = serializers.URLField(allow_blank=True)
    crew = serializers.ListField(child=serializers.CharField())
    sails = serializers.IntegerField(default=1, min_value=0)
    key = serializers.CharField(write_only=True)
    home = PlainSerializer()
    __module__ = __name__


@pytest.mark.parametrize("version", VERSIONS)
def test_a_project_may_ask_for_one_component_for_both_directions(version):
    view = view_of(BoatSerializer, generics.RetrieveUpdateAPIView)
    with override_settings(REST_FRAMEWORK=JOINED):
        document = documented(path("things/<int:pk>/", view), version=version)
    item = document["paths"]["/things/{id}/"]
    assert references(document, item["put"]) == ("Boat", "Boat")
    assert references(document, item["patch"]) == ("PatchedBoat", "Boat")
    boat = document["components"]["schemas"]["Boat"]
    assert boat["properties"] == {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "description": "On the bow."},
        "link": {"type": "string"},
        "crew": {"type": "array", "items": {"type": "string"}},
        "sails": {"type": "integer", "default": 1},
        "home": {"$ref": "#/components/schemas/Plain"},
        "key": {"type": "string", "minLength": 1, "writeOnly": True},
    }
    assert boat["required"] == ["id", "name", "link", "crew", "home", "key"]


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"SPECTACULAR_SETTINGS": {"COMPONENT_SPLIT_REQUEST": False}}, ("Owned", "Owned")),
        ({"SPECTACULAR_SETTINGS": {"COMPONENT_SPLIT_REQUEST": True}}, ("OwnedRequest", "Owned")),
        ({"SPECTACULAR_SETTINGS": {"TITLE": "Boats"}}, ("OwnedRequest", "Owned")),
        (
            {
                "SPECTACULAR_SETTINGS": {"COMPONENT_SPLIT_REQUEST": False},
                "REST_FRAMEWORK": {"OPENAPI_SPLIT_COMPONENTS": True},
            },
            ("OwnedRequest", "Owned"),
        ),
    ],
)
def test_settings_of_both_kinds_say_whether_components_are_split(settings, names):
    with override_settings(**settings):
        document = documented(path("things/", view_of(OwnedSerializer)))
    assert references(document, document["paths"]["/things/"]["post"]) == names


def test_directions_with_other_types_stay_apart_and_so_does_what_holds_them():
    class Photo(serializers.Serializer):
        image = serializers.FileField()

    class Album(serializers.Serializer):
        cover = Photo()

    class Alone(serializers.Serializer):
        id = serializers.IntegerField(read_only=True)

    others = view_of(Alone, queryset=User.objects.all())
    paths = [path("albums/", view_of(Album)), path("others/", others)]
    with override_settings(REST_FRAMEWORK=JOINED):
        document = documented(*paths)
    found = document["paths"]
    assert references(document, found["/albums/"]["post"]) == ("AlbumRequest", "Album")
    assert references(document, found["/others/"]["post"]) == ("Alone", "Alone")


def test_a_component_that_is_named_for_patches_is_one_as_it_stands():
    class PatchedOwnedSerializer(serializers.Serializer):
        id = serializers.IntegerField()
        name = serializers.CharField(required=False)

    view = view_of(PatchedOwnedSerializer, generics.UpdateAPIView)
    document = documented(path("things/<int:pk>/", view))
    item = document["paths"]["/things/{id}/"]
    assert references(document, item["patch"])[0] == "PatchedOwnedRequest"
    assert document["components"]["schemas"]["PatchedOwnedRequest"]["required"] == ["id"]
