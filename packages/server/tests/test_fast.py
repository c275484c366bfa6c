"""The face of the fast way, open and closed."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from lintel import fast, serializers
from lintel.fast import PLAIN
from lintel.utils.encoders import JSONEncoder

pytestmark = pytest.mark.django_db


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ("id", "name")


class NameSerializer(serializers.Serializer):
    name = serializers.CharField()


def by_setting() -> Any:
    return override_settings(REST_FRAMEWORK={"SHORTCUTS": False})


#: What each name of the face answers, and whether that is the answer of the plain way.
QUESTIONS: dict[str, Callable[[], bool]] = {
    "reader": lambda: fast.reader(TagSerializer()) is PLAIN,
    "writer": lambda: fast.writer(TagSerializer()) is PLAIN,
    "fields": lambda: fast.fields(TagSerializer()) is PLAIN,
    "validates_alone": lambda: not fast.validates_alone(NameSerializer(), {"name": "a"}),
    "read_list": lambda: (
        fast.read_list(TagSerializer(Tag.objects.all(), many=True), Tag.objects.all()) is PLAIN
    ),
    "count": lambda: fast.count(Tag.objects.all()) is PLAIN,
    "is_column": lambda: not fast.is_column(Tag, "name"),
    "django_stores": lambda: not fast.django_stores(Tag),
    "django_deletes": lambda: not fast.django_deletes(Tag),
    "django_links": lambda: not fast.django_links(Snippet._meta.get_field("tags")),
    "storing_class": lambda: fast.storing_class(caches["default"]) is None,
    "locks_in_redis": lambda: not fast.locks_in_redis(RedisCache("redis://127.0.0.1:1", {})),
    "text": lambda: fast.text({"a": 1}) is PLAIN,
    "parsed": lambda: fast.parsed(b"{}") is PLAIN,
    "knows": lambda: not fast.knows({"a": 1}, JSONEncoder),
}


@pytest.mark.fast_way
@pytest.mark.parametrize("close", [fast.off, by_setting], ids=["in a block", "by the setting"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_whole_door_can_be_closed(
    name: str, close: Callable[[], AbstractContextManager[object]]
) -> None:
    assert not QUESTIONS[name]()
    with close():
        assert QUESTIONS[name]()
    assert not QUESTIONS[name]()


@pytest.mark.parametrize("close", [fast.off, by_setting], ids=["in a block", "by the setting"])
def test_the_plain_way_says_the_same(close: Callable[[], AbstractContextManager[object]]) -> None:
    tags = [Tag.objects.create(name=name) for name in ("a", "b")]
    rows = TagSerializer(Tag.objects.order_by("pk"), many=True)
    with close(), CaptureQueriesContext(connection) as queries:
        plain = TagSerializer(Tag.objects.order_by("pk"), many=True).data
        assert TagSerializer(tags[0]).data == plain[0]
    assert len(queries) == 1
    assert plain == rows.data == [{"id": tag.pk, "name": tag.name} for tag in tags]
