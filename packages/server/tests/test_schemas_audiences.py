"""Who sees which operations: the permissions of each view decide."""

from unittest import mock

from django.contrib.auth.models import AnonymousUser, User
from django.urls import path
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel import permissions
from lintel.request import Request
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.views import audience_of
from lintel.test import APIRequestFactory
from lintel.views import APIView


class Named(permissions.BasePermission):
    """Looks at the view."""

    def has_permission(self, request, view):
        return view.get_view_name() == "Thing"


def view(*classes, **members):
    def answer(self, request):
        return Response()

    members = {"get": answer, "post": answer, "permission_classes": classes, **members}
    return type("Thing", (APIView,), members)


def generator_of(*views):
    patterns = [path(f"{number}/", each.as_view()) for number, each in enumerate(views)]
    return SchemaGenerator(patterns=patterns)


def request_of(user):
    request = Request(APIRequestFactory().get("/"))
    request.user = user
    return request


CALLERS = [AnonymousUser(), User(username="u"), User(username="s", is_staff=True)]
SINGLE = [permissions.AllowAny, permissions.IsAuthenticated, permissions.IsAdminUser]
SINGLE += [permissions.IsAuthenticatedOrReadOnly, Named]
combined = st.recursive(
    st.sampled_from(SINGLE),
    lambda inner: st.one_of(
        st.builds(lambda one, other: one & other, inner, inner),
        st.builds(lambda one, other: one | other, inner, inner),
        st.builds(lambda one: ~one, inner),
    ),
    max_leaves=4,
)


def seen(generator, request):
    """The operations that each view lets the caller see, asked one by one."""
    _, endpoints = generator._get_paths_and_endpoints(request)
    return frozenset(each[:2] for each in endpoints if generator.has_view_permissions(*each))


@settings(max_examples=25)
@given(st.lists(st.lists(combined, max_size=2), min_size=1, max_size=5))
def test_callers_of_one_audience_see_the_same_operations(lists):
    generator = generator_of(*(view(*classes) for classes in lists))
    found = {}
    for caller in CALLERS:
        request = request_of(caller)
        operations = found.setdefault(audience_of(generator, request), seen(generator, request))
        assert operations == seen(generator, request)


def test_what_is_changed_on_a_class_is_noticed():
    changed = view(permissions.AllowAny)
    generator, request = generator_of(changed, view(permissions.AllowAny)), request_of(CALLERS[0])
    before = audience_of(generator, request)
    changed.permission_classes = [permissions.IsAdminUser]
    assert audience_of(generator, request) < before
    changed.permission_classes[0] = permissions.AllowAny
    assert audience_of(generator, request) == before


def test_a_patched_permission_is_noticed():
    generator, request = generator_of(view(permissions.IsAdminUser)), request_of(CALLERS[0])
    before = audience_of(generator, request)
    with mock.patch.object(permissions.IsAdminUser, "has_permission", return_value=True):
        assert audience_of(generator, request) > before
    assert audience_of(generator, request) == before


def test_a_generator_of_the_project_decides_by_itself():
    class Own(SchemaGenerator):
        def has_view_permissions(self, path, method, view):
            return path == "/0/"

    generator = Own(patterns=generator_of(view(), view()).patterns)
    assert audience_of(generator, request_of(CALLERS[0])) == {("/0/", "GET"), ("/0/", "POST")}
