import asyncio
import itertools
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.db import connection
from django.http import Http404
from django.test import AsyncRequestFactory, RequestFactory
from django.test.utils import CaptureQueriesContext

from lintel import exceptions, generics, views
from lintel.authentication import BaseAuthentication
from lintel.cycle.steps import is_async, is_prompt, run_hook
from lintel.permissions import (
    OR,
    AllowAny,
    BasePermission,
    DjangoModelPermissions,
    DjangoModelPermissionsOrAnonReadOnly,
    DjangoObjectPermissions,
    IsAdminUser,
    IsAuthenticated,
    IsAuthenticatedOrReadOnly,
)
from lintel.response import Response

factory = RequestFactory()


def permission(request_answer: bool, object_answer: bool, is_async: bool = False) -> Any:
    class Plain(BasePermission):
        def has_permission(self, request: Any, view: Any) -> bool:
            return request_answer

        def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
            return object_answer

    class Later(BasePermission):
        async def has_permission(self, request: Any, view: Any) -> bool:
            return request_answer

        async def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
            return object_answer

    return Later if is_async else Plain


ANSWERS = list(itertools.product([True, False], repeat=4))


def decide(combined: Any) -> tuple[bool, bool]:
    instance = combined()
    return (
        instance.has_permission(None, None),
        instance.has_object_permission(None, None, None),
    )


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(("h1", "o1", "h2", "o2"), ANSWERS)
def test_truth_table(h1: bool, o1: bool, h2: bool, o2: bool, later: bool) -> None:
    first, second = permission(h1, o1, later), permission(h2, o2)
    assert decide(first & second) == (h1 and h2, o1 and o2)
    # an object is handed out only by a permission that let the request in
    assert decide(first | second) == (h1 or h2, (h1 and o1) or (h2 and o2))
    assert decide(~first) == (not h1, not o1)


@pytest.mark.parametrize(("h1", "o1", "h2", "o2"), ANSWERS)
def test_truth_table_on_the_event_loop(h1: bool, o1: bool, h2: bool, o2: bool) -> None:
    first, second = permission(h1, o1, True), permission(h2, o2, True)

    async def main(combined: Any) -> tuple[bool, bool]:
        instance = combined()
        return (
            await run_hook(instance, "has_permission", None, None),
            await run_hook(instance, "has_object_permission", None, None, None),
        )

    assert asyncio.run(main(first & second)) == (h1 and h2, o1 and o2)
    assert asyncio.run(main(first | second)) == (h1 or h2, (h1 and o1) or (h2 and o2))
    assert asyncio.run(main(~first)) == (not h1, not o1)


def test_combinations_are_as_async_as_their_parts() -> None:
    assert is_prompt((IsAuthenticated & ~IsAdminUser)(), "has_permission", factory.get("/"), None)
    assert is_async((IsAuthenticated | permission(True, True, True))(), "has_permission")
    assert not is_async((IsAuthenticated | permission(True, True))(), "has_permission")


def test_combinations_compare_by_their_parts() -> None:
    assert IsAuthenticated & IsAdminUser == IsAuthenticated & IsAdminUser
    assert hash(IsAuthenticated & IsAdminUser) == hash(IsAuthenticated & IsAdminUser)
    assert IsAuthenticated & IsAdminUser != IsAuthenticated | IsAdminUser
    assert IsAuthenticated & IsAdminUser != IsAdminUser & IsAuthenticated


def test_combinations_nest() -> None:
    combined = (permission(False, True) & AllowAny) | (~permission(False, False) & AllowAny)
    assert decide(combined) == (True, True)


class FixedUser(BaseAuthentication):
    user: Any = None

    def authenticate(self, request: Any) -> Any:
        return (self.user, None) if self.user is not None else None


def status_of(view_class: Any, user: Any, method: str = "get", **kwargs: Any) -> int:
    scheme = type("Scheme", (FixedUser,), {"user": user})
    view = view_class.as_view(authentication_classes=[scheme])
    return view(getattr(factory, method)("/"), **kwargs).status_code  # type: ignore[no-any-return]


PLAIN, STAFF = User(username="plain"), User(username="staff", is_staff=True)


@pytest.mark.parametrize(
    ("allowed", "anonymous", "plain", "staff", "posting"),
    [
        (AllowAny, 200, 200, 200, 200),
        (IsAuthenticated, 403, 200, 200, 403),
        (IsAdminUser, 403, 403, 200, 403),
        (IsAuthenticatedOrReadOnly, 200, 200, 200, 403),
    ],
)
def test_built_in_permissions(
    allowed: Any, anonymous: int, plain: int, staff: int, posting: int
) -> None:
    class View(views.APIView):
        permission_classes = [allowed]

        def get(self, request: Any) -> Response:
            return Response()

        post = get

    assert status_of(View, None) == anonymous
    assert status_of(View, PLAIN) == plain
    assert status_of(View, STAFF) == staff
    assert status_of(View, None, "post") == posting


def test_a_request_without_a_user_object() -> None:
    request = factory.get("/")
    request.user = None  # type: ignore[attr-defined]
    for allowed in (IsAuthenticated, IsAdminUser, DjangoModelPermissions):
        assert allowed().has_permission(request, None) is False


# Permissions of the model


class SnippetView(generics.GenericAPIView):
    queryset = Snippet.objects.all()
    permission_classes = [DjangoModelPermissions]

    def get(self, request: Any) -> Response:
        return Response()

    post = put = patch = delete = get


@pytest.fixture
def erin() -> User:
    user = User.objects.create(username="erin")
    for name in ("add_snippet", "change_snippet"):
        user.user_permissions.add(Permission.objects.get(codename=name))
    return user


@pytest.mark.django_db
def test_model_permissions(erin: User) -> None:
    statuses = [
        status_of(SnippetView, erin, method) for method in ("get", "post", "put", "patch", "delete")
    ]
    assert statuses == [200, 200, 200, 200, 403]
    assert status_of(SnippetView, User.objects.create(username="bob"), "post") == 403


@pytest.mark.django_db
def test_who_is_not_known_costs_no_query() -> None:
    class Counting(SnippetView):
        def get_queryset(self) -> Any:
            raise RuntimeError("asked before the user was known")

    with CaptureQueriesContext(connection) as queries:
        assert status_of(Counting, None, "post") == 403
    assert len(queries) == 0


def test_anonymous_readers() -> None:
    class Open(SnippetView):
        permission_classes = [DjangoModelPermissionsOrAnonReadOnly]

    assert status_of(Open, None) == 200
    assert status_of(Open, None, "post") == 403


def test_a_method_without_permissions_is_not_allowed() -> None:
    with pytest.raises(exceptions.MethodNotAllowed):
        DjangoModelPermissions().get_required_permissions("BREW", Snippet)


def test_a_view_without_queryset_is_told() -> None:
    request = factory.get("/")
    request.user = PLAIN
    with pytest.raises(AssertionError, match="Cannot apply DjangoModelPermissions"):
        DjangoModelPermissions().has_permission(request, views.APIView())


class ObjectUser:
    is_authenticated = True

    def __init__(self, *allowed: str) -> None:
        self.allowed = allowed

    def has_perms(self, permissions: list[str], obj: Any = None) -> bool:
        return all(each in self.allowed for each in permissions)


class ReadProtected(DjangoObjectPermissions):
    perms_map = {
        **DjangoObjectPermissions.perms_map,
        "GET": ["%(app_label)s.view_%(model_name)s"],
    }


@pytest.mark.parametrize(
    ("allowed", "method", "expected"),
    [
        (["view", "change"], "PUT", True),
        (["view"], "PUT", False),
        ([], "PUT", Http404),
        ([], "GET", Http404),
        (["view"], "GET", True),
    ],
)
def test_object_permissions(allowed: list[str], method: str, expected: Any) -> None:
    request = factory.generic(method, "/")
    request.user = ObjectUser(*(f"contract_project.{name}_tag" for name in allowed))  # type: ignore[assignment]
    view = generics.GenericAPIView()
    view.queryset = Tag.objects.all()
    check = ReadProtected()
    if expected is Http404:
        with pytest.raises(Http404):
            check.has_object_permission(request, view, Tag())
    else:
        assert check.has_object_permission(request, view, Tag()) is expected


def test_the_anonymous_user_is_nobody() -> None:
    request = factory.get("/")
    request.user = AnonymousUser()
    assert not IsAuthenticated().has_permission(request, None)


# What a project puts in the place of our methods, after the first request


def sync_view(allowed: Any) -> Any:
    class View(views.APIView):
        permission_classes = [allowed]
        authentication_classes = [type("Scheme", (FixedUser,), {"user": STAFF})]

        def get(self, request: Any) -> Response:
            self.check_object_permissions(request, None)
            return Response()

    made = View.as_view()
    return lambda: made(factory.get("/")).status_code


def async_view(allowed: Any) -> Any:
    class View(views.APIView):
        permission_classes = [allowed]
        authentication_classes = [type("Scheme", (FixedUser,), {"user": STAFF})]

        async def get(self, request: Any) -> Response:
            await self.acheck_object_permissions(request, None)
            return Response()

    made = async_to_sync(View.as_view())
    return lambda: made(AsyncRequestFactory().get("/")).status_code


COMBINATIONS = {
    "alone": lambda: IsAdminUser,
    "and": lambda: AllowAny & IsAdminUser,
    "or": lambda: IsAdminUser | permission(False, False),
    "nested": lambda: AllowAny & (IsAdminUser | permission(False, False)),
    "twice not": lambda: ~~IsAdminUser,
}


@pytest.mark.parametrize("make", [sync_view, async_view])
@pytest.mark.parametrize("combined", COMBINATIONS)
@pytest.mark.parametrize("name", ["has_permission", "has_object_permission"])
@pytest.mark.parametrize("owner", [IsAdminUser, BasePermission])
@pytest.mark.parametrize("later", [False, True], ids=["def", "async def"])
def test_patched_permissions_take_effect(
    make: Any, combined: str, name: str, owner: Any, later: bool, monkeypatch: Any
) -> None:
    ask = make(COMBINATIONS[combined]())
    assert ask() == 200

    async def refuse_later(self: Any, *args: Any) -> bool:
        return False

    def refuse(self: Any, *args: Any) -> bool:
        return False

    monkeypatch.setattr(owner, name, refuse_later if later else refuse)
    if owner is BasePermission and name in vars(IsAdminUser):
        monkeypatch.delattr(IsAdminUser, name)
    assert ask() == 403
    monkeypatch.undo()
    assert ask() == 200


@pytest.mark.parametrize("make", [sync_view, async_view])
def test_hooks_of_one_permission_take_effect(make: Any, monkeypatch: Any) -> None:
    kept = (AllowAny & IsAdminUser)()
    monkeypatch.setattr(views.APIView, "get_permissions", lambda self: [kept])
    ask = make(AllowAny)
    assert ask() == 200
    kept.op2.has_object_permission = lambda request, view, obj: False
    assert ask() == 403
    del kept.op2.has_object_permission
    assert ask() == 200
    kept.op2.has_permission = lambda request, view: False
    assert ask() == 403


def test_helpers_of_projects_are_their_own() -> None:
    class Own(DjangoObjectPermissions):
        def _fill_in(self) -> None:
            raise RuntimeError("not meant for lintel")

        def _queryset(self, view: Any) -> Any:
            return Tag.objects.all()

    request = factory.get("/")
    request.user = ObjectUser()  # type: ignore[assignment]
    assert Own().has_permission(request, views.APIView())
    assert Own().has_object_permission(request, views.APIView(), Tag())


def test_an_operator_with_a_constructor_of_its_own_asks_the_operands_that_it_has():
    class Either(OR):
        def __init__(self, op1, op2):
            self.op1, self.op2 = op2, op1

    either = Either(IsAdminUser(), IsAdminUser())
    either.op1 = AllowAny()
    assert either.has_permission(None, None)
    assert either.has_object_permission(None, None, object())
