"""Instances made from rows equal those of Django, whatever is replaced and whoever listens."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from contract_project.models import Everything, Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.db import connection, models
from django.db.models import signals
from django.db.models.base import ModelBase
from django.db.models.fields.related_descriptors import ForeignKeyDeferredAttribute
from django.db.models.query import RelatedPopulator
from django.db.models.query_utils import DeferredAttribute
from django.test import override_settings
from django.test.utils import isolate_apps

from lintel.fast.rows import row_of

pytestmark = pytest.mark.django_db

MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def rows() -> None:
    user = User.objects.create(pk=1, username="user", last_login=MOMENT)
    Tag.objects.create(pk=1, name="tag")
    Snippet.objects.create(pk=1, code="print()", owner=user)
    Profile.objects.create(pk=1, user=user)
    Everything.objects.create(pk=1, text="x", amount=1, when=MOMENT)


def parts(instance: Any, seen: tuple[Any, ...] = ()) -> Any:
    """Everything that two instances of one row have in common, in its order."""
    if instance is None or instance in seen:
        return instance
    (first, state), *columns = vars(instance).items()
    held = dict(vars(state))
    related = held.pop("fields_cache", {})
    loaded = {name: parts(one, (*seen, instance)) for name, one in related.items()}
    kinds = [(name, type(value)) for name, value in columns]
    return first, type(instance), columns, kinds, held, loaded


def are_equal(queryset: Callable[[], Any]) -> bool:
    return bool(parts(row_of(queryset(), "pk", 1)) == parts(queryset().get(pk=1)))


QUERYSETS = [
    Tag.objects.all,
    Everything.objects.all,
    Profile.objects.all,
    Snippet.objects.all,
    lambda: Snippet.objects.select_related("owner"),
    lambda: Snippet.objects.select_related("owner__profile"),
    lambda: Profile.objects.select_related("user"),
    lambda: User.objects.select_related("profile"),
]


@pytest.mark.parametrize("queryset", QUERYSETS, ids=range(len(QUERYSETS)))
def test_an_instance_equals_that_of_django(queryset: Callable[[], Any]) -> None:
    for _ in range(3):
        assert are_equal(queryset)


class Proxy:
    """Stands for a function and is equal to it, as the wrappers of tracing tools are."""

    def __init__(self, wrapped: Any, calls: list[str], bound: Any = ()) -> None:
        self.wrapped, self.calls, self.bound = wrapped, calls, bound

    def __eq__(self, other: object) -> bool:
        return bool(self.wrapped == other)

    def __hash__(self) -> int:
        return hash(self.wrapped)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)

    def __get__(self, instance: Any, owner: Any) -> Any:
        bound = self.wrapped.__get__(instance, owner)
        return Proxy(bound, self.calls)

    def __set__(self, instance: Any, value: Any) -> None:
        self.calls.append("set")
        instance.__dict__[self.wrapped.field.attname] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append("call")
        return self.wrapped(*args, **kwargs)


@pytest.mark.parametrize(
    ("owner", "name"),
    [(models.Model, "__init__"), (models.Model, "from_db"), (Tag, "from_db"), (Tag, "name")],
)
def test_proxies_that_are_equal_to_what_they_replace_are_called(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row_of(Tag.objects, "pk", 1)
    calls: list[str] = []
    held = next(vars(base)[name] for base in owner.__mro__ if name in vars(base))
    monkeypatch.setattr(owner, name, Proxy(held, calls), raising=False)
    Tag.objects.get(pk=1)
    wanted = calls.copy()
    row_of(Tag.objects, "pk", 1)
    assert calls == wanted * 2
    assert wanted


class Recorder:
    """Stands for a method or a descriptor, and calls the one that it replaces."""

    def __init__(self) -> None:
        self.calls = 0

    def wrap(self, function: Any) -> Any:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            return function(*args, **kwargs)

        return wrapped


def set_plainly(self: Any, name: str, value: Any) -> None:
    object.__setattr__(self, name, value)


def store(self: Any, instance: Any, value: Any) -> None:
    instance.__dict__[self.field.attname] = value


REPLACED: list[tuple[Any, str, Any]] = [
    (Snippet, "__init__", models.Model.__init__),
    (models.Model, "__init__", models.Model.__init__),
    (User.__mro__[1], "__init__", models.Model.__init__),
    (User, "__setattr__", set_plainly),
    (Snippet, "__setattr__", set_plainly),
    (ModelBase, "__call__", type.__call__),
    (ForeignKeyDeferredAttribute, "__set__", ForeignKeyDeferredAttribute.__set__),
    (DeferredAttribute, "__set__", store),
    (RelatedPopulator, "populate", RelatedPopulator.populate),
]


@pytest.mark.parametrize(("owner", "name", "function"), REPLACED, ids=range(len(REPLACED)))
def test_what_is_replaced_later_is_called(
    owner: Any, name: str, function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    queryset = Snippet.objects.select_related("owner")
    row_of(queryset, "pk", 1)
    recorder = Recorder()
    monkeypatch.setattr(owner, name, recorder.wrap(function), raising=False)
    queryset.get(pk=1)
    wanted, recorder.calls = recorder.calls, 0
    row_of(queryset, "pk", 1)
    assert recorder.calls == wanted > 0
    monkeypatch.undo()
    assert are_equal(queryset.all)


def test_a_class_method_that_is_replaced_later_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    row_of(Tag.objects, "pk", 1)
    recorder = Recorder()
    wrapped = recorder.wrap(models.Model.from_db.__func__)  # type: ignore[attr-defined]
    monkeypatch.setattr(Tag, "from_db", classmethod(wrapped))
    assert are_equal(Tag.objects.all)
    assert recorder.calls == 2


@isolate_apps("contract_project")
def test_a_model_with_a_way_of_its_own_to_make_instances() -> None:
    made = []

    class Own(models.Model):
        name = models.CharField(max_length=50, unique=True)

        class Meta:
            app_label = "contract_project"
            db_table = Tag._meta.db_table

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            made.append(cls)
            return object.__new__(cls)

    for _ in range(2):
        assert are_equal(Own.objects.all)
    assert len(made) == 4


def test_a_descriptor_put_over_a_column_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    row_of(Tag.objects, "pk", 1)

    class Loud(DeferredAttribute):
        def __set__(self, instance: Any, value: str) -> None:
            instance.__dict__["name"] = value.upper()

    monkeypatch.setattr(Tag, "name", Loud(Tag._meta.get_field("name")))
    assert row_of(Tag.objects, "pk", 1).name == Tag.objects.get(pk=1).name == "TAG"
    monkeypatch.undo()
    assert row_of(Tag.objects, "pk", 1).name == "tag"


@pytest.mark.parametrize("signal", [signals.pre_init, signals.post_init])
@pytest.mark.parametrize("sender", [None, User, Snippet])
def test_receivers_are_told_whenever_they_connect(signal: Any, sender: Any) -> None:
    queryset = Snippet.objects.select_related("owner")
    row_of(queryset, "pk", 1)
    told: list[Any] = []

    def receiver(sender: Any, **kwargs: Any) -> None:
        told.append(sender)

    signal.connect(receiver, sender=sender)
    try:
        queryset.get(pk=1)
        wanted = told.copy()
        row_of(queryset, "pk", 1)
    finally:
        signal.disconnect(receiver, sender=sender)
    assert told == wanted * 2
    assert wanted
    row_of(queryset, "pk", 1)
    assert told == wanted * 2


@pytest.mark.parametrize("stored", ["2020-01-02 03:04:05", "2020-01-02 03:04:05+05:00"])
@pytest.mark.parametrize("surroundings", [{}, {"USE_TZ": False}, {"TIME_ZONE": "Asia/Tokyo"}])
def test_datetimes_are_those_of_django(stored: str, surroundings: dict[str, Any]) -> None:
    assert are_equal(User.objects.all)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE auth_user SET last_login = %s", [stored])
    with override_settings(**surroundings):
        assert are_equal(User.objects.all)
    User.objects.update(last_login=None)
    assert are_equal(User.objects.all)


def test_a_database_in_another_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert are_equal(User.objects.all)
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "TIME_ZONE", "Asia/Tokyo")
        patch.delitem(vars(connection), "timezone", raising=False)
        assert are_equal(User.objects.all)
    del connection.timezone
    assert are_equal(User.objects.all)
