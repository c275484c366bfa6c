"""Serializers on the event loop: ``ais_valid``, ``asave`` and ``adata``."""

import asyncio
import threading
from contextlib import suppress
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.utils.functional import lazy

from lintel import serializers

pytestmark = pytest.mark.django_db(transaction=True)

threads: list[int] = []


@pytest.fixture(autouse=True)
def _no_threads() -> None:
    threads.clear()


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class NestedSerializer(serializers.ModelSerializer):
    owner = serializers.StringRelatedField()
    tags = TagSerializer(many=True)

    class Meta:
        model = Snippet
        fields = ["code", "owner", "tags"]


class AsyncCreation(TagSerializer):
    async def acreate(self, validated_data: Any) -> Tag:
        threads.append(threading.get_ident())
        return await Tag.objects.acreate(**validated_data)

    async def aupdate(self, instance: Tag, validated_data: Any) -> Tag:
        threads.append(threading.get_ident())
        instance.name = validated_data["name"]
        await instance.asave()
        return instance


class OnlyAsync(TagSerializer):
    async def create(self, validated_data: Any) -> Tag:
        threads.append(threading.get_ident())
        return await Tag.objects.acreate(**validated_data)


class OwnSave(AsyncCreation):
    def save(self, **kwargs: Any) -> Any:
        return super().save(**kwargs, name="own")


def run(main: Any) -> Any:
    return asyncio.run(main())


def test_a_row_is_validated_saved_and_read() -> None:
    async def main() -> Any:
        serializer = TagSerializer(data={"name": "red"})
        assert await serializer.ais_valid()
        tag = await serializer.asave()
        assert (await serializer.adata) == {"id": tag.pk, "name": "red"}
        return await serializer.adata()

    assert run(main)["name"] == Tag.objects.get().name


def test_validators_that_query_do_not_block_the_loop() -> None:
    Tag.objects.create(name="red")

    async def main() -> Any:
        serializer = TagSerializer(data={"name": "red"})
        assert not await serializer.ais_valid()
        with pytest.raises(serializers.ValidationError):
            await serializer.ais_valid(raise_exception=True)
        return serializer.errors

    assert run(main)["name"][0].code == "unique"


def test_nested_rows_are_read() -> None:
    owner = User.objects.create(username="alice")
    for code in ("a", "b"):
        Snippet.objects.create(code=code, owner=owner).tags.set([Tag.objects.create(name=code)])

    async def main() -> Any:
        listed = await NestedSerializer(Snippet.objects.order_by("code"), many=True).adata
        single = await NestedSerializer(await Snippet.objects.aget(code="b")).adata
        return listed, single

    listed, single = run(main)
    assert [row["tags"][0]["name"] for row in listed] == ["a", "b"]
    assert single["owner"] == "alice"


@pytest.mark.parametrize("cls", [AsyncCreation, OnlyAsync])
def test_async_creation_stays_on_the_loop(cls: Any) -> None:
    async def main() -> int:
        serializer = cls(data={"name": "red"})
        await serializer.ais_valid()
        await serializer.asave(name="blue")
        return threading.get_ident()

    assert threads == [run(main)]
    assert Tag.objects.get().name == "blue"


def test_async_updates_stay_on_the_loop() -> None:
    tag = Tag.objects.create(name="red")

    async def main() -> int:
        serializer = AsyncCreation(tag, data={"name": "green"})
        await serializer.ais_valid()
        assert (await serializer.asave()) is tag
        return threading.get_ident()

    assert threads == [run(main)]
    assert Tag.objects.get().name == "green"


def test_a_save_of_ones_own_is_called() -> None:
    async def main() -> Any:
        serializer = OwnSave(data={"name": "red"})
        await serializer.ais_valid()
        return await serializer.asave()

    assert run(main).name == "own"


def test_async_creation_works_in_sync_code() -> None:
    single = OnlyAsync(data={"name": "red"})
    assert single.is_valid()
    assert single.save().pk
    many = OnlyAsync(data=[{"name": "green"}, {"name": "blue"}], many=True)
    assert many.is_valid()
    assert [tag.name for tag in many.save()] == ["green", "blue"]


def test_lists_are_validated_saved_and_read() -> None:
    async def main() -> Any:
        serializer = TagSerializer(data=[{"name": "red"}, {"name": "blue"}], many=True)
        assert await serializer.ais_valid()
        await serializer.asave()
        return await serializer.adata

    assert [row["name"] for row in run(main)] == ["red", "blue"]


def test_misuse_is_told_as_in_sync_code() -> None:
    async def main() -> None:
        serializer = AsyncCreation(data={"name": "red"})
        with pytest.raises(AssertionError, match="before calling"):
            await serializer.asave()
        with pytest.raises(AssertionError, match="before attempting to access"):
            await serializer.adata
        await serializer.ais_valid()
        with pytest.raises(AssertionError, match="commit"):
            await serializer.asave(commit=False)

    run(main)


def noting() -> str:
    threads.append(threading.get_ident())
    return "x"


class OfTheProject(serializers.CharField):
    def to_internal_value(self, data: Any) -> Any:
        return noting() + super().to_internal_value(data)


class ItemSerializer(serializers.Serializer):
    sku = serializers.CharField(max_length=5)
    number = serializers.IntegerField(min_value=1, default=1)


class OrderSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=5)
    note = serializers.CharField(required=False)
    items = ItemSerializer(many=True, required=False)


class WithDefault(OrderSerializer):
    note = serializers.CharField(default=noting)


class WithNestedDefault(OrderSerializer):
    class Item(ItemSerializer):
        sku = serializers.CharField(default=noting)

    items = Item(many=True)


class WithMethod(OrderSerializer):
    def validate_name(self, value: str) -> str:
        return noting() + value


class WithWhole(OrderSerializer):
    def validate(self, attrs: Any) -> Any:
        noting()
        return attrs


class WithField(OrderSerializer):
    name = OfTheProject()


class WithValidator(OrderSerializer):
    name = serializers.CharField(validators=[lambda value: noting() and None])


class WithErrors(OrderSerializer):
    @property
    def errors(self) -> Any:
        noting()
        return super().errors


class Telling(serializers.CharField):
    def fail(self, key: str, **kwargs: Any) -> Any:
        noting()
        return super().fail(key, **kwargs)


class WithMessage(OrderSerializer):
    name = serializers.CharField(error_messages={"required": lazy(noting, str)()})


class WithItsFail(OrderSerializer):
    name = Telling()


class Thing:
    def __str__(self) -> str:
        return noting()


INPUT = {"name": "a", "items": [{}]}
MANY = [{"sku": "b", "number": 0}] * 1000


@pytest.mark.fast_way
@pytest.mark.parametrize("data", [INPUT, {"name": "a", "items": [{"sku": "b"}]}, {}])
def test_fields_that_call_nothing_are_validated_on_the_loop(data: Any, monkeypatch: Any) -> None:
    async def main() -> None:
        serializer, other = OrderSerializer(data=data), OrderSerializer(data=data)
        monkeypatch.setattr(asyncio.get_running_loop(), "run_in_executor", None)
        is_valid = await serializer.ais_valid()
        monkeypatch.undo()
        assert is_valid is other.is_valid()
        assert (serializer.errors, serializer.validated_data) == (
            other.errors,
            other.validated_data,
        )

    asyncio.run(main())


@pytest.mark.parametrize(
    "cls",
    [
        *(WithDefault, WithNestedDefault, WithMethod, WithWhole, WithField, WithValidator),
        *(WithErrors, WithMessage, WithItsFail),
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_code_of_the_project_is_called_in_the_thread(cls: Any, times: int) -> None:
    async def main() -> None:
        for _ in range(times):
            serializer = cls(data=INPUT if cls is WithNestedDefault else {"name": "a"})
            if cls in (WithErrors, WithMessage, WithItsFail):
                serializer = cls(data={})
            with suppress(serializers.ValidationError):
                await serializer.ais_valid(raise_exception=True)
        assert threads
        assert threading.get_ident() not in threads

    asyncio.run(main())


def test_objects_in_the_input_are_read_in_the_thread() -> None:
    async def main() -> None:
        data = {"name": "a", "items": [{"sku": "b", "number": Thing()}]}
        assert not await OrderSerializer(data=data).ais_valid()
        assert threads
        assert threading.get_ident() not in threads

    asyncio.run(main())


@pytest.mark.fast_way
@pytest.mark.parametrize(("items", "is_moved"), [(MANY, True), (MANY[:50], False)])
def test_long_input_does_not_hold_the_loop(items: Any, is_moved: bool, monkeypatch: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        moved = []
        own = loop.run_in_executor
        monkeypatch.setattr(loop, "run_in_executor", lambda *args: (moved.append(1), own(*args))[1])
        assert not await OrderSerializer(data={"name": "a", "items": items}).ais_valid()
        assert bool(moved) is is_moved

    asyncio.run(main())
