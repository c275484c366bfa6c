"""Operations from our schema objects: short cuts give the same result as the full way."""

from __future__ import annotations

import dataclasses
import datetime
import json
import warnings
from contextlib import nullcontext

import pytest
from django.contrib.auth.models import Group, User
from django.test import override_settings
from django.urls import path

from lintel import (
    authentication,
    filters,
    generics,
    pagination,
    permissions,
    renderers,
    serializers,
    throttling,
    versioning,
    viewsets,
)
from lintel.conditional import ConditionalMixin
from lintel.decorators import action
from lintel.idempotency import IdempotentMixin
from lintel.response import Response
from lintel.retirement import Deprecation
from lintel.routers import SimpleRouter
from lintel.schemas import OpenApiParameter, extend_schema, extend_schema_view, tree
from lintel.schemas.openapi import AutoSchema, SchemaGenerator
from lintel.test import APIRequestFactory
from lintel.views import APIView

pytestmark = pytest.mark.filterwarnings("error")

#: The operations on one group.
SINGLE = [f"{method} /groups/{{id}}/" for method in ("delete", "get", "patch", "put")]


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


class AddressSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = User
        fields = ["url", "username"]


class PersonSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["first_name"]


class Groups(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    @extend_schema(summary="Merges.")
    @action(detail=True, methods=["post"])
    def merge(self, request, pk):
        return Response()


class Users(viewsets.ModelViewSet):
    queryset = User.objects.all()
    serializer_class = AddressSerializer
    pagination_class = pagination.LimitOffsetPagination
    filter_backends = [filters.SearchFilter, filters.OrderingFilter]
    ordering_fields = ["username"]
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    authentication_classes = [authentication.TokenAuthentication]


class Limited(throttling.UserRateThrottle):
    def get_schema_response_headers(self, view):
        return {"X-Limit": {"schema": {"type": "integer"}}}


#: What a view may add to its operations, beside errors and ways to authenticate.
ADDITIONS = {
    "nothing": {},
    "throttles": {"throttle_classes": [throttling.UserRateThrottle]},
    "headers of throttles": {"throttle_classes": [Limited]},
    "headers of its own": {
        "get_schema_response_headers": lambda self, view: {"X-Own": {"schema": {"type": "string"}}}
    },
    "formats": {"renderer_classes": [renderers.JSONRenderer, renderers.StaticHTMLRenderer]},
    "versions": {"versioning_class": versioning.QueryParameterVersioning},
    "deprecation": {"deprecated": Deprecation(datetime.date(2026, 1, 1))},
    "permissions": {"get_permissions": lambda self: [permissions.IsAdminUser()]},
    "authenticators": {"get_authenticators": lambda self: []},
    "tags": {"schema": AutoSchema(tags=["a"], operation_id_base="Set", component_name="Named")},
}


def generator_of(*patterns, version="3.1.0"):
    found = SchemaGenerator(title="T", patterns=list(patterns))
    found.openapi_version = version
    return found


def routed(prefix, viewset):
    router = SimpleRouter()
    router.register(prefix, viewset, basename=viewset.__name__.lower())
    return router.urls


def document_of(*patterns, version="3.1.0"):
    return json.loads(json.dumps(generator_of(*patterns, version=version).get_schema(public=True)))


@pytest.mark.parametrize("members", ADDITIONS.values(), ids=ADDITIONS)
def test_what_a_view_adds_is_described(members):
    document_of(*routed("groups", type("Added", (Groups,), members)))
    single = type("Single", (generics.ListCreateAPIView,), {**vars(Groups), **members})
    document_of(path("one/", single.as_view()))


def _joined(self, user):
    return user.date_joined


CONDITIONS = {
    "tags of data": {},
    "a field of tags": {"etag_field": "username"},
    "required": {"require_preconditions": True},
    "required, or a time": {"require_preconditions": True, "last_modified_field": "date_joined"},
    "required, or the time of a hook": {
        "require_preconditions": True,
        "get_last_modified": _joined,
    },
    "a time": {"last_modified_field": "date_joined"},
}


class People(ConditionalMixin, generics.RetrieveUpdateDestroyAPIView):
    queryset = User.objects.all()
    serializer_class = PersonSerializer


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["put", "patch", "delete"])
@pytest.mark.parametrize("members", CONDITIONS.values(), ids=CONDITIONS)
def test_conditions_are_required_where_a_write_without_them_is_428(members, method):
    view = type("Guarded", (People,), members).as_view()
    item = document_of(path("people/<int:pk>/", view))["paths"]["/people/{id}/"]
    said = {each["name"]: each["required"] for each in item[method]["parameters"]}
    del said["id"]

    def status(**headers):
        user, _ = User.objects.get_or_create(username="ann", first_name="Ann")
        sent = getattr(APIRequestFactory(), method)("/", {"first_name": "Ann"}, headers=headers)
        return view(sent, pk=user.pk).status_code

    needs_one = status() == 428
    assert ("428" in item[method]["responses"]) is needs_one
    assert status(**{"If-Match": "*"}) < 300
    by_time = {"If-Unmodified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    assert (status(**by_time) < 300) is ("If-Unmodified-Since" in said or not needs_one)
    # A parameter is required if nothing can take its place.
    assert said.pop("If-Match") is (needs_one and "If-Unmodified-Since" not in said)
    assert not any(said.values())


@pytest.mark.parametrize("required", [True, False])
def test_a_key_is_required_where_a_creation_without_it_is_400(required):
    guarded = type("Guarded", (IdempotentMixin, Groups), {"idempotency_key_required": required})
    operation = document_of(*routed("groups", guarded))["paths"]["/groups/"]["post"]
    (key,) = operation["parameters"]
    assert (key["name"], key["required"]) == ("Idempotency-Key", required)
    assert {"400", "409", "422"} <= operation["responses"].keys()


def test_headers_of_limits_are_said_either_way():
    limited = type("Many", (Groups,), {"throttle_classes": [throttling.UserRateThrottle]})
    with override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": "draft"}):
        document = document_of(*routed("groups", limited))
    assert "RateLimit" in document["paths"]["/groups/"]["get"]["responses"]["200"]["headers"]


def test_an_answer_of_which_nothing_is_known_is_warned_of():
    class Unknown(APIView):
        def get(self, request):
            return Response(request.query_params)

    with pytest.warns(UserWarning, match="nothing is known about the response of GET /unknown/"):
        document_of(path("unknown/", Unknown.as_view()))


class Report(generics.ListAPIView):
    queryset = User.objects.all()
    serializer_class = AddressSerializer
    filter_backends = [filters.SearchFilter]
    allowed_query_params = ["year", "search", "year"]


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_names_that_a_view_declares_are_query_parameters_of_any_value(version):
    document = document_of(path("report/", Report.as_view()), version=version)
    search, year = document["paths"]["/report/"]["get"]["parameters"]
    assert (search["name"], search["schema"]) == ("search", {"type": "string"})
    assert (year["name"], year["in"], year["required"], year["schema"]) == (
        "year",
        "query",
        False,
        {},
    )


def test_an_extension_says_more_of_a_name_that_a_view_declares():
    view = extend_schema(parameters=[OpenApiParameter("year", int)])(type("Own", (Report,), {}))
    document = document_of(path("report/", view.as_view()))
    (year,) = [
        each
        for each in document["paths"]["/report/"]["get"]["parameters"]
        if each["name"] == "year"
    ]
    assert year["schema"] == {"type": "integer"}


def test_names_that_need_a_request_are_warned_of():
    class NeedsRequest(Report):
        @property
        def allowed_query_params(self):
            return self.request.user.names

    with pytest.warns(UserWarning, match="NeedsRequest: allowed_query_params failed"):
        document = generator_of(path("report/", NeedsRequest.as_view())).get_schema(public=True)
    assert len(document["paths"]["/report/"]["get"]["parameters"]) == 1


class ReadOnly(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.method in permissions.SAFE_METHODS


class OfTenant(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.tenant.is_open


class OfDescriptions(permissions.BasePermission):
    def has_permission(self, request, view):
        return view.swagger_fake_view or view.request.user.is_authenticated


class OwnerOnly(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        return False


@pytest.mark.parametrize(
    ("permission", "reads", "writes"),
    [
        (permissions.AllowAny, True, True),
        (permissions.IsAuthenticated, False, False),
        (permissions.IsAuthenticatedOrReadOnly, True, False),
        (type("Sub", (permissions.IsAuthenticatedOrReadOnly,), {"message": "No."}), True, False),
        (permissions.DjangoModelPermissions, False, False),
        (permissions.DjangoModelPermissionsOrAnonReadOnly, True, False),
        (permissions.IsAdminUser | permissions.IsAuthenticatedOrReadOnly, True, False),
        (permissions.AllowAny & permissions.IsAuthenticated, False, False),
        (permissions.IsAdminUser | OwnerOnly, True, True),
        (~permissions.IsAdminUser, False, False),
        (ReadOnly, True, False),
        (permissions.IsAuthenticated | ReadOnly, True, False),
        (~ReadOnly, False, False),
        (OfTenant, False, False),
        (OfDescriptions, False, False),
    ],
)
def test_credentials_are_optional_where_permissions_let_anonymous_users_pass(
    permission, reads, writes
):
    view = type("Guarded", (Groups,), {"permission_classes": [permission]})
    item = document_of(*routed("groups", view))["paths"]["/groups/"]
    found = [{} in item[method]["security"] for method in ("get", "post")]
    assert found == [reads, writes]


def test_an_extension_says_that_a_permission_lets_anonymous_users_pass():
    view = extend_schema(auth=["tokenAuth", {}])(
        type("Open", (Users,), {"permission_classes": [ReadOnly]})
    )
    item = document_of(*routed("users", view))["paths"]["/users/"]
    assert item["get"]["security"] == [{"tokenAuth": []}, {}]


# ---- code of the project has its word ----


def test_a_schema_class_of_the_project_meets_the_serializer_of_each_view():
    class Named(AutoSchema):
        def get_component_name(self, serializer):
            return f"{type(serializer.context['view']).__name__}Group"

    class First(generics.RetrieveAPIView):
        queryset = Group.objects.all()
        serializer_class = GroupSerializer
        schema = Named()

    class Second(First):
        schema = Named(operation_id_base="Second")

    document = document_of(path("a/<pk>/", First.as_view()), path("b/<pk>/", Second.as_view()))
    assert {"FirstGroup", "SecondGroup"} <= document["components"]["schemas"].keys()


def test_a_patch_of_our_schema_class_acts(monkeypatch):
    monkeypatch.setattr(AutoSchema, "get_tags", lambda self, path, method: [method])
    document = generator_of(*routed("groups", Groups)).get_schema(public=True)
    assert document["paths"]["/groups/"]["post"]["tags"] == ["POST"]


def test_what_is_assigned_to_one_schema_object_acts():
    schema = AutoSchema()
    schema.get_tags = lambda path, method: ["own"]
    view = type("Own", (Groups,), {"schema": schema})
    document = generator_of(*routed("groups", view)).get_schema(public=True)
    assert document["paths"]["/groups/"]["get"]["tags"] == ["own"]


def test_each_view_that_chooses_its_serializer_is_asked():
    class Choosing(viewsets.ModelViewSet):
        queryset = Group.objects.all()
        serializer_class = GroupSerializer

        def get_serializer_class(self):
            return AddressSerializer if self.action == "list" else GroupSerializer

    paths = document_of(*routed("groups", Choosing))["paths"]
    answers = [
        paths["/groups/"][each]["responses"][status]["content"]["application/json"]["schema"]
        for each, status in (("get", "200"), ("post", "201"))
    ]
    assert answers[0]["items"]["$ref"].endswith("Address")
    assert answers[1]["$ref"].endswith("Group")


def test_operations_that_share_a_name_are_told_apart():
    patterns = [*routed("groups", Groups), *routed("more", type("More", (Groups,), {}))]
    with warnings.catch_warnings(action="ignore"):
        operations = generator_of(*patterns).get_service(public=True).operations
    names = [each.identifier for each in operations]
    assert len(set(names)) == len(names)


# ---- what fails ----


class Nameless(generics.GenericAPIView):
    serializer_class = serializers.Serializer

    @extend_schema(request=None, responses={200: GroupSerializer})
    def post(self, request):
        return Response()


@pytest.mark.parametrize("version", ["3.0.2", "3.1.0"])
def test_a_serializer_without_a_name_of_its_own_breaks_no_document(version):
    patterns = [path("nameless/", Nameless.as_view()), *routed("groups", Groups)]
    found = '"Serializer" is an invalid class name.*test_schemas_operations'
    # What a decorator says instead of it is all that is described in full.
    warned = pytest.warns(UserWarning, match=rf"Nameless.*{found}")
    with warned if version == "3.0.2" else nullcontext():
        document = generator_of(*patterns, version=version).get_schema(public=True)
    operation = document["paths"]["/nameless/"]["post"]
    assert "requestBody" not in operation
    answers = operation["responses"]
    if version == "3.0.2":
        assert answers == {"default": {"description": "Unknown."}}
    else:
        answer = answers["200"]["content"]["application/json"]["schema"]
        assert answer == {"$ref": "#/components/schemas/Group"}
    assert document["paths"]["/groups/"]["get"]["operationId"] == "listGroups"


def test_what_decorators_replace_is_not_asked_for():
    asked = []

    class Asking(generics.GenericAPIView):
        queryset = Group.objects.all()

        def get_serializer(self, *args, **kwargs):
            asked.append(self.request.method)
            return GroupSerializer(*args, **kwargs)

        @extend_schema(request=GroupSerializer, responses={202: GroupSerializer, 409: None})
        def post(self, request):
            return Response()

        @extend_schema(request=GroupSerializer, responses={409: None})
        def put(self, request):
            return Response({"saved": True})

        @extend_schema(responses=GroupSerializer)
        def patch(self, request):
            return Response()

        @extend_schema(responses=GroupSerializer)
        def get(self, request):
            return Response(status=203)

    generator = generator_of(path("asking/", Asking.as_view()), version="3.1.0")
    item = generator.get_schema(public=True)["paths"]["/asking/"]
    successes = {
        method: [status for status in item[method]["responses"] if status[0] == "2"]
        for method in ("post", "put", "patch", "get")
    }
    assert successes == {"post": ["202"], "put": ["200"], "patch": ["200"], "get": ["203"]}
    # The success of the one and the body of the other are the view's own.
    assert asked == ["PUT", "PATCH"]


def test_a_serializer_without_a_name_of_its_own_is_described_in_place():
    nested = type("Serializer", (serializers.Serializer,), {"name": serializers.CharField()})
    outer = type("OuterSerializer", (serializers.Serializer,), {"inner": nested()})
    view = type("Single", (generics.CreateAPIView,), {"serializer_class": outer})
    with pytest.warns(
        UserWarning, match=r"Single: inner: it has no component, and is described inline"
    ):
        document = generator_of(path("one/", view.as_view())).get_schema(public=True)
    inner = document["components"]["schemas"]["Outer"]["properties"]["inner"]
    assert inner["properties"] == {"name": {"type": "string"}}


@pytest.mark.parametrize("name", ["get_operation", "get_components"])
def test_a_view_that_fails_leaves_the_others_in_the_known_form(name):
    def fail(self, path, method):
        raise LookupError(name)

    schema = type("Broken", (AutoSchema,), {name: fail})()
    broken = type("Broken", (generics.ListAPIView,), {**vars(Groups), "schema": schema})
    patterns = [path("broken/<int:pk>/", broken.as_view()), *routed("groups", Groups)]
    with pytest.warns(UserWarning, match=r"GET /broken/{id}/ is described by its path alone"):
        document = generator_of(*patterns, version="3.0.2").get_schema(public=True)
    operation = document["paths"]["/broken/{id}/"]["get"]
    assert [each["name"] for each in operation["parameters"]] == ["id"]
    assert document["paths"]["/groups/"]["get"]["operationId"] == "listGroups"


def test_what_an_extension_says_of_a_view_that_fails_is_described():
    class Broken(Groups):
        schema = type("Failing", (AutoSchema,), {"get_tags": lambda self, path, method: 1 / 0})()

        @extend_schema(request=None, responses={200: GroupSerializer}, summary="All.")
        def list(self, request):
            return Response()

    view = Broken.as_view({"get": "list"})
    with pytest.warns(UserWarning, match="GET /broken/ is described by its path alone"):
        document = generator_of(path("broken/", view)).get_schema(public=True)
    operation = document["paths"]["/broken/"]["get"]
    assert (operation["summary"], list(operation["responses"])) == ("All.", ["200"])


@pytest.mark.parametrize("page", [None, True, {}, {"type": "object"}], ids=repr)
def test_a_page_is_said_as_its_paginator_says_it(page):
    class Pages(pagination.BasePagination):
        def get_paginated_response_schema(self, schema):
            return page

    listed = type("Listed", (Groups,), {"pagination_class": Pages})
    with warnings.catch_warnings(action="ignore"):
        document = document_of(*routed("groups", listed))
    content = document["paths"]["/groups/"]["get"]["responses"]["200"]["content"]
    assert ("schema" in content["application/json"]) == (page is not None)


class NodeSerializer(serializers.Serializer):
    secret = serializers.CharField()

    def get_fields(self):
        fields = super().get_fields()
        if self.context["view"].is_open:
            del fields["secret"]
        if self.parent is None:
            fields["nodes"] = NodeSerializer(many=True)
        return fields


class Closed(generics.CreateAPIView):
    queryset = Group.objects.all()
    serializer_class = NodeSerializer
    is_open = False


class Open(Closed):
    is_open = True


def test_a_serializer_inside_itself_does_not_answer_for_other_fields_of_its_class():
    with warnings.catch_warnings(action="ignore"):
        document = document_of(path("a/", Closed.as_view()), path("b/", Open.as_view()))
    schemas = document["components"]["schemas"]
    found = {name: schemas[name]["properties"] for name in ("Node", "OpenNode")}
    assert {name: list(each) for name, each in found.items()} == {
        "Node": ["secret", "nodes"],
        "OpenNode": ["nodes"],
    }
    for name, each in found.items():
        assert each["nodes"]["items"] == {"$ref": f"#/components/schemas/{name}"}


def changed_in_place(node):
    """Change every object and list of a document, as project code that adds to it may."""
    for each in list(node.values() if isinstance(node, dict) else node):
        if isinstance(each, dict | list):
            changed_in_place(each)
    if isinstance(node, dict):
        node["x-changed"] = True
    else:
        node.append("changed")


@pytest.mark.parametrize("error_format", ["drf", "problem", "both"])
def test_a_document_may_be_changed_in_place(error_format):
    guarded = type("Guarded", (ConditionalMixin, IdempotentMixin, Groups), {"etag_field": "name"})
    old = type(
        "Old", (Users,), {"deprecated": True, "throttle_classes": [throttling.UserRateThrottle]}
    )
    patterns = [*routed("groups", guarded), *routed("users", old)]
    with override_settings(
        REST_FRAMEWORK={"RATE_LIMIT_HEADERS": "draft", "ERROR_FORMAT": error_format}
    ):
        first = generator_of(*patterns).get_schema(public=True)
        text = json.dumps(first)
        changed_in_place(first)
        assert json.dumps(generator_of(*patterns).get_schema(public=True)) == text


class Found(filters.SearchFilter):
    search_param = "find"


@pytest.mark.parametrize(
    ("version", "attributes", "found"),
    [
        ("3.1.0", {}, ["get /groups/"]),
        ("3.0.3", {}, ["get /groups/"]),
        ("3.1.0", {"filter_fields_everywhere": True}, ["get /groups/", *SINGLE]),
        ("3.0.2", {}, ["get /groups/", *SINGLE]),
    ],
)
def test_filters_are_described_where_lists_are(version, attributes, found):
    members = {"filter_backends": [Found], "search_fields": ["name"], **attributes}
    view = type("Filtered", (Groups,), members)
    paths = document_of(*routed("groups", view), version=version)["paths"]
    assert sorted(found) == sorted(
        f"{method} {path}"
        for path, item in paths.items()
        for method, operation in item.items()
        if "find" in [each["name"] for each in operation["parameters"]]
    )


def test_an_extension_describes_filters_of_one_object():
    @extend_schema_view(retrieve=extend_schema(filters=True))
    class Filtered(Groups):
        filter_backends = [Found]
        search_fields = ["name"]

    item = document_of(*routed("groups", Filtered))["paths"]["/groups/{id}/"]
    names = [each["name"] for each in item["get"]["parameters"]]
    assert "find" in names


def test_parts_of_the_tree_are_replaced_as_dataclasses_are():
    response = tree.ResponseDescription(status="200", description="Fine.", extra={"x-a": 1})
    changed = tree.replace(response, status="201")
    assert changed == dataclasses.replace(response, status="201")
    assert response.status == "200"


class StartPagination(pagination.LimitOffsetPagination):
    offset_query_param = "start"


class StartFilter(filters.BaseFilterBackend):
    def get_schema_operation_parameters(self, view):
        schema = {"type": "array", "items": {"type": "integer"}}
        return [{"name": name, "in": "query", "schema": schema} for name in ("start", "end")]


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_a_parameter_that_two_read_is_described_once(version):
    parts = {"pagination_class": StartPagination, "filter_backends": [StartFilter]}
    listed = type("Listed", (generics.ListAPIView,), {"queryset": Group.objects.all(), **parts})
    listed.serializer_class = GroupSerializer
    generator = SchemaGenerator(title="T", version="1", patterns=[path("g/", listed.as_view())])
    generator.openapi_version = version
    with pytest.warns(UserWarning, match="Listed: two describe the parameter start, such as"):
        document = generator.get_schema(public=True)
    parameters = document["paths"]["/g/"]["get"]["parameters"]
    assert [each["name"] for each in parameters] == ["limit", "start", "end"]
    assert parameters[1]["schema"]["type"] == "integer"
