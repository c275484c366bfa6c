"""Routes below rows: parents are found by their own views, children are theirs alone."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import include, path

from lintel import filters, permissions, serializers, viewsets
from lintel.bulk import BulkModelViewSet
from lintel.decorators import action
from lintel.response import Response
from lintel.routers import DefaultRouter, SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.scoping import RowScope
from lintel.test import APIClient, AsyncAPIClient

pytestmark = pytest.mark.django_db


class UserSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = User
        fields = ["url", "username"]


class SnippetSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Snippet
        fields = ["url", "title", "code"]
        extra_kwargs = {"url": {"view_name": "user-snippet-detail"}}


class TagSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Tag
        fields = ["url", "name"]
        extra_kwargs = {"url": {"view_name": "user-snippet-tag-detail"}}


class Themselves(RowScope):
    lookups = {User: "pk", Snippet: "owner", Tag: None}


class SeesOthers(permissions.BasePermission):
    """Reading is open, writing needs staff; nobody sees the hermit."""

    def has_permission(self, request: Any, view: Any) -> bool:
        return request.method in permissions.SAFE_METHODS or request.user.is_staff

    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return bool(obj.username != "hermit")


class Users(viewsets.ModelViewSet):
    queryset = User.objects.order_by("pk")
    serializer_class = UserSerializer
    permission_classes = [permissions.IsAuthenticated, SeesOthers]
    filter_backends = [filters.SearchFilter]
    search_fields = ["username"]


class Snippets(viewsets.ModelViewSet):
    queryset = Snippet.objects.order_by("pk")
    serializer_class = SnippetSerializer
    permission_classes = [permissions.IsAuthenticated]
    filter_backends = [filters.SearchFilter]
    search_fields = ["title"]

    @action(detail=False, schema=None)
    def count(self, request: Any, **kwargs: Any) -> Any:
        return Response(self.get_queryset().count())

    @action(detail=False, schema=None)
    def open(self, request: Any, **kwargs: Any) -> Any:
        return Response(self.filter_queryset(Snippet.objects.all()).count())


class TitleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["title"]


class Titled(Snippets):
    serializer_class = TitleSerializer


class Tags(viewsets.ModelViewSet):
    queryset = Tag.objects.order_by("pk")
    serializer_class = TagSerializer
    permission_classes = [permissions.IsAuthenticated]


class AsyncSnippets(viewsets.AsyncModelViewSet):
    queryset = Snippet.objects.order_by("pk")
    serializer_class = SnippetSerializer
    permission_classes = [permissions.IsAuthenticated]


class ScopedUsers(Users):
    scope_class = Themselves
    permission_classes = [permissions.IsAuthenticated]


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["name"]


class Groups(viewsets.ModelViewSet):
    queryset = Group.objects.order_by("pk")
    serializer_class = GroupSerializer


class GroupsByName(Groups):
    lookup_field = "name"


class PermissionSerializer(serializers.ModelSerializer):
    class Meta:
        model = Permission
        fields = ["name"]


class Permissions(viewsets.ModelViewSet):
    queryset = Permission.objects.order_by("pk")
    serializer_class = PermissionSerializer


class ByName(ScopedUsers):
    lookup_field = "username"
    lookup_value_regex = "[a-z]+"
    lookup_value_converter = "slug"


def routed(router: Any) -> Any:
    router.register("users", Users)
    router.register("snippets", Snippets, parent="users")
    router.register("tags", Tags, parent="snippets", parent_field="snippets")
    router.register("later", AsyncSnippets, parent="users", basename="later")
    router.register("own", ScopedUsers, basename="own")
    router.register("snippets", Snippets, parent="own", basename="own-snippet")
    router.register("named", ByName, basename="named")
    router.register("snippets", Titled, parent="named", basename="named-snippet")
    return router


router = routed(DefaultRouter())
urlpatterns = [
    path("", include(router.urls)),
    path("paths/", include((routed(SimpleRouter(use_regex_path=False)).urls, "paths"))),
]


@pytest.fixture(autouse=True)
def urls() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.fixture
def ann() -> User:
    ann = User.objects.create_user("ann")
    bob = User.objects.create_user("bob")
    for owner, title in [(ann, "mine"), (ann, "other"), (bob, "theirs")]:
        snippet = Snippet.objects.create(owner=owner, title=title, code="1")
        snippet.tags.add(Tag.objects.create(name=f"of {title}"))
    return ann


@pytest.fixture
def bob(ann: User) -> User:
    return User.objects.get(username="bob")


@pytest.fixture
def client(ann: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(ann)
    return client


def titles(client: APIClient, url: str) -> list[str]:
    response = client.get(url)
    assert response.status_code == 200, response.data
    return [row["title"] for row in response.data]


def test_children_are_those_of_the_parent(client: APIClient, ann: User, bob: User) -> None:
    assert titles(client, f"/users/{ann.pk}/snippets/") == ["mine", "other"]
    assert titles(client, f"/users/{bob.pk}/snippets/") == ["theirs"]
    assert titles(client, f"/paths/users/{bob.pk}/snippets/") == ["theirs"]
    assert titles(client, f"/users/{bob.pk}/snippets.json") == ["theirs"]
    mine = ann.snippets.first()
    for method in (client.get, client.delete, client.put, client.patch):
        assert method(f"/users/{bob.pk}/snippets/{mine.pk}/").status_code == 404
    assert client.get(f"/users/{ann.pk}/snippets/count/").data == 2
    assert client.get(f"/users/{ann.pk}/snippets/open/").data == 2


def test_no_parent_no_children(client: APIClient, ann: User) -> None:
    for url in ("/users/0/snippets/", "/users/x/snippets/", "/users/0/snippets/count/"):
        assert client.get(url).status_code == 404
    assert client.post("/users/0/snippets/", {"code": "1"}).status_code == 404
    assert Snippet.objects.count() == 3


def test_parents_are_guarded_by_their_own_views(client: APIClient, ann: User, bob: User) -> None:
    hermit = User.objects.create_user("hermit")
    assert client.get(f"/users/{hermit.pk}/snippets/").status_code == 403
    assert client.post(f"/users/{hermit.pk}/snippets/", {"code": "1"}).status_code == 403
    assert client.get(f"/own/{ann.pk}/snippets/").status_code == 200
    assert client.get(f"/own/{bob.pk}/snippets/").status_code == 404
    assert client.get("/named/ann/snippets/").status_code == 200
    assert client.get("/named/bob/snippets/").status_code == 404
    client.force_authenticate(None)
    assert client.get(f"/users/{ann.pk}/snippets/").status_code == 403


def test_parameters_and_methods_are_for_the_child(client: APIClient, ann: User) -> None:
    # The parent is read, whatever the child does, and its own search has nothing to do with it.
    assert titles(client, f"/users/{ann.pk}/snippets/?search=mine") == ["mine"]
    made = client.post(f"/users/{ann.pk}/snippets/", {"title": "x", "code": "1"})
    assert made.status_code == 201


@pytest.mark.parametrize("place", ["snippets", "later"])
def test_what_is_created_gets_the_parent(
    place: str, client: APIClient, ann: User, bob: User
) -> None:
    made = client.post(f"/users/{bob.pk}/{place}/", {"title": "new", "code": "1"})
    assert made.status_code == 201
    new = Snippet.objects.get(title="new")
    assert new.owner == bob
    if place == "snippets":
        assert made.data["url"] == f"http://testserver/users/{bob.pk}/snippets/{new.pk}/"
        assert client.get(made.data["url"]).data == made.data


class OwnerSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["title", "code", "owner"]


def test_the_parent_of_the_url_wins(client: APIClient, ann: User, bob: User) -> None:
    class Moving(Snippets):
        serializer_class = OwnerSerializer

        def perform_create(self, serializer: Any) -> None:
            serializer.save(title="created")

    moving = SimpleRouter()
    moving.register("users", Users)
    moving.register("snippets", Moving, parent="users")
    urls = type("Urls", (), {"urlpatterns": moving.urls})
    with override_settings(ROOT_URLCONF=urls):
        mine = ann.snippets.first()
        data = {"title": "moved", "code": "1", "owner": bob.pk}
        answer = client.put(f"/users/{ann.pk}/snippets/{mine.pk}/", data)
        assert (answer.status_code, answer.data["owner"]) == (200, ann.pk)
        assert client.post(f"/users/{ann.pk}/snippets/", data).data["owner"] == ann.pk
    assert Snippet.objects.get(title="created").owner == ann


def test_several_levels(client: APIClient, ann: User, bob: User) -> None:
    mine, theirs = ann.snippets.first(), bob.snippets.get()
    tag = mine.tags.get()
    url = f"/users/{ann.pk}/snippets/{mine.pk}/tags/"
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).data == [
            {"url": f"http://testserver{url}{tag.pk}/", "name": "of mine"}
        ]
    assert len(queries) == 3
    assert client.get(f"{url}{tag.pk}/").status_code == 200
    for wrong in (
        f"/users/{bob.pk}/snippets/{mine.pk}/tags/",
        f"/users/{ann.pk}/snippets/{theirs.pk}/tags/",
        f"{url}{theirs.tags.get().pk}/",
    ):
        assert client.get(wrong).status_code == 404
    assert client.post(url, {"name": "new"}).status_code == 201


def test_one_query_for_each_parent(client: APIClient, ann: User) -> None:
    with CaptureQueriesContext(connection) as queries:
        titles(client, f"/users/{ann.pk}/snippets/")
    assert len(queries) == 2


def test_on_the_loop(ann: User, bob: User) -> None:
    client = AsyncAPIClient()
    client.force_authenticate(ann)

    async def ask() -> None:
        assert len((await client.get(f"/users/{ann.pk}/later/")).data) == 2
        assert len((await client.get(f"/users/{bob.pk}/later/")).data) == 1
        assert (await client.get("/users/0/later/")).status_code == 404

    async_to_sync(ask)()


def test_the_root_lists_what_needs_no_parent(client: APIClient) -> None:
    assert sorted(client.get("/").data) == ["named", "own", "users"]


def test_schemas_describe_the_parts_of_nested_urls() -> None:
    router = DefaultRouter()
    router.register("users", Users)
    router.register("snippets", Snippets, parent="users")
    router.register("tags", Tags, parent="snippets", parent_field="snippets")
    router.register("named", GroupsByName)
    router.register("permissions", Permissions, parent="named", parent_field="group")
    for version, kind in (("3.0.2", "string"), ("3.1", "integer")):
        with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": version}):
            document: Any = SchemaGenerator(patterns=router.urls).get_schema(public=True)
        paths = document["paths"]
        nested = paths["/users/{user_pk}/snippets/{snippet_pk}/tags/{id}/"]["get"]
        described = {each["name"]: each for each in nested["parameters"]}
        assert set(described) == {"user_pk", "snippet_pk", "id"}
        assert all(each["schema"]["type"] == kind for each in described.values())
        text = described["user_pk"]["description"]
        assert text == "A unique integer value identifying this user."
        (named,) = paths["/named/{group_name}/permissions/"]["get"]["parameters"]
        assert (named["name"], named["schema"]["type"]) == ("group_name", "string")


# ---- registrations that cannot be ----


class Plain(viewsets.ViewSet):
    def list(self, request: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("viewset", "options", "message"),
    [
        (Snippets, {"parent": "nothing"}, "no registered viewset has"),
        (Snippets, {"parent": "twice"}, "several viewsets have"),
        (Tags, {"parent": "users"}, "has no relation to auth.User"),
        (
            Users,
            {"parent": "users", "parent_field": "pk", "parent_lookup": "pk"},
            "arguments pk, pk",
        ),
        (Snippets, {"parent": "plain"}, "no `get_object"),
        (Plain, {"parent": "users", "basename": "p"}, "`parent_field` is needed"),
    ],
)
def test_registrations_that_say_too_little(viewset: Any, options: Any, message: str) -> None:
    router = SimpleRouter()
    router.register("users", Users)
    router.register("plain", Plain, basename="plain")
    router.register("twice", Groups, basename="a")
    router.register("twice", Groups, basename="b")
    with pytest.raises(ImproperlyConfigured, match=message):
        router.register("children", viewset, **options)


def test_merged_routers_keep_parents(client: APIClient, ann: User, bob: User) -> None:
    merged = DefaultRouter()
    merged.registry.extend(router.registry)
    urls = type("Urls", (), {"urlpatterns": merged.urls})
    with override_settings(ROOT_URLCONF=urls):
        assert titles(client, f"/users/{bob.pk}/snippets/") == ["theirs"]


# ---- links to nested rows from elsewhere ----


class Links(serializers.ModelSerializer):
    place = serializers.HyperlinkedIdentityField(
        "user-snippet-detail", parent_lookups={"user_pk": "owner.pk"}
    )

    class Meta:
        model = Snippet
        fields = ["place"]


class Naming(serializers.Serializer):
    snippet = serializers.HyperlinkedRelatedField(
        "user-snippet-detail",
        queryset=Snippet.objects.all(),
        parent_lookups={"user_pk": "owner.pk"},
    )


def test_links_to_nested_rows(ann: User, bob: User) -> None:
    mine = Snippet.objects.get(title="mine")
    url = f"/users/{ann.pk}/snippets/{mine.pk}/"
    with CaptureQueriesContext(connection) as queries:
        assert Links(mine, context={"request": None}).data == {"place": url}
    assert not queries
    assert Naming(data={"snippet": url}, context={"request": None}).is_valid()
    wrong = Naming(
        data={"snippet": f"/users/{bob.pk}/snippets/{mine.pk}/"}, context={"request": None}
    )
    assert not wrong.is_valid()
    assert wrong.errors == {"snippet": ["Invalid hyperlink - Object does not exist."]}


# ---- lists in bodies ----


class BulkTitles(BulkModelViewSet):
    queryset = Snippet.objects.order_by("pk")

    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Snippet
            fields = ["id", "title", "code"]


class OwnBulkTitles(BulkTitles):
    """Hooks of a project that know nothing of parents."""

    def get_queryset(self) -> Any:
        return Snippet.objects.order_by("pk")

    def filter_queryset(self, queryset: Any) -> Any:
        return queryset

    def perform_create(self, serializer: Any) -> None:
        serializer.save(code="own")


@pytest.mark.parametrize("viewset", [BulkTitles, OwnBulkTitles])
def test_lists_of_rows_below_a_parent(
    viewset: Any, client: APIClient, ann: User, bob: User
) -> None:
    bulk = SimpleRouter()
    bulk.register("users", Users)
    bulk.register("snippets", viewset, parent="users")
    mine, theirs = ann.snippets.first(), bob.snippets.get()
    with override_settings(ROOT_URLCONF=type("Urls", (), {"urlpatterns": bulk.urls})):
        url = f"/users/{ann.pk}/snippets/"
        made = client.post(url, [{"title": f"new {n}", "code": "1"} for n in range(3)], "json")
        assert made.status_code == 201
        assert ann.snippets.filter(title__startswith="new").count() == 3
        changed = [{"id": mine.pk, "title": "a"}, {"id": theirs.pk, "title": "b"}]
        assert client.patch(url, changed, "json").status_code == 400
        assert client.delete(url, [mine.pk, theirs.pk], "json").status_code == 400
        assert client.patch(url, changed[:1], "json").status_code == 200
        assert client.post("/users/0/snippets/", [{"code": "1"}], "json").status_code == 404
    assert Snippet.objects.get(pk=theirs.pk).title == "theirs"


# ---- what a child refers to ----


class RelatedSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["title", "code", "owner", "tags"]


class Titles(RowScope):
    """Tags belong to the owner of a snippet."""

    lookups = {User: "pk", Snippet: "owner", Tag: "snippets__owner"}


class TenantUsers(ScopedUsers):
    scope_class = Titles


class Related(Snippets):
    serializer_class = RelatedSerializer


class Open(Related):
    scope_class = None


def below(parent: Any, child: Any) -> Any:
    nested = SimpleRouter()
    nested.register("users", parent)
    nested.register("snippets", child, parent="users")
    return override_settings(ROOT_URLCONF=type("Urls", (), {"urlpatterns": nested.urls}))


def test_a_child_offers_only_the_parent_of_its_url(client: APIClient, ann: User) -> None:
    with below(Users, Related):
        page = client.get(f"/users/{ann.pk}/snippets/", headers={"accept": "text/html"})
        assert f'<option value="{ann.pk}"' in page.content.decode()
        assert "bob" not in page.content.decode()


def test_relations_of_a_child_follow_the_scope_of_its_parent(
    client: APIClient, ann: User, bob: User
) -> None:
    theirs = Tag.objects.get(name="of theirs")
    mine = Tag.objects.get(name="of mine")
    sent = {"title": "new", "code": "1", "owner": ann.pk, "tags": [theirs.pk]}
    address = f"/users/{ann.pk}/snippets/"
    with below(TenantUsers, Related):
        refused = client.post(address, sent)
        text = f'Invalid pk "{theirs.pk}" - object does not exist.'
        assert (refused.status_code, refused.json()) == (400, {"tags": [text]})
        assert client.post(address, {**sent, "tags": [mine.pk]}).status_code == 201
        assert client.post(address, {**sent, "tags": [], "owner": bob.pk}).status_code == 400
        page = client.get(address, headers={"accept": "text/html"}).content.decode()
        assert "of mine" in page
        assert "of theirs" not in page
    with below(TenantUsers, Open):
        assert client.post(address, sent).status_code == 201
