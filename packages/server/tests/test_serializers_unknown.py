from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import QueryDict
from django.test import override_settings

from lintel import serializers
from lintel.serializers.unknown import MAX_KEY_LENGTH, MAX_NAMED


class Tag(serializers.Serializer):
    name = serializers.CharField()


class Item(serializers.Serializer):
    sku = serializers.CharField()
    tags = Tag(many=True, required=False)


class Order(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    note = serializers.CharField(required=False)
    owner = serializers.HiddenField(default="someone")
    buyer = Tag(required=False)
    items = Item(many=True, required=False)
    numbers = serializers.ListField(child=serializers.IntegerField(), required=False)
    extras = serializers.DictField(required=False)

    class Meta:
        extra = "forbid"


def codes(cls: Any, data: Any, **arguments: Any) -> Any:
    """The codes of all errors; the same on the plain path and in generated text."""
    found = []
    for _ in range(3):
        serializer = cls(data=data, **arguments)
        found.append({} if serializer.is_valid() else details(serializer))
    plain = cls(data=data, **arguments)
    _ = getattr(plain, "child", plain).fields
    found.append({} if plain.is_valid() else details(plain))
    assert all(one == found[0] for one in found)
    return found[0]


def details(serializer: Any) -> Any:
    return serializers.ValidationError(serializer.errors).get_codes()


def test_unknown_keys_are_ignored_by_default() -> None:
    assert codes(Item, {"sku": "a", "colour": "red"}) == {}


def test_unknown_keys_are_errors_by_key() -> None:
    assert codes(Order, {"colour": "red", "note": [], "size": 1}) == {
        "note": ["invalid"],
        "colour": ["unknown"],
        "size": ["unknown"],
    }
    serializer = Order(data={"colour": "red"})
    assert not serializer.is_valid()
    assert serializer.errors == {"colour": ["This field is not known."]}


def test_what_a_client_was_shown_may_come_back() -> None:
    assert codes(Order, {"id": 3, "note": "a"}) == {}
    assert codes(Order, {"owner": "me"}) == {"owner": ["unknown"]}


def test_nested_serializers_follow_the_one_around_them() -> None:
    data = {
        "buyer": {"name": "a", "x": 1},
        "items": [{"sku": "a"}, {"sku": "b", "tags": [{"y": 1}]}],
    }
    assert codes(Order, data) == {
        "buyer": {"x": ["unknown"]},
        "items": {1: {"tags": {0: {"name": ["required"], "y": ["unknown"]}}}},
    }


def test_nested_serializers_may_say_otherwise() -> None:
    class Open(serializers.Serializer):
        name = serializers.CharField()

        class Meta:
            extra = "ignore"

    class Closed(serializers.Serializer):
        inner = Open()

        class Meta:
            extra = "forbid"

    assert codes(Closed, {"inner": {"name": "a", "b": 1}}) == {}
    assert codes(Closed, {"inner": {"name": "a"}, "b": 1}) == {"b": ["unknown"]}


def test_lists_and_partial_updates() -> None:
    data = [{"note": "a"}, {"b": 1}]
    assert codes(Order, data, many=True) == {1: {"b": ["unknown"]}}
    assert codes(Order, {"b": 1}, partial=True) == {"b": ["unknown"]}


def test_removed_fields_are_unknown() -> None:
    serializer = Order(data={"note": "a"})
    serializer.fields.pop("note")
    assert not serializer.is_valid()
    assert details(serializer) == {"note": ["unknown"]}


def test_the_setting_is_for_all(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"EXTRA_INPUT": "forbid"}
    assert codes(Item, {"sku": "a", "tags": [{"name": "b", "c": 1}]}) == {
        "tags": {0: {"c": ["unknown"]}}
    }


def test_forms() -> None:
    form = QueryDict(
        "note=a&csrfmiddlewaretoken=t&buyer.name=b&items[0]sku=c&numbers=1&numbers=2&extras.k=v"
    )
    assert codes(Order, form) == {}
    form = QueryDict(
        "colour=a&note.x=1&buyer.name=b&buyer.y=c&items[0]sku=c&items[0]z=d&numbers[0]=1"
    )
    assert codes(Order, form) == {
        "buyer": {"y": ["unknown"]},
        "items": {0: {"z": ["unknown"]}},
        "colour": ["unknown"],
        "note.x": ["unknown"],
    }


def test_many_unknown_keys_are_counted() -> None:
    data: dict[Any, Any] = {f"key{number}": number for number in range(100_000)}
    data[7] = "no text"
    data["k" * (MAX_KEY_LENGTH + 1)] = "long"
    serializer = Order(data=data)
    assert not serializer.is_valid()
    assert len(serializer.errors) == MAX_NAMED + 1
    more = serializer.errors["non_field_errors"]
    assert more == ["99902 more fields are not known."]
    assert more[0].code == "unknown"


def test_the_message_may_be_replaced() -> None:
    class Own(Item):
        default_error_messages = {"unknown": "What is this?"}

        class Meta:
            extra = "forbid"

    serializer = Own(data={"sku": "a", "b": 1})
    assert not serializer.is_valid()
    assert serializer.errors == {"b": ["What is this?"]}


def test_other_words_are_refused() -> None:
    class Wrong(Item):
        class Meta:
            extra = "forbidden"

    with pytest.raises(ImproperlyConfigured, match=r"Wrong\.Meta\.extra is 'forbidden'"):
        Wrong(data={}).is_valid()


@pytest.mark.parametrize("is_form", [False, True])
def test_a_trial_takes_the_input_as_before_and_logs_the_names(caplog: Any, is_form: bool) -> None:
    given: Any = {"sku": "a", "colour": "red"}
    with override_settings(REST_FRAMEWORK={"EXTRA_INPUT": "report"}):
        for _ in range(3):
            serializer = Item(data=QueryDict("sku=a&colour=red") if is_form else given)
            assert serializer.is_valid()
            assert serializer.validated_data == {"sku": "a"}
        nested = Item(data={"sku": "a", "tags": [{"name": "x", "size": 1}]})
        assert nested.is_valid()
    said = [record.getMessage() for record in caplog.records]
    assert said[:3] == [f"Unknown keys in the input of {__name__}.Item: 'colour'"] * 3
    assert said[3:] == [f"Unknown keys in the input of {__name__}.Tag: 'size'"]
    assert codes(Item, given) == {}


def test_one_serializer_may_be_tried_and_a_stricter_setting_follows(caplog: Any) -> None:
    class Tried(Item):
        class Meta:
            extra = "report"

    with override_settings(REST_FRAMEWORK={"EXTRA_INPUT": "forbid"}):
        assert codes(Tried, {"sku": "a", "colour": "red"}) == {}
        assert codes(Item, {"sku": "a", "colour": "red"}) == {"colour": ["unknown"]}
    assert len(caplog.records) == 4
