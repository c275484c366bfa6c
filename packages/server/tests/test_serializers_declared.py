"""Serializers with declared fields."""

import copy
import pickle
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import QueryDict
from django.test import override_settings

from lintel import serializers
from lintel.fast.compiled import class_state, reading_of
from lintel.serializers.declared import TOOLS
from lintel.utils.serializer_helpers import (
    BindingDict,
    BoundField,
    JSONBoundField,
    NestedBoundField,
    ReturnDict,
)


class Point(serializers.Serializer):
    x = serializers.IntegerField()
    y = serializers.IntegerField(default=0)

    def create(self, validated_data: Any) -> Any:
        return SimpleNamespace(**validated_data)

    def update(self, instance: Any, validated_data: Any) -> Any:
        instance.__dict__.update(validated_data)
        return instance


class Line(serializers.Serializer):
    name = serializers.CharField()
    start = Point()
    points = Point(many=True, required=False)


for declared in (Point, Line):
    class_state(declared)


def validated(serializer: Any) -> Any:
    assert serializer.is_valid(), serializer.errors
    return serializer.validated_data


def errors(serializer: Any) -> Any:
    assert not serializer.is_valid()
    return serializer.errors


# ---- declaring ----


def test_declared_fields_are_inherited_in_order() -> None:
    class First(serializers.Serializer):
        a = serializers.IntegerField()
        b = serializers.CharField()

    class Second(serializers.Serializer):
        b = serializers.UUIDField()
        c = serializers.CharField()

    class Child(First, Second):
        d = serializers.CharField()
        a = serializers.FloatField()

    assert list(Child._declared_fields) == ["a", "b", "c", "d"]
    assert type(Child._declared_fields["a"]) is serializers.FloatField
    assert type(Child._declared_fields["b"]) is serializers.CharField
    assert not hasattr(Child, "a")


@pytest.mark.parametrize("replacement", [None, 5, lambda self: None])
def test_a_name_that_is_no_field_any_more(replacement: Any) -> None:
    class Without(Point):
        y = replacement

    assert list(Without().fields) == ["x"]
    assert list(type("Below", (Without,), {})().fields) == ["x"]


def test_fields_of_mixins() -> None:
    class Ignored:
        a = serializers.CharField()

    class Counted(metaclass=serializers.SerializerMetaclass):
        b = serializers.CharField()

    class Mixed(Ignored, Counted, Point):
        pass

    assert list(Mixed().fields) == ["b", "x", "y"]


def test_fields_belong_to_one_instance() -> None:
    first, second = Line(), Line()
    assert isinstance(first.fields, BindingDict)
    assert first.fields["name"] is not second.fields["name"]
    assert first.fields["start"].parent is first
    assert first.fields["points"].child.fields["x"].root is first
    first.fields["name"].required = False
    first.fields["start"].fields["x"].required = False
    assert second.fields["name"].required
    assert second.fields["start"].fields["x"].required


def test_context_reaches_every_field() -> None:
    line = Line(context={"a": 1})
    assert line.fields["points"].child.fields["x"].context == {"a": 1}
    assert Line().context == {}


def test_classes_can_be_subscripted() -> None:
    assert Point[int] is Point


def test_copies_and_pickles() -> None:
    assert repr(copy.deepcopy(Line(label="l"))) == repr(Line(label="l"))
    assert repr(pickle.loads(pickle.dumps(Point({"x": 1})))) == repr(Point({"x": 1}))
    data = pickle.loads(pickle.dumps(Point({"x": 1, "y": 2}).data))
    assert type(data) is dict


def test_repr_shows_the_fields() -> None:
    assert repr(Point(label="p")) == (
        "Point(label='p'):\n    x = IntegerField()\n    y = IntegerField(default=0)"
    )


# ---- reading ----


def test_data_of_an_instance() -> None:
    data = Point(SimpleNamespace(x="3", y=None)).data
    assert isinstance(data, ReturnDict)
    assert data == {"x": 3, "y": None}
    assert type(data.serializer) is Point


def test_data_without_an_instance_is_initial() -> None:
    assert Line().data == {"name": "", "start": {"x": None, "y": None}, "points": []}


def test_data_of_invalid_input_is_the_input() -> None:
    serializer = Point(data={"x": "z", "other": 1})
    assert errors(serializer) == {"x": ["A valid integer is required."]}
    assert serializer.data == {"x": "z"}
    assert serializer.validated_data == {}


def test_data_of_valid_input_is_its_representation() -> None:
    serializer = Point(data={"x": "5"})
    assert validated(serializer) == {"x": 5, "y": 0}
    assert serializer.data == {"x": 5, "y": 0}


def test_missing_attributes_are_explained() -> None:
    with pytest.raises(AttributeError, match="field `x` on serializer `Point`"):
        Point(SimpleNamespace()).data  # noqa: B018


def test_a_property_is_read_once() -> None:
    class Counting:
        reads = 0

        @property
        def value(self) -> Any:
            type(self).reads += 1
            return 7

    class Text(serializers.Serializer):
        value = serializers.CharField()

    assert Text(Counting()).data == {"value": "7"}
    assert Counting.reads == 1


# ---- writing ----


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (None, "No data provided"),
        ("text", "Invalid data. Expected a dictionary, but got str."),
        ([], "Invalid data. Expected a dictionary, but got list."),
    ],
)
def test_input_of_a_wrong_kind(data: Any, found: str) -> None:
    assert errors(Point(data=data)) == {"non_field_errors": [found]}
    with override_settings(REST_FRAMEWORK={"NON_FIELD_ERRORS_KEY": "all"}):
        assert errors(Point(data=data)) == {"all": [found]}


def test_partial_input() -> None:
    assert validated(Point(data={}, partial=True)) == {}
    line = {"name": "a", "start": {}}
    assert validated(Line(data=line, partial=True)) == line


def test_sources() -> None:
    class Sources(serializers.Serializer):
        a = serializers.CharField(source="outer.inner")
        b = serializers.CharField(source="outer.other")
        whole = Point(source="*")

    row = {"a": "1", "b": "2", "whole": {"x": 3}}
    assert validated(Sources(data=row)) == {"outer": {"inner": "1", "other": "2"}, "x": 3, "y": 0}


def test_read_only_defaults_are_for_validators_only() -> None:
    seen = []

    class Defaults(serializers.Serializer):
        a = serializers.IntegerField(read_only=True, default=3, source="b")
        c = serializers.IntegerField(required=False)

    serializer = Defaults(data={"c": 1}, validators=[seen.append])
    assert validated(serializer) == {"c": 1}
    assert seen == [{"b": 3, "c": 1}]


def test_whole_validation() -> None:
    class Meta:
        validators = [lambda attrs: attrs]

    def refuse(attrs: Any) -> None:
        raise DjangoValidationError("no", code="c")

    assert Point.__new__(type("P", (Point,), {"Meta": Meta})) is not None
    serializer = Point(data={"x": 1}, validators=[refuse, refuse])
    assert errors(serializer) == {"non_field_errors": ["no", "no"]}
    assert serializer.errors["non_field_errors"][0].code == "c"


def test_validate_has_to_return() -> None:
    class Silent(Point):
        def validate(self, attrs: Any) -> Any:
            return None

    with pytest.raises(AssertionError, match="should return the validated data"):
        Silent(data={"x": 1}).is_valid()


def test_errors_without_a_name_get_one() -> None:
    class Refusing(Point):
        def to_internal_value(self, data: Any) -> Any:
            raise serializers.ValidationError(["one", "two"])

    assert errors(Refusing(data={})) == {"non_field_errors": ["one", "two"]}


def test_raise_exception() -> None:
    with pytest.raises(serializers.ValidationError) as caught:
        Point(data={}).is_valid(raise_exception=True)
    assert caught.value.detail == {"x": ["This field is required."]}


def test_form_input() -> None:
    serializer = Line(data=QueryDict("name=a&start.x=1&points[0]x=2&points[1]x=z"))
    assert errors(serializer) == {"points": {1: {"x": ["A valid integer is required."]}}}


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (serializers.ValidationError("a"), {"non_field_errors": ["a"]}),
        (serializers.ValidationError({"a": "b"}), {"a": ["b"]}),
        (serializers.ValidationError({"a": {"b": "c"}}), {"a": {"b": "c"}}),
        (DjangoValidationError(["a", "b"]), {"non_field_errors": ["a", "b"]}),
        (DjangoValidationError({"x": ["y"]}), {"x": ["y"]}),
    ],
)
def test_as_serializer_error(error: Any, detail: Any) -> None:
    assert serializers.as_serializer_error(error) == detail


def test_as_serializer_error_of_another_exception() -> None:
    with pytest.raises(AssertionError, match="ValueError"):
        serializers.as_serializer_error(ValueError())  # type: ignore[arg-type]


# ---- saving ----


def test_save_creates_and_updates() -> None:
    serializer = Point(data={"x": 1})
    serializer.is_valid()
    created = serializer.save(z=3)
    assert vars(created) == {"x": 1, "y": 0, "z": 3}
    assert serializer.data == {"x": 1, "y": 0}
    update = Point(created, data={"x": 5}, partial=True)
    update.is_valid()
    assert update.save() is created
    assert created.x == 5


def unvalidated() -> Any:
    return Point(data={})


def invalid() -> Any:
    serializer = Point(data={})
    serializer.is_valid()
    return serializer


def valid() -> Any:
    serializer = Point(data={"x": 1})
    serializer.is_valid()
    return serializer


def read() -> Any:
    serializer = valid()
    serializer.data  # noqa: B018
    return serializer


@pytest.mark.parametrize(
    ("serializer", "use", "message"),
    [
        (unvalidated, lambda one: one.save(), r"call `\.is_valid\(\)` before calling `\.save\(\)`"),
        (unvalidated, lambda one: one.errors, r"before accessing `\.errors`"),
        (unvalidated, lambda one: one.validated_data, r"before accessing `\.validated_data`"),
        (unvalidated, lambda one: one.data, r"must call `\.is_valid\(\)` before"),
        (invalid, lambda one: one.save(), "invalid data"),
        (valid, lambda one: one.save(commit=False), "'commit' is not a valid"),
        (read, lambda one: one.save(), r"after accessing `serializer\.data`"),
        (Point, lambda one: one.is_valid(), "no `data=` keyword argument"),
    ],
)
def test_misuse_names_the_next_step(serializer: Any, use: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        use(serializer())


def test_create_and_update_have_to_be_there() -> None:
    class Bare(serializers.Serializer):
        pass

    for arguments, method in (((), "create"), ((object(),), "update")):
        serializer = Bare(*arguments, data={})
        serializer.is_valid()
        with pytest.raises(NotImplementedError, match=method):
            serializer.save()


def test_create_has_to_return() -> None:
    class Forgetful(Point):
        def create(self, validated_data: Any) -> Any:
            return None

    serializer = Forgetful(data={"x": 1})
    serializer.is_valid()
    with pytest.raises(AssertionError, match="did not return an object"):
        serializer.save()


# ---- bound fields ----


def test_bound_fields() -> None:
    class Everything(Line):
        blob = serializers.JSONField(required=False)

    serializer = Everything(data={"start": {"x": "z"}})
    serializer.is_valid()
    assert type(serializer["name"]) is BoundField
    assert serializer["name"].errors == ["This field is required."]
    assert type(serializer["start"]) is NestedBoundField
    assert serializer["start"]["x"].errors == ["A valid integer is required."]
    assert type(serializer["blob"]) is JSONBoundField
    assert [bound.name for bound in serializer] == ["name", "start", "points", "blob"]
    with pytest.raises(KeyError):
        serializer["other"]


# ---- base serializers ----


def test_base_serializers_define_both_directions() -> None:
    class Wrapped(serializers.BaseSerializer):
        def to_internal_value(self, data: Any) -> Any:
            return {"wrapped": data}

        def to_representation(self, instance: Any) -> Any:
            return [instance]

    assert Wrapped(3).data == [3]
    assert validated(Wrapped(data=4)) == {"wrapped": 4}
    assert Wrapped([1, 2], many=True).data == [[1], [2]]


@pytest.mark.parametrize("method", ["to_representation", "to_internal_value", "create"])
def test_base_serializers_say_what_is_missing(method: str) -> None:
    with pytest.raises(NotImplementedError, match=method):
        getattr(serializers.BaseSerializer(), method)(1)


# ---- classes are compiled once ----


def test_threads_may_meet_at_the_first_use() -> None:
    class Fresh(serializers.Serializer):
        a = serializers.CharField()
        b = Point()

    found: list[Any] = []
    row = {"a": "1", "b": {"x": 1, "y": 2}}
    threads = [threading.Thread(target=lambda: found.append(Fresh(row).data)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [row] * 8


@pytest.mark.compiled
def test_looking_at_data_does_not_touch_the_fields() -> None:
    serializer = Line({"name": 1, "start": {"x": 1, "y": 1}, "points": []})
    serializer.data  # noqa: B018
    assert "fields" not in serializer.__dict__
    assert reading_of(serializer, TOOLS) is not None
    serializer.fields  # noqa: B018
    assert reading_of(serializer, TOOLS) is None


@pytest.mark.compiled
def test_fields_that_were_used_are_the_ones_that_are_shown() -> None:
    serializer = Line({"name": 1, "start": {"x": 1, "y": 1}, "points": []})
    serializer.data  # noqa: B018
    used = serializer._lintel_fields["start"]
    assert serializer.fields["start"] is used


def test_no_errors_may_be_an_empty_list() -> None:
    """Packages set ``_errors`` on serializers whose data they have checked themselves."""
    serializer = Point(data={})
    serializer._errors = []
    assert serializer.errors == {}


class Named(serializers.Serializer):
    name = serializers.CharField()

    def create(self, validated_data: Any) -> Any:
        return SimpleNamespace(**validated_data)


def shout(self: Any, value: str) -> str:
    return value.upper()


def name_after(cls: Any, **own: Any) -> Any:
    serializer = cls(data={"name": "x"})
    vars(serializer).update(own)
    assert serializer.is_valid()
    return serializer.validated_data["name"]


def test_methods_that_validate_a_field_count_wherever_they_come_from() -> None:
    class Mixin:
        pass

    class Mixed(Mixin, Named):
        pass

    class Computed(Named):
        def __getattr__(self, name: str) -> Any:
            if name == "validate_name":
                return str.upper
            raise AttributeError(name)

    assert [name_after(Mixed), name_after(Named)] == ["x", "x"]
    assert name_after(Named, validate_name=str.upper) == "X"
    assert [name_after(Computed), name_after(Computed)] == ["X", "X"]
    Mixin.validate_name = shout
    assert [name_after(Mixed), name_after(Named)] == ["X", "x"]
    del Mixin.validate_name
    Named.validate_name = shout
    assert [name_after(Mixed), name_after(Named)] == ["X", "X"]
    del Named.validate_name
    assert [name_after(Mixed), name_after(Named)] == ["x", "x"]


@pytest.mark.parametrize("owner", [Named, serializers.Serializer, serializers.BaseSerializer])
def test_saving_asks_for_errors_that_are_computed(
    owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    serializer = Named(data={"name": "x"})
    assert serializer.is_valid()
    if owner is Named:
        errors: Any = property(lambda self: {"name": ["taken"]})
    else:
        errors = property(lambda self: ["taken"])
    monkeypatch.setattr(owner, "errors", errors, raising=False)
    with pytest.raises(AssertionError, match="invalid data"):
        serializer.save()
    monkeypatch.undo()
    assert serializer.save().name == "x"


@pytest.mark.parametrize("mode", ["always", "never"])
def test_a_serializer_in_use_keeps_its_fields_but_sees_new_methods(mode: str) -> None:
    class Own(Named):
        pass

    def used() -> Any:
        serializer = Own(data={"name": "x"})
        assert serializer.is_valid()
        serializer.save()
        return serializer

    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": mode}):
        assert used().data == {"name": "x"}
        serializer = used()
        Own._declared_fields["more"] = serializers.CharField(default="y")
        assert serializer.data == {"name": "x"}
        assert used().instance.more == "y"
        serializer = used()
        Own.to_representation = lambda self, instance: {"own": instance.name}
        assert serializer.data == {"own": "x"}
        del Own.to_representation
        serializer = used()
        Own._readable_fields = property(lambda self: [self.fields["more"]])
        assert serializer.data == {"more": "y"}


def test_a_method_is_switched_off_by_none() -> None:
    class Loud(Named):
        validate_name = shout

    class Quiet(Loud):
        validate_name = None

    assert [name_after(Quiet), name_after(Loud), name_after(Quiet)] == ["x", "X", "x"]


def test_a_method_may_depend_on_the_serializer() -> None:
    class Sometimes(Named):
        @property
        def validate_name(self) -> Any:
            return self.strict

    assert name_after(Sometimes) == "x"
    assert name_after(Sometimes, strict=str.upper) == "X"


def test_a_serializer_may_become_one_of_another_class() -> None:
    class Loud(Named):
        validate_name = shout

    assert name_after(Named) == "x"
    serializer = Named(data={"name": "x"})
    assert serializer.get_initial() == {"name": "x"}
    serializer.__class__ = Loud
    assert serializer.is_valid()
    assert serializer.validated_data == {"name": "X"}


@pytest.mark.parametrize("mode", ["always", "never"])
def test_errors_may_come_from_any_base(mode: str) -> None:
    class Extra(serializers.BaseSerializer):
        @property
        def errors(self) -> Any:
            return {**super().errors, "x": ["refused"]}

    class Mixed(serializers.Serializer, Extra):
        name = serializers.CharField()

    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": mode}):
        serializer = Mixed(data={"name": "x"})
        assert serializer.is_valid()
        with pytest.raises(AssertionError, match="invalid data"):
            serializer.save()
