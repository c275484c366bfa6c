"""Relations that methods of serializers read: declared, loaded for all, or refused."""

import itertools
from typing import Any

import pytest
from contract_project.models import Profile, Snippet, Tag, User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lintel import serializers
from lintel.exceptions import LazyRead
from lintel.serializers import reads

COUNT = 6

#: Of many classes with one name, each is compiled only when it is used again.
numbers = itertools.count()


@pytest.fixture(autouse=True)
def _rows(db: None) -> None:
    tags = [Tag.objects.create(name=f"tag {number}") for number in range(3)]
    for number in range(COUNT):
        owner = User.objects.create(username=f"user {number}")
        Profile.objects.create(user=owner)
        for _ in range(2):
            Snippet.objects.create(owner=owner, code=str(number)).tags.set(tags[: number % 3])


def snippets(**members: Any) -> Any:
    def get_text(self: Any, snippet: Any) -> Any:
        names = [tag.name for tag in snippet.tags.all()]
        return [snippet.owner.username, snippet.owner.profile.pk, *names]

    members = {"get_text": get_text, **members}
    meta = type("Meta", (), {"model": Snippet, "fields": ["code", "text"]})
    text = serializers.SerializerMethodField()
    bases = (serializers.ModelSerializer,)
    return type(f"SnippetSerializer{next(numbers)}", bases, {"text": text, "Meta": meta, **members})


def declared(*paths: str) -> Any:
    plain = snippets()
    return snippets(get_text=reads(*paths)(vars(plain)["get_text"]))


def shown(cls: Any, rows: Any = None) -> tuple[Any, int]:
    """The data of a list, and the number of queries for it."""
    rows = Snippet.objects.order_by("pk") if rows is None else rows
    with CaptureQueriesContext(connection) as queries:
        data = [dict(row) for row in cls(rows.all(), many=True).data]
    return data, len(queries)


# ---- @reads ----


@pytest.mark.fast_way
def test_declared_relations_take_one_query_each() -> None:
    expected, many = shown(snippets())
    assert many == 1 + 2 * COUNT * 3
    cls = declared("owner.profile", "tags")
    assert shown(cls) == (expected, 4)
    assert shown(cls) == (expected, 4)
    assert shown(declared("owner.profile.user_id", "tags.name")) == (expected, 4)
    assert shown(declared("owner", "tags"))[1] == 3 + COUNT


@pytest.mark.fast_way
def test_what_is_loaded_already_is_not_loaded_again() -> None:
    expected, _ = shown(snippets())
    cls = declared("owner.profile", "tags")
    rows = Snippet.objects.order_by("pk")
    assert shown(cls, rows.select_related("owner__profile")) == (expected, 2)
    assert shown(cls, rows.select_related("owner").prefetch_related("tags")) == (expected, 3)
    assert shown(cls, rows.prefetch_related("owner__profile", "tags")) == (expected, 4)


def test_objects_keep_what_the_method_may_change() -> None:
    rows = list(Snippet.objects.order_by("pk"))
    data = declared("tags", "owner.profile")(rows, many=True).data
    rows[0].tags.add(Tag.objects.get(name="tag 2"))
    # Relations to many are unloaded again.
    assert "tag 2" in declared("tags", "owner.profile")(rows, many=True).data[0]["text"]
    assert "tag 2" not in data[0]["text"]


@pytest.mark.fast_way
def test_nested_lists_and_inherited_methods() -> None:
    class Child(declared("owner.profile", "tags")):  # type: ignore[misc]
        pass

    class TagSerializer(serializers.ModelSerializer):
        snippets = Child(many=True)

        class Meta:
            model = Tag
            fields = ["name", "snippets"]

    rows = Tag.objects.order_by("pk")
    assert shown(TagSerializer, rows)[1] == 5


def test_one_object_needs_no_more_queries() -> None:
    with CaptureQueriesContext(connection) as queries:
        declared("owner.profile", "tags")(Snippet.objects.first()).data  # noqa: B018
    assert len(queries) == 4


@pytest.mark.fast_way
def test_a_name_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ImproperlyConfigured, match="'ownr', which Snippet does not have"):
        shown(declared("ownr.profile"))


def test_a_missing_row_stays_missing() -> None:
    Profile.objects.all().delete()
    with pytest.raises(User.profile.RelatedObjectDoesNotExist):
        shown(declared("owner.profile", "tags"))


# ---- AUTO_FETCH ----


@pytest.fixture
def fetch(settings: Any) -> Any:
    def choose(mode: str) -> None:
        settings.REST_FRAMEWORK = {"AUTO_FETCH": mode}

    return choose


class Named(serializers.ModelSerializer):
    name = serializers.CharField(source="owner.username")
    upper = serializers.SerializerMethodField()

    class Meta:
        model = Snippet
        fields = ["name", "upper"]

    def get_upper(self, snippet: Any) -> str:
        return snippet.code.upper()


@pytest.mark.fast_way
def test_off_loads_nothing(fetch: Any) -> None:
    expected = shown(Named)
    assert expected[1] == 2
    fetch("off")
    assert shown(Named) == (expected[0], 1 + 2 * COUNT)
    assert shown(declared("owner.profile", "tags"))[1] == 1 + 2 * COUNT * 3


@pytest.mark.fast_way
def test_peers_are_loaded_with_the_first_one(fetch: Any) -> None:
    expected, _ = shown(snippets())
    fetch("peers")
    # The first object has its own query, the others share one, for each of three relations.
    assert shown(snippets()) == (expected, 1 + 3 * 2)
    assert shown(declared("owner.profile", "tags")) == (expected, 4)
    assert shown(Named)[1] == 2


def test_peers_with_conditions_of_their_own_are_left_alone(fetch: Any) -> None:
    def get_text(self: Any, snippet: Any) -> Any:
        return [tag.name for tag in snippet.tags.filter(name="tag 1")], snippet.tags.count()

    expected, many = shown(snippets(get_text=get_text))
    fetch("peers")
    found, count = shown(snippets(get_text=get_text))
    assert found == expected
    assert count <= many + 1


def test_a_write_of_the_method_makes_peers_outdated(fetch: Any) -> None:
    def get_text(self: Any, snippet: Any) -> Any:
        name = snippet.owner.first_name
        User.objects.update(first_name=f"by {snippet.pk}")
        return name

    users = list(User.objects.all())
    expected, _ = shown(snippets(get_text=get_text))
    for user in users:
        user.save()
    fetch("peers")
    assert shown(snippets(get_text=get_text))[0] == expected


@pytest.mark.fast_way
def test_raise_names_the_field_and_the_relation(fetch: Any) -> None:
    fetch("raise")
    with pytest.raises(LazyRead, match=r"^SnippetSerializer\d+\.text reads Snippet\.tags "):
        shown(snippets())
    with pytest.raises(LazyRead, match=r"text reads Snippet\.owner .*@reads\(\"owner\"\)"):
        shown(declared("tags"))
    with pytest.raises(LazyRead, match=r"text reads User\.profile "):
        shown(declared("tags", "owner"))


@pytest.mark.fast_way
def test_raise_names_the_whole_way(fetch: Any) -> None:
    class TagSerializer(serializers.ModelSerializer):
        snippets = snippets()(many=True)

        class Meta:
            model = Tag
            fields = ["name", "snippets"]

    fetch("raise")
    with pytest.raises(LazyRead, match=r"^TagSerializer\.snippets\.text reads Snippet\."):
        shown(TagSerializer, Tag.objects.order_by("pk"))


@pytest.mark.fast_way
def test_raise_lets_pass_what_is_loaded_together(fetch: Any) -> None:
    expected = shown(Named)[0]
    text = shown(declared("owner.profile", "tags"))[0]
    fetch("raise")
    assert shown(Named) == (expected, 2)
    assert shown(declared("owner.profile", "tags")) == (text, 4)
    one = Snippet.objects.order_by("pk")[:1]
    assert shown(declared("owner.profile", "tags"), one)[0] == text[:1]
    prefetched = Snippet.objects.order_by("pk").prefetch_related("owner__profile", "tags")
    assert shown(snippets(), prefetched)[0] == text


def test_raise_leaves_other_queries_and_single_objects_alone(fetch: Any) -> None:
    def get_text(self: Any, snippet: Any) -> Any:
        return Tag.objects.count()

    fetch("raise")
    assert shown(snippets(get_text=get_text))[1] == 1 + 2 * COUNT
    assert snippets()(Snippet.objects.first()).data["text"]
    # The state of the list ends with it.
    with pytest.raises(LazyRead):
        shown(snippets())
    assert snippets()(Snippet.objects.first()).data["text"]


@pytest.mark.fast_way
def test_serializers_that_the_project_makes_are_watched_too(fetch: Any) -> None:
    class Own(snippets()):  # type: ignore[misc]
        def get_fields(self) -> Any:
            return super().get_fields()

    expected, _ = shown(Own)
    fetch("raise")
    with pytest.raises(LazyRead, match=r"^Own\.text reads Snippet\."):
        shown(Own)
    fetch("peers")
    assert shown(Own) == (expected, 1 + 3 * 2)
