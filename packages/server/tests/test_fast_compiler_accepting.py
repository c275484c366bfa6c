"""Nested input in the text of the outermost serializer: the same as by serializers of its own."""

import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import MaxValueValidator
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st
from test_fast_compiler_equivalence import FIELDS, VALUES, WRITING_FLAGS, make, outcome

from lintel import serializers
from lintel.fast import explain
from lintel.fast.compiler import accepting

ABSENT = object()


def around(inner: Any, **flags: Any) -> Any:
    """Return a serializer with another one in the places that nested input may have."""
    return make(
        {
            "first": serializers.CharField(required=False),
            "one": inner(required=False, **flags),
            "items": inner(many=True, required=False, **flags),
            "deep": make({"one": inner(), "items": inner(many=True, required=False)})(
                many=True, required=False
            ),
            "last": serializers.IntegerField(default=3),
        }
    )


def plain(serializer: Any) -> Any:
    """Return the same serializer on the plain path, with all inside: ``fields`` may be changed."""
    if hasattr(serializer, "child"):
        plain(serializer.child)
    elif hasattr(serializer, "_declared_fields"):
        for field in serializer.fields.values():
            plain(field)
    return serializer


def assert_same(cls: Any, data: Any, **arguments: Any) -> None:
    found = outcome(cls(**arguments).run_validation, data)
    assert found == outcome(plain(cls(**arguments)).run_validation, data)


def places(inner: Any, **flags: Any) -> tuple[Any, Any]:
    return around(inner, **flags), make(
        {"items": inner(many=True, min_length=1, max_length=2, **flags)}
    )


def assert_same_in(places: tuple[Any, Any], rows: list[Any]) -> None:
    outer, limited = places
    for data in [
        *({"one": row, "unknown": 1} for row in rows),
        {"items": rows, "first": "a"},
        {"items": []},
        {"deep": [{"one": row, "items": rows} for row in rows], "last": "x"},
    ]:
        assert_same(outer, data)
        assert_same(outer, data, partial=True)
        assert_same(limited, data)


def assert_same_everywhere(inner: Any, rows: list[Any], **flags: Any) -> None:
    assert_same_in(places(inner, **flags), rows)


def refuse(value: Any, *_more: Any) -> Any:
    raise DjangoValidationError("refused")


def made(serializer: Any) -> set[str]:
    """Return the names of the fields that a serializer had to make."""
    return set(serializer._lintel_fields)


@pytest.mark.parametrize("kind", FIELDS)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_all_kinds(kind: str, data: Any) -> None:
    flags = data.draw(st.sampled_from(WRITING_FLAGS))
    inner = make({"value": FIELDS[kind](**flags), "rest": serializers.IntegerField(default=1)})
    values = st.one_of(st.just(ABSENT), VALUES)
    rows = [{} if (value := data.draw(values)) is ABSENT else {"value": value} for _ in range(3)]
    assert_same_everywhere(inner, rows)


@pytest.mark.parametrize("kind", FIELDS)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_lists_of_all_kinds(kind: str, data: Any) -> None:
    flags = data.draw(st.sampled_from([{}, {"allow_null": True}]))

    def list_of(**options: Any) -> Any:
        return serializers.ListField(child=FIELDS[kind](**flags), **options)

    limits = {"min_length": 1, "max_length": 2, "allow_empty": data.draw(st.booleans())}
    cls = make(
        {
            "usual": list_of(required=False),
            "limited": list_of(**limits, required=False, allow_null=True),
            "deep": serializers.ListField(child=list_of(), default=None, allow_null=True),
        }
    )
    items = data.draw(st.lists(VALUES, max_size=3))
    values = [items, items[:1], tuple(items), [], None, "text", {"0": 1}, [items], [[], items]]
    for name in ("usual", "limited", "deep"):
        for value in values:
            assert_same(cls, {name: value})


class Doubling(serializers.ListField):
    def run_child_validation(self, data: Any) -> Any:
        return super().run_child_validation(data) * 2


class Late(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(data) + 1


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (lambda: Doubling(child=serializers.IntegerField()), [1, 2, 1, 2]),
        (lambda: serializers.ListField(child=Late()), [2, 3]),
        (
            lambda: serializers.ListField(child=serializers.IntegerField(), validators=[refuse]),
            None,
        ),
        (lambda: serializers.ListField(child=serializers.IntegerField(validators=[refuse])), None),
        (lambda: serializers.ListField(child=serializers.IntegerField(read_only=True)), None),
    ],
)
def test_code_of_the_project_in_lists(field: Any, expected: Any) -> None:
    cls = make({"values": field()})
    assert_same(cls, {"values": [1, 2]})
    if expected:
        assert cls().run_validation({"values": [1, 2]}) == {"values": expected}


@pytest.mark.compiled
def test_a_valid_list_makes_no_field() -> None:
    tags = serializers.ListField(child=serializers.CharField(max_length=3), max_length=2)
    serializer = make({"tags": tags})(data={"tags": [" a ", "b"]})
    assert serializer.is_valid()
    assert serializer.validated_data == {"tags": ["a", "b"]}
    assert made(serializer) == set()
    values = ["a", "b"]
    assert serializer.run_validation({"tags": values})["tags"] is not values


DECIMALS = {
    limits: make({"value": serializers.DecimalField(*limits)})
    for limits in [(1, 0), (2, 1), (5, 2), (8, 2), (8, 0), (3, 3)]
}

TEXTS = st.one_of(
    st.text("0123456789.-+eE_ \n٣aNnIif", max_size=9),
    st.decimals(allow_nan=True, allow_infinity=True).map(str),
    st.decimals(min_value=-(10**8), max_value=10**8, places=2).map(str),
    st.sampled_from(["0e-2", "1e-2", "12e-2", "-0.00", "sNaN", "1e999999999", "1e-999999999"]),
    st.sampled_from(["9" * 5000, "0" * 900 + "1.00", "1.", ".5", "+1.00", " 1.00", "1_0.00"]),
)


@pytest.mark.parametrize(("digits", "places"), DECIMALS)
@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXTS, min_size=5, max_size=20))
def test_decimals(digits: int, places: int, texts: list[str]) -> None:
    cls = DECIMALS[digits, places]
    for text in texts:
        assert_same(cls, {"value": text})


ROWS = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=2),
    st.fixed_dictionaries(
        {"sku": st.text(min_size=1, max_size=3)},
        optional={
            "count": st.integers(0, 4) | st.booleans() | st.floats(),
            "day": st.sampled_from(["2026-01-02", "2026-02-30", "", "x"]) | st.none(),
            "unknown": st.none(),
        },
    ),
)


def item(**attributes: Any) -> Any:
    return make(
        {
            "sku": serializers.CharField(max_length=2),
            "count": serializers.IntegerField(min_value=1, required=False, source="more.count"),
            "day": serializers.DateField(allow_null=True, default=datetime.date(2026, 1, 1)),
            "shown": serializers.IntegerField(read_only=True, default=7),
        },
        **attributes,
    )


PLACES = [
    places(item(), **flags) for flags in ({}, {"allow_null": True}, {"source": "inside.deep"})
]


@pytest.mark.parametrize("number", range(len(PLACES)))
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(ROWS, max_size=3))
def test_rows(number: int, rows: list[Any]) -> None:
    assert_same_in(PLACES[number], rows)


GOOD = {"sku": " a ", "count": 2}


@pytest.mark.compiled
def test_valid_input_needs_no_serializer_of_its_own() -> None:
    serializer = around(item())(data={"one": GOOD, "items": [GOOD], "deep": [{"one": GOOD}]})
    assert serializer.is_valid()
    day = datetime.date(2026, 1, 1)
    expected = {"sku": "a", "more": {"count": 2}, "day": day}
    assert serializer.validated_data == {
        "one": expected,
        "items": [expected],
        "deep": [{"one": expected}],
        "last": 3,
    }
    assert made(serializer) == set()


@pytest.mark.compiled
def test_doubtful_input_makes_the_serializer_that_is_asked() -> None:
    serializer = around(item())(data={"one": GOOD, "items": [GOOD, {"sku": "a" * 9}]})
    assert not serializer.is_valid()
    assert made(serializer) == {"items"}
    assert "what is not certainly valid" in explain(type(serializer), ["writing"])


def upper(self: Any, value: Any) -> Any:
    return value.upper()


def counted(self: Any, attrs: Any) -> Any:
    return {**attrs, "seen": True}


def quiet(self: Any, data: Any = serializers.empty) -> Any:
    return "own"


class Counting(serializers.ListSerializer):
    def validate(self, attrs: Any) -> Any:
        return [*attrs, len(attrs)]


class Choosing(serializers.ListSerializer):
    def run_child_validation(self, data: Any) -> Any:
        return {"chosen": super().run_child_validation(data)}


class Checked(serializers.ListSerializer):
    default_validators = [refuse]


def meta(**attributes: Any) -> Any:
    return {"Meta": type("Meta", (), attributes)}


class Switched(type):
    @property
    def validators(cls) -> Any:
        return [refuse]


OWN: dict[str, Any] = {
    "hook": {"validate_sku": upper},
    "whole": {"validate": counted},
    "run_validation": {"run_validation": quiet},
    "to_internal_value": {"to_internal_value": quiet},
    "run_validators": {"run_validators": refuse},
    "validators": meta(validators=[refuse]),
    "validators of a metaclass": {"Meta": Switched("Meta", (), {})},
    "property": {"Meta": property(lambda self: type("Meta", (), {"validators": [refuse]}))},
    "list": meta(list_serializer_class=Counting),
    "items of a list": meta(list_serializer_class=Choosing),
    "validators of a list": meta(list_serializer_class=Checked),
    "unknown": meta(extra="forbid"),
}


@pytest.mark.parametrize("name", OWN)
def test_code_of_the_project_is_called(name: str) -> None:
    inner = item(**OWN[name])
    assert_same_everywhere(inner, [GOOD, {**GOOD, "other": 1}])
    data = {"items": [{**GOOD, "other": 1}]}
    usual = outcome(around(item())().run_validation, data)
    assert outcome(around(inner)().run_validation, data) != usual


@pytest.mark.parametrize("flags", [{"validators": [refuse]}, {"partial": True}])
def test_arguments_of_the_nested_serializer(flags: Any) -> None:
    assert_same_everywhere(item(), [GOOD, {}], **flags)


@pytest.mark.parametrize("name", ["hook", "whole", "run_validation", "to_internal_value"])
def test_code_of_the_project_that_comes_later(name: str) -> None:
    inner = item()
    outer = around(inner)
    data = {"one": GOOD, "items": [GOOD]}
    before = outcome(outer().run_validation, data)
    for attribute, value in OWN[name].items():
        setattr(inner, attribute, value)
    assert_same(outer, data)
    assert outcome(outer().run_validation, data) != before


def test_a_hook_that_was_switched_off_and_is_put_back() -> None:
    inner = item(validate_sku=None)
    outer = around(inner)
    assert outer().run_validation({"one": GOOD})["one"]["sku"] == "a"
    inner.validate_sku = upper
    assert outer().run_validation({"one": GOOD})["one"]["sku"] == "A"


@pytest.mark.parametrize("method", ["validate", "run_child_validation"])
def test_a_patch_of_the_list_is_seen(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = around(item())
    outer().run_validation({"items": [GOOD]})
    monkeypatch.setattr(serializers.ListSerializer, method, lambda self, value: ["patched"])
    assert_same(outer, {"items": [GOOD]})
    assert outer().run_validation({"items": [GOOD]})["items"] in (["patched"], [["patched"]])


def test_a_limit_of_the_projects_validator_is_seen() -> None:
    limit = MaxValueValidator(5)
    inner = make({"count": serializers.IntegerField(validators=[limit])})
    outer = around(inner)
    assert outer().run_validation({"one": {"count": 4}})["one"] == {"count": 4}
    limit.limit_value = 3
    assert_same(outer, {"one": {"count": 4}})
    assert outcome(outer().run_validation, {"one": {"count": 4}})[0] == "refused"


@pytest.mark.parametrize("extra", ["forbid", "report", "ignore"])
@pytest.mark.parametrize("place", ["setting", "root", "inner"])
def test_unknown_keys(extra: str, place: str) -> None:
    choice = meta(extra=extra)
    inner = item(**choice) if place == "inner" else item()
    outer = around(inner)
    outer = type("Outer", (outer,), choice if place == "root" else {})
    with override_settings(REST_FRAMEWORK={"EXTRA_INPUT": extra} if place == "setting" else {}):
        for data in ({"one": {**GOOD, "more": 1}}, {"items": [{**GOOD, "more": 1}], "x": 1}):
            assert_same(outer, data)


@pytest.mark.parametrize("flag", [{"COMPILE_SERIALIZERS": False}, {}])
def test_the_switch(flag: Any) -> None:
    data = {"items": [GOOD, GOOD], "one": {"sku": "a" * 9}}
    before = outcome(around(item())().run_validation, data)
    with override_settings(REST_FRAMEWORK=flag):
        assert outcome(around(item())().run_validation, data) == before


def test_containers_of_other_types_are_left_to_the_serializer() -> None:
    class Row(dict):  # type: ignore[type-arg]
        def get(self, key: Any, default: Any = None) -> Any:
            return "b" if key == "sku" else default

    outer = around(item())
    for data in ({"one": Row(sku="a")}, {"items": (GOOD,)}, {"items": [Row(sku="a")]}):
        assert_same(outer, data)
    assert outer().run_validation({"one": Row(sku="a")})["one"]["sku"] == "b"


def test_a_default_is_not_that_of_a_partial_update() -> None:
    outer = around(item())
    assert outer().run_validation({"one": {"sku": "a"}})["one"]["day"].year == 2026
    assert outer(partial=True).run_validation({"one": {"sku": "a"}})["one"] == {"sku": "a"}


def test_decimals_are_exact() -> None:
    inner = make({"value": serializers.DecimalField(30, 2)})
    text = "1234567890123456789012345678.12"
    assert inner().run_validation({"value": text})["value"] == Decimal(text)


@pytest.mark.compiled
def test_each_level_of_input_is_examined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    examined: list[str] = []
    own = accepting._is_accepted_inside

    def noted(trial: Any, plan: Any) -> bool:
        examined.append(plan.name)
        return own(trial, plan)

    monkeypatch.setattr(accepting, "_is_accepted_inside", noted)
    inside = serializers.IntegerField(), 1
    for _ in range(8):
        inside = serializers.ListField(child=inside[0]), [inside[1]]
    field, value = inside
    assert make({"value": field})().run_validation({"value": value}) == {"value": value}
    assert len(examined) == 8


def test_a_limit_of_a_validator_inside_a_list_is_seen() -> None:
    limit = MaxValueValidator(10)
    field = serializers.ListField(child=serializers.IntegerField(validators=[limit]))
    outer = make({"value": field})
    assert outer().run_validation({"value": [5]}) == {"value": [5]}
    limit.limit_value = 1
    with pytest.raises(serializers.ValidationError):
        outer().run_validation({"value": [5]})


@pytest.mark.parametrize("is_listed", [False, True])
def test_a_patch_of_a_validators_class_is_seen(
    is_listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    field = serializers.IntegerField(validators=[MaxValueValidator(10)])
    outer = make({"value": serializers.ListField(child=field) if is_listed else field})
    data = {"value": [5] if is_listed else 5}
    assert outer().run_validation(data) == data
    monkeypatch.setattr(MaxValueValidator, "compare", lambda self, value, limit: value > 1)
    with pytest.raises(serializers.ValidationError):
        outer().run_validation(data)
