"""OpenAPI: operations, components and the description of values."""

import datetime
import decimal
import json
from pathlib import Path

import django_filters
import pytest
from django.contrib.auth.models import Group, User
from django.core import validators
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory
from django.urls import path
from django_filters.rest_framework import DjangoFilterBackend

from lintel import (
    exceptions,
    filters,
    generics,
    pagination,
    parsers,
    renderers,
    serializers,
    viewsets,
)
from lintel.fields.describing import choice_type
from lintel.permissions import IsAuthenticated
from lintel.request import Request
from lintel.response import Response
from lintel.schemas import coreapi
from lintel.schemas.openapi import AutoSchema, SchemaGenerator, automatic
from lintel.schemas.openapi.choices import plain_choices
from lintel.views import APIView


class GroupSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField()


class Groups(generics.ListCreateAPIView):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer


class Plain(APIView):
    def get(self, request):
        return Response()


def ready(view_class, **attributes):
    """The schema of a view instance that can be asked."""
    schema = attributes.pop("schema", AutoSchema())
    view = type(view_class.__name__, (view_class,), {"schema": schema, **attributes})()
    view.request = view.format_kwarg = None
    return view.schema


def named(name, found="/x/", method="GET", **attributes):
    view_class = type(name, (APIView,), {})
    return ready(view_class, **attributes).get_operation_id(found, method)


# ---- the document ----


def test_the_document_lists_paths_and_components():
    generator = SchemaGenerator(title="T", patterns=[path("groups/", Groups.as_view())])
    document = generator.get_schema(public=True)
    assert list(document) == ["openapi", "info", "paths", "components"]
    assert document["openapi"] == "3.0.2"
    assert document["info"] == {"title": "T", "version": ""}
    assert list(document["paths"]["/groups/"]) == ["get", "post"]
    assert document["components"]["schemas"]["Group"]["required"] == ["name"]


def test_a_project_without_operations_has_an_empty_document():
    assert SchemaGenerator(patterns=[]).get_schema() == {
        "openapi": "3.0.2",
        "info": {"title": "", "version": ""},
        "paths": {},
    }


def test_the_version_of_the_format_may_be_set_by_a_subclass():
    class Newer(SchemaGenerator):
        openapi_version = "3.1.0"

    assert Newer(patterns=[]).get_schema()["openapi"] == "3.1.0"


@pytest.mark.parametrize(
    ("url", "found"),
    [(None, "/a/"), ("/x", "/x/a/"), ("http://x.org/y/", "http://x.org/y/a/")],
)
def test_paths_are_joined_below_the_url(url, found):
    generator = SchemaGenerator(url=url, patterns=[path("a/", Plain.as_view())])
    assert list(generator.get_schema(public=True)["paths"]) == [found]


def test_the_document_shows_what_the_user_may_call():
    class Closed(Plain):
        permission_classes = [IsAuthenticated]

    generator = SchemaGenerator(patterns=[path("a/", Closed.as_view())])
    request = Request(RequestFactory().get("/"))
    assert generator.get_schema(request)["paths"] == {}
    assert list(generator.get_schema(request, public=True)["paths"]) == ["/a/"]


def test_operations_of_one_name_are_warned_of():
    patterns = [path("a/", Plain.as_view()), path("b/", Plain.as_view())]
    with pytest.warns(UserWarning, match="duplicated operationId.*listPlains") as caught:
        SchemaGenerator(patterns=patterns).get_schema(public=True)
    assert len(caught) == 1
    assert "Route: /a/, Method: get" in str(caught[0].message)
    assert "Route: /b/, Method: get" in str(caught[0].message)


def test_components_that_differ_under_one_name_are_warned_of():
    def create_view(field):
        serializer = type(
            "ThingSerializer", (serializers.Serializer,), {field: serializers.CharField()}
        )
        schema = AutoSchema(operation_id_base=field)
        members = {"serializer_class": serializer, "schema": schema}
        return type("Thing", (generics.CreateAPIView,), members).as_view()

    patterns = [path("a/", create_view("a")), path("b/", create_view("b"))]
    with pytest.warns(UserWarning, match='"Thing" has been overridden'):
        document = SchemaGenerator(patterns=patterns).get_schema(public=True)
    assert list(document["components"]["schemas"]["Thing"]["properties"]) == ["b"]


# ---- names ----


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("PersonView", "listPeople"),
        ("PersonAPIView", "listPeople"),
        ("PersonListView", "listPeople"),
        ("PersonViewSet", "listPersonViewSets"),
        ("NewsView", "listNews"),
        ("View", "list"),
    ],
)
def test_lists_are_named_in_the_plural(name, found):
    assert named(name) == found


@pytest.mark.parametrize(
    ("method", "found"),
    [
        ("POST", "createPerson"),
        ("PUT", "updatePerson"),
        ("PATCH", "partialUpdatePerson"),
        ("DELETE", "destroyPerson"),
        ("TRACE", "tracePerson"),
    ],
)
def test_methods_name_the_action(method, found):
    assert named("PersonView", method=method) == found


def test_a_view_named_after_its_action_says_it_once():
    assert named("PersonCreateView", method="POST") == "createPerson"
    assert named("PersonArchiveView", action="archive") == "archivePerson"


@pytest.mark.parametrize(
    ("action", "found"),
    [
        ("archive_all", "archiveAllPerson"),
        ("archiveAll", "archiveAllPerson"),
        ("retrieve", "retrievePerson"),
        ("list", "listPeople"),
        (None, "retrievePerson"),
    ],
)
def test_actions_are_written_in_camel_case(action, found):
    assert named("PersonView", found="/x/{id}/", action=action) == found


def test_the_subject_is_given_or_the_model_or_the_serializer():
    class Things(generics.ListAPIView):
        serializer_class = GroupSerializer

    assert named("Some", schema=AutoSchema(operation_id_base="Cat")) == "listCats"
    assert named("Some", queryset=User.objects.all()) == "listUsers"
    assert ready(Things).get_operation_id("/x/", "GET") == "listGroups"


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr(automatic, "inflection", None)
    with pytest.raises(ImproperlyConfigured, match=r"django-lintel\[openapi\]"):
        named("PersonView")
    assert named("PersonView", method="POST") == "createPerson"


@pytest.mark.parametrize(
    ("found", "tag"), [("/a_b/c/", "a-b"), ("/", ""), ("a", "a"), ("/{x}/y", "{x}")]
)
def test_tags_are_the_first_part_of_the_path(found, tag):
    assert ready(Plain).get_tags(found, "GET") == [tag]


def test_tags_may_be_given():
    assert ready(Plain, schema=AutoSchema(tags=["t"])).get_tags("/a/", "GET") == ["t"]
    with pytest.raises(ValueError, match="tags must be a list or tuple of string"):
        AutoSchema(tags=[1])


def test_component_names_leave_the_word_serializer_out():
    def component(name, **options):
        serializer = type(name, (serializers.Serializer,), {})()
        return AutoSchema(**options).get_component_name(serializer)

    assert component("GroupSerializer") == "Group"
    assert component("Group") == "Group"
    assert component("OwnSerializerV2") == "OwnV2"
    assert component("GroupSerializer", component_name="Team") == "Team"
    with pytest.raises(ImproperlyConfigured, match='"Serializer" is an invalid class name'):
        component("Serializer")


# ---- parameters ----


def test_parameters_of_the_path_are_described_by_the_model():
    parameters = ready(Groups).get_path_parameters("/{id}/{other}/{id}/", "GET")
    assert [(p["name"], p["description"], p["schema"]) for p in parameters] == [
        ("id", "A unique integer value identifying this group.", {"type": "string"}),
        ("other", "", {"type": "string"}),
    ]


def test_query_parameters_of_paginator_and_filters():
    schema = ready(
        Groups,
        pagination_class=pagination.PageNumberPagination,
        filter_backends=[filters.SearchFilter],
    )

    def parameters(found, method):
        return [p["name"] for p in schema.get_operation(found, method)["parameters"]]

    assert parameters("/groups/", "GET") == ["page", "search"]
    assert parameters("/groups/", "POST") == []
    assert parameters("/groups/{id}/", "DELETE") == ["id", "search"]


@pytest.mark.parametrize(("action", "allowed"), [("list", True), ("create", False), ("own", False)])
def test_filters_belong_to_actions_that_look_objects_up(action, allowed):
    schema = ready(Groups, filter_backends=[filters.SearchFilter], action=action)
    assert schema.allows_filters("/", "GET") is allowed


def test_a_view_without_filters_allows_none():
    assert not ready(Plain).allows_filters("/", "GET")
    assert ready(Plain).get_paginator() is None


# ---- bodies ----


REFERENCE = {"$ref": "#/components/schemas/Group"}


def test_bodies_come_in_every_media_type_of_the_view():
    schema = ready(
        Groups,
        parser_classes=[parsers.JSONParser, parsers.FileUploadParser],
        renderer_classes=[renderers.JSONRenderer, renderers.BrowsableAPIRenderer],
    )
    assert schema.get_request_body("/", "POST") == {
        "content": {"application/json": {"schema": REFERENCE}, "*/*": {"schema": REFERENCE}}
    }
    assert schema.get_responses("/", "POST") == {
        "201": {"content": {"application/json": {"schema": REFERENCE}}, "description": ""}
    }
    assert schema.request_media_types == ["application/json", "*/*"]
    assert schema.response_media_types == ["application/json"]


def test_reading_and_deleting_send_no_body():
    schema = ready(Groups)
    assert "requestBody" not in schema.get_operation("/", "GET")
    assert "requestBody" not in schema.get_operation("/", "DELETE")
    assert schema.get_responses("/", "DELETE") == {"204": {"description": ""}}
    assert schema.get_components("/", "DELETE") == {}


def test_lists_are_arrays_in_the_envelope_of_the_paginator():
    content = ready(Groups).get_responses("/", "GET")["200"]["content"]["application/json"]
    assert content["schema"] == {"type": "array", "items": REFERENCE}
    paged = ready(Groups, pagination_class=pagination.PageNumberPagination)
    content = paged.get_responses("/", "GET")["200"]["content"]["application/json"]
    assert content["schema"]["properties"]["results"] == {"type": "array", "items": REFERENCE}


def test_what_is_no_serializer_is_left_open():
    def get_serializer(self, *args, **kwargs):
        return GroupSerializer(many=True)

    schema = ready(Groups, get_serializer=get_serializer)
    content = schema.get_request_body("/", "POST")["content"]["application/json"]
    assert content == {"schema": {}}
    assert schema.get_components("/", "POST") == {}


def test_a_serializer_that_cannot_be_made_is_warned_of():
    def get_serializer(self, *args, **kwargs):
        raise exceptions.NotFound

    schema = ready(Groups, get_serializer=get_serializer)
    with pytest.warns(UserWarning, match=r"Groups.get_serializer\(\) raised .* for GET /p/"):
        assert schema.get_serializer("/p/", "GET") is None


def test_requests_and_responses_may_have_different_serializers():
    class Split(AutoSchema):
        def get_request_serializer(self, found, method):
            return type("InSerializer", (serializers.Serializer,), {})()

        def get_response_serializer(self, found, method):
            return type("OutSerializer", (serializers.Serializer,), {})()

    assert list(ready(Groups, schema=Split()).get_components("/", "POST")) == ["In", "Out"]


# ---- values ----


def test_properties_tell_flags_defaults_and_help():
    class Flags(serializers.Serializer):
        hidden = serializers.HiddenField(default=1)
        read = serializers.CharField(read_only=True)
        write = serializers.CharField(write_only=True)
        null = serializers.CharField(allow_null=True, default=None)
        given = serializers.DateField(default=datetime.date(2020, 1, 2))
        called = serializers.CharField(default=lambda: "x")
        helped = serializers.CharField(help_text="Help.", required=False)

    assert AutoSchema().map_serializer(Flags()) == {
        "type": "object",
        "properties": {
            "read": {"type": "string", "readOnly": True},
            "write": {"type": "string", "writeOnly": True},
            "null": {"type": "string", "nullable": True},
            "given": {"type": "string", "format": "date", "default": datetime.date(2020, 1, 2)},
            "called": {"type": "string"},
            "helped": {"type": "string", "description": "Help."},
        },
        "required": ["write"],
    }


def test_a_partial_serializer_requires_nothing():
    assert "required" not in AutoSchema().map_serializer(GroupSerializer(partial=True))


def test_names_of_properties_may_be_written_another_way():
    class Shouting(AutoSchema):
        def get_field_name(self, field):
            return field.field_name.upper()

    described = Shouting().map_serializer(GroupSerializer())
    assert list(described["properties"]) == ["ID", "NAME"]
    assert described["required"] == ["NAME"]


@pytest.mark.parametrize(
    ("choices", "kind"),
    [
        ([True, False], "boolean"),
        ([1, 2], "integer"),
        ([1, decimal.Decimal("1.5")], "number"),
        (["a"], "string"),
        ([1, "a"], None),
        ([None], None),
    ],
)
def test_choices_share_a_type(choices, kind):
    assert choice_type(choices) == kind


@pytest.mark.parametrize(
    ("bounds", "mapped"),
    [
        ({"min_value": 0, "max_value": 0}, {"minimum": 0, "maximum": 0}),
        ({"max_value": 2**31}, {"maximum": 2**31, "format": "int64"}),
        ({"min_value": 2**33}, {"minimum": 2**33, "format": "int64"}),
        ({"min_value": -(2**31)}, {"minimum": -(2**31)}),
    ],
)
def test_bounds_of_integers(bounds, mapped):
    field = serializers.IntegerField(**bounds)
    assert AutoSchema().map_field(field) == {"type": "integer", **mapped}


@pytest.mark.parametrize(
    ("digits", "mapped"),
    [
        ((5, 2), {"multipleOf": 0.01, "maximum": 1000, "minimum": -1000}),
        ((5, 0), {"maximum": 100000, "minimum": -100000}),
        ((4, 4), {"multipleOf": 0.0001}),
        ((None, 2), {"multipleOf": 0.01}),
        ((5, None), {}),
    ],
)
def test_digits_of_decimals(digits, mapped):
    field = serializers.DecimalField(*digits, coerce_to_string=False)
    assert AutoSchema().map_field(field) == {"type": "number", **mapped}


@pytest.mark.parametrize(
    ("validator", "mapped"),
    [
        (validators.EmailValidator(), {"format": "email"}),
        (validators.RegexValidator(r"^a\Z"), {"pattern": r"^a\z"}),
        (validators.MaxLengthValidator(3), {"maxLength": 3}),
        (validators.MinLengthValidator(lambda: 2), {"minLength": 2}),
        (validators.MaxValueValidator(3), {"maximum": 3}),
        (validators.MinValueValidator(2), {"minimum": 2}),
        (validators.DecimalValidator(3, 1), {}),
        (validators.ProhibitNullCharactersValidator(), {}),
    ],
)
def test_validators_speak(validator, mapped):
    schema = {}
    AutoSchema().map_field_validators(serializers.CharField(validators=[validator]), schema)
    assert schema == mapped


def test_validators_of_lists_count_items():
    schema = {}
    field = serializers.ListField(min_length=1, max_length=3)
    AutoSchema().map_field_validators(field, schema)
    assert schema == {"minItems": 1, "maxItems": 3}


def test_a_urls_pattern_comes_with_its_format():
    schema = {}
    AutoSchema().map_field_validators(serializers.URLField(), schema)
    assert schema["format"] == "uri"
    assert schema["pattern"].endswith(r"\z")


def test_unknown_fields_are_strings():
    class Own(serializers.Field):
        pass

    assert AutoSchema().map_field(Own()) == {"type": "string"}


# ---- filters of django-filter ----


class GroupFilters(django_filters.FilterSet):
    size = django_filters.RangeFilter(field_name="id", label="Size of the group")
    many = django_filters.BooleanFilter(field_name="id", lookup_expr="gt", required=True)

    class Meta:
        model = Group
        fields = ["id", "name"]


FILTERED = {"filter_backends": [DjangoFilterBackend, filters.SearchFilter]}


def test_filter_sets_are_described_by_their_filters():
    schema = ready(Groups, filterset_class=GroupFilters, **FILTERED)
    found = schema.get_filter_parameters("/groups/", "GET")
    assert [(each["name"], each["schema"]["type"], each["required"]) for each in found] == [
        ("id", "integer", False),
        ("name", "string", False),
        ("size_min", "string", False),
        ("size_max", "string", False),
        ("many", "boolean", True),
        ("search", "string", False),
    ]
    assert found[2]["description"] == "Size of the group"


def test_filter_sets_stand_in_the_native_schema():
    schema = coreapi.AutoSchema()
    schema.view = ready(Groups, filterset_fields=["name"], **FILTERED).view
    names = [field.name for field in schema.get_filter_fields("/groups/", "GET")]
    assert names == ["name", "search"]


def test_a_backend_that_says_nothing_has_no_parameters():
    class Silent:
        def filter_queryset(self, request, queryset, view):
            return queryset

    schema = ready(Groups, filter_backends=[Silent, DjangoFilterBackend])
    assert schema.get_filter_parameters("/groups/", "GET") == []


def test_a_filter_set_that_fails_is_left_out_with_a_warning():
    class Failing(DjangoFilterBackend):
        def get_filterset_class(self, view, queryset=None):
            raise KeyError("tenant")

    backends = [filters.SearchFilter, Failing]
    schema = ready(Groups, filterset_class=GroupFilters, filter_backends=backends)
    with pytest.warns(UserWarning, match="The filters of Groups are not described: KeyError"):
        assert len(schema.get_filter_parameters("/groups/", "GET")) == 1


def test_names_of_ours_are_free_for_subclasses():
    class Own(AutoSchema):
        _subject = _item_schema = _property = _sections = None

        def _map_min_max(self, field, content):
            content["maximum"] = 7

        def _to_camel_case(self, snake_str):
            return snake_str.upper()

    schema = ready(Groups, schema=Own())
    assert schema.get_operation("/groups/", "GET")["operationId"] == "listGroups"
    assert schema.map_field(serializers.IntegerField(max_value=3))["maximum"] == 7


def test_views_that_are_described_at_the_same_time_keep_their_media_types():
    class Disturbed(AutoSchema):
        def get_serializer(self, path, method):
            # What another thread does in the middle: one inspector serves all views of a class.
            self.request_media_types = self.response_media_types = ["text/other"]
            return super().get_serializer(path, method)

    schema = ready(Groups, schema=Disturbed(), parser_classes=[parsers.JSONParser])
    assert list(schema.get_request_body("/groups/", "POST")["content"]) == ["application/json"]
    responses = schema.get_responses("/groups/", "GET")
    assert "text/other" not in responses["200"]["content"]


# ---- overrides ----

API = json.loads(Path(__file__).with_name("contract").joinpath("api.json").read_text())["modules"]

#: The methods that the documentation of the known API names, one of them not as the API has it.
DOCUMENTED = [
    "get_path_parameters",
    "get_pagination_parameters",
    "get_filter_parameters",
    "get_request_body",
    "get_responses",
    "get_serializer",
    "get_paginator",
    "map_serializer",
    "map_field",
    "map_choice_field",
    "map_field_validators",
    "allows_filters",
]


def methods_of(module, name):
    """The methods of a class of the contract that a project overrides."""
    members = API[module][name]["methods"].items()
    return [
        each for each, facts in members if facts["kind"] == "method" and not each.startswith("__")
    ]


class ChoiceSerializer(serializers.Serializer):
    size = serializers.ChoiceField(["s", "m"])
    sizes = serializers.MultipleChoiceField(choices=["s", "m"])


class Sizes(viewsets.ModelViewSet):
    queryset = Group.objects.order_by("pk")
    serializer_class = ChoiceSerializer
    pagination_class = pagination.LimitOffsetPagination
    filter_backends = [filters.SearchFilter]
    search_fields = ["name"]


def document_of(schema, version="3.0.2"):
    """The document of views with a schema object, and of a view without a model."""
    view = type("Sizes", (Sizes,), {"schema": schema})
    generator = SchemaGenerator(
        patterns=[
            path("sizes/", view.as_view({"get": "list", "post": "create"})),
            path("sizes/<int:pk>/", view.as_view({"get": "retrieve", "patch": "partial_update"})),
        ]
    )
    generator.openapi_version = version
    return generator.get_schema(public=True)


def recorded(base, name, calls):
    """A subclass whose method of this name notes that it was called."""

    def method(self, *args, **kwargs):
        calls.append(name)
        return getattr(base, name)(self, *args, **kwargs)

    return type("Recording", (base,), {name: method})


@pytest.mark.parametrize("version", ["3.0.2", "3.1.1"])
@pytest.mark.parametrize(
    "name", sorted({*methods_of("schemas.openapi", "AutoSchema"), *DOCUMENTED})
)
def test_an_override_of_each_method_is_called(name, version):
    calls = []
    document = document_of(recorded(AutoSchema, name, calls)(), version)
    assert calls
    assert document == document_of(AutoSchema(), version)


@pytest.mark.parametrize("name", methods_of("schemas.openapi", "SchemaGenerator"))
def test_an_override_of_each_method_of_the_generator_is_called(name):
    calls = []
    patterns = [path("groups/<int:pk>/", Groups.as_view())]
    request = Request(RequestFactory().get("/"))
    recorded(SchemaGenerator, name, calls)(patterns=patterns).get_schema(request)
    assert calls


@pytest.mark.parametrize("name", methods_of("schemas.coreapi", "AutoSchema"))
def test_an_override_of_each_method_of_the_native_schema_is_called(name):
    calls = []
    view = type("Sizes", (Sizes,), {"schema": recorded(coreapi.AutoSchema, name, calls)()})
    patterns = [path("sizes/<int:pk>/", view.as_view({"put": "update"}))]
    coreapi.SchemaGenerator(patterns=patterns).get_schema(public=True)
    # Manual fields are merged by a static method.
    assert calls or name == "update_fields"


def saying(base, **words):
    """A subclass of a schema whose methods add a word to the description of choices."""

    def method(name, word):
        def described(self, field):
            found = getattr(super(cls, self), name)(field)
            return {**found, "x-said": [*found.get("x-said", []), word]}

        return described

    cls = type("Saying", (base,), {name: method(name, word) for name, word in words.items()})
    return cls


def said(schema, version="3.0.2"):
    found = document_of(schema, version)["components"]["schemas"]
    described = found["Choice"]["properties"]["size"] if version == "3.0.2" else found
    return described["x-said"] if version == "3.0.2" else found["ChoiceSizeEnum"]["x-said"]


OLD, NEW = "map_choicefield", "map_choice_field"


@pytest.mark.parametrize("version", ["3.0.2", "3.1.1"])
def test_choices_may_be_described_under_both_names(version):
    for first, second in ((OLD, NEW), (NEW, OLD)):
        base = saying(AutoSchema, **{first: "base"})
        assert said(base(), version) == ["base"]
        assert said(type("Below", (base,), {})(), version) == ["base"]
        assert said(saying(base, **{first: "own"})(), version) == ["base", "own"]
        # The most derived override is called; super() in it reaches the other name.
        assert said(saying(base, **{second: "own"})(), version) == ["base", "own"]
        mixed = type("Mixed", (saying(object, **{second: "mixin"}), base), {})
        assert said(mixed(), version) == ["base", "mixin"]


def test_of_two_names_in_one_class_that_of_the_known_api_is_called():
    both = saying(AutoSchema, **{OLD: "old", NEW: "new"})
    assert said(both()) == ["old"]
    assert said(saying(both, **{NEW: "own"})()) == ["new", "own"]

    class Alias(AutoSchema):
        def map_choicefield(self, field):
            return self.map_choice_field(field)

        def map_choice_field(self, field):
            return {**super().map_choice_field(field), "x-said": ["alias"]}

    assert said(Alias()) == ["alias"]
    one = AutoSchema()
    one.map_choice_field = lambda field: {**plain_choices(field), "x-said": ["instance"]}
    assert said(one) == ["instance"]
    assert said(saying(Alias, **{NEW: "own"})()) == ["alias", "own"]


@pytest.mark.parametrize("name", [OLD, NEW])
def test_either_name_may_be_called_and_patched(name, monkeypatch):
    field = serializers.ChoiceField(["s"])
    expected = {"enum": ["s"], "type": "string", "x-said": ["own"]}
    for own in (OLD, NEW):
        assert getattr(saying(AutoSchema, **{own: "own"})(), name)(field) == expected
    before = getattr(AutoSchema, name)
    assert before(AutoSchema(), field) == {"enum": ["s"], "type": "string"}
    patch = lambda self, field: {**before(self, field), "x-said": ["patched"]}  # noqa: E731 -- as patches are written
    sub = type("Sub", (AutoSchema,), {})
    monkeypatch.setattr(sub, name, patch, raising=False)
    assert said(sub()) == ["patched"]
    monkeypatch.undo()
    assert "x-said" not in AutoSchema().map_field(field)
    monkeypatch.setattr(AutoSchema, name, patch)
    assert said(AutoSchema()) == said(AutoSchema(), "3.1.1") == ["patched"]
