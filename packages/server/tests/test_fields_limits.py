"""Options that are assigned to a field after it was made: which take effect, as DRF 3.18 shows.

Limits are validators by then, and stay as they were; what the conversion itself reads counts.
"""

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import override_settings

from lintel import serializers

DAYS = datetime.timedelta


class Part(serializers.Serializer):
    number = serializers.IntegerField()


MAKERS: dict[str, Any] = {
    "integer": lambda: serializers.IntegerField(max_value=10, min_value=2),
    "big": lambda: serializers.BigIntegerField(max_value=10, min_value=2),
    "float": lambda: serializers.FloatField(max_value=10, min_value=2),
    "decimal": lambda: serializers.DecimalField(5, 2, max_value=Decimal(100), min_value=Decimal(2)),
    "char": lambda: serializers.CharField(max_length=5, min_length=2),
    "slug": serializers.SlugField,
    "regex": lambda: serializers.RegexField("^a+$"),
    "ip": serializers.IPAddressField,
    "choice": lambda: serializers.ChoiceField(["a"]),
    "choices": lambda: serializers.MultipleChoiceField(choices=["a"]),
    "boolean": serializers.BooleanField,
    "date": serializers.DateField,
    "duration": lambda: serializers.DurationField(max_value=DAYS(5), min_value=DAYS(2)),
    "list": lambda: serializers.ListField(
        child=serializers.IntegerField(max_value=9), max_length=3, min_length=1
    ),
    "part": lambda: Part(many=True, max_length=3, min_length=1),
}
PARTS = [{"number": 1}, {"number": 2}]

#: Field, option, value, input, and whether the input is valid then. All are valid before, or not.
IGNORED: list[tuple[str, str, Any, Any, bool]] = [
    ("integer", "max_value", 5, 7, True),
    ("integer", "max_value", None, 50, False),
    ("integer", "min_value", 4, 3, True),
    ("big", "max_value", 5, 7, True),
    ("big", "min_value", None, 1, False),
    ("float", "max_value", 5, 7.5, True),
    ("float", "min_value", 4, 3.5, True),
    ("decimal", "max_value", Decimal(5), "7.25", True),
    ("decimal", "min_value", None, "1.00", False),
    ("char", "max_length", 3, "abcd", True),
    ("char", "max_length", 9, "abcdefg", False),
    ("char", "min_length", 4, "abc", True),
    ("slug", "allow_unicode", True, "ä", False),
    ("regex", "regex", "^b+$", "b", False),
    ("duration", "max_value", DAYS(3), "4 00:00:00", True),
    ("duration", "min_value", None, "1 00:00:00", False),
    ("list", "max_length", 1, [1, 2], True),
    ("list", "min_length", 2, [1], True),
    ("list", "child.max_value", 2, [5], True),
]
TAKEN: list[tuple[str, str, Any, Any, bool]] = [
    ("integer", "MAX_STRING_LENGTH", 2, "007", False),
    ("float", "MAX_STRING_LENGTH", 2, "3.5", False),
    ("decimal", "max_digits", 2, "3.00", False),
    ("decimal", "decimal_places", 1, "3.00", False),
    ("decimal", "decimal_places", 3, "3.123", True),
    ("decimal", "max_whole_digits", 1, "50.00", False),
    ("decimal", "MAX_STRING_LENGTH", 2, "3.00", False),
    ("char", "allow_blank", True, "", True),
    ("char", "trim_whitespace", False, "  abcd  ", False),
    ("char", "allow_null", True, None, True),
    ("ip", "protocol", "ipv4", "::ffff:1.2.3.4", True),
    ("choice", "choices", ["b"], "a", False),
    ("choice", "choices", ["b"], "b", True),
    ("choice", "allow_blank", True, "", True),
    ("choices", "allow_empty", False, [], False),
    ("boolean", "TRUE_VALUES", {"ja"}, "ja", True),
    ("boolean", "TRUE_VALUES", {"ja"}, True, False),
    ("boolean", "FALSE_VALUES", {"nein"}, False, False),
    ("date", "input_formats", ["%Y"], "2020", True),
    ("list", "allow_empty", False, [], False),
    ("list", "child.allow_null", True, [None], True),
    ("part", "max_length", 1, PARTS, False),
    ("part", "min_length", 3, PARTS, False),
    ("part", "allow_empty", False, [], False),
]


def validity(kind: str, data: Any, change: Callable[[Any], None] | None = None) -> list[bool]:
    """Return whether input is valid for a new class, alone and in a list, at each of three uses."""
    cls: Any = type("Limited", (serializers.Serializer,), {"value": MAKERS[kind]()})
    found = []
    for _ in range(3):
        one, many = cls(data={"value": data}), cls(data=[{"value": data}], many=True)
        if change is not None:
            change(one.fields["value"])
            change(many.child.fields["value"])
        found += [bool(one.is_valid()), bool(many.is_valid())]
    return found


def changing(option: str, value: Any) -> Callable[[Any], None]:
    *path, name = option.split(".")

    def change(field: Any) -> None:
        for step in path:
            field = getattr(field, step)
        setattr(field, name, value)

    return change


@pytest.mark.parametrize("setting", [True, False])
@pytest.mark.parametrize(("kind", "option", "value", "data", "valid"), IGNORED + TAKEN)
def test_an_option_that_is_assigned_later(
    kind: str, option: str, value: Any, data: Any, valid: bool, setting: bool
) -> None:
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": setting}):
        assert validity(kind, data, changing(option, value)) == [valid] * 6
        is_ignored = (kind, option, value, data, valid) in IGNORED
        assert not is_ignored or validity(kind, data) == [valid] * 6


def test_the_message_names_the_limit_that_counts() -> None:
    class Limited(serializers.Serializer):
        number = serializers.IntegerField(max_value=10)

    serializer = Limited(data={"number": 50})
    serializer.fields["number"].max_value = 5
    assert not serializer.is_valid()
    message = "Ensure this value is less than or equal to 10."
    assert serializer.errors == {"number": [message]}
