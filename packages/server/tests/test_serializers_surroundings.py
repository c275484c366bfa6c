"""Serializers with threads, copies, contexts and each other."""

import copy
import gc
import pickle
import threading
import weakref
from types import SimpleNamespace
from typing import Any

import pytest

from lintel import serializers

THREADS = 32


class Leaf(serializers.Serializer):
    name = serializers.CharField()
    seen = serializers.SerializerMethodField()

    def get_seen(self, instance: Any) -> Any:
        return [self.context.get("key"), type(self.root).__name__]


class Chosen(Leaf):
    """Drops and adds fields when it is made, also where it is nested."""

    def __init__(self, *args: Any, only: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in set(self.fields) - set(only or self.fields):
            self.fields.pop(name)
        self.fields["size"] = serializers.IntegerField(default=3)


class ByContext(Leaf):
    def get_fields(self) -> Any:
        fields = super().get_fields()
        if self.context.get("key") == "short":
            fields.pop("name")
        return fields


class Branch(serializers.Serializer):
    leaf = Leaf()
    leaves = Leaf(many=True, source="others")
    chosen = Chosen(only=["name"], source="leaf")
    by_context = ByContext(source="leaf")
    many_by_context = ByContext(many=True, source="others")


def tree() -> Any:
    leaf = SimpleNamespace(name="a")
    return SimpleNamespace(leaf=leaf, others=[leaf, SimpleNamespace(name="b")])


def expected(key: Any, root: str) -> Any:
    seen = [key, root]
    leaves = [{"name": "a", "seen": seen}, {"name": "b", "seen": seen}]
    short = [{"seen": seen}] * 2 if key == "short" else leaves
    return {
        "leaf": leaves[0],
        "leaves": leaves,
        "chosen": {"name": "a", "size": 3},
        "by_context": short[0],
        "many_by_context": short,
    }


@pytest.mark.parametrize("key", [None, "short", "long"])
def test_context_reaches_everything(key: Any) -> None:
    tree_without_size = tree()
    for one in tree_without_size.others:
        one.size = 3
    for _ in range(3):
        serializer = Branch(tree_without_size, context={"key": key})
        assert serializer.data == expected(key, "Branch")
        many = Branch([tree_without_size] * 2, many=True, context={"key": key})
        assert many.data == [expected(key, "ListSerializer")] * 2


def test_the_context_may_be_changed_after_the_serializer_was_made() -> None:
    for _ in range(3):
        serializer = Branch(context={"key": "short"})
        serializer.context["key"] = "long"
        leaf = serializer.fields["by_context"]
        assert list(leaf.fields) == ["name", "seen"]


def test_many_threads_use_a_class_for_the_first_time_together() -> None:
    for _ in range(5):
        fresh = type("Fresh", (Branch,), {"extra": serializers.IntegerField(default=1)})
        instance = tree()
        instance.extra = 7
        for one in instance.others:
            one.size = 3
        ready = threading.Barrier(THREADS)
        outcomes: list[Any] = []

        def work(
            fresh: Any = fresh,
            instance: Any = instance,
            ready: Any = ready,
            outcomes: Any = outcomes,
        ) -> None:
            ready.wait(timeout=20)
            for number in range(4):
                data = fresh(instance, context={"key": number}).data
                outcomes.append(data == {**expected(number, "Fresh"), "extra": 7})
                checked = fresh(data={"leaf": {}})
                outcomes.append(not checked.is_valid() and checked.errors["leaf"]["name"])

        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert len(outcomes) == THREADS * 8
        assert all(outcomes)


@pytest.mark.parametrize("use", range(3))
def test_copies_are_independent(use: int) -> None:
    original = Branch(tree(), context={"key": "long"})
    _ = original.fields["leaf"].fields["name"]
    copied = copy.deepcopy(original)
    copied.fields.pop("chosen")
    copied.fields["leaf"].fields.pop("name")
    assert "chosen" in original.fields
    assert "name" in original.fields["leaf"].fields
    assert copied.context == {"key": "long"}
    assert copied.fields["leaf"].root is copied


def test_data_and_errors_are_pickled_as_plain_values() -> None:
    leaf = tree()
    for one in leaf.others:
        one.size = 3
    data = Branch(leaf).data
    assert pickle.loads(pickle.dumps(data)) == data
    many = Leaf(data=[{}, {"name": "a"}], many=True)
    assert not many.is_valid()
    assert pickle.loads(pickle.dumps(many.errors)) == many.errors


class Wrapped(Leaf):
    def to_representation(self, instance: Any) -> Any:
        data = super().to_representation(instance)
        data["length"] = len(data["name"])
        self.fields["late"] = serializers.CharField(source="name")
        return data


def test_fields_that_are_added_while_a_list_is_read() -> None:
    for _ in range(3):
        items = [SimpleNamespace(name="a"), SimpleNamespace(name="bb")]
        data = Wrapped(items, many=True).data
        assert [row["length"] for row in data] == [1, 2]
        assert ["late" in row for row in data] == [False, True]


class Family(Leaf):
    """Reads its children by itself."""

    def to_representation(self, instance: Any) -> Any:
        data = super().to_representation(instance)
        children = getattr(instance, "children", ())
        return {**data, "children": [self.to_representation(one) for one in children]}


def test_serializers_that_call_themselves() -> None:
    child = SimpleNamespace(name="c", children=[SimpleNamespace(name="d")])
    for _ in range(3):
        data = Family([SimpleNamespace(name="a", children=[child])], many=True).data
        assert data[0]["children"][0]["children"][0]["name"] == "d"


@pytest.mark.compiled
def test_serializers_are_freed_without_the_garbage_collector() -> None:
    """What was generated makes no field, so that nothing of a serializer leads back to it."""

    class Plain(serializers.Serializer):
        name = serializers.CharField()

    def used() -> Any:
        serializer = Plain({"name": "a"}, data={"name": "b"})
        assert serializer.is_valid()
        assert serializer.data
        return weakref.ref(serializer)

    used()
    gc.disable()
    try:
        assert used()() is None
    finally:
        gc.enable()


def test_serializers_that_have_been_used_can_be_pickled_and_copied() -> None:
    serializer = Pickled(SimpleNamespace(name="a"))
    assert serializer.data == {"name": "a"}
    for copied in (pickle.loads(pickle.dumps(serializer)), copy.deepcopy(serializer)):
        assert copied.fields["name"].parent is copied
    shared = copy.copy(serializer)
    del serializer
    assert shared.data == {"name": "a"}
    assert list(shared.fields) == ["name"]


class Pickled(serializers.Serializer):
    name = serializers.CharField()
