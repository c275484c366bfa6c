"""Uncertain models, managers and querysets: rows, lists and instances give the same result."""

import time
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import models
from django.db.models.base import ModelBase
from django.db.models.manager import BaseManager
from django.test.utils import isolate_apps
from servers import tables_of

from lintel import serializers
from lintel.fast.plain import PLAIN
from lintel.fast.prefetching import load
from lintel.fast.rows import known_row, row_of
from lintel.fast.vocabulary import is_plain_model, is_plain_queryset

pytestmark = pytest.mark.django_db


def reader(shown: Any, *names: str, **declared: Any) -> Any:
    meta = type("Meta", (), {"model": shown, "fields": list(names)})
    return type("RowSerializer", (serializers.ModelSerializer,), {**declared, "Meta": meta})


def data_of(serializer_class: Any, queryset: Any) -> Any:
    """A list, which is read from rows where that is certain; the same as the rows one by one."""
    for _ in range(2):
        found = serializer_class(queryset.all(), many=True).data
        assert found == [serializer_class(one).data for one in queryset.all()]
        assert found == serializer_class(list(queryset.all()), many=True).data
    return found


in_memory = pytest.mark.django_db(transaction=True)


# ---- models ----


class Shouting(ModelBase):
    def __call__(cls, *values: Any, **named: Any) -> Any:
        made = super().__call__(*values, **named)
        made.name = made.name.upper()
        return made


def _with_setattr() -> Any:
    def set_loudly(self: Any, name: str, value: Any) -> None:
        models.Model.__setattr__(self, name, value.upper() if name == "name" else value)

    return {"__setattr__": set_loudly}


@in_memory
@isolate_apps("contract_project")
@pytest.mark.parametrize("how", ["__setattr__", "metaclass"])
def test_models_that_make_their_instances_differently(how: str) -> None:
    body: dict[str, Any] = {
        "__module__": __name__,
        "name": models.CharField(max_length=9),
        "Meta": type("Meta", (), {"app_label": "contract_project"}),
        **(_with_setattr() if how == "__setattr__" else {}),
    }
    make: Any = Shouting if how == "metaclass" else ModelBase
    model = make("Made", (models.Model,), body)
    with tables_of("default", [model]):
        model.objects.bulk_create([model(name="a")])
        model.objects.update(name="b")
        assert not is_plain_model(model)
        assert data_of(reader(model, "name"), model.objects) == [{"name": "B"}]


@pytest.mark.fast_way
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("__new__", lambda cls, *values, **named: object.__new__(cls)),
        ("__setattr__", lambda self, name, value: object.__setattr__(self, name, value)),
        ("__init__", lambda self, *values: models.Model.__init__(self, *values)),
        ("from_db", classmethod(lambda cls, db, names, values: cls(*values))),
    ],
)
@isolate_apps("contract_project")
def test_a_model_that_is_patched_later_is_not_plain(name: str, method: Any) -> None:
    model, _ = related_models(models.Manager())
    assert is_plain_model(model)
    setattr(model, name, method)
    assert not is_plain_model(model)


def test_an_attribute_that_is_replaced_later_is_read(monkeypatch: Any) -> None:
    Tag.objects.create(name="a")
    serializer_class = reader(Tag, "name")
    assert data_of(serializer_class, Tag.objects) == [{"name": "a"}]
    monkeypatch.setattr(Tag, "name", property(lambda self: "shown", lambda self, value: None))
    assert data_of(serializer_class, Tag.objects) == [{"name": "shown"}]


# ---- managers ----


class Visible(models.Manager):
    def get_queryset(self) -> Any:
        return super().get_queryset().filter(name__startswith="v")


class Loved(models.Manager):
    """Leads over the table of the relation that it is asked for."""

    def get_queryset(self) -> Any:
        return super().get_queryset().filter(fans__name="first")


class Parental(models.Manager):
    """Looks at its parent."""

    def get_queryset(self) -> Any:
        found = super().get_queryset()
        parent = getattr(self, "instance", None)
        return found if parent is None else found.exclude(name=f"not for {parent.name}")


class Timed(models.Manager):
    """Other conditions at each call, the same for all parents."""

    def get_queryset(self) -> Any:
        now = f"{time.perf_counter_ns()}"
        return super().get_queryset().exclude(name=now)


def related_models(manager: Any, **meta: Any) -> tuple[Any, Any]:
    """Things and their fans, who point to one thing and to several."""
    options = {"app_label": "contract_project"}
    thing = type(
        "Thing",
        (models.Model,),
        {
            "__module__": __name__,
            "name": models.CharField(max_length=30),
            "objects": manager,
            "all_things": models.Manager(),
            "Meta": type("Meta", (), {**options, "ordering": ["pk"], **meta}),
        },
    )
    fan = type(
        "Fan",
        (models.Model,),
        {
            "__module__": __name__,
            "name": models.CharField(max_length=30),
            "thing": models.ForeignKey(thing, models.CASCADE, null=True, related_name="fans_of"),
            "things": models.ManyToManyField(thing, related_name="fans"),
            "Meta": type("Meta", (), {**options, "ordering": ["pk"]}),
        },
    )
    return thing, fan


@in_memory
@isolate_apps("contract_project")
@pytest.mark.parametrize("manager", [Loved, Parental, Visible])
def test_related_rows_are_those_of_each_parent(manager: Any) -> None:
    thing, fan = related_models(manager())
    with tables_of("default", [thing, fan]):
        names = ["v-1", "v-2", "not for first"]
        made = [thing.all_things.create(name=name) for name in names]
        first, second = fan.objects.create(name="first"), fan.objects.create(name="second")
        first.things.add(made[0], made[1], made[2])
        second.things.add(made[0], made[2])
        things = reader(thing, "name")(many=True, read_only=True)
        found = data_of(reader(fan, "name", "things", things=things), fan.objects)
        assert found == [
            {"name": one.name, "things": [{"name": each.name} for each in one.things.all()]}
            for one in fan.objects.all()
        ]


@in_memory
@isolate_apps("contract_project")
@pytest.mark.parametrize("manager", [Loved, Parental, Visible, models.Manager])
def test_prefetched_rows_are_those_of_django(manager: Any) -> None:
    thing, fan = related_models(manager())
    with tables_of("default", [thing, fan]):
        made = [thing.all_things.create(name=name) for name in ("v-1", "w", "not for first")]
        for number in range(3):
            fan.objects.create(name=f"{number}").things.add(*made[number:])

        def seen(fans: Any) -> Any:
            looks = [
                lambda rows: rows.all(),
                lambda rows: rows.filter(name__contains="-"),
                lambda rows: rows.order_by("-pk"),
            ]
            return [[one.name for one in look(each.things)] for each in fans for look in looks]

        for rows in [
            fan.objects.all(),
            *[fan.objects.filter(pk=one.pk) for one in fan.objects.all()],
        ]:
            ours, theirs = rows.prefetch_related("things"), rows.prefetch_related("things")
            assert seen(load(ours)) == seen(theirs)
            assert seen(load(ours.all())) == seen(theirs)


@pytest.mark.fast_way
@in_memory
@isolate_apps("contract_project")
def test_managers_that_hide_rows_make_one_queryset_for_all_parents(monkeypatch: Any) -> None:
    thing, fan = related_models(Visible())
    made: list[str] = []
    own = Visible.get_queryset

    def get_queryset(self: Any) -> Any:
        made.append(type(self).__name__)
        return own(self)

    with tables_of("default", [thing, fan]):
        for number in range(3):
            one = fan.objects.create(name=f"{number}")
            one.things.add(thing.all_things.create(name=f"v-{number}"), thing.all_things.create())
        monkeypatch.setattr(Visible, "get_queryset", get_queryset)
        found = load(fan.objects.prefetch_related("things"))
        assert len(made) == 1
        assert [[each.name for each in one.things.all()] for one in found] == [
            ["v-0"],
            ["v-1"],
            ["v-2"],
        ]
        assert len(made) == 1


@pytest.mark.fast_way
@in_memory
@isolate_apps("contract_project")
def test_conditions_that_hold_the_time_do_not_cost_a_query_a_row(
    django_assert_num_queries: Any,
) -> None:
    thing, fan = related_models(Timed())
    with tables_of("default", [thing, fan]):
        one = thing.objects.create(name="a")
        for number in range(3):
            fan.objects.create(name=f"{number}").things.add(one)
        things = reader(thing, "name")(many=True, read_only=True)
        serializer_class = reader(fan, "name", "things", things=things)
        data_of(serializer_class, fan.objects)
        for rows in (fan.objects.all(), list(fan.objects.all())):
            with django_assert_num_queries(1 if isinstance(rows, list) else 2):
                serializer_class(rows, many=True).data  # noqa: B018


@in_memory
@isolate_apps("contract_project")
def test_rows_that_a_base_manager_hides_are_missing_everywhere() -> None:
    thing, fan = related_models(Visible(), base_manager_name="objects")
    with tables_of("default", [thing, fan]):
        hidden = thing.all_things.create(name="hidden")
        shown = thing.all_things.create(name="v")
        for one in (hidden, shown):
            fan.objects.create(name="a", thing=one)
        serializer_class = reader(fan, "thing", thing=reader(thing, "name")(required=False))
        serializer_class(fan.objects.filter(thing=shown), many=True).data  # noqa: B018

        def outcome(make: Any) -> Any:
            try:
                return make()
            except Exception as error:
                return type(error)

        def one_by_one() -> Any:
            return [serializer_class(one).data for one in fan.objects.all()]

        wanted = outcome(one_by_one)
        assert outcome(lambda: serializer_class(list(fan.objects.all()), many=True).data) == wanted
        assert outcome(lambda: serializer_class(fan.objects.all(), many=True).data) == wanted


class OwnQuerySet(models.QuerySet):
    pass


@in_memory
@isolate_apps("contract_project")
def test_managers_need_not_be_those_of_django() -> None:
    thing, fan = related_models(BaseManager.from_queryset(OwnQuerySet)())
    with tables_of("default", [thing, fan]):
        one = thing.objects.create(name="a")
        one.fans.add(fan.objects.create(name="b", thing=one))
        things = reader(thing, "name")(many=True, read_only=True)
        serializer_class = reader(fan, "things", things=things)
        assert data_of(serializer_class, fan.objects) == [{"things": [{"name": "a"}]}]
        assert serializer_class(fan.objects, many=True).data == [{"things": [{"name": "a"}]}]
        meta = type("Meta", (), {"model": fan, "fields": ["things", "thing"], "depth": 1})
        deep = type("Deep", (serializers.ModelSerializer,), {"Meta": meta})
        shown = {"id": one.pk, "name": "a"}
        assert data_of(deep, fan.objects) == [{"things": [shown], "thing": shown}]
        assert reader(thing, "name")(thing.objects, many=True).data == [{"name": "a"}]


# ---- querysets ----


class Counting(models.QuerySet):
    def _fetch_all(self) -> None:
        super()._fetch_all()


def test_querysets_and_whatever_looks_like_one() -> None:
    class Wrapped:
        model = Tag

        def get(self, **lookups: Any) -> Any:
            return Tag.objects.get(**lookups)

    tag = Tag.objects.create(name="a")
    assert not is_plain_queryset(Counting(Tag))
    assert not is_plain_queryset(Wrapped())
    assert known_row(Wrapped(), "pk", tag.pk) is PLAIN
    assert row_of(Wrapped(), "pk", tag.pk) == tag


@pytest.mark.fast_way
def test_a_queryset_that_is_patched_later_is_not_plain(monkeypatch: Any) -> None:
    tag = Tag.objects.create(name="a")
    assert known_row(Tag.objects.all(), "pk", tag.pk) == tag
    own = models.QuerySet._fetch_all
    monkeypatch.setattr(models.QuerySet, "_fetch_all", lambda self: own(self))
    assert known_row(Tag.objects.all(), "pk", tag.pk) is PLAIN
    assert not is_plain_queryset(Tag.objects.all())


# ---- input that names related rows ----


def test_items_of_a_list_see_what_earlier_ones_did() -> None:
    users = [User.objects.create(username=name) for name in "ab"]

    class ItemSerializer(serializers.ModelSerializer):
        class Meta:
            model = Snippet
            fields = ["owner", "code"]

        def validate_owner(self, owner: Any) -> Any:
            # An item changes what a later one names, in memory and in the database.
            seen.append(owner.first_name)
            owner.first_name = "in memory"
            User.objects.filter(username="b").update(first_name="stored")
            return owner

    for _ in range(3):
        User.objects.update(first_name="")
        seen: list[str] = []
        keys = [users[0].pk, users[1].pk, users[1].pk]
        serializer = ItemSerializer(data=[{"owner": key, "code": "x"} for key in keys], many=True)
        assert serializer.is_valid(), serializer.errors
        assert seen == ["", "stored", "stored"]


@in_memory
@isolate_apps("contract_project")
def test_rows_are_doubled_without_the_registry() -> None:
    thing, fan = related_models(models.Manager())
    with tables_of("default", [thing, fan]):
        one, other = thing.objects.create(name="a"), thing.objects.create(name="b")
        serializer_class = reader(fan, "name", "thing")
        for _ in range(3):
            keys = [one.pk, one.pk, other.pk]
            serializer = serializer_class(
                data=[{"name": "x", "thing": key} for key in keys], many=True
            )
            serializer.is_valid(raise_exception=True)
            found = [item["thing"] for item in serializer.validated_data]
            assert found == [one, one, other]
            assert found[0] is not found[1]
