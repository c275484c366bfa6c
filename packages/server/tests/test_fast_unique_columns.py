"""Whether Django alone finds a row by a column: asked at each use."""

from functools import partial
from typing import Any
from unittest.mock import Mock

import pytest
from contract_project.models import Snippet, Tag
from django.db import models
from django.test import override_settings
from django.utils.functional import SimpleLazyObject

from lintel.fast.unique_columns import unique_column

pytestmark = pytest.mark.fast_way

NAME: Any = Tag._meta.get_field("name")


def sources() -> list[Any]:
    return [Tag.objects, Tag.objects.all(), Snippet.objects.select_related("owner")]


def test_unique_columns_of_managers_and_querysets() -> None:
    for source in sources():
        assert unique_column(source, "pk") is source.model._meta.pk
    assert unique_column(Tag.objects, "name") is NAME


@pytest.mark.parametrize("name", ["title", "owner", "missing"])
def test_other_columns_are_left_to_django(name: str) -> None:
    assert unique_column(Snippet.objects, name) is None


@pytest.mark.parametrize(
    "queryset",
    [
        Tag.objects.filter(name="a"),
        Tag.objects.all()[:1],
        Tag.objects.only("pk"),
        Tag.objects.distinct(),
        Tag.objects.values("name"),
        list(Tag.objects.none()),
        Tag,
    ],
    ids=range(7),
)
def test_querysets_with_more_than_all_rows_are_left_to_django(queryset: Any) -> None:
    assert unique_column(queryset, "pk") is None


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (models.QuerySet, "get"),
        (models.QuerySet, "_chain"),
        (models.manager.BaseManager, "get_queryset"),
        (models.CharField, "get_prep_value"),
        (models.lookups.Exact, "process_rhs"),
    ],
)
def test_a_patch_counts_from_the_next_question_on(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unique_column(Tag.objects, "name") is NAME
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, lambda *args, **kwargs: None)
        assert unique_column(Tag.objects, "name") is None
    assert unique_column(Tag.objects, "name") is NAME


@pytest.mark.parametrize("name", ["to_python", "instance_lookups", "get_queryset"])
def test_what_one_column_or_manager_has_of_its_own_counts(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Tag.objects
    owner = manager if name == "get_queryset" else NAME
    assert unique_column(manager, "name") is NAME
    with monkeypatch.context() as patched:
        patched.setitem(vars(owner), name, {})
        assert unique_column(manager, "name") is None
    assert unique_column(manager, "name") is NAME


@pytest.mark.parametrize("fact", [("unique", False), ("remote_field", object())])
def test_a_column_that_is_not_unique_any_more(
    fact: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unique_column(Tag.objects, "name") is NAME
    monkeypatch.setitem(vars(NAME), *fact)
    assert unique_column(Tag.objects, "name") is None


def test_the_switch_counts() -> None:
    assert unique_column(Tag.objects, "name") is NAME
    with override_settings(REST_FRAMEWORK={"ORM_SHORTCUTS": False}):
        assert unique_column(Tag.objects, "name") is None


class Chosen(models.IntegerField):
    """Makes a new dictionary of lookups at each call."""

    @classmethod
    def get_class_lookups(cls) -> Any:
        return dict(super().get_class_lookups())


def test_a_class_of_columns_may_have_lookups_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tag._meta.pk, "__class__", Chosen)
    assert unique_column(Tag.objects, "pk") is None


class Switched:
    """A descriptor that returns a function of Django until it is switched."""

    def __init__(self, own: Any, other: Any) -> None:
        self.found, self.other = own, other

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self.found if instance is None else self.found.__get__(instance, owner)


def nothing(*args: Any, **kwargs: Any) -> None:
    return None


@pytest.mark.parametrize("name", ["get", "filter"])
def test_descriptors_of_the_project_may_return_another_function_later(name: str) -> None:
    switched = Switched(getattr(models.QuerySet, name), nothing)
    cls: Any = type("Tags", (models.QuerySet,), {name: switched})
    assert unique_column(cls(Tag), "name") is None
    assert unique_column(type("More", (cls,), {})(Tag), "name") is None


def test_a_class_of_columns_may_choose_its_lookups_later(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unique_column(Tag.objects, "name") is NAME
    chosen = {**models.CharField.get_class_lookups(), "exact": models.lookups.IExact}
    monkeypatch.setattr(models.CharField, "get_class_lookups", lambda self: chosen)
    assert unique_column(Tag.objects, "name") is None


def test_a_column_may_get_another_class(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(models.CharField):
        get_lookup = nothing

    assert unique_column(Tag.objects, "name") is NAME
    monkeypatch.setattr(NAME, "__class__", Other)
    assert unique_column(Tag.objects, "name") is None


def test_managers_without_a_class_of_querysets_are_left_to_django() -> None:
    class Tags(models.manager.BaseManager):
        def get_queryset(self) -> Any:
            return models.QuerySet(Tag)

    manager = Tags()
    manager.model = Tag
    assert unique_column(manager, "name") is None
    manager._queryset_class = partial(models.QuerySet)
    assert unique_column(manager, "name") is None


@pytest.mark.parametrize(
    "source", [SimpleLazyObject(Tag.objects.all), Mock(spec=models.QuerySet), Mock(models.Manager)]
)
def test_what_only_claims_to_be_a_queryset_is_left_to_django(source: Any) -> None:
    assert unique_column(source, "pk") is None
