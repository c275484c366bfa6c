"""The cache of prefetched rows is what Django's is, to everybody who looks at it."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.db import connections, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from lintel import serializers
from lintel.fast.prefetched import PREFETCHED, Prefetched, are_rows, rows_in
from lintel.fast.prefetching import load

pytestmark = pytest.mark.fast_way


def both(alias: str) -> tuple[Any, Any]:
    """The same instance with rows that were prefetched by us, and by Django."""
    rows = Snippet.objects.using(alias).order_by("pk").prefetch_related("tags")
    ours, theirs = load(rows.all())[1], list(rows.all())[1]
    assert type(vars(ours)[PREFETCHED]) is Prefetched
    assert type(vars(theirs)[PREFETCHED]) is dict
    return ours, theirs


def told(value: object) -> Any:
    """What somebody sees of a value: the rows of querysets, the members of containers."""
    if isinstance(value, QuerySet):
        return type(value), value._result_cache, value._prefetch_done, str(value.query), value.db
    if isinstance(value, dict):
        return type(value) in (dict, Prefetched), [[key, told(value[key])] for key in [*value]]
    if isinstance(value, list | tuple | type({}.values()) | type({}.items())):
        return [told(one) for one in value]
    return value


LOOKS: list[Callable[[Any], object]] = [
    lambda cache: cache["tags"],
    lambda cache: cache.get("tags"),
    lambda cache: cache.get("other", 1),
    lambda cache: cache.pop("tags"),
    lambda cache: cache.pop("other", 1),
    lambda cache: cache.popitem(),
    lambda cache: cache.setdefault("tags", 1),
    lambda cache: cache.setdefault("other", 1),
    lambda cache: cache.update(tags=1),
    lambda cache: cache.update(other=1),
    lambda cache: cache.clear(),
    lambda cache: cache.copy(),
    lambda cache: cache.items(),
    lambda cache: cache.values(),
    lambda cache: [*cache.keys()],
    lambda cache: [*cache],
    lambda cache: [*reversed(cache)],
    lambda cache: {**cache},
    lambda cache: dict(cache),
    lambda cache: cache | {"other": 1},
    lambda cache: {"other": 1} | cache,
    lambda cache: cache.__ior__({"other": 1}),
    lambda cache: cache == {"tags": 1},
    lambda cache: cache != {},
    lambda cache: bool(cache),
    lambda cache: len(cache),
    lambda cache: ("tags" in cache, "other" in cache),
    lambda cache: cache.__setitem__("tags", 1),
    lambda cache: cache.__delitem__("tags"),
    lambda cache: copy.copy(cache),
    lambda cache: repr(cache),
    lambda cache: {"held": 0} | {**cache, "other": 1},
]


@pytest.mark.parametrize("look", range(len(LOOKS)))
def test_whoever_looks_sees_querysets(alias: str, look: int) -> None:
    ours, theirs = both(alias)
    with CaptureQueriesContext(connections[alias]) as queries:
        found = told(LOOKS[look](vars(ours)[PREFETCHED]))
    assert len(queries) == 0
    assert found == told(LOOKS[look](vars(theirs)[PREFETCHED]))
    assert told(vars(ours)[PREFETCHED]) == told(vars(theirs)[PREFETCHED])


#: Methods of dicts that neither show nor set what is in them.
_BLIND = {
    *("__new__", "__init__", "__getattribute__", "__class_getitem__", "__doc__", "__hash__"),
    *("__lt__", "__le__", "__gt__", "__ge__", "__sizeof__", "__len__", "__contains__"),
    *("keys", "fromkeys"),
}


def test_every_method_of_dicts_makes_the_querysets_or_needs_none() -> None:
    """A new version of Python may add one."""
    assert vars(dict).keys() - vars(Prefetched).keys() == _BLIND - vars(Prefetched).keys()


LOOKS_AT_INSTANCES: list[Callable[[Any], object]] = [
    lambda one: one.tags.all(),
    lambda one: [*one.tags.all()],
    lambda one: one.tags.count(),
    lambda one: [*one.tags.filter(name="tag 1")],
    lambda one: one.tags.all().query.where.children[0].rhs,
    lambda one: one.tags.add(3) or [*one.tags.all()],
    lambda one: one.tags.clear() or [*one.tags.all()],
    lambda one: one.refresh_from_db() or [*one.tags.all()],
    lambda one: one.refresh_from_db(fields=["tags"]) or [*one.tags.all()],
    lambda one: vars(pickle.loads(pickle.dumps(one)))[PREFETCHED],
    lambda one: [*pickle.loads(pickle.dumps(one)).tags.all()],
    lambda one: [*copy.copy(one).tags.all()],
    lambda one: [*copy.deepcopy(one).tags.all()],
    lambda one: one.tags.all()._hints["instance"] is one,
    lambda one: one.tags.all() is one.tags.all(),
]


@pytest.mark.parametrize("look", range(len(LOOKS_AT_INSTANCES)))
def test_instances_have_the_same_rows(alias: str, look: int) -> None:
    ours, theirs = both(alias)
    found = []
    for one in (ours, theirs):
        with transaction.atomic(alias), CaptureQueriesContext(connections[alias]) as queries:
            found.append((told(LOOKS_AT_INSTANCES[look](one)), len(queries)))
            transaction.set_rollback(True, using=alias)
    assert found[0] == found[1]


def test_rows_of_reverse_relations_know_their_parent(alias: str) -> None:
    for rows in (Tag.objects.using(alias).prefetch_related("snippets"),):
        ours, theirs = load(rows.order_by("pk"))[0], rows.order_by("pk")[0]
        with CaptureQueriesContext(connections[alias]) as queries:
            assert told(ours.snippets.all()) == told(theirs.snippets.all())
        assert len(queries) == 0


def test_threads_see_one_queryset(alias: str) -> None:
    ours, _ = both(alias)
    found: list[Any] = []
    started = threading.Barrier(4)

    def look() -> None:
        started.wait()
        found.append(vars(ours)[PREFETCHED]["tags"])

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*map(id, found)}) == 1


def test_a_failure_leaves_the_rows(alias: str) -> None:
    ours, _ = both(alias)
    key, ours.pk = ours.pk, None
    with pytest.raises(ValueError, match="needs to have a value"):
        vars(ours)[PREFETCHED]["tags"]
    ours.pk = key
    assert [tag.name for tag in ours.tags.all()] == ["tag 1", "tag 2"]


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


class SnippetSerializer(serializers.ModelSerializer):
    tags = TagSerializer(many=True)
    heading = serializers.SerializerMethodField()

    class Meta:
        model = Snippet
        fields = ["title", "tags", "heading"]

    def get_heading(self, snippet: Any) -> str:
        return f"{snippet.title}!"


def test_lists_are_shown_without_querysets(alias: str) -> None:
    rows = load(Snippet.objects.using(alias).order_by("pk").prefetch_related("tags"))
    shown = SnippetSerializer(rows, many=True).data
    assert [len(one["tags"]) for one in shown] == [1, 2, 0, 1]
    caches = [vars(row)[PREFETCHED] for row in rows]
    assert all(type(rows_in(cache, "tags")) is list for cache in caches)
    held = rows_in(caches[0], "tags")
    assert are_rows(caches[0]["tags"], held)
    assert not are_rows(caches[0]["tags"], [])
