"""What a new kind of field and a new pagination style take, as CONTRIBUTING.md says.

A field: its class, its kind in the compiler's table, and its test. A pagination style: its class.
"""

import re

import pytest
from django.contrib.auth.models import Group
from django.urls import path

from lintel import generics, pagination, serializers
from lintel.exceptions import NotFound
from lintel.fast.compiler.kinds import KINDS
from lintel.fast.compiler.kinds.base import Kind, accepts, exactly
from lintel.fast.explaining import explain
from lintel.fields.lookup import FieldLookup
from lintel.marks import inlinable
from lintel.metadata import SimpleMetadata
from lintel.pagination.base import query_parameter
from lintel.renderers import HTMLFormRenderer
from lintel.response import Response
from lintel.schemas import coreapi
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIRequestFactory
from lintel_document import schemas

is_color = re.compile("#[0-9a-f]{6}").fullmatch


# ---- the field ----


class ColorField(serializers.Field):
    """A color as CSS writes it: ``#336699``."""

    metadata_type = "color"
    form_style = {"base_template": "input.html", "input_type": "color"}
    default_error_messages = {"invalid": "Not a color."}

    @inlinable("color")
    def to_internal_value(self, data):
        return data if type(data) is str and is_color(data) else self.fail("invalid")

    @inlinable("color")
    def to_representation(self, value):
        return str(value)

    def describe_values(self, schema):
        return {"type": "string", "pattern": "^#[0-9a-f]{6}$"}


# ---- its kind ----


def accept_color(source, writing, value):
    matches = source.bind("is_color", is_color)
    return [f"type({value}) is str", f"{matches}({value})"], value


COLOR = Kind(shape=exactly(str), accept=accepts(accept_color))


# ---- its test ----


class Paint(serializers.Serializer):
    color = ColorField(help_text="Of the wall.")
    others = serializers.ListField(child=ColorField())


def document_of(view, version):
    generator = SchemaGenerator(patterns=[path("things/", view.as_view())])
    generator.openapi_version = version
    return generator.get_schema(public=True)


@pytest.mark.compiled
def test_a_field_is_compiled_by_its_kind(monkeypatch):
    monkeypatch.setitem(KINDS, "color", COLOR)
    written = type("Paint", (Paint,), {})
    text = explain(written)
    assert "is_color(" in text
    good = {"color": "#336699", "others": ["#000000"]}
    assert written(good).data == good
    serializer = written(data=good)
    assert serializer.is_valid()
    assert serializer.validated_data == good


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("color", ["red", "#33669", 3, None, ["#336699"]])
def test_a_field_refuses_the_same_values_either_way(color, is_compiled, monkeypatch):
    if is_compiled:
        monkeypatch.setitem(KINDS, "color", COLOR)
    serializer = type("Paint", (Paint,), {})(data={"color": color, "others": []})
    assert not serializer.is_valid()
    assert list(serializer.errors) == ["color"]


class Paints(generics.ListCreateAPIView):
    queryset = Group.objects.order_by("name")
    serializer_class = Paint


def test_a_field_describes_its_values():
    described = {"type": "string", "pattern": "^#[0-9a-f]{6}$"}
    properties = document_of(Paints, "3.1.1")["components"]["schemas"]["Paint"]["properties"]
    assert properties["color"] == {**described, "description": "Of the wall."}
    assert properties["others"] == {"type": "array", "items": described}
    properties = document_of(Paints, "3.0.2")["components"]["schemas"]["Paint"]["properties"]
    assert properties["color"] == {"type": "string", "description": "Of the wall."}
    assert coreapi.field_to_schema(ColorField()) == schemas.String()


def test_a_field_says_what_options_calls_it():
    info = SimpleMetadata().get_serializer_info(Paint())
    assert info["color"]["type"] == "color"
    assert info["others"]["child"]["type"] == "color"


def test_a_field_says_how_forms_show_it():
    form = HTMLFormRenderer().render(Paint({"color": "#336699", "others": []}).data)
    assert re.search('<input[^>]* type="color"[^>]* value="#336699"', " ".join(form.split()))


def test_a_style_that_a_project_gives_to_fields_comes_first():
    class Plain(HTMLFormRenderer):
        default_style = FieldLookup("form_style")

    Plain.default_style[ColorField] = {"base_template": "textarea.html"}
    paint = Paint({"color": "#336699", "others": []})
    assert "<textarea" in Plain().render(paint.data)
    assert "<textarea" not in HTMLFormRenderer().render(paint.data)


class StampField(serializers.Field):
    """What only the server knows."""

    is_exchanged = False


def test_a_field_that_nobody_exchanges_is_described_nowhere():
    class Stamped(Paint):
        stamp = StampField(default=1, write_only=True)

    class Stamps(Paints):
        serializer_class = Stamped

    assert list(SimpleMetadata().get_serializer_info(Stamped())) == ["color", "others"]
    for version in ("3.0.2", "3.1.1"):
        components = document_of(Stamps, version)["components"]["schemas"]
        assert list(components["Stamped"]["properties"]) == ["color", "others"]
    form = HTMLFormRenderer().render(Stamped({"color": "", "others": []}).data)
    assert "stamp" not in form


def test_names_that_a_project_gives_to_fields_come_first():
    class Named(SimpleMetadata):
        label_lookup = FieldLookup("metadata_type")

    Named.label_lookup[ColorField] = "paint"
    Named.label_lookup[serializers.CharField] = "words"
    info = Named().get_serializer_info(Paint())
    assert info["color"]["type"] == "paint"
    assert Named().get_field_info(serializers.CharField())["type"] == "words"
    assert Named().get_field_info(serializers.SlugField())["type"] == "slug"
    assert SimpleMetadata().get_serializer_info(Paint())["color"]["type"] == "color"


# ---- the pagination style ----


class LetterPagination(pagination.BasePagination):
    """Pages by the first letter of a name: ``?letter=c``."""

    may_miss_page = True

    def paginate_queryset(self, queryset, request, view=None):
        self.letter = request.query_params.get("letter", "a")
        if len(self.letter) != 1:
            raise NotFound("Not a letter.")
        return list(queryset.filter(name__istartswith=self.letter))

    def get_paginated_response(self, data):
        return Response({"letter": self.letter, "results": data})

    def get_paginated_response_schema(self, schema):
        properties = {"letter": {"type": "string"}, "results": schema}
        return {"type": "object", "required": [*properties], "properties": properties}

    def get_schema_operation_parameters(self, view):
        return [query_parameter("letter", "The first letter of the name.", "string")]


class Named(serializers.Serializer):
    name = serializers.CharField()


class Names(generics.ListAPIView):
    queryset = Group.objects.order_by("name")
    serializer_class = Named
    pagination_class = LetterPagination


def test_a_pagination_style_is_described():
    document = document_of(Names, "3.1.1")
    operation = document["paths"]["/things/"]["get"]
    assert "letter" in [parameter["name"] for parameter in operation["parameters"]]
    assert "404" in operation["responses"]
    page = document["components"]["schemas"]["LetterPaginatedNamedList"]
    assert page["properties"]["results"]["items"] == {"$ref": "#/components/schemas/Named"}


def test_a_style_without_pages_describes_lists():
    class Unpaged(LetterPagination):
        def makes_pages(self):
            return False

    document = document_of(type("Names", (Names,), {"pagination_class": Unpaged}), "3.1.1")
    operation = document["paths"]["/things/"]["get"]
    content = operation["responses"]["200"]["content"]["application/json"]
    assert content["schema"]["type"] == "array"
    assert "letter" not in [parameter["name"] for parameter in operation["parameters"]]


@pytest.mark.django_db
def test_a_pagination_style_makes_pages():
    Group.objects.bulk_create([Group(name="cooks"), Group(name="drivers")])
    response = Names.as_view()(APIRequestFactory().get("/things/", {"letter": "c"}))
    assert response.data == {"letter": "c", "results": [{"name": "cooks"}]}
