"""Lists of serializers: ``many=True``."""

from types import SimpleNamespace
from typing import Any

import pytest
from contract_project import fixtures
from contract_project.models import Tag
from django.db import connection
from django.http import QueryDict
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from lintel import serializers
from lintel.deprecation import RemovedInDRF320Warning
from lintel.utils.serializer_helpers import ReturnDict, ReturnList


class Point(serializers.Serializer):
    x = serializers.IntegerField()
    y = serializers.IntegerField(default=0)

    def create(self, validated_data: Any) -> Any:
        return SimpleNamespace(**validated_data)


def errors(serializer: Any) -> Any:
    assert not serializer.is_valid()
    return serializer.errors


def test_reading() -> None:
    data = Point([{"x": "1", "y": 2}, SimpleNamespace(x=3, y=None)], many=True).data
    assert isinstance(data, ReturnList)
    assert data == [{"x": 1, "y": 2}, {"x": 3, "y": None}]
    assert Point((SimpleNamespace(x=n, y=n) for n in range(2)), many=True).data[1] == {
        "x": 1,
        "y": 1,
    }
    assert Point(many=True).data == []


def test_writing_and_saving() -> None:
    serializer = Point(data=[{"x": "1"}, {"x": 2}], many=True)
    assert serializer.is_valid()
    assert serializer.validated_data == [{"x": 1, "y": 0}, {"x": 2, "y": 0}]
    assert serializer.data == serializer.validated_data
    assert [vars(one) for one in serializer.save(z=1)] == [
        {"x": 1, "y": 0, "z": 1},
        {"x": 2, "y": 0, "z": 1},
    ]


def test_errors_by_position() -> None:
    serializer = Point(data=[{"x": 1}, {}, 5, None], many=True)
    found = errors(serializer)
    assert isinstance(found, ReturnDict)
    assert found == {
        1: {"x": ["This field is required."]},
        2: {"non_field_errors": ["Invalid data. Expected a dictionary, but got int."]},
        3: ["This field may not be null."],
    }
    assert serializer.validated_data == []
    assert serializer.data == [{"x": 1}, {}, 5, None]


def test_invalid_input_is_represented_where_it_can_be() -> None:
    serializer = Point(
        data=[{"x": "1", "y": "2", "z": 3}, {"x": "4", "y": "5"}], many=True, max_length=1
    )
    assert errors(serializer)
    assert serializer.data == [{"x": 1, "y": 2}, {"x": 4, "y": 5}]


def test_errors_as_a_list() -> None:
    with (
        override_settings(REST_FRAMEWORK={"LIST_SERIALIZER_ERRORS_AS_DICT": False}),
        pytest.warns(RemovedInDRF320Warning, match="^The list-based error format for") as warned,
    ):
        found = errors(Point(data=[{"x": 1}, {}], many=True))
    assert len(warned) == 1
    assert isinstance(found, ReturnList)
    assert found == [{}, {"x": ["This field is required."]}]


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        ({}, {}, 'Expected a list of items but got type "dict".'),
        ({}, None, "No data provided"),
        ({"allow_empty": False}, [], "This list may not be empty."),
        ({"min_length": 2}, [{"x": 1}], "Ensure this field has at least 2 elements."),
        ({"max_length": 1}, [{"x": 1}] * 2, "Ensure this field has no more than 1 elements."),
    ],
)
def test_errors_of_the_whole(arguments: Any, data: Any, message: str) -> None:
    assert errors(Point(data=data, many=True, **arguments)) == {"non_field_errors": [message]}


def test_partial_lists_may_be_left_out_of_forms() -> None:
    class Path(serializers.Serializer):
        points = Point(many=True, allow_empty=False, partial=True)

    serializer = Path(data={"points": []})
    assert serializer.is_valid()
    assert serializer.validated_data == {}


def test_form_input() -> None:
    serializer = Point(data=QueryDict("[0]x=1&[1]x=2"), many=True)
    assert serializer.is_valid()
    assert [row["x"] for row in serializer.validated_data] == [1, 2]


def test_own_list_class() -> None:
    class Wrapping(serializers.ListSerializer):
        def to_representation(self, data: Any) -> Any:
            return [{"wrapped": super().to_representation(data)}]

        def run_child_validation(self, data: Any) -> Any:
            return self.child.run_validation({"x": 9, **data})

        def validate(self, attrs: Any) -> Any:
            if len(attrs) > 1:
                raise serializers.ValidationError("too many", code="many")
            return attrs

    class Wrapped(Point):
        class Meta:
            list_serializer_class = Wrapping

    assert Wrapped([{"x": 1, "y": 1}], many=True).data == [{"wrapped": [{"x": 1, "y": 1}]}]
    serializer = Wrapped(data=[{}], many=True)
    assert serializer.is_valid()
    assert serializer.validated_data == [{"x": 9, "y": 0}]
    assert errors(Wrapped(data=[{}, {}], many=True)) == {"non_field_errors": ["too many"]}


def test_arguments_go_to_list_and_child() -> None:
    many = Point(many=True, label="l", max_length=3, context={"a": 1}, partial=True)
    assert (many.label, many.max_length, many.partial, many.child.partial) == ("l", 3, True, True)
    assert many.child.context == {"a": 1}
    assert many.child.parent is many


def test_any_field_may_be_the_child() -> None:
    numbers = serializers.ListSerializer(child=serializers.IntegerField(), data=["1", "z"])
    assert errors(numbers) == {1: ["A valid integer is required."]}


def test_validators_of_items_run_for_each_item() -> None:
    def refuse(attrs: Any) -> None:
        if attrs["x"] == 2:
            raise serializers.ValidationError("two")

    found = errors(Point(data=[{"x": 1}, {"x": 2}], many=True, validators=[refuse]))
    assert found == {1: {"non_field_errors": ["two"]}}


def test_update_is_not_defined() -> None:
    serializer = Point([], data=[], many=True)
    serializer.is_valid()
    with pytest.raises(NotImplementedError, match="multiple update"):
        serializer.save()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({}, "`child` is a required argument"), ({"child": Point}, "has not been instantiated")],
)
def test_misuse(arguments: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        serializers.ListSerializer(**arguments)


def test_save_refuses_commit() -> None:
    serializer = Point(data=[], many=True)
    serializer.is_valid()
    with pytest.raises(AssertionError, match="'commit' is not a valid"):
        serializer.save(commit=False)


@pytest.mark.fast_way
@pytest.mark.django_db
def test_related_rows_are_looked_up_together() -> None:
    fixtures.load()

    class Labelled(serializers.Serializer):
        tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())

    rows = [{"tag": tag.pk} for tag in Tag.objects.all()]
    serializer = Labelled(data=rows, many=True)
    with CaptureQueriesContext(connection) as captured:
        assert serializer.is_valid()
    assert len(captured) == 1
    assert [row["tag"].pk for row in serializer.validated_data] == [row["tag"] for row in rows]
