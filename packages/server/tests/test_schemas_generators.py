"""From URL patterns to views: the part that all schema formats share."""

import pytest
from django.contrib.admindocs.views import simplify_regex
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404
from django.test import RequestFactory, override_settings
from django.urls import include, path, re_path
from django.utils import translation
from hypothesis import given, strategies

from lintel import exceptions
from lintel.generics import ListAPIView, RetrieveAPIView
from lintel.permissions import IsAuthenticated
from lintel.request import Request
from lintel.response import Response
from lintel.schemas import generators, utils
from lintel.views import APIView
from lintel.viewsets import ModelViewSet


class Plain(APIView):
    def get(self, request):
        return Response()

    def post(self, request):
        return Response()

    def head(self, request):
        return Response()


class Hidden(Plain):
    schema = None


class Things(ModelViewSet):
    queryset = Group.objects.all()
    http_method_names = ["get", "post", "options", "head"]


def enumerated(*patterns):
    found = generators.EndpointEnumerator(patterns=patterns).get_api_endpoints()
    return [(each_path, method) for each_path, method, _ in found]


def test_endpoints_are_ordered_by_method():
    assert enumerated(path("b/", Plain.as_view()), path("a/", Plain.as_view())) == [
        ("/b/", "GET"),
        ("/a/", "GET"),
        ("/b/", "POST"),
        ("/a/", "POST"),
    ]


def test_what_is_no_api_view_or_has_no_schema_is_left_out():
    assert (
        enumerated(
            path("plain-django/", lambda request: None),
            path("hidden/", Hidden.as_view()),
            path("hidden-here/", Plain.as_view(schema=None)),
            re_path(r"^suffix\.(?P<format>[a-z0-9]+)/?$", Plain.as_view()),
        )
        == []
    )


def test_included_patterns_carry_their_prefix():
    inner = [path("<int:pk>/", Things.as_view({"get": "retrieve", "delete": "destroy"}))]
    assert enumerated(path("api/<slug:tenant>/", include(inner))) == [
        ("/api/{tenant}/{pk}/", "GET")
    ]


@pytest.mark.parametrize(
    ("route", "found"),
    [
        ("^a/$", "/a/"),
        (r"^a/(?P<pk>[^/.]+)/$", "/a/{pk}/"),
        (r"^a/(\d+)/$", "/a/{var}/"),
        ("a/<int:pk>.<str:format>", "/a/{pk}.{format}"),
        ("<pk>", "/{pk}"),
        ("", "/"),
        ("a(?:b|c)/$", "/a/"),
    ],
)
def test_paths_of_routes(route, found):
    assert generators.EndpointEnumerator(patterns=[]).get_path_from_regex(route) == found


@given(strategies.text("/^$a<:>_-.[|]()?*+\\bAZ{}"))
def test_paths_of_text_alone_are_simplified_like_all(route):
    enumerator = generators.EndpointEnumerator(patterns=[])
    expected = generators._PATH_PARAMETER_COMPONENT_RE.sub(
        r"{\g<parameter>}", simplify_regex(route)
    )
    assert enumerator.get_path_from_regex(route) == expected


@override_settings(ROOT_URLCONF="lintel.urls")
def test_patterns_come_from_the_urlconf():
    from lintel import urls

    for urlconf in (None, "lintel.urls", urls):
        assert generators.EndpointEnumerator(urlconf=urlconf).patterns is urls.urlpatterns


def test_ordering_puts_unknown_methods_last():
    order = [
        generators.endpoint_ordering(("/", method, None))
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE")
    ]
    assert order == [(0,), (1,), (2,), (3,), (4,), (5,)]


def test_only_views_of_ours_are_api_views():
    assert generators.is_api_view(Plain.as_view())
    assert not generators.is_api_view(lambda request: None)


def test_the_key_of_a_child_model_is_that_of_its_parent():
    class Parent(models.Model):
        code = models.CharField(primary_key=True, max_length=3)

        class Meta:
            app_label = "schemas_test"

    class Child(Parent):
        class Meta:
            app_label = "schemas_test"

    assert generators.get_pk_name(Child) == "code"
    assert generators.get_pk_name(User) == "id"


def test_views_are_made_ready_to_be_asked():
    generator = generators.BaseSchemaGenerator()
    request = Request(RequestFactory().get("/"))
    callback = Things.as_view({"get": "list", "post": "create"}, suffix="List")
    view = generator.create_view(callback, "POST", request)
    assert (view.action, view.suffix, view.kwargs, view.format_kwarg) == (
        "create",
        "List",
        {},
        None,
    )
    assert view.request.method == "POST"
    assert view.request is not request
    assert generator.create_view(callback, "OPTIONS").action == "metadata"
    assert generator.create_view(callback, "DELETE").action is None
    assert not hasattr(generator.create_view(Plain.as_view(), "GET"), "action")


@pytest.mark.parametrize(
    "error",
    [Http404, PermissionDenied, exceptions.NotFound, exceptions.NotAuthenticated],
)
def test_refusals_of_permissions_hide_an_operation(error):
    class Refusing(Plain):
        def check_permissions(self, request):
            raise error

    generator = generators.BaseSchemaGenerator()
    request = Request(RequestFactory().get("/"))
    view = generator.create_view(Refusing.as_view(), "GET", request)
    assert not generator.has_view_permissions("/", "GET", view)
    assert generator.has_view_permissions(
        "/", "GET", generator.create_view(Refusing.as_view(), "GET")
    )


def test_other_errors_of_permissions_are_not_hidden():
    class Broken(Plain):
        def check_permissions(self, request):
            raise ValueError("broken")

    generator = generators.BaseSchemaGenerator()
    view = generator.create_view(Broken.as_view(), "GET", Request(RequestFactory().get("/")))
    with pytest.raises(ValueError, match="broken"):
        generator.has_view_permissions("/", "GET", view)


def test_permissions_of_the_project_apply():
    class Closed(Plain):
        permission_classes = [IsAuthenticated]

    generator = generators.BaseSchemaGenerator()
    view = generator.create_view(Closed.as_view(), "GET", Request(RequestFactory().get("/")))
    assert not generator.has_view_permissions("/", "GET", view)


def test_the_primary_key_gives_its_name_to_pk():
    class Keyed(RetrieveAPIView):
        queryset = Group.objects.all()

    generator = generators.BaseSchemaGenerator()
    assert generator.coerce_path("/a/{pk}/", "GET", Keyed()) == "/a/{id}/"
    assert generator.coerce_path("/a/{other}/", "GET", Keyed()) == "/a/{other}/"
    assert generator.coerce_path("/a/{pk}/", "GET", Plain()) == "/a/{id}/"


def test_coercing_follows_the_setting_unless_a_subclass_decides():
    class Never(generators.BaseSchemaGenerator):
        coerce_path_pk = False

    assert Never().coerce_path("/{pk}/", "GET", Plain()) == "/{pk}/"
    with override_settings(REST_FRAMEWORK={"SCHEMA_COERCE_PATH_PK": False}):
        assert generators.BaseSchemaGenerator().coerce_path("/{pk}/", "GET", Plain()) == "/{pk}/"


@pytest.mark.parametrize(
    ("url", "kept"), [("/api", "/api/"), ("/api/", "/api/"), ("", ""), (None, None)]
)
def test_the_url_ends_with_a_slash(url, kept):
    assert generators.BaseSchemaGenerator(url=url).url == kept


def test_the_base_generator_has_no_format():
    with pytest.raises(NotImplementedError):
        generators.BaseSchemaGenerator().get_schema()


@pytest.mark.parametrize(
    ("found", "method", "view", "is_list"),
    [
        ("/a/", "GET", Plain(), True),
        ("/a/", "get", Plain(), True),
        ("/", "GET", Plain(), True),
        ("/a/", "POST", Plain(), False),
        ("/a/{id}/", "GET", Plain(), False),
        ("/a/{id}/b/", "GET", Plain(), True),
        ("/a/", "GET", RetrieveAPIView(), False),
        ("/a/", "GET", ListAPIView(), True),
    ],
)
def test_lists_are_told_from_single_objects(found, method, view, is_list):
    assert utils.is_list_view(found, method, view) is is_list


@pytest.mark.parametrize(
    ("action", "is_list"), [("list", True), ("retrieve", False), (None, False)]
)
def test_the_action_of_a_viewset_decides(action, is_list):
    view = Things()
    view.action = action
    assert utils.is_list_view("/a/", "POST", view) is is_list


def test_descriptions_of_keys():
    class Item(models.Model):
        key = models.UUIDField(primary_key=True)

        class Meta:
            app_label = "schemas_test"
            verbose_name = "piece"

    described = utils.get_pk_description
    assert described(User, User._meta.pk) == "A unique integer value identifying this user."
    assert described(Item, Item._meta.pk) == "A UUID string identifying this piece."
    username = User._meta.get_field("username")
    assert described(User, username) == "A unique value identifying this user."


def test_keys_are_described_in_the_language_of_the_moment():
    key = Group._meta.pk
    with translation.override("en"):
        english = utils.get_pk_description(Group, key)
    with translation.override("de"):
        german = utils.get_pk_description(Group, key)
    assert english == "A unique integer value identifying this group."
    assert german not in (english, "")
