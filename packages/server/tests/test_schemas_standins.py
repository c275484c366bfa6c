"""Descriptions made without a request: views read a stand-in, and none takes the others down."""

import json
import warnings

import pytest
from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import override_settings
from django.urls import path
from openapi_spec_validator import validate

from lintel import generics, permissions, serializers, versioning, viewsets
from lintel.filters import OrderingFilter
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import coreapi, extend_schema, get_schema_view
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.standins import stand_in_request
from lintel.test import APIRequestFactory
from lintel.utils.encoders import JSONEncoder

VERSIONS = ["3.0.2", "3.0.3", "3.1.0", "3.2.0"]

pytestmark = pytest.mark.filterwarnings("error")


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


def documented(*patterns, version="3.1.0", keeps_going=True):
    generator = SchemaGenerator(title="T", version="1", patterns=list(patterns))
    generator.openapi_version, generator.keeps_going = version, keeps_going
    plain = json.loads(json.dumps(generator.get_schema(public=True), cls=JSONEncoder))
    validate(plain)
    return plain


def success_of(document, address, method="get"):
    responses = document["paths"][address][method]["responses"]
    return next(each for status, each in responses.items() if status[0] == "2")


def properties_of(document, name="Group"):
    return document["components"]["schemas"][name]["properties"]


class Asking(viewsets.ModelViewSet):
    """Reads whatever views read of requests."""

    filter_backends = [OrderingFilter]
    ordering_fields = ["name"]

    def get_queryset(self):
        request = self.request
        assert self.swagger_fake_view
        messages.info(request, "Seen.")
        request.session["seen"] = request.session.get("seen", 0) + 1
        request.session.save()
        assert not request.user.is_authenticated
        assert request.auth is None
        assert request.build_absolute_uri("/x") == "http://localhost/x"
        assert request.accepted_renderer.media_type == "application/json"
        return Group.objects.filter(name=request.query_params.get("name", ""))

    def get_serializer_class(self):
        data = self.request.data
        assert (len(data), len(self.request.FILES), len(self.request.POST)) == (0, 0, 0)
        return GroupSerializer if data.get("kind") is None else None

    def get_serializer_context(self):
        context = super().get_serializer_context()
        return {**context, "is_write": self.request.method in ("POST", "PUT", "PATCH")}


def routed(view):
    router = SimpleRouter()
    router.register("groups", view, basename="group")
    return router.urls


@pytest.mark.parametrize("version", VERSIONS)
@override_settings(ALLOWED_HOSTS=[])
def test_what_views_read_of_a_request_is_there(version):
    document = documented(*routed(Asking), version=version)
    assert set(properties_of(document)) == {"id", "name"}
    assert [*document["paths"]] == ["/groups/", "/groups/{id}/"]
    assert success_of(document, "/groups/")["content"]["application/json"]["schema"]["items"]
    names = [each["name"] for each in document["paths"]["/groups/"]["get"]["parameters"]]
    assert "ordering" in names


def test_the_native_schema_reads_it_too():
    document = coreapi.SchemaGenerator(patterns=routed(Asking)).get_schema(public=True)
    assert [each.name for each in document["groups"]["create"].fields] == ["name"]


def test_a_stand_in_has_the_method_the_path_and_the_version_of_its_operation():
    seen = []

    class Versioned(generics.GenericAPIView):
        versioning_class = versioning.QueryParameterVersioning
        serializer_class = GroupSerializer

        def get_serializer_context(self):
            request = self.request
            seen.append((request.method, request.path, request.version))
            assert type(request.versioning_scheme) is versioning.QueryParameterVersioning
            return super().get_serializer_context()

        def post(self, request, pk):
            return Response()

    generator = SchemaGenerator(patterns=[path("a/<int:pk>/", Versioned.as_view())])
    generator.openapi_version, generator._lintel_api_version = "3.1.0", "v2"
    generator.get_schema(public=True)
    assert set(seen) == {("POST", "/a/{id}/", "v2")}


def tenant_request(view, path, method):
    request = stand_in_request(view, path, method)
    request.tenant = "acme"
    return request


class OfTenant(generics.ListAPIView):
    def get_serializer_class(self):
        return {"acme": GroupSerializer}[self.request.tenant]


@override_settings(REST_FRAMEWORK={"SCHEMA_REQUEST": f"{__name__}.tenant_request"})
def test_a_setting_makes_the_request():
    assert "Group" in documented(path("a/", OfTenant.as_view()))["components"]["schemas"]


@pytest.mark.parametrize("make", [None, "builtins.print"])
def test_there_may_be_no_request(make):
    class Careful(generics.ListAPIView):
        def get_serializer_class(self):
            assert self.request is None
            return GroupSerializer

    with override_settings(REST_FRAMEWORK={"SCHEMA_REQUEST": make}):
        assert "Group" in documented(path("a/", Careful.as_view()))["components"]["schemas"]


def no_request(view, path, method):
    raise LookupError("no tenant")


@override_settings(REST_FRAMEWORK={"SCHEMA_REQUEST": no_request})
def test_a_setting_that_fails_leaves_the_views_described():
    class Plain(generics.ListAPIView):
        serializer_class = GroupSerializer
        queryset = Group.objects.all()

    with pytest.warns(UserWarning, match=r"Plain: there is no request .*LookupError"):
        assert "Group" in documented(path("a/", Plain.as_view()))["components"]["schemas"]


class Failing(generics.ListCreateAPIView):
    serializer_class = GroupSerializer
    queryset = Group.objects.all()

    def get_serializer_context(self):
        return {"room": self.kwargs["room"]}

    def get_queryset(self):
        return super().get_queryset().filter(name=self.kwargs["room"])


@pytest.mark.parametrize("version", VERSIONS)
def test_what_fails_is_described_from_the_class(version):
    patterns = [
        path("<slug:room>/", Failing.as_view()),
        path("a/", Asking.as_view({"get": "list"})),
    ]
    with pytest.warns(UserWarning, match="Failing") as caught:
        document = documented(*patterns, version=version)
    assert set(properties_of(document)) == {"id", "name"}
    (said,) = {str(each.message) for each in caught}
    line = Failing.get_serializer_context.__code__.co_firstlineno + 1
    assert said.startswith("Failing: get_serializer() failed, its serializer_class is described:")
    assert f"KeyError('room') in get_serializer_context() ({__file__}:{line})" in said
    assert 'getattr(self, "swagger_fake_view", False)' in said
    assert "SCHEMA_REQUEST" in said


class Wrapping(generics.GenericAPIView):
    """Has no serializer_class, and hands arguments on to whatever serializer there is."""

    def get_serializer(self, *args, **kwargs):
        return self.get_serializer_class()(*args, **kwargs)

    def get(self, request):
        return Response(request.query_params)


def test_a_body_of_a_view_without_a_serializer_is_warned_of():
    class WrappingBody(generics.GenericAPIView):
        get_serializer = Wrapping.get_serializer

        def post(self, request):
            return Response({"kept": True})

    with pytest.warns(UserWarning, match="nothing is known about the body") as caught:
        documented(path("kept/", WrappingBody.as_view()))
    assert len(caught) == 1


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_what_is_said_of_a_view_without_a_serializer_is_no_failure(version):
    said = extend_schema(responses=GroupSerializer)(type("Said", (Wrapping,), {}))
    success = success_of(documented(path("said/", said.as_view()), version=version), "/said/")
    assert success["content"]["application/json"]["schema"]["$ref"].endswith("/Group")
    with pytest.warns(UserWarning, match="nothing is known about the response") as caught:
        documented(path("unsaid/", Wrapping.as_view()), version=version)
    assert len(caught) == 1


def test_a_view_of_its_own_kind_with_serializers_needs_no_rows():
    class Queues(viewsets.ViewSet):
        serializer_class = serializers.Serializer
        lookup_field = "name"

        def get_serializer(self, *args, **kwargs):
            return self.serializer_class(*args, **kwargs)

        @extend_schema(responses=GroupSerializer)
        def retrieve(self, request, name):
            return Response()

    document = documented(path("queues/<name>/", Queues.as_view({"get": "retrieve"})))
    (parameter,) = document["paths"]["/queues/{name}/"]["get"]["parameters"]
    assert parameter["schema"] == {"type": "string"}


class Choosy(GroupSerializer):
    def __init__(self, *args, **kwargs):
        raise LookupError("needs a room")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_serializer_that_cannot_be_made_at_all_leaves_the_operation(version):
    class Things(generics.ListAPIView):
        queryset = Group.objects.all()
        serializer_class = Choosy

    with pytest.warns(UserWarning, match="its fields are not known: LookupError"):
        document = documented(path("a/", Things.as_view()), version=version)
    assert success_of(document, "/a/")["content"]["application/json"]


class Bare(generics.GenericAPIView):
    def get(self, request):
        return Response()


def test_a_view_without_a_serializer_class_raises_only_in_the_known_form():
    patterns = [path("bare/", Bare.as_view()), path("a/", Asking.as_view({"get": "list"}))]
    with pytest.raises(AssertionError, match="serializer_class"):
        documented(*patterns, version="3.0.2", keeps_going=False)
    with pytest.warns(UserWarning, match="Bare: get_serializer"):
        document = documented(*patterns, version="3.0.2")
    assert set(document["paths"]) == {"/bare/", "/a/"}


urlpatterns = [
    path("bare/", Bare.as_view()),
    path("schema/", get_schema_view(public=True, permission_classes=[permissions.AllowAny])),
]


@override_settings(ROOT_URLCONF=__name__)
def test_the_command_and_the_page_go_on(client, tmp_path):
    file = tmp_path / "schema.json"
    with pytest.warns(UserWarning, match="Bare: get_serializer"):
        call_command("generateschema", "--format", "openapi-json", "--file", str(file))
    assert list(json.loads(file.read_text())["paths"]) == ["/bare/"]
    with pytest.warns(UserWarning, match="Bare: get_serializer"):
        response = client.get("/schema/", {"format": "openapi-json"})
    assert (response.status_code, list(response.json()["paths"])) == (200, ["/bare/"])


@pytest.mark.django_db
def test_a_real_request_stays_and_permissions_see_no_stand_in():
    seen = []

    class Seeing(permissions.BasePermission):
        def has_permission(self, request, view):
            seen.append((request.user.username, hasattr(view, "swagger_fake_view")))
            return True

    class Things(generics.ListAPIView):
        queryset = Group.objects.all()
        permission_classes = [Seeing]

        def get_serializer_class(self):
            assert self.request.user.username == "ann"
            return GroupSerializer

    generator = SchemaGenerator(title="T", patterns=[path("a/", Things.as_view())])
    user = User(username="ann")
    request = Things().initialize_request(APIRequestFactory().get("/"))
    request.user = user
    assert "Group" in generator.get_schema(request)["components"]["schemas"]
    assert seen == [("ann", False)]


class Unasked(permissions.BasePermission):
    def has_permission(self, request, view):
        raise LookupError("tenant")


@pytest.mark.parametrize("version", VERSIONS)
def test_permissions_that_fail_leave_out_their_view_alone(version):
    class Guarded(Bare):
        serializer_class = GroupSerializer
        permission_classes = [Unasked]

    class Things(Bare):
        serializer_class = GroupSerializer

    patterns = [path("a/", Guarded.as_view()), path("b/", Things.as_view())]
    request = Bare().initialize_request(APIRequestFactory().get("/"))
    generator = SchemaGenerator(title="T", patterns=patterns)
    generator.openapi_version = version
    with pytest.warns(UserWarning, match="GET /a/ is left out, its permissions failed: Lookup"):
        assert list(generator.get_schema(request)["paths"]) == ["/b/"]
    with pytest.warns(UserWarning, match="GET /a/ is left out"):
        assert list(coreapi.SchemaGenerator(patterns=patterns).get_schema(request)) == ["b"]


def test_a_view_that_takes_no_mark_is_described():
    class Marked(Bare):
        serializer_class = GroupSerializer
        swagger_fake_view = property(lambda self: False)

    with pytest.warns(UserWarning, match="Marked: there is no request"):
        assert "/a/" in documented(path("a/", Marked.as_view()))["paths"]


@pytest.mark.parametrize("version", VERSIONS)
def test_views_that_cannot_be_made_are_left_out_alone(version):
    class Unmade(Bare):
        serializer_class = GroupSerializer
        room = None

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.name = self.room.name

    class Late(Asking):
        def __init__(self, **kwargs):
            raise LookupError("room")

    patterns = [
        path("a/", Unmade.as_view()),
        path("b/", Late.as_view({"get": "list"})),
        path("c/", Unmade.as_view(room=Group(name="room"))),
    ]
    with pytest.warns(UserWarning, match="left out") as caught:
        assert list(documented(*patterns, version=version)["paths"]) == ["/c/"]
    said = " ".join(str(each.message) for each in caught)
    assert "/a/ is left out, the view cannot be made: AttributeError" in said
    assert "GET /b/ is left out: LookupError('room')" in said


@pytest.mark.parametrize("version", VERSIONS)
def test_properties_that_fail_leave_the_rest_of_the_operation(version):
    class Rooms(generics.RetrieveAPIView):
        serializer_class = GroupSerializer
        queryset = property(lambda self: self.kwargs["room"])

    class Kinds(generics.RetrieveAPIView):
        queryset = User.objects.all()
        serializer_class = property(lambda self: self.kwargs["kind"])

    patterns = [path("a/<pk>/", Rooms.as_view()), path("b/<pk>/", Kinds.as_view())]
    with pytest.warns(UserWarning, match=r"Kinds: .*(get_serializer\(\) failed|nothing is known)"):
        document = documented(*patterns, version=version)
    assert "$ref" in str(success_of(document, "/a/{id}/"))
    assert success_of(document, "/b/{id}/")["content"]


# ---- path parameters ----


class OwnRows(generics.RetrieveAPIView):
    serializer_class = serializers.Serializer

    def get_queryset(self):
        return User.objects.filter(username=self.request.user.username)


class OfSerializer(generics.RetrieveAPIView):
    serializer_class = GroupSerializer

    def get_queryset(self):
        return Group.objects.filter(name=self.kwargs["room"])


@pytest.mark.parametrize("view", [OwnRows, OfSerializer])
def test_path_parameters_have_the_type_of_the_column(view):
    with warnings.catch_warnings(action="ignore"):
        document = documented(path("a/<pk>/", view.as_view()))
    (item,) = document["paths"].values()
    (parameter,) = item["get"]["parameters"]
    assert parameter["schema"] == {"type": "integer"}
    assert "unique integer value identifying this" in parameter["description"]


def test_a_path_parameter_without_a_model_is_warned_of():
    class Nowhere(OfSerializer):
        serializer_class = type("NowhereSerializer", (serializers.Serializer,), {})

    with pytest.warns(UserWarning, match=r"get_queryset\(\) failed: KeyError\('room'\) in get_que"):
        document = documented(path("a/<pk>/", Nowhere.as_view()))
    assert document["paths"]["/a/{id}/"]["get"]["parameters"][0]["schema"] == {"type": "string"}
