"""Number fields: what the contract does not hold."""

import decimal
from decimal import Decimal
from typing import Any

import pytest
from django.test import override_settings
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from lintel import fields
from lintel.exceptions import ValidationError
from lintel.fields.numbers import DecimalField, digit_counts


def codes(field: fields.Field, value: Any) -> Any:
    with pytest.raises(ValidationError) as caught:
        field.run_validation(value)
    return caught.value.get_codes()


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("0", (1, 1, 0)),
        ("0.05", (2, 0, 2)),
        ("12.30", (4, 2, 2)),
        ("1E+2", (3, 3, 0)),
        ("1E-5", (5, 0, 5)),
        ("-99", (2, 2, 0)),
    ],
)
def test_digits_of_a_decimal(text: str, counts: tuple[int, int, int]) -> None:
    assert digit_counts(Decimal(text)) == counts


def test_digits_of_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="not finite"):
        digit_counts(Decimal("NaN"))


@given(st.decimals(min_value=-(10**6), max_value=10**6, places=3))
def test_digits_are_those_of_the_written_number(value: Decimal) -> None:
    whole, _, fraction = f"{abs(value):f}".partition(".")
    counts = digit_counts(value)
    assert counts.decimals == len(fraction)
    assert counts.whole == len(whole.lstrip("0")) or counts.whole <= len(whole)
    assert counts.total == counts.whole + counts.decimals


def test_quantized_needs_no_limit_of_digits() -> None:
    value = Decimal("1e40") + Decimal("0.125")
    assert DecimalField(None, 2).quantize(Decimal("1e40")) == Decimal("1e40")
    field = DecimalField(None, 2, rounding=decimal.ROUND_UP)
    assert field.to_representation(Decimal("1.005")) == "1.01"
    assert DecimalField(None, 1).quantize(value).as_tuple().exponent == -1
    with pytest.raises(decimal.InvalidOperation):
        DecimalField(4, 2).quantize(Decimal("123.45"))


@pytest.mark.parametrize("options", [{}, {"decimal_places": 2}, {"localize": True}])
def test_numbers_that_take_too_long_to_write_are_refused(options: dict[str, Any]) -> None:
    field = fields.DecimalField(**{"max_digits": None, "decimal_places": None, **options})
    assert codes(field, "1e999999") == ["max_string_length"]
    assert codes(field, Decimal("1e5000")) == ["max_string_length"]


def test_limit_of_text_may_be_set_on_a_subclass() -> None:
    class Short(fields.IntegerField):
        MAX_STRING_LENGTH = 3

    assert Short().run_validation("123") == 123
    assert codes(Short(), "1234") == ["max_string_length"]


@pytest.mark.parametrize("bound", ["1", 1.5])
def test_bounds_of_decimals_should_be_exact(bound: Any) -> None:
    with pytest.warns(UserWarning, match="max_value should be an integer or Decimal instance"):
        fields.DecimalField(5, 2, max_value=bound)


def test_unknown_rounding() -> None:
    with pytest.raises(AssertionError, match="Invalid rounding option HALF"):
        fields.DecimalField(5, 2, rounding="HALF")


def test_numbers_by_language() -> None:
    field = fields.DecimalField(9, 2, localize=True)
    with translation.override("de"):
        assert field.run_validation("1,50") == Decimal("1.50")
        assert field.to_representation(Decimal("1.5")) == "1,50"


@pytest.mark.parametrize(("coerce", "value"), [(True, "1.50"), (False, Decimal("1.50"))])
def test_text_or_number_by_setting(coerce: bool, value: Any) -> None:
    field = fields.DecimalField(5, 2)
    with override_settings(REST_FRAMEWORK={"COERCE_DECIMAL_TO_STRING": coerce}):
        assert field.to_representation(Decimal("1.5")) == value
    own = fields.DecimalField(5, 2, coerce_to_string=coerce)
    with override_settings(REST_FRAMEWORK={"COERCE_DECIMAL_TO_STRING": not coerce}):
        assert own.to_representation(Decimal("1.5")) == value


def test_big_integers_as_text_by_setting() -> None:
    field = fields.BigIntegerField()
    with override_settings(REST_FRAMEWORK={"COERCE_BIGINT_TO_STRING": True}):
        assert field.to_representation(2**60) == str(2**60)
    assert field.to_representation(2**60) == 2**60


@given(st.integers(), st.sampled_from(["{}", " {} ", "{}.0", "{}.000 "]))
def test_integers_are_read_from_text(number: int, form: str) -> None:
    assert fields.IntegerField().run_validation(form.format(number)) == number


@given(st.decimals(min_value=-999, max_value=999, places=2))
def test_decimals_survive_writing_and_reading(value: Decimal) -> None:
    field = fields.DecimalField(5, 2)
    assert field.run_validation(field.to_representation(value)) == value


@pytest.mark.parametrize("data", [["x" * 2000], {"a": "x" * 2000}, ("x" * 2000,)])
def test_containers_are_no_decimals_however_long(data):
    field = fields.DecimalField(max_digits=8, decimal_places=2)
    with pytest.raises(ValidationError) as caught:
        field.run_validation(data)
    assert [error.code for error in caught.value.detail] == ["invalid"]
