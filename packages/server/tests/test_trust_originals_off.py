"""With an untested Django, or switched off, nothing is assumed about the ORM."""

from typing import Any

import django
import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db.models import Count
from django.test import override_settings

from lintel import checks, serializers
from lintel.fast.counting import count_of, countable
from lintel.fast.plain import PLAIN
from lintel.fast.relations import by_key, finds_all, is_column, to_one
from lintel.fast.rows import known_row, row_of
from lintel.trust.originals import TESTED, is_known

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["switched off", "all switched off", "unknown Django"], autouse=True)
def _closed(request: Any, monkeypatch: Any) -> Any:
    if request.param == "unknown Django":
        monkeypatch.setattr(django, "VERSION", (99, 0, 0, "final", 0))
        yield
    else:
        name = "SHORTCUTS" if request.param == "all switched off" else "ORM_SHORTCUTS"
        with override_settings(REST_FRAMEWORK={name: False}):
            yield


def test_every_question_is_answered_with_not_known() -> None:
    Tag.objects.create(pk=1, name="a")
    assert not is_known()
    assert known_row(Tag.objects, "pk", 1) is PLAIN
    assert row_of(Tag.objects.all(), "pk", 1).name == "a"
    assert count_of(Tag.objects.all()) is PLAIN
    counted = Tag.objects.annotate(n=Count("snippets"))
    assert countable(counted) is counted
    assert not is_column(Tag, "name")
    assert not finds_all(Tag._base_manager)
    assert to_one(Snippet, "owner") is None
    assert by_key(Snippet, "tags") is None


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class SnippetSerializer(serializers.ModelSerializer):
    tags = TagSerializer(many=True)

    class Meta:
        model = Snippet
        fields = ["code", "owner", "tags"]


def test_lists_are_read_from_instances(django_assert_num_queries: Any) -> None:
    owner = User.objects.create(username="ann")
    for number in range(3):
        snippet = Snippet.objects.create(code=f"{number}", owner=owner)
        snippet.tags.set([Tag.objects.create(name=f"{number}")])
    for _ in range(3):
        with django_assert_num_queries(4):
            data = SnippetSerializer(Snippet.objects.all(), many=True).data
        assert [(one["code"], one["tags"][0]["name"]) for one in data] == [
            (f"{number}", f"{number}") for number in range(3)
        ]


def test_a_check_says_so() -> None:
    (message,) = checks.orm_check(None)
    assert message.id == "lintel.W002"


@pytest.mark.shortcuts
def test_the_check_is_silent_otherwise(monkeypatch: Any) -> None:
    monkeypatch.undo()
    with override_settings(REST_FRAMEWORK={"ORM_SHORTCUTS": True}):
        monkeypatch.setattr(django, "VERSION", (*TESTED[0], 0, "final", 0))
        assert checks.orm_check(None) == []
