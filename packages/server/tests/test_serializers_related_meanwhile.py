"""Related rows that another connection deletes between the check of a key and the write."""

from collections.abc import Iterator
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import IntegrityError, connections
from servers import another_alias, everything_in

from lintel import serializers
from lintel.bulk import BulkModelViewSet
from lintel.exceptions import ValidationError
from lintel.test import APIRequestFactory


class ByKey(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ("title", "code", "owner", "tags")


class ByName(ByKey):
    owner = serializers.SlugRelatedField(slug_field="username", queryset=User.objects)
    tags = serializers.SlugRelatedField(slug_field="name", queryset=Tag.objects, many=True)


@pytest.fixture(params=["sqlite_file", "postgresql"])
def other(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    alias = request.getfixturevalue(request.param)
    with everything_in(alias, django_db_blocker, Snippet, Tag, User), another_alias(alias) as name:
        User.objects.create(username="alice")
        Tag.objects.create(name="red")
        yield name


def sent(cls: Any, instance: Any = None) -> Any:
    """A serializer with valid input."""
    by_name = {"owner": "alice", "tags": ["red"]}
    by_key = {"owner": User.objects.get().pk, "tags": [Tag.objects.get().pk]}
    data = {"title": "t", "code": "c", **(by_name if cls is ByName else by_key)}
    serializer = cls(instance, data=data)
    serializer.is_valid(raise_exception=True)
    return serializer


def raced(serializer: Any, status: int | None, settings: Any) -> Any:
    settings.REST_FRAMEWORK = {"UNIQUE_RACE_STATUS": status}
    with pytest.raises(ValidationError) as raised:
        serializer.save()
    assert raised.value.status_code == status
    return raised.value.get_codes()


@pytest.mark.parametrize("cls", [ByKey, ByName])
@pytest.mark.parametrize("status", [400, 409])
def test_a_row_that_is_gone_is_an_error_of_its_relation(
    other: str, cls: Any, status: int, settings: Any
) -> None:
    serializer = sent(cls)
    User.objects.using(other).all().delete()
    assert raced(serializer, status, settings) == {"owner": ["does_not_exist"]}
    assert Snippet.objects.count() == 0


@pytest.mark.parametrize("cls", [ByKey, ByName])
def test_of_many_related_rows_one_is_gone_and_nothing_is_stored(
    other: str, cls: Any, settings: Any
) -> None:
    serializer = sent(cls)
    Tag.objects.using(other).all().delete()
    assert raced(serializer, 409, settings) == {"tags": ["does_not_exist"]}
    assert Snippet.objects.count() == 0


class Snippets(BulkModelViewSet):
    queryset = Snippet.objects.order_by("pk")
    serializer_class = ByKey
    authentication_classes = ()
    permission_classes = ()


class EachSnippets(Snippets):
    atomic = False


@pytest.mark.parametrize("view", [Snippets, EachSnippets])
def test_items_of_a_list(other: str, view: Any, settings: Any) -> None:
    connection = connections[other.removesuffix("_again")]
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    settings.REST_FRAMEWORK = {"UNIQUE_RACE_STATUS": 409}
    alice, bob = User.objects.get(), User.objects.create(username="bob")

    def delete(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("INSERT") and f'"{Snippet._meta.db_table}"' in sql:
            User.objects.using(other).filter(username="bob").delete()
        return execute(sql, params, many, context)

    items = [{"code": "c", "owner": owner.pk, "tags": []} for owner in (alice, bob)]
    with connection.execute_wrapper(delete):
        request = APIRequestFactory().post("/", items, format="json")
        answer = view.as_view({"post": "create"})(request)
    missing = {"owner": [f'Invalid pk "{bob.pk}" - object does not exist.']}
    if view is Snippets:
        assert (answer.status_code, answer.data) == (400, [{}, missing])
        assert Snippet.objects.count() == 0
    else:
        assert [each["status"] for each in answer.data] == [201, 409]
        assert answer.data[1]["errors"] == missing


def test_changes_of_a_row(other: str, settings: Any) -> None:
    snippet = Snippet.objects.create(code="x", owner=User.objects.get())
    serializer = sent(ByKey, snippet)
    Tag.objects.using(other).all().delete()
    assert raced(serializer, 409, settings) == {"tags": ["does_not_exist"]}
    assert Snippet.objects.get().code == "x"


def test_without_the_setting_the_error_is_that_of_the_database(other: str) -> None:
    serializer = sent(ByKey)
    User.objects.using(other).all().delete()
    with pytest.raises(IntegrityError):
        serializer.save()


def test_other_errors_stay(other: str, settings: Any) -> None:
    """A trigger, or a column that the project fills: the relations are all there."""
    settings.REST_FRAMEWORK = {"UNIQUE_RACE_STATUS": 409}
    serializer = sent(ByKey)
    with pytest.raises(IntegrityError):
        serializer.save(owner_id=0)
    assert connections[other].vendor in ("sqlite", "postgresql")
