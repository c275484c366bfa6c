"""Which input may be missing: ``partial`` of the outermost serializer, and of nested ones."""

from typing import Any

import pytest
from django.http import QueryDict

from lintel import serializers


class Line(serializers.Serializer):
    sku = serializers.CharField()
    count = serializers.IntegerField(default=1)
    gift = serializers.BooleanField(required=False)
    choices = serializers.MultipleChoiceField(choices=["a", "b"], required=False)


class Order(serializers.Serializer):
    note = serializers.CharField()
    first = Line(partial=True)
    lines = Line(many=True, partial=True, required=False)
    strict = Line(required=False)


def outcomes(cls: Any, data: Any, **arguments: Any) -> Any:
    """Validated data or errors, on the plain path and in generated text."""
    found = []
    for number in range(4):
        serializer = cls(data=data, **arguments)
        if number == 3:
            _ = getattr(serializer, "child", serializer).fields
        found.append(serializer.validated_data if serializer.is_valid() else serializer.errors)
    assert all(one == found[0] for one in found)
    return found[0]


def test_a_nested_serializer_may_be_partial_by_itself() -> None:
    data = {"note": "a", "first": {}, "lines": [{"count": 2}, {"sku": "b"}]}
    assert outcomes(Order, data) == data


def test_the_others_are_complete() -> None:
    data = {"note": "a", "first": {}, "strict": {}}
    assert outcomes(Order, data) == {"strict": {"sku": ["This field is required."]}}


def test_the_partial_serializer_itself_is_required_as_before() -> None:
    assert outcomes(Order, {"note": "a"}) == {"first": ["This field is required."]}


def test_a_partial_root_is_partial_everywhere() -> None:
    assert outcomes(Order, {"strict": {}}, partial=True) == {"strict": {}}
    assert outcomes(Order, [{}, {"strict": {"count": 3}}], many=True, partial=True) == [
        {},
        {"strict": {"count": 3}},
    ]


def test_the_child_of_a_list_may_be_partial() -> None:
    def make(**arguments: Any) -> Any:
        return serializers.ListSerializer(child=Line(partial=True), **arguments)

    assert outcomes(make, [{}, {"count": 2}]) == [{}, {"count": 2}]


def test_a_partial_serializer_inside_a_list_field() -> None:
    class Holder(serializers.Serializer):
        lines = serializers.ListField(child=Line(partial=True))

    assert outcomes(Holder, {"lines": [{"count": 2}]}) == {"lines": [{"count": 2}]}


@pytest.mark.parametrize(("form", "expected"), [("note=a&first.count=2", {"count": 2})])
def test_forms_do_not_uncheck_what_a_partial_part_leaves_out(form: str, expected: Any) -> None:
    assert outcomes(Order, QueryDict(form)) == {"note": "a", "first": expected}


class WholeInside(serializers.Serializer):
    note = serializers.CharField()
    whole = Line(partial=False, required=False)
    lines = Line(many=True, partial=False, required=False)
    usual = Line(partial=None, required=False)


def test_a_part_may_be_whole_inside_a_partial_serializer() -> None:
    data = {"whole": {"count": 1}, "lines": [{"sku": "a"}, {}], "usual": {"count": 2}}
    required = {"sku": ["This field is required."]}
    assert outcomes(WholeInside, data, partial=True) == {"whole": required, "lines": {1: required}}


def test_a_whole_part_has_its_defaults_and_may_be_left_out() -> None:
    assert outcomes(WholeInside, {}, partial=True) == {}
    found = outcomes(WholeInside, {"whole": {"sku": "a"}}, partial=True)
    assert found == {"whole": {"sku": "a", "count": 1}}


def test_a_part_that_says_nothing_follows_the_outer_one() -> None:
    assert outcomes(WholeInside, {"usual": {}}, partial=True) == {"usual": {}}
    assert outcomes(WholeInside, {"note": "a", "usual": {}}) == {
        "usual": {"sku": ["This field is required."]}
    }


def test_a_partial_part_inside_a_whole_one() -> None:
    class Inner(serializers.Serializer):
        line = Line(partial=True)
        other = Line(required=False)

    class Outer(serializers.Serializer):
        inner = Inner(partial=False)

    data = {"inner": {"line": {}, "other": {}}}
    assert outcomes(Outer, data, partial=True) == {
        "inner": {"other": {"sku": ["This field is required."]}}
    }
