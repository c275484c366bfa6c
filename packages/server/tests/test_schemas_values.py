"""The full description of values: types, null, annotations, choices."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
import typing
from decimal import Decimal
from enum import Enum

import pytest
from described_service import (
    VERSIONS,
    ArticleSerializer,
    OwnedSerializer,
    PlainSerializer,
    described,
    documented,
    view_of,
)
from django.contrib.auth.models import User
from django.core.validators import RegexValidator
from django.db import models
from django.urls import path
from django.utils.functional import cached_property
from jsonschema import Draft202012Validator

from lintel import serializers
from lintel.schemas import OpenApiTypes
from lintel.schemas.dialects import to_3_0, to_3_1

pytestmark = pytest.mark.filterwarnings("error")


def one(field, version="3.1.0", name="value"):
    """The description of one field, as clients receive it."""
    serializer = type("ThingSerializer", (serializers.Serializer,), {name: field})
    return described(serializer, version)["Thing"]["properties"][name]


def sent(field, version="3.1.0", name="value"):
    """The description of one field, as clients send it."""
    serializer = type("ThingSerializer", (serializers.Serializer,), {name: field})
    components = described(serializer, version)
    return components.get("ThingRequest", components["Thing"])["properties"][name]


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


def test_decimal_places_of_numbers_are_no_multiples_that_validators_divide_by():
    price = serializers.DecimalField(5, 2, coerce_to_string=False)
    assert sent(price) == {"type": "number", "maximum": 1000, "minimum": -1000}
    assert not Draft202012Validator({"multipleOf": 0.01}).is_valid(4.35)
    assert price.run_validation(4.35) == Decimal("4.35")


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
            return obj.value

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


class LinkSerializer(serializers.Serializer):
    link = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    def get_link(self, value) -> typing.Optional[OpenApiTypes.URI]: ...  # noqa: UP045 -- old spelling

    def get_links(self, value) -> dict[str, OpenApiTypes.URI]: ...


def test_annotations_may_contain_named_types():
    found = described(LinkSerializer)["Link"]["properties"]
    assert found["link"] == {"type": ["string", "null"], "format": "uri", "readOnly": True}
    assert found["links"]["additionalProperties"] == {"type": "string", "format": "uri"}


@pytest.mark.parametrize("version", VERSIONS)
def test_choices_without_a_choice_demand_nothing(version):
    assert one(serializers.ChoiceField(choices=[]), version) == {}


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
    assert found["email"] == {"type": "string", "title": "Email address", "readOnly": True}
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


@pytest.mark.parametrize(
    ("field", "default"),
    [
        (serializers.DateTimeField(default="2026-10-29T08:00:00Z"), "2026-10-29T08:00:00Z"),
        (serializers.DateTimeField(default="2026-10-29"), None),
        (serializers.DateTimeField(default=datetime.datetime(2026, 10, 29), format="%Y"), None),
        (serializers.DateField(default=datetime.date(2026, 10, 29)), "2026-10-29"),
        (serializers.DateField(default="2026-10-29T08:00:00Z"), None),
        (serializers.DateField(default="soon"), None),
        (serializers.TimeField(default="soon"), "soon"),
    ],
)
def test_defaults_of_dates_are_dates(field, default):
    assert sent(field).get("default") == default


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


class Knot(models.Model):
    class Meta:
        app_label = "schemas_values"

    @property
    def parent(self):
        if self.pk:
            return self.pk - 1
        return None

    @cached_property
    def first(self):
        return self.pk if self.pk else None

    def depth(self):
        if not self.pk:
            return None
        return 1

    @property
    def height(self):
        def inner():
            return None

        return inner() or 1


class KnotSerializer(serializers.ModelSerializer):
    parent = serializers.IntegerField(read_only=True)
    above = serializers.IntegerField(read_only=True, source="first")
    depth = serializers.IntegerField(required=False)
    height = serializers.IntegerField(read_only=True)

    class Meta:
        model = Knot
        fields = ["id", "parent", "above", "depth", "height"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_property_that_returns_none_reads_null_whatever_its_field_says(version):
    components = described(KnotSerializer, version, queryset=Knot.objects.all())

    def takes_null(component, name):
        value = components[component]["properties"][name]
        return value.get("nullable", False) or "null" in value["type"]

    names = KnotSerializer.Meta.fields
    nullable = [name for name in names if takes_null("Knot", name)]
    assert nullable == ["parent", "above", "depth"]
    assert not takes_null("KnotRequest", "depth")
    assert KnotSerializer(Knot()).data["parent"] is None


def test_an_object_of_a_project_without_required_members_is_valid_in_3_0():
    given = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": []}
    assert to_3_0(given, str) == {"type": "object", "properties": {"id": {"type": "integer"}}}
    assert to_3_1(given, str) == given


@pytest.mark.parametrize(
    ("given", "in_3_0", "in_3_1"),
    [
        (
            {"type": "string", "enum": ["a", "", None], "x-spec-enum-id": "7e1"},
            {"type": "string", "enum": ["a", "", None], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", "", None]},
        ),
        ({"type": "integer", "enum": [1, ""]}, {"enum": [1, ""]}, {"enum": [1, ""]}),
        *[({"type": kind, "enum": [1]},) * 3 for kind in ("integer", "number")],
        (
            {"type": ["string", "null"], "enum": [None]},
            None,
            {"type": ["string", "null"], "enum": [None]},
        ),
    ],
)
def test_choices_that_a_project_writes_have_the_type_of_their_values(given, in_3_0, in_3_1):
    assert to_3_1(given, str) == in_3_1
    assert in_3_0 is None or to_3_0(given, str) == in_3_0


_KIND = {"$ref": "#/components/schemas/Kind"}
_BLANK = {"type": "string", "enum": ["", None], "nullable": True}
_NUMBER = {"type": "integer", "nullable": True}


@pytest.mark.parametrize(
    ("alternatives", "written"),
    [
        ({"oneOf": [{"type": "integer"}, _KIND]}, {"oneOf": [_NUMBER, _KIND]}),
        ({"oneOf": [_KIND, {"enum": [""]}]}, {"oneOf": [_KIND, _BLANK]}),
        ({"anyOf": [_KIND, _NUMBER]}, {"anyOf": [_KIND, _NUMBER]}),
        ({"anyOf": [_KIND, {"enum": [None]}]}, {"anyOf": [_KIND, {"enum": [None]}]}),
        (
            {"anyOf": [{"type": "object", "allOf": [_KIND]}, {"enum": [1, 2]}]},
            {"anyOf": [{"type": "object", "allOf": [_KIND]}, {"enum": [1, 2]}], "nullable": True},
        ),
        ({"allOf": [_KIND]}, {"allOf": [_KIND], "nullable": True}),
        ({"prefixItems": [{"type": "integer"}]},) * 2,
        ({"allOf": [_KIND], "anyOf": [{"type": "integer"}, {}]},) * 2,
        ({"oneOf": [False, {"type": "integer"}]},) * 2,
    ],
)
def test_one_alternative_takes_null_in_3_0(alternatives, written):
    same = {**alternatives, "nullable": True}
    assert to_3_0(same, str) == (same if written is alternatives else written)


def test_a_default_for_what_rows_lack_promises_nothing_because_patches_leave_it_out():
    class MarkedSerializer(serializers.ModelSerializer):
        checked = serializers.BooleanField(read_only=True, default=False)
        is_active = serializers.BooleanField(default=True)

        class Meta:
            model = User
            fields = ["id", "checked", "is_active"]

    written = MarkedSerializer(User(pk=1), data={}, partial=True)
    assert written.is_valid()
    assert "checked" not in written.data
    assert described(MarkedSerializer)["Marked"]["required"] == ["id", "is_active"]
