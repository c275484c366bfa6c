"""What ``check --deploy`` says about views that show or accept more than their project means."""

from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.core.checks import registry, run_checks
from django.test import override_settings
from django.urls import path

from lintel import filters, permissions, serializers, viewsets
from lintel.authentication import BasicAuthentication, SessionAuthentication
from lintel.decorators import action
from lintel.generics import ListAPIView
from lintel.idempotency import IdempotentMixin
from lintel.renderers import AdminRenderer, BrowsableAPIRenderer, JSONRenderer
from lintel.routers import SimpleRouter
from lintel.scoping import RowScope
from lintel.throttling import AnonRateThrottle
from lintel.views import APIView

IDS = [f"lintel.W0{number:02}" for number in (*range(9, 15), 31)]


def found(*views: Any, **own: Any) -> dict[str, str]:
    """The warnings about some viewsets and views, by id."""
    router = SimpleRouter()
    patterns = []
    for number, view in enumerate(views):
        if issubclass(view, viewsets.ViewSetMixin):
            router.register(f"v{number}", view, basename=f"v{number}")
        else:
            patterns.append(path(f"v{number}/", view.as_view()))
    urls = type("Urls", (), {"urlpatterns": [*patterns, *router.urls]})
    with override_settings(ROOT_URLCONF=urls, **own):
        messages = run_checks(include_deployment_checks=True, databases=[])
    assert all(message.hint for message in messages if message.id in IDS)
    return {message.id: message.msg for message in messages if message.id in IDS}


class IsOwner(permissions.BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return obj == request.user


class IsOwnerOrReadOnly(permissions.BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return request.method in permissions.SAFE_METHODS or obj == request.user


class IsOwnerAndUser(IsOwner):
    def has_permission(self, request: Any, view: Any) -> bool:
        return bool(request.user)


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ("id", "username", "groups")


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ("id", "name")


class Plain(viewsets.ModelViewSet):
    queryset = User.objects.all()
    serializer_class = UserSerializer
    authentication_classes = [SessionAuthentication]
    permission_classes: list[Any] = [permissions.IsAuthenticated]
    renderer_classes = [JSONRenderer]


class Scoped(Plain):
    permission_classes = [IsOwner]

    def get_queryset(self) -> Any:
        return User.objects.filter(pk=self.request.user.pk)


class Scoping(filters.BaseFilterBackend):
    __module__ = "project.filters"

    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        return queryset.filter(pk=request.user.pk)


def view(base: Any = Plain, **members: Any) -> Any:
    return type("Users", (base,), members)


class Generic(ListAPIView):
    queryset = User.objects.all()
    serializer_class = UserSerializer
    authentication_classes = [SessionAuthentication]
    renderer_classes = [JSONRenderer]
    permission_classes = [IsOwner]


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (view(permission_classes=[IsOwner]), "IsOwner"),
        (view(permission_classes=[permissions.IsAuthenticated, IsOwner]), "IsOwner"),
        (view(permission_classes=[permissions.IsAuthenticated & IsOwner]), "IsOwner"),
        (view(permission_classes=[IsOwner], filter_backends=[filters.SearchFilter]), "IsOwner"),
        (Generic, "IsOwner"),
        (view(permission_classes=[IsOwnerAndUser]), None),
        (view(permission_classes=[IsOwnerOrReadOnly]), None),
        (view(permission_classes=[permissions.DjangoObjectPermissions]), None),
        (view(permission_classes=[IsOwner], filter_backends=[Scoping]), None),
        (view(viewsets.GenericViewSet, permission_classes=[IsOwner]), None),
        (view(permission_classes=[IsOwner], scope_class=RowScope), None),
        (Scoped, None),
        (Plain, None),
    ],
)
def test_lists_of_rows_that_only_an_object_permission_guards(made: Any, name: str | None) -> None:
    message = found(made).get("lintel.W009")
    assert (message is not None) == (name is not None)
    assert name is None or message.endswith(
        f"lists never call has_object_permission(): {made.__name__} ({name})."
    )


class ScopedGroups(Plain):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    def get_queryset(self) -> Any:
        return self.request.user.groups.all()


class OwnGroups(serializers.PrimaryKeyRelatedField):
    def get_queryset(self) -> Any:
        return self.context["request"].user.groups.all()


def with_groups(field: Any) -> Any:
    made = type("Serializer", (UserSerializer,), {"groups": field})
    return view(serializer_class=made)


def related(**options: Any) -> Any:
    return serializers.PrimaryKeyRelatedField(many=True, **options)


@pytest.mark.parametrize(
    ("made", "is_found"),
    [
        (Plain, True),
        (with_groups(related(queryset=Group.objects.all())), True),
        (with_groups(related(queryset=Group.objects.filter(name="public"))), False),
        (with_groups(related(read_only=True)), False),
        (with_groups(OwnGroups(many=True, queryset=Group.objects.all())), False),
        (
            view(
                viewsets.ReadOnlyModelViewSet,
                queryset=User.objects.all(),
                serializer_class=UserSerializer,
            ),
            False,
        ),
    ],
)
def test_relations_to_rows_that_another_view_hides(made: Any, is_found: bool) -> None:
    made.authentication_classes, made.renderer_classes = [SessionAuthentication], [JSONRenderer]
    message = found(made, ScopedGroups).get("lintel.W010")
    assert (message is not None) == is_found
    assert message is None or f"{made.__name__} (groups)" in message


class ByUser(RowScope):
    lookups = {User: "pk", Group: "user"}


class OfUsers(RowScope):
    lookups = {"auth.User": "pk"}


class Computed(RowScope):
    def scope_queryset(self, queryset: Any, request: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("scope_class", "model"),
    [(ByUser, None), (OfUsers, "auth.Group"), (RowScope, "auth.Group"), (Computed, None)],
)
def test_scopes_that_do_not_know_a_model(scope_class: Any, model: str | None) -> None:
    message = found(view(scope_class=scope_class)).get("lintel.W014")
    assert (message is not None) == (model is not None)
    assert model is None or f"({model})" in str(message)
    assert "lintel.W014" not in found(Plain)


def test_scopes_hide_rows_and_answer_for_relations() -> None:
    class OfScope(Plain):
        queryset = Group.objects.all()
        serializer_class = GroupSerializer
        scope_class = ByUser

    class Open(OfScope):
        scope_class = type("AllGroups", (RowScope,), {"lookups": {Group: None}})

    rows = {"queryset": Group.objects.all()}
    assert "lintel.W010" in found(Plain, OfScope)
    assert "lintel.W010" not in found(Plain, Open)
    assert "lintel.W010" not in found(view(scope_class=ByUser), OfScope)
    for scope_class in (RowScope, None):
        made = with_groups(related(**rows, scope_class=scope_class))
        assert "lintel.W010" not in found(made, OfScope)


def test_relations_are_open_if_nobody_hides_their_rows() -> None:
    assert "lintel.W010" not in found(Plain, view(queryset=Permission.objects.all()))


@pytest.mark.parametrize(
    ("members", "is_found"),
    [
        ({"permission_classes": [permissions.IsAdminUser]}, False),
        ({"permission_classes": [permissions.IsAdminUser & IsOwner]}, False),
        ({"permission_classes": [permissions.IsAdminUser | IsOwner]}, True),
        ({"permission_classes": [permissions.IsAuthenticated]}, True),
        (
            {
                "permission_classes": [permissions.IsAdminUser],
                "get_permissions": lambda self: [permissions.IsAuthenticated()],
            },
            True,
        ),
    ],
)
def test_staff_may_name_any_row(members: Any, is_found: bool) -> None:
    assert ("lintel.W010" in found(view(**members), ScopedGroups)) == is_found


class Searched(ScopedGroups):
    def get_queryset(self) -> Any:
        return Group.objects.filter(name=self.request.query_params.get("name"))


class SearchedOwn(ScopedGroups):
    def get_queryset(self) -> Any:
        return self.request.user.groups.filter(name=self.request.query_params.get("name"))


@pytest.mark.parametrize(("groups", "is_found"), [(Searched, False), (SearchedOwn, True)])
def test_what_clients_filter_by_hides_nothing(groups: Any, is_found: bool) -> None:
    assert ("lintel.W010" in found(Plain, groups)) == is_found


class Declaring(Plain):
    @action(detail=True, permission_classes=[permissions.IsAdminUser])
    def ban(self, request: Any, pk: Any) -> Any:
        raise NotImplementedError


class Forgetful(Declaring):
    def get_permissions(self) -> Any:
        return [permissions.IsAuthenticated()]


class Careful(Declaring):
    def get_permissions(self) -> Any:
        return [*super().get_permissions(), permissions.IsAuthenticated()]


class ByRequest(Declaring):
    def get_permissions(self) -> Any:
        return [permissions.IsAdminUser()] if self.request.user.pk else []


class Stricter(permissions.IsAdminUser):
    """More than what the action asks for."""


class Strict(Declaring):
    def get_permissions(self) -> Any:
        return [Stricter()]


@pytest.mark.parametrize(
    ("made", "is_found"),
    [(Declaring, False), (Forgetful, True), (Careful, False), (ByRequest, False), (Strict, False)],
)
def test_permissions_that_an_action_declares_in_vain(made: Any, is_found: bool) -> None:
    message = found(made).get("lintel.W011")
    assert (message is not None) == is_found
    assert message is None or message.endswith(f"{made.__name__} (ban: IsAdminUser).")


class Overriding(Plain):
    permission_classes = [permissions.IsAdminUser]

    def get_permissions(self) -> Any:
        return [permissions.IsAuthenticated()]


class ByAction(Plain):
    permission_classes = [permissions.IsAdminUser]

    def get_permissions(self) -> Any:
        if self.action == "list":
            return [permissions.IsAuthenticated()]
        return [each() for each in self.permission_classes]


class Stating(Plain):
    """Says in the method what the attribute says, too."""

    permission_classes = [permissions.IsAdminUser]

    def get_permissions(self) -> Any:
        return [Stricter()]


class Instead(Plain):
    """Takes the place of what its base declares."""

    def get_permissions(self) -> Any:
        return [permissions.AllowAny()]


class Below(Instead):
    permission_classes = [permissions.IsAdminUser]


@pytest.mark.parametrize(
    ("made", "is_found"),
    [(Overriding, True), (Below, True), (ByAction, False), (Stating, False), (Instead, False)],
)
def test_permissions_that_a_view_declares_in_vain(made: Any, is_found: bool) -> None:
    assert ("lintel.W011" in found(made)) == is_found


class Remembering(IdempotentMixin, APIView):
    authentication_classes = [SessionAuthentication]
    permission_classes = [permissions.IsAuthenticated]
    renderer_classes = [JSONRenderer]

    def post(self, request: Any) -> Any:
        raise NotImplementedError


def test_keys_of_writes_to_one_of_several_databases() -> None:
    several = {"default": {}, "other": {}}
    named = type("Named", (Remembering,), {"idempotency_database": "other"})
    cached = type("Cached", (Remembering,), {"idempotency_store": "cache"})
    rows = type("Rows", (IdempotentMixin, Scoped), {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "DATABASES", {"default": {}})
        assert "lintel.W031" not in found(Remembering)
        patch.setattr(settings, "DATABASES", several)
        assert "Remembering (Idempotency-Key)" in found(Remembering)["lintel.W031"]
        assert "lintel.W031" not in found(named, cached, rows, view(IdempotentPlain))


class IdempotentPlain(IdempotentMixin, Plain):
    pass


def test_passwords_without_https() -> None:
    made = view(authentication_classes=[BasicAuthentication])
    assert "Users (BasicAuthentication)" in found(made)["lintel.W012"]
    assert "lintel.W012" not in found(made, SECURE_SSL_REDIRECT=True)
    assert "lintel.W012" not in found(made, SECURE_HSTS_SECONDS=3600)
    assert "lintel.W012" not in found(Plain)


def test_pages_for_developers() -> None:
    made = view(renderer_classes=[JSONRenderer, AdminRenderer])
    assert "Users (AdminRenderer)" in found(made)["lintel.W013"]
    assert "lintel.W013" in found(view(renderer_classes=[BrowsableAPIRenderer]))
    assert "lintel.W013" not in found(made, DEBUG=True)
    assert "lintel.W013" not in found(Plain)


def test_many_views_are_counted() -> None:
    views = [
        type(f"View{number}", (Plain,), {"renderer_classes": [BrowsableAPIRenderer]})
        for number in range(7)
    ]
    assert found(*views)["lintel.W013"].endswith("View4 (BrowsableAPIRenderer) and 2 more.")


def test_nothing_is_said_without_views_or_outside_of_deployments() -> None:
    assert set(IDS).isdisjoint(message.id for message in run_checks(databases=[]))
    with override_settings(ROOT_URLCONF=None):
        assert set(IDS).isdisjoint(
            message.id
            for check in registry.registry.get_checks(include_deployment_checks=True)
            if check.__module__ == "lintel.security_checks"
            for message in check(None)
        )


class ByProperty(Generic):
    """Decides everything by request, as far as an instance can."""

    permission_classes = property(lambda self: [IsOwner] if self.request.user.pk else [])
    throttle_classes = property(lambda self: self.request.throttles)
    authentication_classes = property(lambda self: self.request.ways)
    renderer_classes = property(lambda self: self.request.forms)
    filter_backends = property(lambda self: self.request.filters)
    serializer_class = property(lambda self: self.request.serializer)
    queryset = property(lambda self: self.request.user.groups)


class Odd(Generic):
    """Has nothing where lists belong, or objects where classes do."""

    permission_classes = None
    throttle_classes: Any = [AnonRateThrottle.__new__(AnonRateThrottle), partial(AnonRateThrottle)]
    authentication_classes: Any = [BasicAuthentication()]
    renderer_classes = None
    filter_backends: Any = [object(), partial(filters.SearchFilter)]
    serializer_class = "UserSerializer"


def test_odd_views_do_not_break_the_checks() -> None:
    odd_filters = type("OddFilters", (Generic,), {"filter_backends": [object()]})
    assert found(ByProperty, Odd, odd_filters, type("Nothing", (ListAPIView,), {})).keys() <= {
        "lintel.W012",
        "lintel.W013",
    }
