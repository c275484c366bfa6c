"""One class says which rows a request may see, for views, relations, filters and validators."""

from __future__ import annotations

import pickle
from inspect import isawaitable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Profile, Snippet, Tag
from django.contrib.auth.models import Group, User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import include, path

from lintel import generics, permissions, serializers, viewsets
from lintel.decorators import action
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.scoping import RowScope, rows_of, within_view
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient, force_authenticate
from lintel.validators import UniqueTogetherValidator, UniqueValidator

pytestmark = pytest.mark.django_db


class ByOwner(RowScope):
    lookups = {Snippet: "owner", User: "pk", "contract_project.Tag": None, Profile: "user"}


class Titles(serializers.Serializer):
    """Input that names rows in every way."""

    by_key = serializers.PrimaryKeyRelatedField(queryset=Snippet.objects.all(), required=False)
    by_manager = serializers.PrimaryKeyRelatedField(queryset=Snippet.objects, required=False)
    by_title = serializers.SlugRelatedField("title", queryset=Snippet.objects, required=False)
    by_url = serializers.HyperlinkedRelatedField(
        "snippet-detail", queryset=Snippet.objects.all(), required=False
    )
    many = serializers.PrimaryKeyRelatedField(
        many=True, queryset=Snippet.objects.all(), required=False
    )
    titles = serializers.SlugRelatedField(
        "title", many=True, queryset=Snippet.objects.all(), required=False
    )


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "tags"]


class Snippets(viewsets.ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    scope_class = ByOwner
    permission_classes = [permissions.IsAuthenticated]

    def perform_create(self, serializer: Any) -> None:
        serializer.save(owner=self.request.user)

    @action(detail=False, schema=None)
    def titles(self, request: Any) -> Any:
        return Response([each.title for each in self.get_queryset()])

    @action(detail=False, methods=["post"], serializer_class=Titles, schema=None)
    def naming(self, request: Any) -> Any:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(sorted(serializer.validated_data))

    @action(detail=False, methods=["post"], serializer_class=Titles, schema=None)
    def naming_many(self, request: Any) -> Any:
        serializer = self.get_serializer(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        return Response(len(serializer.validated_data))


class AsyncSnippets(viewsets.AsyncModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    permission_classes = [permissions.IsAuthenticated]

    class scope_class(RowScope):
        async def scope_queryset(self, queryset: Any, request: Any) -> Any:
            return queryset.filter(owner=request.user)


class Overriding(Snippets):
    """A view whose hooks know nothing of scopes."""

    def get_queryset(self) -> Any:
        return Snippet.objects.order_by("title")

    def filter_queryset(self, queryset: Any) -> Any:
        return queryset


class Widening(Snippets):
    def get_queryset(self) -> Any:
        return super().get_queryset() | Snippet.objects.filter(title="theirs")


router = SimpleRouter()
router.register("snippets", Snippets)
router.register("later", AsyncSnippets, basename="later")
router.register("overriding", Overriding, basename="overriding")
router.register("widening", Widening, basename="widening")
urlpatterns = [path("", include(router.urls))]

#: Every view that lists the snippets.
PLACES = ["snippets", "later", "overriding", "widening"]


@pytest.fixture(autouse=True)
def urls() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.fixture
def mine() -> Snippet:
    user = User.objects.create_user("me")
    return Snippet.objects.create(title="mine", code="1", owner=user)


@pytest.fixture
def theirs() -> Snippet:
    user = User.objects.create_user("they")
    return Snippet.objects.create(title="theirs", code="2", owner=user)


@pytest.fixture
def client(mine: Snippet, theirs: Snippet) -> APIClient:
    client = APIClient()
    client.force_authenticate(mine.owner)
    return client


@pytest.mark.parametrize("place", PLACES)
def test_views_have_only_rows_of_the_scope(
    place: str, client: APIClient, mine: Snippet, theirs: Snippet
) -> None:
    assert [row["title"] for row in client.get(f"/{place}/").data] == ["mine"]
    assert client.get(f"/{place}/{mine.pk}/").status_code == 200
    for method in (client.get, client.delete, client.patch, client.put):
        missing, hidden = method(f"/{place}/0/"), method(f"/{place}/{theirs.pk}/")
        assert (hidden.status_code, hidden.data) == (404, missing.data)
    assert Snippet.objects.filter(pk=theirs.pk).exists()


def test_the_condition_is_added_once(client: APIClient, mine: Snippet) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get(f"/snippets/{mine.pk}/")
    assert queries[0]["sql"].count('"owner_id" =') == 1


def test_actions_get_the_scoped_queryset(client: APIClient) -> None:
    assert client.get("/snippets/titles/").data == ["mine"]


def test_views_on_the_loop(mine: Snippet, theirs: Snippet) -> None:
    client = AsyncAPIClient()
    client.force_authenticate(mine.owner)

    async def ask() -> None:
        assert [row["title"] for row in (await client.get("/later/")).data] == ["mine"]
        assert (await client.get(f"/later/{theirs.pk}/")).status_code == 404
        assert (await client.get(f"/snippets/{theirs.pk}/")).status_code == 404

    async_to_sync(ask)()


def names(snippet: Snippet) -> dict[str, Any]:
    return {
        "by_key": snippet.pk,
        "by_manager": str(snippet.pk),
        "by_title": snippet.title,
        "by_url": f"/snippets/{snippet.pk}/",
        "many": [snippet.pk],
        "titles": [snippet.title],
    }


MISSING = {"pk": 10**6, "title": "nobodys"}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", ["by_key", "by_manager", "by_title", "by_url", "many", "titles"])
def test_relations_refuse_rows_of_others_as_if_there_were_none(
    name: str, compiled: bool, client: APIClient, mine: Snippet, theirs: Snippet
) -> None:
    own, others, nobodys = names(mine), names(theirs), names(Snippet(**MISSING))
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": compiled}):
        for _ in range(3):  # the first uses are not compiled
            assert client.post("/snippets/naming/", {name: own[name]}, "json").data == [name]
            hidden = client.post("/snippets/naming/", {name: others[name]}, "json")
            missing = client.post("/snippets/naming/", {name: nobodys[name]}, "json")
            assert hidden.status_code == missing.status_code == 400
            said = str(hidden.data).replace(str(theirs.pk), "?").replace("theirs", "?")
            assert said == str(missing.data).replace("1000000", "?").replace("nobodys", "?")


@pytest.mark.shortcuts
@pytest.mark.parametrize("compiled", [True, False])
def test_keys_of_a_list_take_one_query(
    compiled: bool, client: APIClient, mine: Snippet, theirs: Snippet
) -> None:
    own = [Snippet.objects.create(code=str(n), owner=mine.owner) for n in range(20)]
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": compiled}):
        with CaptureQueriesContext(connection) as queries:
            keys = [{"by_key": each.pk} for each in own]
            assert client.post("/snippets/naming_many/", keys, "json").data == 20
        assert len(queries) == 1
        found = client.post("/snippets/naming_many/", [*keys, {"by_key": theirs.pk}], "json")
    assert found.status_code == 400
    assert found.data[20] == {"by_key": [f'Invalid pk "{theirs.pk}" - object does not exist.']}


def test_choices_are_those_of_the_scope(client: APIClient, mine: Snippet, theirs: Snippet) -> None:
    shown = client.options("/snippets/naming/")
    assert shown.status_code == 200
    page = client.get("/snippets/titles/", headers={"Accept": "text/html"})
    assert "theirs" not in page.content.decode()
    serializer = in_view(Snippets, mine.owner).get_serializer_class()
    view = in_view(Snippets, mine.owner)
    made = Titles(context=view.get_serializer_context())
    assert serializer is SnippetSerializer
    assert list(made.fields["by_key"].choices) == [mine.pk]
    assert list(made.fields["many"].choices) == [mine.pk]


def in_view(cls: Any, user: User | None, **attributes: Any) -> Any:
    view = type(cls.__name__, (cls,), attributes)(args=(), kwargs={}, format_kwarg=None)
    view.action_map = {"get": "list"}
    view.request = view.initialize_request(APIRequestFactory().get("/"))
    view.request.user = user
    return view


class Own(serializers.Serializer):
    open_to_all = serializers.PrimaryKeyRelatedField(
        queryset=Snippet.objects.all(), scope_class=None, required=False
    )
    own = serializers.PrimaryKeyRelatedField(
        queryset=Snippet.objects.all(), scope_class=ByOwner, required=False
    )


def test_a_relation_has_a_scope_of_its_own(mine: Snippet, theirs: Snippet) -> None:
    view = in_view(Snippets, mine.owner)
    context = view.get_serializer_context()
    assert Own(data={"open_to_all": theirs.pk}, context=context).is_valid()
    # Without a view as well.
    alone = {"request": view.request}
    assert Own(data={"open_to_all": theirs.pk}, context=alone).is_valid()
    assert Own(data={"own": mine.pk}, context=alone).is_valid()
    assert not Own(data={"own": theirs.pk}, context=alone).is_valid()


def test_a_relation_without_a_request_is_refused(mine: Snippet) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"context=view\.get_serializer_context"):
        Own(data={"own": mine.pk}).is_valid()


class Latest(serializers.PrimaryKeyRelatedField):
    def get_queryset(self) -> Any:
        return Snippet.objects.order_by("-pk")


def test_a_queryset_of_the_project_is_scoped_too(mine: Snippet, theirs: Snippet) -> None:
    class Input(serializers.Serializer):
        latest = Latest()

    context = in_view(Snippets, mine.owner).get_serializer_context()
    serializer = Input(context=context)
    assert [each.title for each in rows_of(serializer.fields["latest"])] == ["mine"]
    assert not Input(data={"latest": theirs.pk}, context=context).is_valid()


def test_a_model_that_the_scope_does_not_know(mine: Snippet) -> None:
    class Members(Snippets):
        queryset = Group.objects.all()

    with pytest.raises(ImproperlyConfigured, match=r"rows of auth\.Group"):
        in_view(Members, mine.owner).get_queryset()


def test_nobody_owns_nothing(mine: Snippet) -> None:
    Snippet.objects.update(title="")
    assert list(in_view(Snippets, None).get_queryset()) == []


class ByTag(RowScope):
    lookups = {Snippet: "tags"}

    def get_value(self, request: Any) -> Any:
        return Tag.objects.filter(name__startswith="my")


def test_rows_of_several_owners_come_once(mine: Snippet) -> None:
    for name in ("my one", "my other", "theirs"):
        mine.tags.add(Tag.objects.create(name=name))
    rows = in_view(Snippets, mine.owner, scope_class=ByTag).get_queryset()
    assert [row.pk for row in rows] == [mine.pk]
    assert rows.count() == 1


def test_scoped_querysets_may_be_combined(mine: Snippet, theirs: Snippet) -> None:
    view = in_view(Snippets, mine.owner)
    rows = view.get_queryset()
    for wider in (rows | Snippet.objects.all(), (rows | Snippet.objects.all()) & rows.all()):
        assert [row.title for row in within_view(view, wider)] == ["mine"]
    for narrower in (rows.filter(code="1"), rows.exclude(code="2"), rows & Snippet.objects.all()):
        sql = str(within_view(view, narrower).query)
        assert sql.count('"owner_id" =') == 1 + str(narrower.query).count('"owner_id" =') - 1


def test_a_queryset_of_another_request_is_scoped_again(mine: Snippet, theirs: Snippet) -> None:
    rows = in_view(Snippets, mine.owner).get_queryset()
    kept = Snippet.objects.all()
    kept.query = pickle.loads(pickle.dumps(rows.query))
    other = in_view(Snippets, theirs.owner)
    assert list(within_view(other, rows)) == list(within_view(other, kept)) == []


def test_the_setting_is_for_all_views(mine: Snippet, theirs: Snippet) -> None:
    class Plain(generics.ListAPIView):
        queryset = Snippet.objects.all()
        serializer_class = SnippetSerializer

    assert len(in_view(Plain, mine.owner).get_queryset()) == 2
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCOPE_CLASS": f"{__name__}.ByOwner"}):
        assert [row.title for row in in_view(Plain, mine.owner).get_queryset()] == ["mine"]
        assert len(in_view(Plain, mine.owner, scope_class=None).get_queryset()) == 2


# ---- values of others ----


class Closed(ByOwner):
    unique_among_all = False


class ByTitle(serializers.Serializer):
    title = serializers.CharField(validators=[UniqueValidator(Snippet.objects.all())])
    code = serializers.CharField(required=False)

    class Meta:
        validators = [UniqueTogetherValidator(Snippet.objects.all(), ["title", "code"])]


@pytest.mark.parametrize(("scope_class", "tells"), [(ByOwner, True), (Closed, False)])
def test_validators_of_uniqueness(
    scope_class: Any, tells: bool, mine: Snippet, theirs: Snippet
) -> None:
    context = in_view(Snippets, mine.owner, scope_class=scope_class).get_serializer_context()

    def is_valid(title: str) -> bool:
        return ByTitle(data={"title": title, "code": "2"}, context=context).is_valid()

    assert is_valid("new")
    assert not is_valid("mine")
    assert is_valid("theirs") is not tells


# ---- what may be created ----


class MayTitle(permissions.BasePermission):
    message = "No such title."

    def has_creation_permission(self, request: Any, view: Any, validated_data: Any) -> bool:
        return validated_data.get("title") != "forbidden"


class MayTitleLater(permissions.BasePermission):
    async def has_creation_permission(self, request: Any, view: Any, validated_data: Any) -> bool:
        return bool(validated_data.get("title") != "forbidden")


class Old:
    """A permission that knows no more than the known interface."""

    def has_permission(self, request: Any, view: Any) -> bool:
        return True


def created(permission: Any, title: str, base: Any = Snippets) -> Any:
    attributes = {"permission_classes": [permission], "scope_class": None}
    view = type("Created", (base,), attributes).as_view({"post": "create"})
    request = APIRequestFactory().post("/", {"title": title, "code": "1"}, "json")
    force_authenticate(request, User.objects.get(username="me"))
    answer = view(request)

    async def awaited() -> Any:
        return await answer

    return async_to_sync(awaited)() if isawaitable(answer) else answer


@pytest.mark.parametrize("base", [Snippets, viewsets.AsyncModelViewSet])
@pytest.mark.parametrize(
    ("permission", "refuses"),
    [
        (MayTitle, True),
        (MayTitleLater, True),
        (MayTitle & permissions.IsAuthenticated, True),
        (MayTitle | permissions.IsAdminUser, True),
        (MayTitle | permissions.IsAuthenticated, False),
        (~permissions.IsAdminUser, False),
        (~(permissions.IsAdminUser | permissions.IsAdminUser), False),
        (~MayTitle, None),
        (Old, False),
    ],
)
def test_permissions_see_what_is_to_be_created(
    permission: Any, refuses: bool | None, base: Any, mine: Snippet
) -> None:
    if base is not Snippets:
        base = type("Later", (Snippets,), {"create": base.create})
    if refuses is None:  # the negation grants no request
        assert created(permission, "allowed", base).status_code == 403
        return
    assert created(permission, "allowed", base).status_code == 201
    response = created(permission, "forbidden", base)
    assert response.status_code == (403 if refuses else 201)
    assert Snippet.objects.filter(title="forbidden").exists() is not refuses
