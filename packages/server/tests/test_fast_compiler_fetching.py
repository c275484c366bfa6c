"""Rows replace instances only if the result is the same."""

from collections.abc import Iterator
from typing import Any

import pytest
from contract_project import fixtures
from contract_project.models import Profile, Snippet, Tag, User
from django.core.exceptions import FieldDoesNotExist, FieldError
from django.db import connection, models
from django.db.models import Count, Prefetch, Value, signals
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from lintel import generics, serializers
from lintel.fast.compiled import class_state, reading_of
from lintel.serializers.declared import TOOLS

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _rows() -> None:
    fixtures.load()


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class OwnerSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["id", "username", "snippets"]


class SnippetSerializer(serializers.ModelSerializer):
    owner = OwnerSerializer()
    owner_key = serializers.PrimaryKeyRelatedField(source="owner", read_only=True)
    owner_name = serializers.CharField(source="owner.username")
    owner_slug = serializers.SlugRelatedField(source="owner", slug_field="username", read_only=True)
    tags = TagSerializer(many=True)
    tag_keys = serializers.PrimaryKeyRelatedField(source="tags", many=True, read_only=True)
    tag_names = serializers.SlugRelatedField(
        source="tags", many=True, slug_field="name", read_only=True
    )

    class Meta:
        model = Snippet
        fields = [
            "id",
            "created",
            "title",
            "rating",
            "owner",
            "owner_key",
            "owner_name",
            "owner_slug",
            "tags",
            "tag_keys",
            "tag_names",
        ]


def by_instances(cls: Any, queryset: Any) -> Any:
    """On the plain path, from instances."""
    serializer = cls(list(queryset), many=True)
    serializer.child.fields  # noqa: B018
    return serializer.data


def queries(cls: Any, queryset: Any) -> int:
    class_state(cls)
    with CaptureQueriesContext(connection) as captured:
        fetched = cls(queryset, many=True).data
    assert fetched == by_instances(cls, queryset.all())
    return len(captured)


@pytest.mark.fast_way
@pytest.mark.parametrize(
    "queryset",
    [
        lambda: Snippet.objects.all(),
        lambda: Snippet.objects.order_by("-title")[:2],
        lambda: Snippet.objects.filter(owner__username="bob"),
        lambda: Snippet.objects.select_related("owner").prefetch_related("tags"),
        lambda: Snippet.objects.exclude(tags=None).reverse(),
    ],
)
def test_one_query_a_relation(queryset: Any) -> None:
    assert queries(SnippetSerializer, queryset()) == 3


def test_no_rows() -> None:
    assert SnippetSerializer(Snippet.objects.filter(pk=-1), many=True).data == []
    assert SnippetSerializer(Snippet.objects.none(), many=True).data == []


def test_managers_are_querysets_too() -> None:
    class_state(TagSerializer)
    expected = by_instances(TagSerializer, Tag.objects.all())
    assert TagSerializer(Tag.objects, many=True).data == expected


@pytest.mark.fast_way
def test_a_queryset_that_was_read_finds_later_rows() -> None:
    tags = Tag.objects.order_by("pk")
    class_state(TagSerializer)
    shown = TagSerializer(tags, many=True).data
    later = Tag.objects.create(name="later")
    assert [tag["name"] for tag in shown] == [tag.name for tag in tags if tag != later]
    assert later in tags


@pytest.mark.fast_way
def test_rows_that_come_twice_do_not_share_lists() -> None:
    twice = Snippet.objects.filter(tags__name__in=["red", "green"]).order_by("pk")
    assert queries(SnippetSerializer, twice) == 3
    data = SnippetSerializer(twice, many=True).data
    assert data[0] == data[1]
    data[0]["tags"].clear()
    assert data[1]["tags"]


def instances_made(cls: Any, queryset: Any) -> bool:
    """Whether reading this queryset makes instances."""
    class_state(cls)
    compiled = reading_of(cls(), TOOLS)
    return compiled is None or compiled.fetching.bind(cls(), queryset) is None


class Plain(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


@pytest.mark.parametrize(
    "queryset",
    [
        lambda: Tag.objects.annotate(name_2=Value("x")).distinct(),
        lambda: Tag.objects.annotate(uses=Count("snippets")).prefetch_related("snippets"),
        lambda: Tag.objects.annotate(uses=Count("snippets")).only("id"),
        lambda: Tag.objects.only("id"),
        lambda: Tag.objects.defer("name"),
        lambda: Tag.objects.distinct(),
        lambda: Tag.objects.union(Tag.objects.all()),
        lambda: Tag.objects.values("name"),
        lambda: Tag.objects.extra(select={"extra_name": "name"}),
        lambda: Tag.objects.prefetch_related("snippets"),
        lambda: Tag.objects.prefetch_related(Prefetch("snippets", Snippet.objects.all())),
        lambda: Tag.objects.select_for_update(),
        lambda: Snippet.objects.get(pk=1).tags.model.objects.none(),
    ],
)
def test_querysets_that_need_instances(queryset: Any) -> None:
    assert instances_made(Plain, queryset())


class Titled(serializers.ModelSerializer):
    by = serializers.CharField(source="owner.username")

    class Meta:
        model = Snippet
        fields = ["id", "title", "owner", "by", "tags"]


class Names(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username"]


LOADED: list[Any] = [
    lambda: Snippet.objects.only("title", "owner"),
    lambda: Snippet.objects.only("pk", "title", "owner_id").order_by("-title"),
    lambda: Snippet.objects.defer("code"),
    lambda: Snippet.objects.defer("code", "created").filter(title=""),
    lambda: Snippet.objects.only("title", "owner__username"),
    lambda: Snippet.objects.only("code").only("title", "owner"),
    lambda: Snippet.objects.only("title", "owner", "code").defer("code"),
]
LACKING: list[Any] = [
    lambda: Snippet.objects.only("title"),
    lambda: Snippet.objects.defer("owner"),
    lambda: Snippet.objects.defer("title"),
    lambda: Snippet.objects.select_related("owner").only("title", "owner__username"),
    lambda: Snippet.objects.only("title", "owner").defer("title"),
]


@pytest.mark.fast_way
@pytest.mark.parametrize("queryset", LOADED)
def test_deferred_columns_that_are_not_shown_need_no_instances(queryset: Any) -> None:
    assert not instances_made(Titled, queryset())
    expected = by_instances(Titled, queryset())
    assert expected
    assert Titled(queryset(), many=True).data == expected


@pytest.mark.parametrize("queryset", LACKING)
def test_deferred_columns_that_are_shown_are_loaded_by_instances(queryset: Any) -> None:
    assert instances_made(Titled, queryset())
    assert Titled(queryset(), many=True).data == by_instances(Titled, queryset())


@pytest.mark.parametrize(
    "queryset",
    [
        lambda: Snippet.objects.only("missing"),
        lambda: Snippet.objects.defer("title__x"),
        lambda: Snippet.objects.only("tags__name__x"),
        lambda: Snippet.objects.select_related("owner").defer("owner"),
    ],
)
def test_names_of_columns_that_django_refuses_are_refused(queryset: Any) -> None:
    def outcome(function: Any) -> Any:
        try:
            return function()
        except (FieldDoesNotExist, FieldError) as error:
            return type(error), str(error)

    class_state(Titled)
    expected = outcome(lambda: by_instances(Titled, queryset()))
    assert outcome(lambda: Titled(queryset(), many=True).data) == expected


@pytest.mark.fast_way
def test_unordered_rows_are_read_with_the_columns_that_django_reads() -> None:
    class_state(Names)
    with CaptureQueriesContext(connection) as captured:
        assert Names(User.objects.only("username", "email"), many=True).data
    assert '"email"' in captured[0]["sql"]
    assert '"password"' not in captured[0]["sql"]


@pytest.mark.fast_way
def test_a_queryset_that_was_fetched_is_not_fetched_again() -> None:
    queryset = Tag.objects.all()
    assert not instances_made(Plain, queryset)
    list(queryset)
    assert instances_made(Plain, queryset)


def test_known_related_objects_are_kept() -> None:
    owner = User.objects.get(pk=2)
    owner.username = "changed in memory"

    class Named(serializers.ModelSerializer):
        name = serializers.CharField(source="owner.username")

        class Meta:
            model = Snippet
            fields = ["name"]

    assert Named(owner.snippets, many=True).data[0] == {"name": "changed in memory"}


@pytest.fixture
def receiver() -> Iterator[list[Any]]:
    calls: list[Any] = []

    def received(sender: Any, instance: Any, **kwargs: Any) -> None:
        calls.append(instance)
        instance.name = instance.name.upper()

    signals.post_init.connect(received, sender=Tag)
    yield calls
    signals.post_init.disconnect(received, sender=Tag)


def test_receivers_of_post_init_are_called(receiver: list[Any]) -> None:
    assert [row["name"] for row in Plain(Tag.objects.order_by("pk"), many=True).data][:1] == ["RED"]
    assert receiver


@pytest.mark.fast_way
def test_from_db_and_init_that_are_overridden(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not instances_made(Plain, Tag.objects.all())
    original = models.Model.from_db.__func__

    def from_db(cls: Any, *arguments: Any, **options: Any) -> Any:
        instance = original(cls, *arguments, **options)
        instance.name = "from the class"
        return instance

    monkeypatch.setattr(Tag, "from_db", classmethod(from_db))
    assert Plain(Tag.objects.all(), many=True).data[0] == {"name": "from the class"}


class Shouting(models.QuerySet):
    def _fetch_all(self) -> None:
        super()._fetch_all()
        for instance in self._result_cache:
            instance.name = f"{instance.name}!"


def test_querysets_with_an_iteration_of_their_own() -> None:
    assert Plain(Shouting(Tag), many=True).data[0]["name"].endswith("!")


class Computed(serializers.ModelSerializer):
    length = serializers.SerializerMethodField()

    class Meta:
        model = Tag
        fields = ["name", "length"]

    def get_length(self, tag: Tag) -> int:
        return len(tag.name)


class Property(serializers.ModelSerializer):
    shown = serializers.ReadOnlyField(source="__str__")

    class Meta:
        model = Tag
        fields = ["name", "shown"]


class Reshaped(Plain):
    def to_representation(self, instance: Any) -> Any:
        return {"wrapped": super().to_representation(instance)}


class Outer(serializers.ModelSerializer):
    tags = Reshaped(many=True)

    class Meta:
        model = Snippet
        fields = ["tags"]


class Loud(serializers.CharField):
    def to_representation(self, value: Any) -> str:
        return value.upper()


class Converted(serializers.ModelSerializer):
    name = Loud()

    class Meta:
        model = Tag
        fields = ["name"]


class Bio(serializers.ModelSerializer):
    bio = serializers.CharField(source="profile.bio", default="none")

    class Meta:
        model = User
        fields = ["id", "bio"]


@pytest.mark.parametrize("cls", [Computed, Property, Reshaped, Outer, Converted, Bio])
def test_serializers_that_need_instances(cls: Any) -> None:
    queryset = cls.Meta.model.objects.order_by("pk")
    assert cls(queryset, many=True).data == by_instances(cls, queryset.all())
    assert instances_made(cls, queryset.all())


def test_own_fields_of_an_instance_win() -> None:
    serializer = TagSerializer(Tag.objects.order_by("pk"), many=True)
    serializer.child.fields.pop("id")
    assert serializer.data[0] == {"name": "red"}


@pytest.mark.fast_way
def test_many_parents_are_asked_for_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    class_state(OwnerSerializer)
    monkeypatch.setattr(type(connection.features), "max_query_params", 2)
    with CaptureQueriesContext(connection) as captured:
        data = OwnerSerializer(User.objects.order_by("pk"), many=True).data
    assert len(captured) == 1 + (User.objects.count() + 1) // 2
    assert data == by_instances(OwnerSerializer, User.objects.order_by("pk"))


class Router:
    def db_for_read(self, model: Any, **hints: Any) -> None:
        return None


@pytest.mark.fast_way
def test_routers_see_the_instances() -> None:
    with override_settings(DATABASE_ROUTERS=[Router()]):
        assert instances_made(SnippetSerializer, Snippet.objects.all())
        assert not instances_made(Plain, Tag.objects.all())


def test_profiles_through_a_nullable_path() -> None:
    class Nullable(serializers.ModelSerializer):
        name = serializers.CharField(source="user.username", allow_null=True)

        class Meta:
            model = Profile
            fields = ["name"]

    queryset = Profile.objects.order_by("pk")
    assert Nullable(queryset, many=True).data == by_instances(Nullable, queryset.all())


def test_what_a_base_manager_hides_stays_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoBob(models.Manager):
        def get_queryset(self) -> Any:
            return super().get_queryset().exclude(username="bob")

    manager: Any = NoBob()
    manager.model = User
    monkeypatch.setitem(vars(User._meta), "base_manager", manager)

    class Named(serializers.ModelSerializer):
        name = serializers.CharField(source="owner.username", allow_null=True)
        slug = serializers.SlugRelatedField("username", source="owner", read_only=True)

        class Meta:
            model = Snippet
            fields = ["name", "slug"]

    queryset = Snippet.objects.filter(owner__username="bob")
    assert instances_made(Named, queryset)
    assert Named(queryset, many=True).data[0] == {"name": None, "slug": None}


@pytest.mark.fast_way
@pytest.mark.parametrize("name", ["_fetch_all", "__iter__", "_clone"])
def test_tools_that_replace_methods_of_querysets_are_called(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert not instances_made(Plain, Tag.objects.all())
    usual = getattr(models.QuerySet, name)
    monkeypatch.setattr(models.QuerySet, name, lambda queryset: usual(queryset))
    assert instances_made(Plain, Tag.objects.all())


def test_the_queryset_of_a_view_is_not_to_be_evaluated() -> None:
    class Tags(generics.ListAPIView):
        queryset = Tag.objects.all()

    Tags.as_view()
    class_state(Plain)
    with pytest.raises(RuntimeError, match="Do not evaluate"):
        Plain(Tags.queryset, many=True).data  # noqa: B018


def test_rows_without_an_order_come_as_instances_do() -> None:
    class Names(serializers.ModelSerializer):
        class Meta:
            model = User
            fields = ["id", "username"]

    User.objects.create(username="aaron")
    User.objects.create(username="zoe")
    assert queries(Names, User.objects.all()) == 1
    assert queries(Names, User.objects.filter(username__gt="a")[:5]) == 1


@pytest.mark.fast_way
@pytest.mark.parametrize(
    ("queryset", "needs_them"),
    [
        (Snippet.objects.order_by(), True),
        (Snippet.objects.order_by().select_related("owner"), False),
        (Snippet.objects.order_by("-id"), False),
    ],
    ids=["unordered", "joined", "ordered"],
)
def test_joins_give_rows_no_order_of_their_own(queryset: Any, needs_them: bool) -> None:
    class Names(serializers.ModelSerializer):
        name = serializers.CharField(source="owner.username")

        class Meta:
            model = Snippet
            fields = ["id", "name"]

    assert instances_made(Names, queryset.all()) is needs_them
    assert Names(queryset.all(), many=True).data == by_instances(Names, queryset.all())


@pytest.mark.fast_way
def test_joins_behind_relations_need_an_order_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    class Owners(serializers.ModelSerializer):
        class Named(serializers.ModelSerializer):
            owner_name = serializers.CharField(source="owner.username")

            class Meta:
                model = Snippet
                fields = ["owner_name"]

        snippets = Named(many=True)

        class Meta:
            model = Tag
            fields = ["name", "snippets"]

    assert not instances_made(Owners, Tag.objects.all())
    monkeypatch.setattr(Snippet._meta, "ordering", [])
    assert instances_made(Owners, Tag.objects.all())
