"""Relations of a list are read with one query each, without other side effects."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from contract_project.models import Profile, Snippet, Tag, User
from django.db import connection, connections, transaction
from django.db.models import Prefetch
from django.test import override_settings
from servers import wrappers

from lintel import serializers
from lintel.serializers.declared import plain_representation
from lintel.trust import store

pytestmark = pytest.mark.django_db

ROWS = 6


@pytest.fixture(autouse=True)
def _rows() -> None:
    tags = [Tag.objects.create(name=f"tag {number}") for number in range(3)]
    for number in range(ROWS):
        user = User.objects.create(username=f"user {number}")
        Profile.objects.create(user=user, bio=f"bio {number}")
        snippet = Snippet.objects.create(title=f"title {number}", owner=user)
        snippet.tags.set(tags[: number % 3 + 1])


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


class OwnerSerializer(serializers.ModelSerializer):
    loud = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["username", "loud"]

    def get_loud(self, owner: Any) -> Any:
        return owner.username.upper()


class SnippetSerializer(serializers.ModelSerializer):
    owner = OwnerSerializer()
    tags = TagSerializer(many=True)
    tag_texts = serializers.StringRelatedField(source="tags", many=True)
    owner_name = serializers.CharField(source="owner.username")

    class Meta:
        model = Snippet
        fields = ["title", "owner", "tags", "tag_texts", "owner_name"]


class Adding(SnippetSerializer):
    def to_representation(self, instance: Any) -> Any:
        return {**super().to_representation(instance), "more": self.context.get("more")}


class Replacing(SnippetSerializer):
    def to_representation(self, instance: Any) -> Any:
        self.fields["owner"] = serializers.CharField(source="owner.username", read_only=True)
        return super().to_representation(instance)


class ProfileSerializer(serializers.ModelSerializer):
    user = serializers.SlugRelatedField(slug_field="username", read_only=True)
    snippets = SnippetSerializer(source="user.snippets", many=True)

    class Meta:
        model = Profile
        fields = ["bio", "user", "snippets"]


class UserSerializer(serializers.ModelSerializer):
    snippets = SnippetSerializer(many=True)
    first = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["username", "snippets", "first"]

    def get_first(self, user: Any) -> Any:
        return user.pk


class TagDetail(serializers.ModelSerializer):
    snippets = SnippetSerializer(many=True)

    class Meta:
        model = Tag
        fields = ["name", "snippets"]


def one_by_one(cls: Any, instances: Any) -> Any:
    """The same by the methods of the fields, without any plan."""
    return [plain_representation(cls(context={"more": 1}), one) for one in instances]


def read(cls: Any, instances: Any) -> Any:
    return cls(instances, many=True, context={"more": 1}).data


@pytest.mark.fast_way
@pytest.mark.parametrize("use", range(3))
@pytest.mark.parametrize(
    "make",
    [
        lambda: list(Snippet.objects.all()),
        lambda: tuple(Snippet.objects.all()),
        lambda: Snippet.objects.defer("code"),
        lambda: Snippet.objects.all(),
    ],
)
def test_one_query_a_relation(
    make: Callable[[], Any], use: int, django_assert_num_queries: Any
) -> None:
    read(SnippetSerializer, Snippet.objects.none())
    expected = one_by_one(SnippetSerializer, Snippet.objects.all())
    instances = make()
    rows = 0 if isinstance(instances, list | tuple) else 1
    with django_assert_num_queries(rows + 2):
        assert read(SnippetSerializer, instances) == expected


@pytest.mark.fast_way
def test_what_is_loaded_is_not_asked_for(django_assert_num_queries: Any) -> None:
    read(SnippetSerializer, [])
    evaluated = Snippet.objects.select_related("owner").prefetch_related("tags")
    assert len(evaluated) == ROWS
    with django_assert_num_queries(0):
        read(SnippetSerializer, evaluated)
    partly = list(Snippet.objects.select_related("owner"))
    with django_assert_num_queries(1):
        read(SnippetSerializer, partly)


def test_a_chosen_prefetch_stays(django_assert_num_queries: Any) -> None:
    chosen = Prefetch("tags", Tag.objects.filter(name="tag 1"))
    instances = list(Snippet.objects.prefetch_related(chosen))
    found = [row["tags"] for row in read(SnippetSerializer, instances)]
    assert [{"name": "tag 1"}] in found
    assert [{"name": "tag 0"}] not in found


def test_to_many_relations_are_fresh_each_time() -> None:
    snippets = list(Snippet.objects.all())
    read(SnippetSerializer, snippets)
    assert len(read(SnippetSerializer, snippets)[0]["tags"]) == 1
    Snippet.tags.through.objects.create(snippet=snippets[0], tag=Tag.objects.get(name="tag 2"))
    assert len(read(SnippetSerializer, snippets)[0]["tags"]) == 2
    assert "tags" not in getattr(snippets[0], "_prefetched_objects_cache", {})


def test_what_the_project_prefetched_is_kept() -> None:
    snippets = list(Snippet.objects.prefetch_related("tags"))
    read(SnippetSerializer, snippets)
    assert "tags" in snippets[0]._prefetched_objects_cache


@pytest.mark.fast_way
@pytest.mark.parametrize("cls", [Adding, Replacing])
def test_overrides_that_call_super(cls: Any, django_assert_num_queries: Any) -> None:
    read(cls, [])
    read(cls, [])
    expected = [cls(one, context={"more": 1}).data for one in Snippet.objects.all()]
    snippets = list(Snippet.objects.all())
    data = read(cls, snippets)
    assert data == expected
    assert ("more" in data[0]) == (cls is Adding)
    if cls is Adding:
        with django_assert_num_queries(3):
            assert read(cls, Snippet.objects.all()) == expected


@pytest.mark.fast_way
def test_relations_of_relations(django_assert_num_queries: Any) -> None:
    expected = one_by_one(UserSerializer, User.objects.order_by("pk"))
    read(UserSerializer, [])
    users = list(User.objects.order_by("pk"))
    with django_assert_num_queries(2):
        # Snippets know the user that they were reached from.
        assert read(UserSerializer, users) == expected
    # A dotted way to many is left to the field, but what leads there is loaded.
    assert read(ProfileSerializer, list(Profile.objects.all()))[1]["snippets"][0]["title"]


@pytest.mark.fast_way
@pytest.mark.parametrize("use", range(2))
def test_lists_inside_of_one_object(use: int, django_assert_num_queries: Any) -> None:
    tag = Tag.objects.get(name="tag 0")
    TagDetail(tag)
    expected = plain_representation(TagDetail(), tag)
    fresh = Tag.objects.get(name="tag 0")
    TagDetail(fresh).data  # noqa: B018
    with django_assert_num_queries(3):
        assert TagDetail(fresh).data == expected
    assert not getattr(fresh, "_prefetched_objects_cache", {})


@pytest.mark.fast_way
def test_large_lists_are_asked_for_in_parts(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    read(SnippetSerializer, [])
    monkeypatch.setattr(type(connection.features), "max_query_params", 4)
    snippets = list(Snippet.objects.all())
    with django_assert_num_queries(2 * ROWS // 2):
        assert len(read(SnippetSerializer, snippets)) == ROWS


class Router:
    def db_for_read(self, model: Any, **hints: Any) -> None:
        return None


def test_routers_decide_for_each_instance(django_assert_num_queries: Any) -> None:
    read(SnippetSerializer, [])
    snippets = list(Snippet.objects.all())
    # The owner, and the tags of two fields, one by one.
    with override_settings(DATABASE_ROUTERS=[Router()]), django_assert_num_queries(3 * ROWS):
        read(SnippetSerializer, snippets)


def test_mixed_and_unsaved_items() -> None:
    owner = User.objects.first()
    items = [Snippet(title="new", owner=owner, pk=77), *Snippet.objects.all()[:2]]
    data = read(SnippetSerializer, items)
    assert [row["title"] for row in data] == ["new", "title 0", "title 1"]
    assert data[0]["tags"] == []
    mixed = [{"name": "a"}, Tag.objects.first(), Tag(name="b")]
    assert [row["name"] for row in read(TagSerializer, mixed)] == ["a", "tag 0", "b"]


def test_errors_leave_nothing_behind() -> None:
    class Failing(SnippetSerializer):
        def to_representation(self, instance: Any) -> Any:
            data = super().to_representation(instance)
            if instance.title == "title 2":
                raise RuntimeError("no")
            return data

    read(Failing, [])
    snippets = list(Snippet.objects.order_by("pk"))
    serializer = Failing(snippets, many=True)
    with pytest.raises(RuntimeError):
        serializer.data  # noqa: B018
    assert "_together_read" not in serializer.child.__dict__
    assert not any(getattr(one, "_prefetched_objects_cache", {}) for one in snippets)


def test_classes_made_at_run_time_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Named(serializers.Serializer):
        name = serializers.CharField()

    def references(kind: Any) -> Any:
        assert [row["name"] for row in read(Named, [kind(), kind()])] == ["a", "a"]
        return weakref.ref(kind)

    monkeypatch.setattr(store, "MAX_KEPT", 5)
    read(Named, [])
    left = [references(type("Row", (), {"name": "a"})) for _ in range(40)]
    gc.collect()
    assert sum(reference() is not None for reference in left) <= 5


# ---- what was loaded together is dropped when the project writes ----


class Renaming(serializers.ModelSerializer):
    """A method field renames the owner and the tags of all rows while the first is read."""

    before = serializers.CharField(source="owner.username")
    done = serializers.SerializerMethodField()
    owner = OwnerSerializer()
    tags = TagSerializer(many=True)

    class Meta:
        model = Snippet
        fields = ["before", "done", "owner", "tags"]

    def get_done(self, snippet: Any) -> str:
        if "done" not in self.context:
            self.context["done"] = True
            self.context["write"]()
        return "done"


def rename() -> None:
    User.objects.update(first_name="x")
    for tag in Tag.objects.all():
        Tag.objects.filter(pk=tag.pk).update(name=f"new {tag.name}")
    for user in User.objects.all():
        User.objects.filter(pk=user.pk).update(username=f"new {user.username}")


def written(cls: Any, make: Callable[[], Any], write: Callable[[], Any] = rename) -> Any:
    with transaction.atomic():
        try:
            return cls(make(), many=True, context={"write": write}).data
        finally:
            transaction.set_rollback(True)


def in_order() -> Any:
    return list(Snippet.objects.order_by("pk"))


@pytest.mark.parametrize("mode", ["always", "never"])
def test_later_rows_show_what_a_method_wrote(mode: str, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"COMPILE_SERIALIZERS": mode}
    data = written(Renaming, in_order)
    assert [row["before"] for row in data] == ["user 0", *[f"new user {n}" for n in range(1, ROWS)]]
    assert [row["owner"]["username"] for row in data[1:]] == [
        f"new user {number}" for number in range(1, ROWS)
    ]
    assert all(tag["name"].startswith("new") for row in data for tag in row["tags"])


def test_later_rows_inside_of_one_object_show_what_a_method_wrote() -> None:
    class Detail(serializers.ModelSerializer):
        snippets = Renaming(many=True)

        class Meta:
            model = Tag
            fields = ["name", "snippets"]

    def read() -> Any:
        return written(Detail, lambda: [Tag.objects.get(name="tag 0")])

    found = read()
    assert [row["before"] for row in found[0]["snippets"]][1] == "new user 1"
    assert all(tag["name"].startswith("new") for tag in found[0]["snippets"][1]["tags"])


def test_what_sql_of_the_project_writes_counts_too() -> None:
    def write() -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE contract_project_tag SET name = 'new ' || name")

    data = written(Renaming, in_order, write)
    assert all(tag["name"].startswith("new") for row in data for tag in row["tags"])


@pytest.mark.parametrize("shortcuts", [pytest.param(True, marks=pytest.mark.fast_way), False])
def test_what_the_driver_writes_is_not_noticed(shortcuts: bool, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"ORM_SHORTCUTS": shortcuts}

    def write() -> None:
        connection.connection.execute("UPDATE contract_project_tag SET name = 'new ' || name")

    names = [tag["name"] for row in written(Renaming, in_order, write) for tag in row["tags"]]
    assert {name.startswith("new") for name in names} == {not shortcuts}


def test_what_the_project_loaded_or_set_is_kept() -> None:
    snippets = list(Snippet.objects.order_by("pk").prefetch_related("tags"))
    mine = User(username="mine")

    def write() -> None:
        snippets[1].owner = mine
        rename()

    data = written(Renaming, lambda: snippets, write)
    assert data[1]["owner"]["username"] == "mine"
    assert [tag["name"] for tag in data[2]["tags"]] == ["tag 0", "tag 1", "tag 2"]


@pytest.mark.fast_way
def test_methods_that_only_read_keep_what_was_loaded(django_assert_num_queries: Any) -> None:
    written(Renaming, in_order, lambda: None)
    snippets = in_order()
    context = {"write": lambda: Tag.objects.filter(name="x").exists()}
    with django_assert_num_queries(3):
        Renaming(snippets, many=True, context=context).data  # noqa: B018
    assert wrappers(connections["default"]) == []
