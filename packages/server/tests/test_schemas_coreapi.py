"""The native schema: links from views, and the tree they are placed in."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group, User
from django.db import models
from django.test import RequestFactory, override_settings
from django.urls import include, path
from django_filters.rest_framework import DjangoFilterBackend

from lintel import compat, filters, generics, pagination, parsers, serializers
from lintel.decorators import action
from lintel.permissions import IsAuthenticated
from lintel.request import Request
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import OpenApiParameter, OpenApiRequest, coreapi, extend_schema, openapi
from lintel.schemas.coreapi import AutoSchema, LinkNode, ManualSchema, SchemaGenerator, insert_into
from lintel.views import APIView
from lintel.viewsets import GenericViewSet, ViewSet
from lintel_document import Field, Link, schemas


class GroupSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    hidden = serializers.HiddenField(default=1)
    name = serializers.CharField(help_text="Its name.")
    size = serializers.IntegerField(required=False)


class Groups(generics.ListCreateAPIView):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    schema = AutoSchema()


class Plain(APIView):
    schema = AutoSchema()

    def get(self, request):
        return Response()


def link_of(view_class, found="/groups/", method="GET", **attributes):
    view = view_class(**attributes)
    view.request = view.format_kwarg = None
    return view.schema.get_link(found, method, base_url=None)


def names(fields):
    return [(field.name, field.location) for field in fields]


# ---- the tree ----


def test_links_of_one_name_are_numbered():
    root = LinkNode()
    for value in range(3):
        insert_into(root, ["a", "get"], value)
    insert_into(root, ["a", "get", "deep"], "deep")
    coreapi.distribute_links(root)
    assert root == {"a": {"get": {"deep": "deep"}, "get_0": 0, "get_1": 1, "get_2": 2}}


def test_a_link_in_the_way_of_a_branch_is_named():
    root = LinkNode()
    root["a"] = Link("/taken/", "get")
    with pytest.raises(ValueError, match="/taken/") as caught:
        insert_into(root, ["a", "b"], Link("/new/", "get"))
    assert "/new/" in str(caught.value)
    assert "get_keys" in str(caught.value)


@pytest.mark.parametrize(
    ("paths", "prefix"),
    [
        (["/a/"], "/"),
        (["/a/b/", "/a/c/"], "/a"),
        (["/api/v1/tags/", "/api/v1/tags/{id}/"], "/api/v1"),
        (["/api/{tenant}/a/", "/api/{tenant}/b/"], "/"),
        (["/x/a/", "/y"], "/"),
        (["/a/b{c}/d/", "/a/e/"], "/"),
    ],
)
def test_the_prefix_that_names_nothing(paths, prefix):
    assert SchemaGenerator(patterns=[]).determine_path_prefix(paths) == prefix


TWO = {"get": "x", "post": "y"}
HEAD = {"get": "x", "head": "x"}


@pytest.mark.parametrize(
    ("subpath", "method", "attributes", "keys"),
    [
        ("/a/", "GET", {}, ["a", "list"]),
        ("/a/{id}/", "GET", {}, ["a", "read"]),
        ("/a/b-c/{x}/d", "DELETE", {}, ["a", "b-c", "d", "delete"]),
        ("/a/", "TRACE", {}, ["a", "trace"]),
        ("/a/", "GET", {"action": "retrieve"}, ["a", "read"]),
        ("/a/x/", "POST", {"action": "x_y", "action_map": {"post": "x_y"}}, ["a", "x_y"]),
        ("/a/x/", "POST", {"action": "x", "action_map": TWO}, ["a", "x", "create"]),
        ("/a/x/", "GET", {"action": "x", "action_map": TWO}, ["a", "x", "read"]),
        ("/a/x/", "GET", {"action": "x", "action_map": None}, ["a", "x"]),
        ("/a/x/", "GET", {"action": "x", "action_map": HEAD}, ["a", "x"]),
        ("/a/x/", "GET", {"action": "x", "action_map": {**HEAD, "put": "x"}}, ["a", "x", "read"]),
    ],
)
def test_keys_of_operations(subpath, method, attributes, keys):
    view = SimpleNamespace(**attributes)
    assert SchemaGenerator(patterns=[]).get_keys(subpath, method, view) == keys


def test_names_of_actions_follow_the_setting_unless_a_subclass_decides():
    class Plainly(SchemaGenerator):
        coerce_method_names = {}

    view = SimpleNamespace(action="retrieve")
    assert Plainly(patterns=[]).get_keys("/a/", "GET", view) == ["a", "retrieve"]
    with override_settings(REST_FRAMEWORK={"SCHEMA_COERCE_METHOD_NAMES": {"retrieve": "show"}}):
        assert SchemaGenerator(patterns=[]).get_keys("/a/", "GET", view) == ["a", "show"]


def test_a_project_without_operations_has_no_document():
    assert SchemaGenerator(patterns=[]).get_schema() is None
    assert SchemaGenerator(patterns=[]).get_links() is None


def test_the_document_shows_what_the_user_may_call():
    class Closed(Plain):
        permission_classes = [IsAuthenticated]

    patterns = [path("api/open/", Plain.as_view()), path("api/closed/", Closed.as_view())]
    generator = SchemaGenerator(title="T", patterns=patterns)
    request = Request(RequestFactory().get("/schema/"))
    assert set(generator.get_schema(request)) == {"open"}
    document = generator.get_schema(request, public=True)
    assert set(document) == {"open", "closed"}
    assert (document.title, document.url) == ("T", "http://testserver/schema/")


def test_views_without_a_native_schema_are_described_as_well():
    class Modern(generics.ListAPIView):
        queryset = Group.objects.all()
        pagination_class = pagination.LimitOffsetPagination
        schema = openapi.AutoSchema()

    document = SchemaGenerator(patterns=[path("groups/", Modern.as_view())]).get_schema()
    assert names(document["groups"]["list"].fields) == [("limit", "query"), ("offset", "query")]


def test_a_native_description_of_its_own_serves_views_that_follow_the_settings():
    class Described(Plain):
        schema = APIView.__dict__["schema"]
        native_schema = ManualSchema(fields=[Field("own")], description="Own.")

    class Overridden(Described):
        schema = AutoSchema()

    patterns = [path("a/x/", Described.as_view()), path("a/y/", Overridden.as_view())]
    document = SchemaGenerator(patterns=patterns).get_schema()
    assert document["x"]["list"].description == "Own."
    assert document["y"]["list"].description == ""


@pytest.mark.parametrize(
    ("base", "found", "url"),
    [
        (None, "/a/b/", "/a/b/"),
        ("", "a/b", "a/b"),
        ("/pre/", "/a/", "/pre/a/"),
        ("http://x.org/z/", "/a/", "http://x.org/z/a/"),
    ],
)
def test_urls_are_joined_below_the_base(base, found, url):
    assert Plain().schema.get_link(found, "GET", base_url=base).url == url


# ---- fields of links ----


def test_body_fields_are_those_that_accept_input():
    link = link_of(Groups, method="POST")
    assert [(f.name, f.location, f.required) for f in link.fields] == [
        ("name", "form", True),
        ("size", "form", False),
    ]
    assert link.encoding == "application/json"
    assert link.fields[0].schema == schemas.String(title="Name", description="Its name.")


def test_a_partial_update_requires_nothing_of_the_body():
    link = link_of(Groups, "/groups/{id}/", "PATCH")
    assert [(f.name, f.required) for f in link.fields] == [
        ("id", True),
        ("name", False),
        ("size", False),
    ]


def test_a_list_is_one_field():
    class Many(Groups):
        def get_serializer(self, *args, **kwargs):
            return GroupSerializer(many=True)

    (field,) = link_of(Many, method="POST").fields
    assert (field.name, field.location, field.required) == ("data", "body", True)


def test_what_is_no_serializer_gives_no_fields():
    class Odd(Groups):
        def get_serializer(self, *args, **kwargs):
            return None

    assert link_of(Odd, method="POST").fields == ()


def test_parameters_of_the_path_are_described_by_the_model():
    fields = link_of(Groups, "/{id}/{name}/{other}/{id}/").fields
    described = {field.name: field.schema for field in fields}
    assert list(described) == ["id", "name", "other"]
    assert isinstance(described["id"], schemas.Integer)
    assert described["id"].description == "A unique integer value identifying this group."
    assert described["name"] == schemas.String(title="name")
    assert described["other"] == schemas.String()


def test_the_pattern_of_a_lookup_is_kept():
    class Looked(Groups):
        lookup_field = "name"
        lookup_value_regex = "[a-z]+"

    (field,) = link_of(Looked, "/{name}/").fields
    assert field.schema.pattern == "[a-z]+"


def test_query_parameters_of_paginator_and_filters():
    class Listed(Groups):
        pagination_class = pagination.PageNumberPagination
        filter_backends = [filters.SearchFilter]

    assert names(link_of(Listed).fields) == [("page", "query"), ("search", "query")]
    assert names(link_of(Listed, "/{id}/").fields) == [("id", "path"), ("search", "query")]
    assert ("search", "query") not in names(link_of(Listed, method="POST").fields)


def test_sources_that_know_openapi_alone_are_asked_in_that_language():
    class Own:
        def get_schema_operation_parameters(self, view):
            kind = {"type": "integer", "title": "T"}
            return [
                {"name": "n", "in": "query", "required": True, "description": "D", "schema": kind}
            ]

    class Silent:
        pass

    class Listed(Groups):
        filter_backends = [Own, Silent]

    (field,) = link_of(Listed).fields
    assert (field.name, field.required) == ("n", True)
    assert field.schema == schemas.Integer(title="T", description="D")


def test_names_that_a_view_declares_are_query_parameters():
    class Found(Groups):
        filter_backends = [filters.SearchFilter]
        allowed_query_params = ["search", "year"]

    assert names(link_of(Found).fields) == [("search", "query"), ("year", "query")]


def test_a_filter_with_the_base_class_is_asked_in_the_language_that_it_knows():
    class Own(filters.BaseFilterBackend):
        def get_schema_operation_parameters(self, view):
            return [{"name": "open", "in": "query", "schema": {"type": "boolean"}}]

    class Listed(Groups):
        filter_backends = [Own]

    (field,) = link_of(Listed).fields
    assert (field.name, field.location, field.schema) == ("open", "query", schemas.Boolean())


class Weeks(serializers.Serializer):
    weeks = serializers.IntegerField(required=False)
    until = serializers.DateField(read_only=True)


class Loans(GenericViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    @extend_schema(request=None, description="It is back.")
    @action(detail=True, methods=["post"])
    def give_back(self, request, pk):
        """Never shown."""

    @extend_schema(request={"application/json": OpenApiRequest(Weeks)})
    @action(detail=True, methods=["post"])
    def renew(self, request, pk):
        pass

    @extend_schema(request={"type": "object"}, parameters=[Weeks])
    @action(detail=True, methods=["post"])
    def raw(self, request, pk):
        pass

    @extend_schema(exclude=True)
    @action(detail=True, methods=["post"])
    def hidden(self, request, pk):
        pass

    @extend_schema(
        parameters=[
            OpenApiParameter("kind", enum=["a", "b"], required=True),
            OpenApiParameter("count", int, location="header"),
            OpenApiParameter("X-Kept", response=True),
            {"name": "said", "in": "query", "schema": {"type": "number"}},
        ]
    )
    @action(detail=False, filter_backends=[])
    def sums(self, request):
        pass


def test_what_extend_schema_says_of_body_and_parameters_is_in_the_links():
    router = SimpleRouter()
    router.register("loans", Loans, basename="loan")
    links = SchemaGenerator(patterns=router.urls).get_schema()["loans"]
    assert "hidden" not in links
    assert names(links["give_back"].fields) == [("id", "path")]
    assert (links["give_back"].encoding, links["give_back"].description) == ("", "It is back.")
    assert names(links["renew"].fields) == [("id", "path"), ("weeks", "form")]
    assert links["renew"].encoding == "application/json"
    assert names(links["raw"].fields) == [("id", "path"), ("data", "body"), ("weeks", "query")]
    kind, count, said = links["sums"].fields
    assert (kind.name, kind.required, kind.schema) == ("kind", True, schemas.Enum(enum=["a", "b"]))
    assert (count.name, count.location, count.schema) == ("count", "header", schemas.Integer())
    assert (said.name, said.schema) == ("said", schemas.Number())


def test_extend_schema_takes_parameters_away():
    class Listed(Groups):
        filter_backends = [filters.SearchFilter]

        @extend_schema(parameters=[OpenApiParameter("search", exclude=True)])
        def get(self, request):
            pass

    assert link_of(Listed).fields == ()


def test_manual_fields_replace_and_add():
    class Extra(Groups):
        schema = AutoSchema(manual_fields=[Field("name", location="form"), Field("new")])

    link = link_of(Extra, method="POST")
    assert names(link.fields) == [("name", "form"), ("size", "form"), ("new", "")]
    assert link.fields[0].schema is None


def test_without_manual_fields_nothing_is_merged():
    both = [Field("a", location="path"), Field("a", location="form")]
    assert AutoSchema.update_fields(both, []) == both


@pytest.mark.parametrize(
    ("classes", "encoding"),
    [
        ([parsers.FormParser, parsers.JSONParser], "application/x-www-form-urlencoded"),
        ([parsers.MultiPartParser], "multipart/form-data"),
        ([parsers.FileUploadParser, parsers.JSONParser], "application/octet-stream"),
        ([], None),
    ],
)
def test_the_encoding_is_that_of_the_first_parser(classes, encoding):
    assert Groups(parser_classes=classes).schema.get_encoding("/", "POST") == encoding


def test_fields_of_other_libraries_are_taken_over():
    class ForeignString:
        title, description = "T", "D"

    foreign = SimpleNamespace(
        name="f", required=None, location=None, schema=ForeignString(), description="d"
    )

    class Foreign(Groups):
        schema = AutoSchema(manual_fields=[foreign])

    (field,) = link_of(Foreign).fields
    assert isinstance(field, Field)
    assert (field.required, field.location, field.description) == (False, "", "d")


def test_the_document_model_stands_in_for_the_packages_of_old():
    assert compat.coreapi.Field is Field
    assert compat.coreschema.String is schemas.String
    assert coreapi.coreapi.Link is Link


# ---- schemas written by hand ----


def test_a_manual_schema_describes_every_method_alike():
    class ByHand(Plain):
        schema = ManualSchema([Field("q", location="query")], "Text.", "text/plain")

    for method in ("GET", "POST"):
        link = link_of(ByHand, "/x/", method)
        assert link == Link(
            "/x/", method.lower(), "text/plain", description="Text.", fields=link.fields
        )
        assert names(link.fields) == [("q", "query")]


def test_a_manual_schema_takes_fields_only():
    with pytest.raises(TypeError, match="'q'"):
        ManualSchema(fields=["q"])


def test_the_setting_tells_whether_the_format_is_enabled():
    assert not coreapi.is_enabled()
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": AutoSchema}):
        assert coreapi.is_enabled()


# ---- values ----


def test_texts_may_be_lazy_and_long():
    field = serializers.CharField(
        style={"base_template": "textarea.html"}, label="L", help_text="H"
    )
    schema = coreapi.field_to_schema(field)
    assert schema == schemas.String(title="L", description="H", format="textarea")


def test_files_are_told_from_text_by_a_mark_alone():
    image = coreapi.field_to_schema(serializers.ImageField())
    files = coreapi.field_to_schema(serializers.ListField(child=serializers.FileField()))
    assert image.is_file
    assert files.items.is_file
    assert image == schemas.String()


def test_relations_are_described_by_the_key_of_their_model():
    class Coded(models.Model):
        code = models.CharField(primary_key=True, max_length=3)

        class Meta:
            app_label = "schemas_test"

    def kind(model, **kwargs):
        queryset = model.objects.all()
        return coreapi.field_to_schema(
            serializers.PrimaryKeyRelatedField(queryset=queryset, **kwargs)
        )

    assert isinstance(kind(User), schemas.Integer)
    assert isinstance(kind(Coded), schemas.String)
    assert isinstance(kind(User, many=True).items, schemas.Integer)
    assert isinstance(kind(Coded, many=True).items, schemas.String)


def test_subclasses_are_described_like_their_kind():
    class Moment(serializers.DateTimeField):
        pass

    class Unknown(serializers.Field):
        pass

    assert coreapi.field_to_schema(Moment()).format == "date-time"
    assert coreapi.field_to_schema(Unknown()) == schemas.String()


def test_a_field_of_the_project_names_its_own_type():
    class Rating(serializers.Field):
        native_type = schemas.Integer()

    class Rated(serializers.Serializer):
        ratings = serializers.ListField(child=Rating(label="Stars"))

    rated = coreapi.field_to_schema(Rated())
    assert isinstance(rated.properties["ratings"].items, schemas.Integer)
    assert rated.properties["ratings"].items.title == "Stars"


def test_included_prefixes_do_not_name_groups():
    inner = [path("a/", Plain.as_view()), path("b/", Plain.as_view())]
    document = SchemaGenerator(patterns=[path("api/v1/", include(inner))]).get_schema()
    assert set(document) == {"a", "b"}
    assert document["a"]["list"].url == "/api/v1/a/"


def test_filters_of_django_filter_are_fields_of_the_link():
    class Filtered(generics.ListAPIView):
        queryset = User.objects.all()
        serializer_class = serializers.Serializer
        filter_backends = [DjangoFilterBackend]
        filterset_fields = ["username", "is_staff"]

    generator = coreapi.SchemaGenerator(patterns=[path("users/", Filtered.as_view())])
    link = generator.get_schema(public=True)["users"]["list"]
    assert [field.name for field in link.fields] == ["username", "is_staff"]


def test_an_action_that_answers_head_as_well_keeps_its_key():
    class Things(ViewSet):
        schema = AutoSchema()

        def list(self, request):
            return Response([])

        @action(detail=False, methods=["get", "head"])
        def custom(self, request):
            return Response({})

    router = SimpleRouter()
    router.register("x", Things, basename="x")
    document = SchemaGenerator(patterns=router.urls).get_schema()
    assert sorted(document["x"]) == ["custom", "list"]
    assert document["x"]["custom"].url == "/x/custom/"


def test_a_view_that_fails_leaves_the_others_described():
    class Failing(generics.ListCreateAPIView):
        def get_serializer_class(self):
            raise KeyError("kind")

    patterns = [path("a/<int:n>/", Failing.as_view()), path("b/", Plain.as_view())]
    with pytest.warns(UserWarning, match=r"Failing: get_serializer\(\) failed"):
        document = coreapi.SchemaGenerator(patterns=patterns).get_schema(public=True)
    assert [field.name for field in document["a"]["create"].fields] == ["n"]
    assert "b" in document


def test_a_serializer_inside_itself_is_an_object_there():
    class Tree(serializers.Serializer):
        def get_fields(self):
            return {"name": serializers.CharField(), "children": Tree(many=True)}

    class Trees(generics.CreateAPIView):
        serializer_class = Tree

    document = coreapi.SchemaGenerator(patterns=[path("a/", Trees.as_view())]).get_schema()
    name, children = document["a"]["create"].fields
    assert name.name == "name"
    assert children.schema.items == schemas.Object(title="", description="")


class Boxes(GenericViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer
    filter_backends = [filters.SearchFilter]
    search_fields = ["name"]
    schema = AutoSchema()

    def retrieve(self, request, pk): ...

    @action(detail=True, methods=["post"])
    def confirm(self, request, pk):
        return Response(self.get_serializer(self.get_object()).data)

    @action(detail=True, methods=["post"])
    def rename(self, request, pk):
        return Response(request.data)


def fields_of(name, method, **attributes):
    view_class = type("Some", (Boxes,), attributes)
    view = view_class(action=name, action_map={method.lower(): name})
    view.request = view.format_kwarg = None
    return [field.name for field in view.schema.get_link("/boxes/{id}/", method, None).fields]


@pytest.mark.parametrize(
    ("version", "confirmed", "found"),
    [
        ("3.0.2", ["id", "name", "size"], ["id", "search"]),
        ("3.0.3", ["id"], ["id"]),
        ("3.1", ["id"], ["id"]),
        ("2", ["id", "name", "size"], ["id", "search"]),
    ],
)
def test_full_descriptions_ask_for_what_the_service_reads(version, confirmed, found):
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": version}):
        assert fields_of("confirm", "POST") == confirmed
        assert fields_of("rename", "POST") == ["id", "name", "size"]
        assert fields_of("retrieve", "GET") == found
        everywhere = fields_of("retrieve", "GET", filter_fields_everywhere=True)
        assert everywhere == ["id", "search"]
