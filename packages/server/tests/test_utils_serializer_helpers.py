"""Returned data, bound fields, the binding dictionary."""

import copy
import pickle
from typing import Any

import pytest
from django.http import QueryDict

from lintel import fields, serializers
from lintel.utils.serializer_helpers import (
    BindingDict,
    BoundField,
    JSONBoundField,
    NestedBoundField,
    ReturnDict,
    ReturnList,
)


class Point(serializers.Serializer):
    x = fields.IntegerField()
    extra = fields.JSONField()


class Line(serializers.Serializer):
    name = fields.CharField()
    start = Point()
    data = fields.JSONField(required=False)
    flag = fields.BooleanField(required=False)


def test_data_knows_its_serializer() -> None:
    marker = object()
    data = ReturnDict({"a": 1}, serializer=marker)
    for other in (data.copy(), data | {"b": 2}, {"b": 2} | data):
        assert isinstance(other, ReturnDict)
        assert other.serializer is marker
    assert data | {"b": 2} == {"a": 1, "b": 2}
    assert {"a": 2} | data == {"a": 1}
    assert repr(data) == "{'a': 1}"
    items = ReturnList([1], serializer=marker)
    assert items.serializer is marker
    assert repr(items) == "[1]"


@pytest.mark.parametrize(
    "data", [ReturnDict({"a": 1}, serializer=1), ReturnList([1], serializer=1)]
)
def test_data_is_plain_elsewhere(data: Any) -> None:
    plain = pickle.loads(pickle.dumps(data))
    assert plain == data
    assert type(plain) in (dict, list)


def test_data_without_a_serializer() -> None:
    with pytest.raises(KeyError, match="serializer"):
        ReturnDict({})
    with pytest.raises(TypeError):
        ReturnDict({}, serializer=1) | 5  # type: ignore[operator]


def test_bound_fields_of_input() -> None:
    line = Line(data={"name": "", "start": {"x": "n"}, "data": {"k": [1]}})
    line.is_valid()
    assert isinstance(line["name"], BoundField)
    assert line["name"].errors == ["This field may not be blank."]
    assert (line["name"].label, line["name"].value) == ("Name", "")
    inside = list(line["start"])
    assert [(field.name, field.value) for field in inside] == [
        ("start.x", "n"),
        ("start.extra", None),
    ]
    assert inside[0].errors == ["A valid integer is required."]
    assert isinstance(inside[1], JSONBoundField)
    assert isinstance(line["data"], JSONBoundField)


@pytest.mark.parametrize("given", [None, "text", [1]])
def test_nested_bound_field_without_a_mapping(given: Any) -> None:
    line = Line(data={"name": "n", "start": given})
    line.is_valid()
    assert line["start"].value == {}
    assert [field.errors for field in line["start"]] == [None, None]


def test_values_in_a_form() -> None:
    name = Line().fields["name"]
    shown = [BoundField(name, value, None).as_form_field().value for value in (None, False, 0, "a")]
    assert shown == ["", "", 0, "a"]
    nested = NestedBoundField(Line().fields["start"], {"x": None, "extra": [None], "y": 1.5}, None)
    assert nested.as_form_field().value == {"x": "", "extra": [None], "y": "1.5"}
    assert nested["x"].name == "start.x"


def test_json_in_a_form() -> None:
    field = Line().fields["data"]
    assert JSONBoundField(field, {"b": 1, "a": []}, None).as_form_field().value == (
        '{\n    "a": [],\n    "b": 1\n}'
    )
    marker = object()
    assert JSONBoundField(field, marker, None).as_form_field().value is marker
    typed = field.get_value(QueryDict("data={half"))
    assert JSONBoundField(field, typed, ["bad"]).as_form_field().value == "{half"


def test_bound_field_passes_names_on_to_its_field() -> None:
    bound = Line()["name"]
    assert bound.max_length is None
    assert bound._proxy_class is fields.CharField
    assert repr(bound) == "<BoundField value= errors=None>"
    with pytest.raises(AttributeError, match="nothing"):
        bound.nothing  # noqa: B018 - reading is what is tested
    assert copy.copy(bound).name == "name"


def test_binding_dictionary_binds_what_is_put_in() -> None:
    line = Line()
    bindings = BindingDict(line)
    bindings["n"] = field = fields.CharField()
    assert (field.field_name, field.parent) == ("n", line)
    assert (list(bindings), len(bindings)) == (["n"], 1)
    assert repr(bindings) == "{'n': CharField()}"
    del bindings["n"]
    assert not bindings
