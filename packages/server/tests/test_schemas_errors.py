"""The full description of errors, of the headers of policies, and of security."""

from __future__ import annotations

import typing

import pytest
from described_service import FlatSerializer, Pages, PlainSerializer, described, documented, view_of
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import override_settings
from django.urls import path

from lintel import generics, pagination, permissions, serializers, throttling, viewsets
from lintel.authentication import BaseAuthentication, BasicAuthentication, TokenAuthentication
from lintel.renderers import JSONRenderer, StaticHTMLRenderer
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import AutoSchema

pytestmark = pytest.mark.filterwarnings("error")


class Keys(BaseAuthentication):
    def get_openapi_security_scheme(self):
        return {"type": "apiKey", "in": "header", "name": "X-Key"}


class Guessed(BaseAuthentication):
    def authenticate_header(self, request):
        return 'Bearer realm="api"'


def statuses(view, method="get", where="things/"):
    document = documented(path(where, view))
    item = next(iter(document["paths"].values()))
    return set(item[method]["responses"])


OPEN = {"authentication_classes": [], "permission_classes": []}


def test_a_race_is_described_where_rows_may_collide_or_refer():
    class GroupSerializer(serializers.ModelSerializer):
        class Meta:
            model = Group
            fields = ["name"]

    class EntrySerializer(serializers.ModelSerializer):
        class Meta:
            model = LogEntry
            fields = ["user", "object_repr"]

    unique = view_of(GroupSerializer, **OPEN)
    related = view_of(EntrySerializer, **OPEN)
    assert "409" not in statuses(unique, "post")
    with override_settings(REST_FRAMEWORK={"UNIQUE_RACE_STATUS": 409}):
        assert "409" in statuses(unique, "post")
        assert "409" in statuses(related, "post")
        assert "409" not in statuses(unique)
        assert "409" not in statuses(view_of(PlainSerializer, **OPEN), "post")


def test_only_errors_that_can_occur_are_described():
    assert statuses(view_of(PlainSerializer, **OPEN)) == {"200", "406"}
    assert statuses(view_of(PlainSerializer, **OPEN), "post") == {"201", "400", "406", "415"}
    closed = {"authentication_classes": [BasicAuthentication]}
    known = view_of(PlainSerializer, **closed, permission_classes=[permissions.IsAuthenticated])
    assert statuses(known) == {"200", "401", "406"}
    admin = view_of(PlainSerializer, **closed, permission_classes=[permissions.IsAdminUser])
    assert statuses(admin) == {"200", "401", "403", "406"}
    paged = view_of(PlainSerializer, **OPEN, pagination_class=Pages)
    assert statuses(paged) == {"200", "404", "406"}
    slow = view_of(PlainSerializer, **OPEN, throttle_classes=[throttling.AnonRateThrottle])
    assert statuses(slow) == {"200", "406", "429"}


def test_errors_are_shared_and_name_their_headers():
    view = view_of(
        PlainSerializer,
        authentication_classes=[BasicAuthentication],
        throttle_classes=[throttling.AnonRateThrottle],
    )
    document = documented(path("things/", view))
    get = document["paths"]["/things/"]["get"]
    assert get["responses"]["401"] == {"$ref": "#/components/responses/Unauthorized"}
    shared = document["components"]["responses"]
    assert list(shared["Unauthorized"]["headers"]) == ["WWW-Authenticate"]
    assert list(shared["TooManyRequests"]["headers"]) == ["Retry-After"]


@pytest.mark.parametrize(
    ("error_format", "found"),
    [
        ("drf", {"application/json"}),
        ("problem", {"application/problem+json"}),
        ("both", {"application/json", "application/problem+json"}),
    ],
)
def test_errors_have_the_format_of_the_setting(error_format, found):
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": error_format}):
        document = documented(path("things/", view_of(PlainSerializer)))
    assert set(document["components"]["responses"]["BadRequest"]["content"]) == found


def test_a_serializer_named_like_an_error_gets_another_name():
    class ErrorSerializer(serializers.Serializer):
        code = serializers.IntegerField()

    with pytest.warns(UserWarning, match="shares its name with another one"):
        schemas = described(ErrorSerializer)
    assert [name for name in schemas if "code" in schemas[name].get("properties", ())] == [
        "TestSchemasErrorsError"
    ]


def test_security_schemes_come_from_the_authentication_classes():
    members = {"authentication_classes": [TokenAuthentication, Keys, Guessed, BasicAuthentication]}
    document = documented(path("things/", view_of(PlainSerializer, **members)))
    schemes = document["components"]["securitySchemes"]
    assert schemes["basicAuth"] == {"type": "http", "scheme": "basic"}
    assert schemes["bearerAuth"] == {"type": "http", "scheme": "bearer"}
    assert schemes["keysAuth"]["name"] == "X-Key"
    assert schemes["tokenAuth"]["in"] == "header"
    ways = document["paths"]["/things/"]["get"]["security"]
    assert ways == [{"tokenAuth": []}, {"keysAuth": []}, {"bearerAuth": []}, {"basicAuth": []}, {}]


BASIC = "lintel.authentication.BasicAuthentication"


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (None, ["tokenAuth", "basicAuth"]),
        ([BASIC], ["basicAuth"]),
        ([BasicAuthentication], ["basicAuth"]),
        ([], []),
    ],
)
def test_the_whitelist_of_drf_spectacular_chooses_among_them(shown, found):
    members = {"authentication_classes": [TokenAuthentication, BasicAuthentication]}
    with override_settings(SPECTACULAR_SETTINGS={"AUTHENTICATION_WHITELIST": shown}):
        document = documented(path("things/", view_of(PlainSerializer, **members)))
    operation = document["paths"]["/things/"]["get"]
    assert operation["security"] == [*({name: []} for name in found), {}]
    assert set(document["components"].get("securitySchemes", {})) == set(found)


def test_a_whitelist_that_cannot_be_read_is_a_warning_and_everything_is_described():
    members = {"authentication_classes": [BasicAuthentication]}
    with (
        override_settings(SPECTACULAR_SETTINGS={"AUTHENTICATION_WHITELIST": ["no.such.Class"]}),
        pytest.warns(UserWarning, match="AUTHENTICATION_WHITELIST cannot be read"),
    ):
        document = documented(path("things/", view_of(PlainSerializer, **members)))
    assert list(document["components"]["securitySchemes"]) == ["basicAuth"]


def test_an_authentication_class_that_says_nothing_is_warned_of():
    class Silent(BaseAuthentication):
        pass

    with pytest.warns(UserWarning, match="Silent: nothing is known about its authentication"):
        documented(path("things/", view_of(PlainSerializer, authentication_classes=[Silent])))


def test_code_that_challenges_some_clients_alone_may_answer_401_and_403():
    class ByRequest(Keys):
        def authenticate_header(self, request):
            return "Key" if "X-Key" in request.headers else None

    class Silent(Keys):
        """Never challenges: the base class says so."""

    closed = {"permission_classes": [permissions.IsAuthenticated]}
    by_request = view_of(PlainSerializer, authentication_classes=[ByRequest], **closed)
    assert statuses(by_request) == {"200", "401", "403", "406"}
    silent = view_of(PlainSerializer, authentication_classes=[Silent], **closed)
    assert statuses(silent) == {"200", "403", "406"}


def test_permissions_that_a_view_chooses_are_asked_for():
    class Chosen(generics.ListAPIView):
        queryset = Group.objects.all()
        serializer_class = PlainSerializer
        authentication_classes = [BasicAuthentication]

        def get_permissions(self):
            return [permissions.IsAdminUser()]

    assert statuses(Chosen.as_view()) == {"200", "401", "403", "406"}


def test_many_operations_share_few_errors():
    policies = [permissions.AllowAny, permissions.IsAuthenticated, permissions.IsAdminUser]
    router = SimpleRouter()
    for number in range(90):
        members = {
            "queryset": Group.objects.all(),
            "serializer_class": PlainSerializer,
            "permission_classes": [policies[number % 3]],
            "throttle_classes": [throttling.AnonRateThrottle] if number % 2 else [],
            "schema": AutoSchema(operation_id_base=f"Thing{number}"),
        }
        viewset = type(f"Thing{number}ViewSet", (viewsets.ModelViewSet,), members)
        router.register(f"things-{number}", viewset, basename=f"thing{number}")
    document = documented(*router.urls)
    assert sum(map(len, document["paths"].values())) == 540
    assert len(document["components"]["responses"]) < 40


class Error(typing.TypedDict):
    reason: str


class FailedSerializer(serializers.Serializer):
    error = serializers.SerializerMethodField()

    def get_error(self, value) -> Error: ...


def test_a_type_that_is_called_like_an_error_gets_another_name():
    components = described(FailedSerializer)
    found = components["Failed"]["properties"]["error"]
    assert found == {"$ref": "#/components/schemas/Error2", "readOnly": True}
    assert list(components["Error2"]["properties"]) == ["reason"]
    assert "detail" in components["Error"]["properties"]


def test_an_unknown_format_is_a_404_where_formats_can_be_chosen():
    chosen = view_of(PlainSerializer, renderer_classes=[JSONRenderer, StaticHTMLRenderer])
    responses = documented(path("things/", chosen))["paths"]["/things/"]["get"]["responses"]
    assert "404" in responses


def test_a_scheme_has_a_name_that_documents_allow():
    class Plus(BaseAuthentication):
        def authenticate_header(self, request):
            return 'Key+é realm="x"'

    view = view_of(PlainSerializer, authentication_classes=[Plus])
    schemes = documented(path("things/", view))["components"]["securitySchemes"]
    assert list(schemes) == ["keyeAuth"]


class Counting(throttling.AnonRateThrottle):
    rate = "5/min"

    def get_schema_response_headers(self, view):
        return {"X-Left": {"description": "Requests left.", "schema": {"type": "integer"}}}


class Linked(pagination.PageNumberPagination):
    def get_schema_response_headers(self, view):
        return {"Link": {"schema": {"type": "string"}}}


def test_policies_tell_of_the_headers_that_they_send():
    view = view_of(FlatSerializer, throttle_classes=[Counting], pagination_class=Linked)
    item = documented(path("a/", view))["paths"]["/a/"]
    assert item["get"]["responses"]["200"]["headers"].keys() == {"X-Left", "Link"}
    assert item["post"]["responses"]["201"]["headers"].keys() == {"X-Left"}
    assert item["get"]["responses"]["200"]["headers"]["Link"] == {"schema": {"type": "string"}}


def test_headers_that_cannot_be_told_leave_the_rest():
    class Failing(Counting):
        def get_schema_response_headers(self, view):
            return view.request.tenant

    with pytest.warns(UserWarning, match=r"Failing: get_schema_response_headers\(\) failed"):
        item = documented(path("a/", view_of(FlatSerializer, throttle_classes=[Failing])))["paths"]
    assert item["/a/"]["get"]["responses"]["200"]["content"]
