"""Warrants notice every patch, even one that replaces another."""

from functools import partial
from typing import Any
from unittest import mock

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import Group
from django.db import models
from django.test.utils import isolate_apps
from django.utils.functional import classproperty

from lintel import serializers
from lintel.trust import warrants
from lintel.trust.warrants import warrant


@pytest.fixture(autouse=True, params=["tags", "comparison"])
def _of_classes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "comparison":
        monkeypatch.setattr(warrants, "HAS_TAGS", False)


class Plain:
    def helper(self):
        return 1


def test_a_patch_is_seen_that_takes_the_place_of_another_one():
    class Name(Plain, serializers.CharField):
        pass

    class Person(serializers.Serializer):
        name = Name()

    with mock.patch.object(Name, "helper", return_value=2):
        assert Person({"name": "Ada"}).data == {"name": "Ada"}
        assert Person(data={"name": "Ada"}).is_valid()
    with mock.patch.object(Name, "get_attribute", return_value="PATCHED"):
        assert Person({"name": "Ada"}).data == {"name": "PATCHED"}
    with mock.patch.object(Name, "validate_empty_values", return_value=(True, "EMPTY")):
        found = Person(data={"name": "Ada"})
        assert found.is_valid()
        assert found.validated_data == {"name": "EMPTY"}


def test_a_class_may_get_other_bases():
    class Name(Plain, serializers.CharField):
        pass

    class Person(serializers.Serializer):
        name = Name()

    assert Person({"name": "7"}).data == {"name": "7"}
    assert Person(data={"name": "7"}).is_valid()
    Name.__bases__ = (Plain, serializers.IntegerField)
    assert Person({"name": "7"}).data == {"name": 7}
    found = Person(data={"name": "7"})
    assert found.is_valid()
    assert found.validated_data == {"name": 7}


def test_what_a_base_has_under_the_same_name_is_seen():
    base: Any = type("Base", (), {"method": 1})
    cls: Any = type("Class", (base,), {})
    still_holds = warrant("of a test", [(cls, "method")], classes=[cls])
    assert still_holds()
    base.method = 2
    assert not still_holds()


@isolate_apps("contract_project")
def test_another_descriptor_on_a_model_above_is_seen(monkeypatch):
    class Above(models.Model):
        title = models.CharField(max_length=9)

        class Meta:
            app_label = "contract_project"

    class Below(Above):
        class Meta:
            app_label = "contract_project"

    class Shown(serializers.ModelSerializer):
        class Meta:
            model = Below
            fields = ["title"]

    rows = [Below(title="secret")] * 9

    def shown() -> Any:
        return Shown(rows, many=True).data

    assert [shown() for _ in range(3)] == [[{"title": "secret"}] * 9] * 3
    monkeypatch.setattr(Above, "title", property(lambda self: "hidden"))
    assert shown() == [{"title": "hidden"}] * 9


def test_another_class_of_fields_on_a_serializer_above_is_seen():
    class Loud(serializers.ChoiceField):
        def to_representation(self, value):
            return "loud"

    class Base(serializers.ModelSerializer):
        serializer_choice_field: Any = serializers.ChoiceField

    class Shown(Base):
        class Meta:
            model = Snippet
            fields = ["language"]

    def shown() -> Any:
        return [Shown(Snippet(language="python")).data["language"] for _ in range(2)]

    assert shown() == ["python"] * 2
    Base.serializer_choice_field = Loud
    assert shown() == ["loud"] * 2


def test_attributes_that_change_places_on_a_base_are_seen():
    class Above(serializers.CharField):
        def to_representation(self, value):
            return f"<{value}>"

    class Between(Above):
        helper = 1

    class Name(Between):
        def to_representation(self, value):
            return super().to_representation(value)

    class Person(serializers.Serializer):
        name = Name()

    assert Person({"name": "Ada"}).data == {"name": "<Ada>"}
    del Between.helper
    Between.to_representation = lambda self, value: "between"
    assert Person({"name": "Ada"}).data == {"name": "between"}


def test_a_hook_that_takes_the_place_of_another_attribute_of_the_serializer_is_seen():
    class Person(serializers.Serializer):
        helper = 1
        name = serializers.CharField()

    assert Person({"name": "Ada"}).data == {"name": "Ada"}
    assert Person(data={"name": "Ada"}).is_valid()
    del Person.helper
    Person.to_representation = lambda self, instance: {"name": "patched"}
    assert Person({"name": "Ada"}).data == {"name": "patched"}
    del Person.to_representation
    Person.validate = lambda self, attrs: {"name": "validated"}
    found = Person(data={"name": "Ada"})
    assert found.is_valid()
    assert found.validated_data == {"name": "validated"}


def test_another_meta_takes_the_place_of_that_of_a_class_or_of_its_base():
    class Base(serializers.ModelSerializer):
        class Meta:
            model = Group
            fields = ["id", "name"]

    class Named(Base):
        pass

    class Above(serializers.Serializer):
        group = Named()

    def shown(cls):
        assert (
            Above({"group": Group(id=1, name="a")}).data["group"] == cls(Group(id=1, name="a")).data
        )
        return list(cls(Group(id=1, name="a")).data)

    def meta(*names):
        return type("Meta", (), {"model": Group, "fields": names})

    assert shown(Named) == ["id", "name"]
    Base.Meta = meta("name")
    assert shown(Named) == ["name"]
    with mock.patch.object(Named, "Meta", type("Meta", (Base.Meta,), {"fields": ["id"]})):
        assert shown(Named) == ["id"]
        Named.Meta = meta("name", "id")
        assert shown(Named) == ["name", "id"]
        assert list(Named(data={"name": "a" * 200}).fields) == ["name", "id"]
    assert shown(Named) == ["name"]


class Owner:
    def __init__(self) -> None:
        self.entry: Any = object()
        self.contents = {"names": ["a"]}

    def method(self):
        return self.entry

    @classproperty
    def computed(cls):
        return object()


OWNER = Owner()
KINDS: dict[str, Any] = {
    "lookups": [(Owner, "method")],
    "entries": [(OWNER, "entry")],
    "contents": [(OWNER, "contents")],
    "containers": [OWNER.contents],
    "classes": [Owner],
    "others": [lambda: "added" not in vars(OWNER)],
}
CHANGES: dict[str, Any] = {
    "another method": lambda patch: patch.setattr(Owner, "method", lambda self: None),
    "a deleted method": lambda patch: patch.delattr(Owner, "method"),
    "a new method": lambda patch: patch.setattr(Owner, "more", None, raising=False),
    "another entry": lambda patch: patch.setattr(OWNER, "entry", object()),
    "a deleted entry": lambda patch: patch.delattr(OWNER, "entry"),
    "a change in place": lambda patch: patch.setitem(OWNER.contents, "names", ["a", "b"]),
    "an added name": lambda patch: patch.setattr(OWNER, "added", 1, raising=False),
}


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        ("another method", {"lookups"}),
        ("a deleted method", {"lookups", "classes"}),
        ("a new method", {"classes"}),
        ("another entry", {"entries"}),
        ("a deleted entry", {"entries"}),
        ("a change in place", {"contents", "containers"}),
        ("an added name", {"others"}),
    ],
)
def test_what_each_kind_of_dependency_notices(
    change: str, noticed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warrants = {kind: warrant("of a test", **{kind: each}) for kind, each in KINDS.items()}
    assert all(still_holds() for still_holds in warrants.values())
    with monkeypatch.context() as patched:
        CHANGES[change](patched)
        assert {kind for kind, still_holds in warrants.items() if not still_holds()} == noticed
    assert all(still_holds() for still_holds in warrants.values())


def test_a_descriptor_written_in_python_is_compared_without_being_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    still_holds = warrant("of a test", [(Owner, "computed")])
    assert still_holds()
    with monkeypatch.context() as patched:
        patched.setattr(Owner, "computed", 1)
        assert not still_holds()
    assert still_holds()


def test_class_methods_and_inherited_descriptors_hold():
    class Fresh:
        def __get__(self, instance, owner):
            return object()

    class Base:
        fresh = Fresh()

        @classmethod
        def make(cls):
            return cls()

    class Derived(Base):
        pass

    holds = warrant("names", [(Derived, "make"), (Derived, "fresh")], entries=[(Derived, "make")])
    assert holds()
    with mock.patch.object(Base, "make", classmethod(lambda cls: None)):
        assert not holds()
    assert holds()
    Base.fresh = Fresh()
    assert not holds()


def test_an_inherited_descriptor_may_be_replaced_below_its_class() -> None:
    class Middle(Owner):
        pass

    class Low(Middle):
        pass

    still_holds = warrant("of a test", [(Low, "computed")])
    for cls in (Low, Middle):
        cls.computed = 1
        assert not still_holds()
        del cls.computed
        assert still_holds()
    Middle.__bases__ = (type("Mixin", (), {"computed": 1}), Owner)
    assert not still_holds()
    Middle.__bases__ = (Owner,)
    assert warrant("of a test", [(Low, "computed")])()


class Bound:
    """What a proxy of a tracing tool returns at each access: equal to the function inside."""

    def __eq__(self, other: object) -> bool:
        return other is function_inside or isinstance(other, Bound)

    __hash__ = None  # type: ignore[assignment]


def function_inside(self: Any) -> None:
    """Do nothing."""


def test_a_proxy_that_is_taken_away_is_noticed() -> None:
    # As an extension in C binds: without a function that a lookup would run.
    proxy = type("Proxy", (), {"__get__": partial(lambda *args: Bound())})()
    owner: Any = type("Owner", (), {"method": proxy})
    still_holds = warrant("a proxy", [(owner, "method")])
    assert still_holds()
    owner.method = function_inside
    assert not still_holds()
