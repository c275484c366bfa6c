"""Components of the full description: one for both directions, or one for each."""

from __future__ import annotations

import warnings

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
from lintel.schemas.openapi import AutoSchema, SchemaGenerator

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


# ---- serializers of one class that are described differently ----


class PriceField(serializers.ChoiceField):
    """Offers what the view around it offers."""

    def bind(self, field_name, parent):
        super().bind(field_name, parent)
        view = self.context.get("view")
        self.choices = [*getattr(view, "offers", ["any"])]


class TicketSerializer(serializers.Serializer):
    price = PriceField(choices=["any"])
    __module__ = __name__


class SeatSerializer(serializers.Serializer):
    ticket = TicketSerializer()
    __module__ = __name__


def with_warnings(*paths, version="3.1.0"):
    """Return a document, and the warnings that name second components."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        document = documented(*paths, version=version)
    return document, [text for each in caught if "its component" in (text := str(each.message))]


def seller(name, offers, serializer, **members):
    return path(f"{name}/", view_of(serializer, name=name, offers=offers, **members))


def sent_to(document, place):
    """Return the schema of a body of POST, and the references in it replaced by what they name."""
    body = document["paths"][place]["post"]["requestBody"]["content"]["application/json"]
    return resolved(document, body["schema"])


def resolved(document, schema):
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = {**schema, **document["components"]["schemas"][name]}
    inner = schema.get("properties", {})
    found = {name: resolved(document, each) for name, each in inner.items()}
    return {**schema, **({"properties": found} if found else {})}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("serializer", [TicketSerializer, SeatSerializer])
def test_each_view_is_described_with_the_choices_that_it_offers(version, serializer):
    views = [
        seller("Early", ["low"], serializer),
        seller("Late", ["low", "high"], serializer),
        seller("Last", ["low", "high"], serializer),
    ]
    document, _ = with_warnings(*views, version=version)
    offered = {}
    for place in document["paths"]:
        found = sent_to(document, place)["properties"]
        offered[place] = (found["ticket"]["properties"] if "ticket" in found else found)["price"]
    assert {place: each["enum"] for place, each in offered.items()} == {
        "/Early/": ["low"],
        "/Late/": ["low", "high"],
        "/Last/": ["low", "high"],
    }
    tickets = [name for name in document["components"]["schemas"] if name.endswith("Ticket")]
    assert tickets == ["LateTicket", "Ticket"]


def test_a_second_description_of_a_class_is_named_in_a_warning():
    views = [seller("Early", ["low"], TicketSerializer), seller("Late", ["high"], TicketSerializer)]
    _, (warning,) = with_warnings(*views)
    said = "TicketSerializer: the serializer has other fields, choices or limits here"
    assert warning.startswith(f"Late: {said}: its component is called LateTicket. Use @extend_")


class OwnChoices(AutoSchema):
    def map_choicefield(self, field):
        return {**super().map_choicefield(field), "x-by": "choices"}


class OwnFields(AutoSchema):
    def map_field(self, field):
        return {**super().map_field(field), "x-by": "fields"}


class OwnSerializers(AutoSchema):
    def map_serializer(self, serializer):
        return {**super().map_serializer(serializer), "x-by": "serializers"}


class FareSerializer(serializers.Serializer):
    zone = serializers.ChoiceField(choices=["a", "b"])
    __module__ = __name__


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (OwnChoices, lambda fare: fare["properties"]["zone"]),
        (OwnFields, lambda fare: fare["properties"]["zone"]),
        (OwnSerializers, lambda fare: fare),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_view_with_a_schema_of_its_own_describes_a_known_serializer_anew(version, schema, place):
    views = [
        path("a/", view_of(FareSerializer, name="First")),
        path("b/", view_of(FareSerializer, name="Second", schema=schema())),
        path("c/", view_of(FareSerializer, name="Third")),
    ]
    document, _ = with_warnings(*views, version=version)
    said = ["x-by" in place(sent_to(document, f"/{each}/")) for each in "abc"]
    assert said == [False, True, False]


def test_a_schema_may_describe_values_by_its_view():
    class OfView(AutoSchema):
        def map_field(self, field):
            return {**super().map_field(field), "x-view": type(self.view).__name__}

    views = [path(f"{n}/", view_of(FareSerializer, name=n, schema=OfView())) for n in "AB"]
    document, _ = with_warnings(*views)
    zones = [sent_to(document, f"/{n}/")["properties"]["zone"] for n in "AB"]
    assert [each["x-view"] for each in zones] == ["A", "B"]


class StripedView(generics.CreateAPIView):
    serializer_class = FareSerializer
    queryset = User.objects.none()

    def get_serializer(self, *args, **kwargs):
        serializer = super().get_serializer(*args, **kwargs)
        serializer.fields["zone"].required = False
        return serializer


def test_what_a_view_changes_in_its_serializer_is_described_there_alone():
    paths = [path("plain/", view_of(FareSerializer)), path("striped/", StripedView.as_view())]
    document, (warning,) = with_warnings(*paths)
    assert "its component is called StripedViewFare" in warning
    demands = [sent_to(document, place).get("required") for place in ("/plain/", "/striped/")]
    assert demands == [["zone"], None]


class PickedSerializer(serializers.Serializer):
    """Has the fields that it is told to have."""

    one = serializers.IntegerField()
    two = serializers.IntegerField()
    __module__ = __name__

    def __init__(self, *args, only=None, **kwargs):
        super().__init__(*args, **kwargs)
        for name in set(self.fields) - set(only or self.fields):
            del self.fields[name]


class HoldingSerializer(serializers.Serializer):
    whole = PickedSerializer()
    part = PickedSerializer(only=["two"])
    __module__ = __name__


def test_one_serializer_may_hold_another_twice_with_other_fields():
    document, _ = with_warnings(path("things/", view_of(HoldingSerializer)))
    schemas = document["components"]["schemas"]
    found = {name: list(each["properties"]) for name, each in schemas.items() if "Picked" in name}
    assert sorted(found.values()) == [["one", "two"], ["two"]]
    names = {each["$ref"].rpartition("/")[2] for each in schemas["Holding"]["properties"].values()}
    assert names == found.keys()


@pytest.mark.parametrize("version", VERSIONS)
def test_choices_are_declared_before_what_refers_to_them(version):
    class Able(serializers.Serializer):
        zone = serializers.ChoiceField(choices=["a"], allow_blank=True)

    assert next(iter(described(Able, version))) == "AbleZoneEnum"


class NumberSerializer_(serializers.Serializer):
    number = serializers.IntegerField()


@pytest.mark.parametrize("version", ["3.0.2", *VERSIONS])
def test_names_differ_by_more_than_what_generators_of_clients_leave_out(version):
    plain = type("NumberSerializer", (serializers.Serializer,), {"on": serializers.CharField()})
    other = view_of(NumberSerializer_, queryset=User.objects.all(), name="Others")
    views = path("things/", view_of(plain)), path("others/", other)
    document = documented(*views, version=version)
    other = "Number_" if version == "3.0.2" else "NumberSerializer_"
    assert {"Number", other} <= document["components"]["schemas"].keys()
