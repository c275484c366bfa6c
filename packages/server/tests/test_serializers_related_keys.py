"""Related keys in the input cost one query per relation, wherever they are."""

import threading
from contextvars import copy_context
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import connections
from django.db.models import query as django_query
from django.test import override_settings

from lintel import serializers
from lintel.fast.keys import found_object

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _rows() -> None:
    Tag.objects.bulk_create(Tag(id=number, name=f"tag-{number}") for number in range(1, 6))


class Line(serializers.Serializer):
    tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())
    others = serializers.SlugRelatedField(
        slug_field="name", queryset=Tag.objects.all(), many=True, required=False
    )


class Parcel(serializers.Serializer):
    lines = Line(many=True)
    main = Line(required=False)


class Order(serializers.Serializer):
    parcels = Parcel(many=True)
    listed = serializers.ListField(
        child=serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all()), required=False
    )


class Tree(serializers.Serializer):
    tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())

    def get_fields(self) -> Any:
        return {**super().get_fields(), "inside": Tree(many=True, required=False)}


def parcel(*keys: int) -> Any:
    lines = [{"tag": key, "others": [f"tag-{key}"]} for key in keys]
    return {"lines": lines, "main": {"tag": keys[0]}}


def checked(serializer: Any, queries: int, counted: Any) -> Any:
    with counted(queries):
        serializer.is_valid()
    return serializer.validated_data if not serializer.errors else serializer.errors


@pytest.mark.fast_way
@pytest.mark.parametrize("use", range(3))
def test_lists_in_lists(use: int, django_assert_num_queries: Any) -> None:
    orders = [{"parcels": [parcel(1, 2), parcel(3)]}, {"parcels": [parcel(2, 4), parcel(5, 1)]}]
    # The tags of lines, their others, and the tag of the main line of a parcel.
    data = checked(Order(data=orders, many=True), 3, django_assert_num_queries)
    found = [line["tag"].pk for one in data[1]["parcels"] for line in one["lines"]]
    assert found == [2, 4, 5, 1]
    data = checked(Order(data=orders[0]), 3, django_assert_num_queries)
    assert [line["others"][0].name for line in data["parcels"][0]["lines"]] == ["tag-1", "tag-2"]


@pytest.mark.fast_way
def test_after_the_fields_were_touched(django_assert_num_queries: Any) -> None:
    serializer = Order(data=[{"parcels": [parcel(1, 2), parcel(3)]}], many=True)
    _ = serializer.child.fields["parcels"].child.fields["lines"].child.fields
    checked(serializer, 3, django_assert_num_queries)


@pytest.mark.fast_way
def test_lists_of_keys(django_assert_num_queries: Any) -> None:
    rows = [{"parcels": [], "listed": [1, 2, 3]}, {"parcels": [], "listed": [3, 4]}]
    data = checked(Order(data=rows, many=True), 1, django_assert_num_queries)
    assert [tag.pk for row in data for tag in row["listed"]] == [1, 2, 3, 3, 4]
    data = checked(Order(data=rows[0]), 1, django_assert_num_queries)
    assert [tag.pk for tag in data["listed"]] == [1, 2, 3]


@pytest.mark.fast_way
def test_errors_stay_where_they_are(django_assert_num_queries: Any) -> None:
    rows = [{"parcels": [parcel(1, 2), {"lines": [{"tag": 99}, "odd", {"tag": []}]}, "odd"]}, 7]
    # Three relations, and a query of its own for the key that was not found.
    errors = checked(Order(data=rows, many=True), 4, django_assert_num_queries)
    codes = serializers.ValidationError(errors).get_codes()
    assert codes == {
        0: {
            "parcels": {
                1: {
                    "lines": {
                        0: {"tag": ["does_not_exist"]},
                        1: {"non_field_errors": ["invalid"]},
                        2: {"tag": ["incorrect_type"]},
                    }
                },
                2: {"non_field_errors": ["invalid"]},
            }
        },
        1: {"non_field_errors": ["invalid"]},
    }


@pytest.mark.fast_way
def test_serializers_inside_of_themselves(django_assert_num_queries: Any) -> None:
    tree = {"tag": 1, "inside": [{"tag": 2}, {"tag": 3, "inside": [{"tag": 4}, {"tag": 5}]}]}
    # One query for each list of the tree, and one for its root.
    data = checked(Tree(data=tree), 3, django_assert_num_queries)
    assert data["inside"][1]["inside"][1]["tag"].pk == 5


def anew(level: int = 0) -> Any:
    """A class of its own at each level; endless, like the factories of some packages."""

    class Branch(serializers.Serializer):
        tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())

        def get_fields(self) -> Any:
            inside = anew(level + 1)(many=True, required=False)
            return {**super().get_fields(), "inside": inside}

    return Branch


@pytest.mark.fast_way
def test_classes_made_anew_inside_each_other(django_assert_num_queries: Any) -> None:
    trees = [
        {"tag": 1, "inside": [{"tag": 2}, {"tag": 3, "inside": [{"tag": 4}, {"tag": 5}]}]},
        {"tag": 2, "inside": [{"tag": 4}]},
    ]
    # One query for each level of the trees.
    data = checked(anew()(data=trees, many=True), 3, django_assert_num_queries)
    assert data[0]["inside"][1]["inside"][1]["tag"].pk == 5


def test_nested_fields_that_cannot_be_made_matter_only_to_input_that_reaches_them() -> None:
    class Inner(serializers.Serializer):
        def get_fields(self) -> Any:
            return {"of": serializers.CharField(default=self.context["request"])}

    class Outer(serializers.Serializer):
        name = serializers.CharField()
        inner = Inner(required=False)

    rows: list[dict[str, Any]] = [{"name": "a"}, {"name": "b"}]
    serializer = Outer(data=rows, many=True)
    assert serializer.is_valid(), serializer.errors
    assert serializer.validated_data == rows
    with pytest.raises(KeyError, match="request"):
        Outer(data=[*rows, {"name": "c", "inner": {}}], many=True).is_valid()


def test_objects_of_one_key_share_no_prefetched_rows() -> None:
    owner = User.objects.create(username="ada")
    Snippet.objects.create(id=1, code="x", owner=owner).tags.set([1])

    class Label(serializers.Serializer):
        tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.prefetch_related("snippets"))

    labels = Label(data=[{"tag": 1}, {"tag": 1}, {"tag": 2}], many=True)
    assert labels.is_valid()
    one, other = [label["tag"].snippets.all()[0] for label in labels.validated_data[:2]]
    assert one == other
    assert one is not other


class Absent:
    """Related rows that no tenant may see."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, *arguments: object, **options: object) -> None:
        raise self.error


@pytest.mark.parametrize("error", [ValueError("x"), TypeError("y"), Tag.DoesNotExist("z")])
def test_errors_of_prefetched_rows_are_those_of_single_keys(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    queryset = Tag.objects.prefetch_related("snippets")

    class Labels(serializers.Serializer):
        tag = serializers.PrimaryKeyRelatedField(queryset=queryset)
        name = serializers.SlugRelatedField(slug_field="name", queryset=queryset)
        tags = serializers.PrimaryKeyRelatedField(queryset=queryset, many=True)

    def errors() -> Any:
        labels = Labels(data={"tag": 1, "name": "tag-2", "tags": [3, 4]})
        labels.is_valid()
        return labels.errors

    assert errors() == {}
    monkeypatch.setattr(django_query, "prefetch_related_objects", Absent(error))
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": "never"}):
        wanted = errors()
    assert wanted.keys() == {"tag", "name", "tags"}
    assert errors() == wanted


def test_another_thread_looks_for_itself() -> None:
    """Its connection is another one, which nobody watches."""
    found: list[Any] = []

    class Passing(serializers.PrimaryKeyRelatedField):
        pass

    class Threaded(serializers.Serializer):
        tag = Passing(queryset=Tag.objects.all())

        def validate(self, attrs: Any) -> Any:
            context = copy_context()

            def look() -> None:
                found.append(context.run(found_object, self.fields["tag"], 2))

            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
            found.append(found_object(self.fields["tag"], 2))
            return attrs

    serializer = Threaded(data=[{"tag": 1}, {"tag": 2}], many=True)
    assert serializer.is_valid()
    assert found[0] is None


def test_backends_of_projects_are_asked_for_each_key(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    """A tenant may be an attribute of their connection."""
    backend = connections["default"]
    monkeypatch.setattr(backend, "__class__", type("OfTenants", (type(backend),), {}))
    with django_assert_num_queries(3):
        line = Line(data=[{"tag": number} for number in (1, 2, 3)], many=True)
        assert line.is_valid()
