"""What OpenAPI says of the filters of django-filter."""

import json
import warnings
from importlib import import_module

import django_filters
import pytest
from django import forms
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.urls import path
from django_filters.rest_framework import DjangoFilterBackend
from openapi_spec_validator import validate

from lintel import generics, serializers
from lintel.schemas import OpenApiTypes, extend_schema_field
from lintel.schemas.openapi import SchemaGenerator

pytestmark = pytest.mark.filterwarnings("error")


class Row(serializers.Serializer):
    name = serializers.CharField(required=False)


class Level(models.IntegerChoices):
    LOW = 1
    HIGH = 2


class Keyed(models.Model):
    code = models.UUIDField(primary_key=True)
    slug = models.SlugField(unique=True)
    created = models.DateTimeField()
    state = models.CharField(max_length=5, choices=[("Open", [("new", "New")]), ("done", "Done")])
    owner = models.ForeignKey(User, models.CASCADE)
    size = models.PositiveIntegerField()
    share = models.DecimalField(max_digits=5, decimal_places=2)

    class Meta:
        app_label = "schemas_filtersets"


def listed(queryset=None, version="3.1.0", **members):
    """The query parameters of a list, by name."""
    if "get_queryset" not in members:
        members["queryset"] = Keyed.objects.all() if queryset is None else queryset
    members = {"serializer_class": Row, "filter_backends": [DjangoFilterBackend], **members}
    view = type("Things", (generics.ListAPIView,), members)
    generator = SchemaGenerator(title="T", version="1", patterns=[path("a/", view.as_view())])
    generator.openapi_version = version
    document = generator.get_schema(public=True)
    validate(json.loads(json.dumps(document)))
    found = document["paths"]["/a/"]["get"]["parameters"]
    return {each["name"]: each for each in found if each["name"] not in ("format", "page")}


def values(filters, **members):
    """The schema of each filter."""
    cls = type("Filters", (django_filters.FilterSet,), filters)
    return {name: each["schema"] for name, each in listed(filterset_class=cls, **members).items()}


def test_columns_give_their_formats():
    fields = ["code", "created", "state", "owner", "size", "share"]
    found = {name: each["schema"] for name, each in listed(filterset_fields=fields).items()}
    assert found == {
        "code": {"type": "string", "format": "uuid"},
        "created": {"type": "string", "format": "date-time"},
        "state": {"type": "string", "enum": ["new", "done"]},
        "owner": {"type": "integer"},
        "size": {"type": "integer"},
        "share": {"type": "number"},
    }


class Failing:
    """Choices that ask a database without tables."""

    def __iter__(self):
        raise LookupError("no such table")


RANGE = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
NUMBER = {"type": "number"}


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (django_filters.DateFilter(), {"x": RANGE}),
        (django_filters.DateFromToRangeFilter(), {"x_after": RANGE, "x_before": RANGE}),
        (
            django_filters.IsoDateTimeFromToRangeFilter(),
            {"x_after": MOMENT, "x_before": MOMENT},
        ),
        (django_filters.RangeFilter(), {"x_min": NUMBER, "x_max": NUMBER}),
        (
            django_filters.RangeFilter(field_name="size"),
            {"x_min": {"type": "integer"}, "x_max": {"type": "integer"}},
        ),
        (django_filters.ChoiceFilter(choices=Level), {"x": {"type": "integer", "enum": [1, 2]}}),
        (
            django_filters.ChoiceFilter(choices=[(1, "One")], null_label="None"),
            {"x": {"type": "string", "enum": ["null", "1"]}},
        ),
        (
            django_filters.TypedChoiceFilter(choices=[(True, "Yes"), (False, "No")]),
            {"x": {"type": "string", "enum": ["True", "False"]}},
        ),
        (django_filters.ChoiceFilter(choices=[]), {"x": {"type": "string"}}),
        (django_filters.ChoiceFilter(choices=lambda: 1 / 0), {"x": {"type": "string"}}),
        (django_filters.ChoiceFilter(choices=Failing()), {"x": {"type": "string"}}),
        (django_filters.AllValuesFilter(field_name="state"), {"x": {"type": "string"}}),
        (
            django_filters.MultipleChoiceFilter(choices=[("a", "A"), ("b", "B")]),
            {"x": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}},
        ),
        (django_filters.ModelChoiceFilter(queryset=Group.objects), {"x": {"type": "integer"}}),
        (
            django_filters.ModelChoiceFilter(queryset=Keyed.objects.all(), to_field_name="slug"),
            {"x": {"type": "string"}},
        ),
        (
            django_filters.ModelMultipleChoiceFilter(queryset=Keyed.objects.all()),
            {"x": {"type": "array", "items": {"type": "string", "format": "uuid"}}},
        ),
        (
            django_filters.ModelChoiceFilter(
                field_name="owner", queryset=lambda request: User.objects.filter(pk=request.pk)
            ),
            {"x": {"type": "integer"}},
        ),
        (django_filters.NumberFilter(field_name="owner__pk"), {"x": {"type": "integer"}}),
        (django_filters.NumberFilter(field_name="owner"), {"x": {"type": "integer"}}),
        (django_filters.BooleanFilter(), {"x": {"type": "boolean"}}),
    ],
)
def test_filters_say_which_values_they_take(one, expected):
    assert values({"x": one}) == expected


def test_lists_and_ranges_are_separated_by_commas():
    bases = (django_filters.BaseInFilter, django_filters.UUIDFilter)
    between = (django_filters.BaseRangeFilter, django_filters.DateFilter)
    choices = (django_filters.BaseInFilter, django_filters.ChoiceFilter)
    filters = {
        "codes": type("Codes", bases, {})(field_name="code", lookup_expr="in"),
        "days": type("Days", between, {})(field_name="created", lookup_expr="range"),
        "states": type("States", choices, {})(field_name="state", choices=[("a", "A")]),
        "order": django_filters.OrderingFilter(fields=["size"]),
    }
    cls = type("Filters", (django_filters.FilterSet,), filters)
    found = listed(filterset_class=cls)
    assert {each["explode"] for each in found.values()} == {False}
    assert found["codes"]["schema"]["items"] == {"type": "string", "format": "uuid"}
    assert found["days"]["schema"] == {
        "type": "array",
        "items": {"type": "string", "format": "date"},
        "minItems": 2,
        "maxItems": 2,
    }
    assert found["states"]["schema"]["items"] == {"type": "string", "enum": ["a"]}
    assert found["order"]["schema"]["items"]["enum"] == ["size", "-size"]


def test_a_filter_whose_lookup_is_chosen_reads_two_parameters():
    made = django_filters.LookupChoiceFilter(
        field_name="size",
        field_class=forms.IntegerField,
        lookup_choices=[("exact", "is"), ("lt", "below")],
    )
    assert values({"size": made}) == {
        "size": {"type": "integer"},
        "size_lookup": {"type": "string"},
    }


def test_filters_that_a_constructor_adds_are_described():
    class Growing(django_filters.FilterSet):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            assert self.request.user.is_anonymous
            self.filters["late"] = django_filters.BooleanFilter()

    assert set(listed(filterset_class=Growing)) == {"late"}


def test_a_constructor_that_fails_leaves_the_filters_of_the_class():
    class Failing(django_filters.FilterSet):
        name = django_filters.CharFilter()

        def __init__(self, *args, **kwargs):
            raise LookupError("tenant")

    assert set(listed(filterset_class=Failing)) == {"name"}


def no_rows(self):
    return Permission.objects.filter(content_type=self.kwargs["type"])


def test_without_rows_the_filter_set_is_that_of_the_class():
    class OfPermissions(django_filters.FilterSet):
        class Meta:
            model = Permission
            fields = ["content_type"]

    members = {"get_queryset": no_rows}
    with warnings.catch_warnings(action="error"):
        found = listed(filterset_class=OfPermissions, **members)
    assert found["content_type"]["schema"] == {"type": "integer"}
    with pytest.warns(UserWarning, match=r"Things: get_queryset\(\) failed: KeyError\('type'\)"):
        assert listed(filterset_fields=["codename"], **members) == {}
    assert listed(**members) == {}


def test_a_description_keeps_no_form_fields():
    class Changing(django_filters.FilterSet):
        state = django_filters.ChoiceFilter(choices=[("a", "A")])

    listed(filterset_class=Changing, queryset=ContentType.objects.all())
    assert not any(
        "field" in name for name in vars(Changing.base_filters["state"]) if name[0] == "_"
    )


def test_the_form_of_the_contract_has_types_alone():
    cls = type("Filters", (django_filters.FilterSet,), {"x": django_filters.DateFilter()})
    assert listed(filterset_class=cls, version="3.0.2")["x"]["schema"] == {"type": "string"}


def test_a_description_says_more_than_the_name():
    filters = {
        "slug": django_filters.CharFilter(),
        "state": django_filters.CharFilter(label="How far it is"),
    }
    cls = type("Filters", (django_filters.FilterSet,), filters)
    found = listed(filterset_class=cls)
    said = [found[name].get("description", "") for name in ("slug", "state")]
    assert said == ["", "How far it is"]
    plain = listed(version="3.0.2", filterset_class=cls)
    assert plain["slug"]["description"] == "slug"


class Numbers(forms.IntegerField):
    """Several numbers, as projects write them: a field of one with the widget of many."""

    widget = forms.SelectMultiple

    def clean(self, value):
        return [super(Numbers, self).clean(each) for each in value or []]


class NumbersFilter(django_filters.MultipleChoiceFilter):
    field_class = Numbers


@extend_schema_field(OpenApiTypes.INT32)
class Int32Filter(NumbersFilter):
    pass


@extend_schema_field(str)
class WordFilter(django_filters.NumberFilter):
    pass


@extend_schema_field({"type": "array", "items": {"type": "boolean"}})
class FlagsFilter(NumbersFilter):
    pass


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_a_widget_that_reads_a_name_several_times_makes_a_list(version):
    filters = {"size": NumbersFilter(), "short": Int32Filter(field_name="size")}
    filters |= {"word": WordFilter(field_name="size"), "flags": FlagsFilter(field_name="size")}
    assert values(filters, version=version) == {
        "size": {"type": "array", "items": {"type": "integer"}},
        "short": {"type": "array", "items": {"type": "integer", "format": "int32"}},
        "word": {"type": "string"},
        "flags": {"type": "array", "items": {"type": "boolean"}},
    }


def test_decorators_of_the_other_package_say_it_as_well():
    typed, types = (
        import_module("lintel.spectacular.utils"),
        import_module("lintel.spectacular.types"),
    )
    decorate = typed.extend_schema_field(types.OpenApiTypes.DATE)
    found = values({"on": decorate(type("DatesFilter", (NumbersFilter,), {}))(field_name="size")})
    assert found == {"on": {"type": "array", "items": {"type": "string", "format": "date"}}}
