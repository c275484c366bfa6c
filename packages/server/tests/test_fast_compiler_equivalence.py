"""Generated code and the plain path give the same result, for every field, flag and override."""

import datetime
import re
import uuid
from collections import UserDict
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import ProhibitNullCharactersValidator, RegexValidator
from django.http import QueryDict
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel import serializers
from lintel.fast.compiled import class_state
from lintel.validators import ProhibitSurrogateCharactersValidator

# Each entry makes a field from flags.
FIELDS: dict[str, Any] = {
    "char": lambda **flags: serializers.CharField(max_length=5, min_length=2, **flags),
    "blank": lambda **flags: serializers.CharField(allow_blank=True, **flags),
    "untrimmed": lambda **flags: serializers.CharField(trim_whitespace=False, **flags),
    "regex": lambda **flags: serializers.RegexField("^[a-c]+$", **flags),
    "inverse": lambda **flags: serializers.CharField(
        validators=[RegexValidator("a", inverse_match=True)], **flags
    ),
    "email": serializers.EmailField,
    "slug": serializers.SlugField,
    "url": serializers.URLField,
    "ip": serializers.IPAddressField,
    "uuid": serializers.UUIDField,
    "hex": lambda **flags: serializers.UUIDField(format="hex", **flags),
    "whole": lambda **flags: serializers.UUIDField(format="int", **flags),
    "integer": lambda **flags: serializers.IntegerField(min_value=-3, max_value=9, **flags),
    "big": lambda **flags: serializers.BigIntegerField(coerce_to_string=True, **flags),
    "float": lambda **flags: serializers.FloatField(max_value=2.5, **flags),
    "boolean": serializers.BooleanField,
    "decimal": lambda **flags: serializers.DecimalField(5, 2, min_value=Decimal(-9), **flags),
    "places": lambda **flags: serializers.DecimalField(12, 8, **flags),
    "unlimited": lambda **flags: serializers.DecimalField(None, None, **flags),
    "rounded": lambda **flags: serializers.DecimalField(
        8, 1, rounding="ROUND_UP", normalize_output=True, **flags
    ),
    "number": lambda **flags: serializers.DecimalField(6, 1, coerce_to_string=False, **flags),
    "datetime": serializers.DateTimeField,
    "strftime": lambda **flags: serializers.DateTimeField(format="%Y", **flags),
    "zoned": lambda **flags: serializers.DateTimeField(
        default_timezone=ZoneInfo("Asia/Kathmandu"), **flags
    ),
    "other inputs": lambda **flags: serializers.DateTimeField(
        format=None, input_formats=["%Y-%m-%d", "iso-8601"], **flags
    ),
    "date": serializers.DateField,
    "dated": lambda **flags: serializers.DateField(
        format="%d.%m.%Y", input_formats=["ISO-8601", "%d.%m.%Y"], **flags
    ),
    "time": serializers.TimeField,
    "duration": serializers.DurationField,
    "iso duration": lambda **flags: serializers.DurationField(format="ISO-8601", **flags),
    "choice": lambda **flags: serializers.ChoiceField(choices=["a", "b", ("1", "one"), 2], **flags),
    "blank_choice": lambda **flags: serializers.ChoiceField(
        choices=["a"], allow_blank=True, **flags
    ),
    "choices": lambda **flags: serializers.MultipleChoiceField(choices=["a", "b"], **flags),
    "list": lambda **flags: serializers.ListField(child=serializers.IntegerField(), **flags),
    "dict": lambda **flags: serializers.DictField(child=serializers.CharField(), **flags),
    "moments": lambda **flags: serializers.ListField(
        child=serializers.ListField(child=serializers.DateTimeField()), **flags
    ),
    "json": serializers.JSONField,
    "binary": lambda **flags: serializers.JSONField(binary=True, **flags),
}

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-20, 20),
    st.integers(),
    st.floats(),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-999, max_value=999),
    st.decimals(),
    st.text(max_size=8),
    st.text("abc 1.-", max_size=6),
    st.sampled_from(["a", "2", "1.50", "-0.00", "12.3", "\0", "\ud800", " ab ", "", "  ", "a\nb"]),
    st.sampled_from(["x@example.com", "2026-01-02T03:04:05Z", "2026-01-02", "12:30", "12:30:00.5"]),
    st.sampled_from(["2026-01-02T03:04:05", "0001-01-01T00:00:00+14:00", "3 00:00:01", "::1"]),
    st.sampled_from(["http://example.com/a", "0b7a3f0e-6c1e-4c6e-9d5a-111111111111", "127.0.0.1"]),
    st.datetimes(timezones=st.sampled_from([None, datetime.UTC])),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.uuids(),
    st.lists(st.one_of(st.integers(-3, 3), st.text(max_size=2), st.none()), max_size=3),
    st.lists(st.lists(st.datetimes(timezones=st.just(datetime.UTC)) | st.none(), max_size=2)),
    st.dictionaries(st.text(max_size=2), st.one_of(st.text(max_size=2), st.none()), max_size=2),
)

WRITING_FLAGS = [
    {},
    {"required": False},
    {"allow_null": True},
    {"default": "a"},
    {"default": 1},
    {"default": lambda: "called"},
    {"default": None, "allow_null": True},
    {"source": "inner.deep"},
    {"required": False, "allow_null": True},
    {"source": "other", "allow_null": True},
    {"write_only": True},
]
READING_FLAGS = [
    {},
    {"required": False},
    {"allow_null": True},
    {"default": "a"},
    {"source": "inner.deep"},
    {"source": "inner.deep", "allow_null": True},
    {"read_only": True},
]

ZONES = ["UTC", "Europe/Berlin", "America/New_York"]


def outcome(call: Any, *arguments: Any) -> tuple[str, str]:
    """Return the result or error of a call, with types, so that 1 and True and 1.0 differ."""
    try:
        return "value", repr(call(*arguments))
    except serializers.ValidationError as error:
        return "refused", repr(error.get_full_details())
    except Exception as error:
        return type(error).__name__, str(error)


def make(fields: dict[str, Any], **attributes: Any) -> Any:
    cls = type("Generated", (serializers.Serializer,), {**fields, **attributes})
    # Hypothesis makes so many classes that they would wait for their second use.
    class_state(cls)
    return cls


def plain(serializer: Any) -> Any:
    """Return the same serializer on the plain path: touching ``fields`` may change them."""
    serializer.fields  # noqa: B018
    return serializer


def assert_same_writing(cls: Any, data: Any, **arguments: Any) -> None:
    generated = outcome(cls(**arguments).run_validation, data)
    assert generated == outcome(plain(cls(**arguments)).run_validation, data)


def assert_same_reading(cls: Any, instance: Any, **arguments: Any) -> None:
    generated = outcome(cls(**arguments).to_representation, instance)
    assert generated == outcome(plain(cls(**arguments)).to_representation, instance)


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("number", range(len(WRITING_FLAGS)))
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_writing(kind: str, number: int, data: Any) -> None:
    cls = make({"value": FIELDS[kind](**WRITING_FLAGS[number])})
    absent = {"other": 1}
    for row in [absent, *({"value": data.draw(VALUES)} for _ in range(5))]:
        assert_same_writing(cls, row)
        assert_same_writing(cls, row, partial=True)


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("number", range(len(READING_FLAGS)))
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_reading(kind: str, number: int, data: Any) -> None:
    cls = make({"value": FIELDS[kind](**READING_FLAGS[number])})
    with override_settings(TIME_ZONE=data.draw(st.sampled_from(ZONES))):
        for value in [data.draw(VALUES) for _ in range(5)]:
            inner = SimpleNamespace(deep=value)
            for instance in (
                SimpleNamespace(value=value, inner=inner),
                {"value": value, "inner": {"deep": value}},
                {"value": value, "inner": inner},
                UserDict(value=value, inner={"deep": value}),
                SimpleNamespace(value=lambda value=value: value, inner=None),
                SimpleNamespace(),
                {},
            ):
                assert_same_reading(cls, instance)


@pytest.mark.compiled
def test_writing_runs_the_generated_text() -> None:
    cls = make({"value": serializers.CharField()})
    cls().run_validation({"value": "a"})
    assert cls._lintel_state.compiled.writing.writers
    assert "type(value) is str" in cls._lintel_state.compiled.writing.text().source.text


@pytest.mark.compiled
def test_reading_runs_the_generated_text() -> None:
    cls = make({"value": serializers.CharField()})
    cls().to_representation(SimpleNamespace(value="a"))
    assert SimpleNamespace in cls._lintel_state.compiled.reading.readers


# ---- overrides ----


class Loud(serializers.CharField):
    def to_representation(self, value: Any) -> Any:
        return super().to_representation(value).upper()

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(data).upper()


class Elsewhere(serializers.CharField):
    def get_attribute(self, instance: Any) -> Any:
        if instance.value == "skip":
            raise serializers.SkipField
        return f"from {instance.value}"

    def get_value(self, dictionary: Any) -> Any:
        return dictionary.get("elsewhere", serializers.empty)


class MixedIn:
    def to_representation(self, value: Any) -> Any:
        return f"<{super().to_representation(value)}>"

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return [super().run_validation(data)]


class Mixed(MixedIn, serializers.CharField):
    pass


class Lenient(serializers.CharField):
    def validate_empty_values(self, data: Any) -> Any:
        return (True, "nothing") if data is None else super().validate_empty_values(data)


class Strict(serializers.CharField):
    def run_validators(self, value: Any) -> None:
        super().run_validators(value)
        if value == "a":
            raise serializers.ValidationError("never a", code="a")


class Computed(serializers.IntegerField):
    def get_default(self) -> Any:
        return 42


OVERRIDES = [Loud, Elsewhere, Mixed, Lenient, Strict, Computed]


@pytest.mark.parametrize("field", OVERRIDES)
@settings(max_examples=30, deadline=None)
@given(value=VALUES)
def test_overrides_in_classes(field: Any, value: Any) -> None:
    flags = {"default": 1} if field is Computed else {}
    cls = make({"value": field(**flags), "after": serializers.CharField(required=False)})
    for row in ({"value": value}, {"elsewhere": value}, {}, {"value": value, "after": value}):
        assert_same_writing(cls, row)
    assert_same_reading(cls, SimpleNamespace(value=value, after="b"))
    assert_same_reading(cls, SimpleNamespace(value="skip", after="b"))


def test_override_on_an_instance() -> None:
    cls = make({"value": serializers.CharField()})
    cls().to_representation(SimpleNamespace(value="a"))
    serializer = cls()
    serializer.fields["value"].to_representation = lambda value: "mine"
    serializer.fields["value"].to_internal_value = lambda data: "mine too"
    assert serializer.to_representation(SimpleNamespace(value="a")) == {"value": "mine"}
    assert serializer.run_validation({"value": "a"}) == {"value": "mine too"}


@pytest.mark.parametrize("owner", [serializers.CharField, serializers.Field])
@pytest.mark.parametrize("method", ["get_attribute", "get_value", "run_validation"])
def test_monkeypatch_after_the_first_use(
    owner: Any, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cls = make({"value": serializers.SlugField()})
    assert cls().run_validation({"value": "a"}) == {"value": "a"}
    assert cls().to_representation(SimpleNamespace(value="a")) == {"value": "a"}
    calls = []
    original = getattr(owner, method)

    def patched(self: Any, *arguments: Any) -> Any:
        calls.append(method)
        return original(self, *arguments)

    monkeypatch.setattr(owner, method, patched)
    assert cls().run_validation({"value": "a"}) == {"value": "a"}
    assert cls().to_representation(SimpleNamespace(value="a")) == {"value": "a"}
    assert calls
    monkeypatch.undo()
    calls.clear()
    assert cls().run_validation({"value": "a"}) == {"value": "a"}
    assert not calls


def test_a_decorator_that_copies_marks_is_an_override(monkeypatch: pytest.MonkeyPatch) -> None:
    import functools

    original = serializers.CharField.to_representation

    @functools.wraps(original)
    def loud(self: Any, value: Any) -> Any:
        return original(self, value).upper()

    cls = make({"value": serializers.CharField()})
    assert cls().to_representation({"value": "a"}) == {"value": "a"}
    monkeypatch.setattr(serializers.CharField, "to_representation", loud)
    assert cls().to_representation({"value": "a"}) == {"value": "A"}


def test_a_changed_class_is_seen() -> None:
    cls = make({"value": serializers.CharField()})
    assert cls().to_representation({"value": "a", "more": 1}) == {"value": "a"}
    cls._declared_fields["more"] = serializers.IntegerField()
    assert cls().to_representation({"value": "a", "more": 1}) == {"value": "a", "more": 1}
    cls.validate_more = lambda self, value: value + 1
    assert cls().run_validation({"value": "a", "more": 1}) == {"value": "a", "more": 2}


def test_a_changed_setting_is_seen() -> None:
    cls = make({"value": serializers.DateTimeField()})
    instance = {"value": datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)}
    assert cls().to_representation(instance) == {"value": "2026-01-02T00:00:00Z"}
    with override_settings(REST_FRAMEWORK={"DATETIME_FORMAT": "%d.%m.%Y"}):
        assert cls().to_representation(instance) == {"value": "02.01.2026"}
    assert cls().to_representation(instance) == {"value": "2026-01-02T00:00:00Z"}


# ---- hooks of serializers ----


class Hooked(serializers.Serializer):
    low = serializers.IntegerField()
    high = serializers.IntegerField(required=False)
    seen = serializers.SerializerMethodField()

    def get_seen(self, instance: Any) -> Any:
        instance.high = "changed on the way"
        return instance.low

    def validate_low(self, value: int) -> int:
        if value == 1:
            raise serializers.ValidationError(["one", "two"])
        if value == 2:
            raise DjangoValidationError("no", code="two")
        if value == 3:
            raise serializers.SkipField
        return value * 10


class Whole(Hooked):
    def validate(self, attrs: Any) -> Any:
        if attrs.get("low") == 40:
            raise serializers.ValidationError({"high": "x"})
        return {**attrs, "whole": True}


class Reshaped(Hooked):
    last = serializers.CharField(source="high", required=False, write_only=True)

    def to_representation(self, instance: Any) -> Any:
        return {"wrapped": super().to_representation(instance)}

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value({"low": 7, **data})


@pytest.mark.parametrize("cls", [Hooked, Whole, Reshaped])
@pytest.mark.parametrize("low", [0, 1, 2, 3, 4, "x", None])
@pytest.mark.parametrize("high", [{}, {"high": 5}, {"high": "x"}])
def test_hooks(cls: Any, low: Any, high: Any) -> None:
    assert_same_writing(cls, {"low": low, **high})
    assert_same_writing(cls, high)
    generated = cls().to_representation(SimpleNamespace(low=low and 1, high=2))
    assert generated == plain(cls()).to_representation(SimpleNamespace(low=low and 1, high=2))


def test_a_method_field_changes_what_later_fields_see() -> None:
    class Later(serializers.Serializer):
        before = serializers.ReadOnlyField(source="high")
        seen = serializers.SerializerMethodField()
        after = serializers.ReadOnlyField(source="high")

        get_seen = Hooked.get_seen

    instance = SimpleNamespace(low=1, high=2)
    expected = {"before": 2, "seen": 1, "after": "changed on the way"}
    assert Later().to_representation(instance) == expected


@pytest.mark.parametrize("name", ["fields", "_readable_fields", "_writable_fields"])
def test_overridden_views_of_the_fields(name: str) -> None:
    base = make({"a": serializers.CharField(), "b": serializers.CharField()})

    def chosen(self: Any) -> Any:
        found = getattr(super(cls, self), name)
        if name == "fields":
            return {key: field for key, field in found.items() if key == "a"}
        return [field for field in found if field.field_name == "a"]

    cls = type("Chosen", (base,), {name: property(chosen)})
    row = {"a": "1", "b": "2"}
    read, written = cls().to_representation(row), cls().run_validation(row)
    assert read == ({"a": "1"} if name != "_writable_fields" else row)
    assert written == ({"a": "1"} if name != "_readable_fields" else row)


def test_fields_that_change_in_init() -> None:
    class Dynamic(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.CharField()

        def __init__(self, *args: Any, only: Any = None, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            for name in set(self.fields) - set(only or self.fields):
                self.fields.pop(name)

    row = {"a": "1", "b": "2"}
    for _ in range(20):
        assert Dynamic([row] * 20, many=True, only=["a"]).data == [{"a": "1"}] * 20
        assert Dynamic([row] * 20, many=True, only=["b"]).data == [{"b": "2"}] * 20
        assert Dynamic(row).data == row


def test_self_nesting_ends() -> None:
    class Node(serializers.Serializer):
        name = serializers.CharField()

        def get_fields(self) -> Any:
            return {**super().get_fields(), "children": Node(many=True, required=False)}

    tree = {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}
    assert Node(tree).data == tree
    serializer = Node(data=tree)
    assert serializer.is_valid()
    assert serializer.validated_data == tree


# ---- nesting ----


class Point(serializers.Serializer):
    x = serializers.IntegerField()
    y = serializers.IntegerField(default=0)


class Line(serializers.Serializer):
    name = serializers.CharField(max_length=3)
    start = Point()
    end = Point(required=False, allow_null=True)
    points = Point(many=True, required=False, max_length=2)
    flat = Point(source="*", required=False)


for declared in (Hooked, Whole, Reshaped, Point, Line):
    class_state(declared)


POINTS = st.one_of(
    st.none(),
    st.integers(),
    st.dictionaries(st.sampled_from("xyz"), st.one_of(st.integers(), st.text(max_size=1))),
)


@settings(max_examples=200, deadline=None)
@given(
    row=st.fixed_dictionaries(
        {},
        optional={
            "name": st.text(max_size=4),
            "start": POINTS,
            "end": POINTS,
            "flat": POINTS,
            "points": st.one_of(st.none(), st.lists(POINTS, max_size=3)),
        },
    )
)
def test_nested_serializers(row: Any) -> None:
    assert_same_writing(Line, row)
    assert_same_writing(Line, row, partial=True)
    assert_same_reading(Line, row)
    assert_same_reading(Line, SimpleNamespace(**row))


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(POINTS, max_size=4))
def test_lists(rows: Any) -> None:
    many = Point(many=True)
    touched = Point(many=True)
    plain(touched.child)
    assert outcome(many.run_validation, rows) == outcome(touched.run_validation, rows)
    objects = [SimpleNamespace(**row) if isinstance(row, dict) else row for row in rows]
    assert outcome(many.to_representation, objects) == outcome(touched.to_representation, objects)


def test_html_input_takes_the_plain_path() -> None:
    serializer = Line(data=QueryDict("name=a&start.x=1&points[0]x=2"))
    assert serializer.is_valid()
    assert serializer.validated_data == {
        "name": "a",
        "start": {"x": 1, "y": 0},
        "points": [{"x": 2, "y": 0}],
    }


def test_defaults_are_not_shared_between_validations() -> None:
    cls = make({"tags": serializers.ListField(default=[])})
    first = cls().run_validation({})
    first["tags"].append("mine")
    assert cls().run_validation({}) == {"tags": []}


@pytest.mark.parametrize("value", [uuid.uuid4(), uuid.UUID(int=0)])
def test_uuid_text(value: uuid.UUID) -> None:
    assert make({"value": serializers.UUIDField()})().to_representation({"value": value}) == {
        "value": str(value)
    }


@pytest.mark.shortcuts
@pytest.mark.parametrize(
    ("value", "is_compiled"), [(True, True), ("always", True), (False, False), ("never", False)]
)
def test_a_setting_turns_compilation_off(value: object, is_compiled: bool) -> None:
    cls = type("Switched", (serializers.Serializer,), {"value": serializers.CharField()})
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": value}):
        assert cls({"value": "b"}).data == {"value": "b"}
    assert (cls._lintel_state is not None) == is_compiled


@pytest.mark.compiled
def test_classes_that_a_function_makes_again_and_again_wait_for_their_second_use() -> None:
    def make_class() -> Any:
        class Local(serializers.Serializer):
            value = serializers.CharField()

        return Local

    made = [make_class() for _ in range(10)]
    assert [cls({"value": "b"}).data for cls in made] == [{"value": "b"}] * 10
    assert [cls._lintel_state is not None for cls in made] == [True] * 8 + [False] * 2
    assert made[-1]({"value": "b"}).data == {"value": "b"}
    assert made[-1]._lintel_state is not None


NAMES = [
    *("class", "None", "@type", "a b", "ä", "ﬁ", "fi", "1st", "", "__debug__", "__x", "_"),
    *("instance", "serializer", "values", "errors", "data", "read", "reader", "check", "write"),
    *("id", "str", "type", "finish", "ABSENT", "empty", "state", "item", "zone", "x" * 300),
]


def test_any_name_of_a_field() -> None:
    cls = make({name: serializers.CharField() for name in NAMES if name})
    row = {name: f"value of {name}" for name in NAMES if name}
    assert cls().run_validation(row) == row
    assert cls().to_representation(row) == row
    instance = SimpleNamespace()
    instance.__dict__.update(row)
    assert cls().to_representation(instance) == row


# ---- attributes that are not there ----


class Optional:
    """An object that counts how often each property is read."""

    def __init__(self, **present: Any) -> None:
        self.__dict__.update(present)
        self.counts: dict[str, int] = {}

    def _read(self, name: str) -> str:
        self.counts[name] = self.counts.get(name, 0) + 1
        return name

    before = property(lambda self: self._read("before"))
    after = property(lambda self: self._read("after"))

    @property
    def failing(self) -> str:
        self._read("failing")
        raise AttributeError("no value")

    @property
    def no_row(self) -> str:
        self._read("no_row")
        raise ObjectDoesNotExist

    @property
    def mapping(self) -> Any:
        self._read("mapping")
        return {"deep": {"deeper": 1}}

    @property
    def method(self) -> Any:
        self._read("method")
        return lambda: {"deep": 2}


@pytest.mark.parametrize(
    ("flags", "absent"),
    [
        ({"required": False}, {}),
        ({"read_only": True}, {}),
        ({"default": "x"}, {"middle": "x"}),
        ({"allow_null": True}, {"middle": None}),
    ],
)
@pytest.mark.parametrize("source", ["missing", "failing", "failing.deep", "before.missing.deep"])
def test_a_missing_attribute_is_a_matter_of_its_field_alone(
    flags: Any, absent: Any, source: str
) -> None:
    class Sample(serializers.Serializer):
        before = serializers.CharField()
        middle = serializers.CharField(source=source, **flags)
        after = serializers.CharField()
        method = serializers.SerializerMethodField()

        def get_method(self, instance: Any) -> str:
            return instance._read("method")

    instance = Optional()
    for _ in range(2):
        instance.counts.clear()
        expected = {"before": "before", **absent, "after": "after", "method": "method"}
        assert Sample(instance).data == expected
        counted = {**instance.counts}
        assert counted.pop("before") == (2 if source.startswith("before") else 1)
        assert set(counted.values()) == {1}
    assert Sample([Optional(), Optional(middle=1)], many=True).data == [expected, expected]


def test_a_missing_attribute_of_a_required_field_is_named_once() -> None:
    class Sample(serializers.Serializer):
        before = serializers.CharField()
        failing = serializers.CharField()

    for _ in range(2):
        instance = Optional()
        with pytest.raises(AttributeError, match="for field `failing` on serializer `Sample`"):
            Sample(instance).data  # noqa: B018
        assert instance.counts == {"before": 1, "failing": 1}


@pytest.mark.parametrize(
    ("source", "expected"),
    [("mapping.deep.deeper", "1"), ("method.deep", "2"), ("no_row.deep", None)],
)
def test_steps_of_a_source_are_read_once(source: str, expected: Any) -> None:
    cls = type("Sample", (serializers.Serializer,), {"a": serializers.CharField(source=source)})
    for _ in range(2):
        instance = Optional()
        assert cls(instance).data == {"a": expected}
        assert set(instance.counts.values()) == {1}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("integer", 7),
        ("float", 1.5),
        ("boolean", True),
        ("decimal", "1.50"),
        ("date", "2020-01-02"),
        ("datetime", "2020-01-02T03:04:05Z"),
        ("time", "10:11"),
        ("uuid", "00000000-0000-0000-0000-000000000008"),
        ("list", [1]),
    ],
)
def test_patterns_are_asked_of_the_text_of_any_value(field: str, value: Any) -> None:

    def judge(pattern: str) -> Any:
        validators = [
            RegexValidator(pattern),
            ProhibitNullCharactersValidator(),
            ProhibitSurrogateCharactersValidator(),
        ]
        serializer = make({"a": FIELDS[field](validators=validators)})(data={"a": value})
        return serializer.errors if not serializer.is_valid() else serializer.validated_data["a"]

    text = str(judge(""))
    assert str(judge(f"^{re.escape(text)}$")) == text
    assert judge("^none$") == {"a": ["Enter a valid value."]}


def test_methods_are_not_asked_about_none() -> None:
    methods = {"get_name": lambda self, row: row["name"]}
    cls = make({"name": serializers.SerializerMethodField()}, **methods)
    assert cls([None, {"name": "a"}], many=True).data == [{"name": None}, {"name": "a"}]
    assert make({"rows": cls(many=True)})({"rows": [None]}).data == {"rows": [{"name": None}]}
