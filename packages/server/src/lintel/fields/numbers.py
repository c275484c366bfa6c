"""Fields whose value is a number."""

import decimal
import math
import re
import warnings
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.encoding import smart_str
from django.utils.formats import localize_input, sanitize_separators
from django.utils.translation import gettext_lazy as _

from lintel.compatible import kept_changes
from lintel.fields.base import Field, add_limits, developer_error
from lintel.fields.columns import INTEGER_TEXT
from lintel.fields.describing import Schema, ViewSchema, map_digits, map_integer_size
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.settings import NULL, STRING, SettingDefault, api_settings
from lintel_document import schemas as coreschema

#: The texts of NaN and the infinities, with NON_FINITE = "string".
NON_FINITE_TEXT: Schema = {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}

_ROUNDINGS = [
    *(decimal.ROUND_UP, decimal.ROUND_DOWN, decimal.ROUND_CEILING, decimal.ROUND_FLOOR),
    *(decimal.ROUND_HALF_UP, decimal.ROUND_HALF_DOWN, decimal.ROUND_HALF_EVEN),
    decimal.ROUND_05UP,
]


class BoundedField(Field):
    """Base of the fields with inclusive bounds: ``max_value``, ``min_value``."""

    def __init__(self, **kwargs: Any) -> None:
        self.max_value: Any = kwargs.pop("max_value", None)
        self.min_value: Any = kwargs.pop("min_value", None)
        super().__init__(**kwargs)
        add_limits(self, "max_value", "min_value")


class IntegerField(BoundedField):
    """A whole number; text and floats are accepted if their decimals are zero."""

    metadata_type = "integer"
    form_style = {"base_template": "input.html", "input_type": "number"}
    native_type = coreschema.Integer()
    column_types = [
        *("AutoField", "IntegerField", "PositiveIntegerField"),
        *("PositiveSmallIntegerField", "SmallIntegerField"),
    ]

    default_error_messages = {
        "invalid": _("A valid integer is required."),
        "max_value": _("Ensure this value is less than or equal to {max_value}."),
        "min_value": _("Ensure this value is greater than or equal to {min_value}."),
        "max_string_length": _("String value too large."),
    }
    #: Longer text is rejected before it is parsed, because parsing takes quadratic time.
    MAX_STRING_LENGTH = 1000
    re_decimal: re.Pattern[str] = re.compile(r"\.0*\s*$")

    @inlinable("integer", "MAX_STRING_LENGTH", "re_decimal")
    def to_internal_value(self, data: Primitive) -> int:
        if type(data) is int:
            return data
        if isinstance(data, str) and len(data) > self.MAX_STRING_LENGTH:
            self.fail("max_string_length", max_length=self.MAX_STRING_LENGTH)
        # The text of a container may be long and is never a number.
        if isinstance(data, list | tuple | dict | set | bytes):
            self.fail("invalid")
        try:
            return int(self.re_decimal.sub("", str(data)))
        except (ValueError, TypeError):
            return self.fail("invalid")

    @inlinable("integer")
    def to_representation(self, value: Native) -> Primitive:
        return int(value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        described: Schema = {"type": "integer"}
        schema.document_form.map_bounds(schema, self, described)
        map_integer_size(described)
        return described

    describe_in_contract = describe_values


class BigIntegerField(IntegerField):
    """A whole number of any size. ``coerce_to_string``: write it as text.

    Many JSON parsers keep only 53 bits of a number (RFC 8259, section 6). The default is
    the setting COERCE_BIGINT_TO_STRING.
    """

    column_types = ["BigAutoField", "BigIntegerField"]
    default_error_messages = {
        "invalid": _("A valid biginteger is required."),
        "max_value": _("Ensure this value is less than or equal to {max_value}."),
        "min_value": _("Ensure this value is greater than or equal to {min_value}."),
        "max_string_length": _("String value too large."),
    }
    coerce_to_string: Any = SettingDefault("COERCE_BIGINT_TO_STRING")

    def __init__(self, coerce_to_string: bool | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if coerce_to_string is not None:
            self.coerce_to_string = coerce_to_string

    @inlinable("big_integer", "coerce_to_string")
    def to_representation(self, value: Native) -> Primitive:
        if self.coerce_to_string:
            return "" if value is None else str(value)
        return int(value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        if self.coerce_to_string:
            return dict(INTEGER_TEXT)
        return super().describe_values(schema)


def kept_class(field_class: type[Field]) -> type[Field]:
    """Return the class of a column's field, in the version that the project keeps."""
    is_big = field_class is BigIntegerField
    return IntegerField if is_big and "big-integers" in kept_changes() else field_class


class FloatField(BoundedField):
    """A finite floating-point number. ``max_value``, ``min_value``: inclusive bounds."""

    metadata_type = "float"
    form_style = {"base_template": "input.html", "input_type": "number"}
    native_type = coreschema.Number()
    column_types = ["FloatField"]

    default_error_messages = {
        "invalid": _("A valid number is required."),
        "max_value": _("Ensure this value is less than or equal to {max_value}."),
        "min_value": _("Ensure this value is greater than or equal to {min_value}."),
        "max_string_length": _("String value too large."),
        "overflow": _("Integer value too large to convert to float"),
    }
    #: Longer text is rejected before it is parsed.
    MAX_STRING_LENGTH = 1000

    @inlinable("float", "MAX_STRING_LENGTH")
    def to_internal_value(self, data: Primitive) -> float:
        """Return a ``float``; not infinite or NaN, which JSON lacks (RFC 8259, section 6)."""
        if isinstance(data, str) and len(data) > self.MAX_STRING_LENGTH:
            self.fail("max_string_length", max_length=self.MAX_STRING_LENGTH)
        try:
            value = float(data)
        except (TypeError, ValueError):
            self.fail("invalid")
        except OverflowError:
            self.fail("overflow")
        return value if math.isfinite(value) else self.fail("invalid")

    @inlinable("float")
    def to_representation(self, value: Native) -> float:
        return float(value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        described = FloatField.describe_in_contract(self, schema)
        return or_non_finite(described) if schema.document_form.receives else described

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        described: Schema = {"type": "number"}
        schema.document_form.map_bounds(schema, self, described)
        return described


def or_non_finite(described: Schema) -> Schema:
    """Return the schema of numbers in responses, with what stands for those not finite."""
    form = api_settings.NON_FINITE
    if form == NULL:
        return {**described, "nullable": True}
    return {"oneOf": [described, dict(NON_FINITE_TEXT)]} if form == STRING else described


class DigitCounts(NamedTuple):
    """How many digits a decimal number has when written without an exponent."""

    total: int
    whole: int
    decimals: int


def digit_counts(value: Decimal) -> DigitCounts:
    """Count digits: ``1E+2`` has three before the point, ``0.05`` two after it and none before."""
    _sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is not finite: it has no digits to count.")
    if exponent >= 0:
        total = len(digits) + exponent
        return DigitCounts(total, total, 0)
    decimals = -exponent
    if len(digits) > decimals:
        return DigitCounts(len(digits), len(digits) - decimals, decimals)
    return DigitCounts(decimals, 0, decimals)


class DecimalField(BoundedField):
    """A decimal number, read and written without loss.

    ``max_digits``, ``decimal_places``: limits of the input, None for none. ``max_value``,
    ``min_value``: inclusive bounds. ``coerce_to_string``: write text, default the setting
    COERCE_DECIMAL_TO_STRING. ``localize``: read and write by the language of the request.
    ``rounding``: one of the modes of ``decimal``, for output. ``normalize_output``: remove
    trailing zeros.
    """

    metadata_type = "decimal"
    native_type = coreschema.Number()
    column_types = ["DecimalField"]

    default_error_messages = {
        "invalid": _("A valid number is required."),
        "max_value": _("Ensure this value is less than or equal to {max_value}."),
        "min_value": _("Ensure this value is greater than or equal to {min_value}."),
        "max_digits": _("Ensure that there are no more than {max_digits} digits in total."),
        "max_decimal_places": _(
            "Ensure that there are no more than {max_decimal_places} decimal places."
        ),
        "max_whole_digits": _(
            "Ensure that there are no more than {max_whole_digits} digits before the decimal point."
        ),
        "max_string_length": _("String value too large."),
    }
    #: Longer text is rejected before it is parsed, and so are numbers that expand to more.
    MAX_STRING_LENGTH = 1000

    coerce_to_string: Any = SettingDefault("COERCE_DECIMAL_TO_STRING")

    def __init__(
        self,
        max_digits: int | None,
        decimal_places: int | None,
        coerce_to_string: bool | None = None,
        max_value: Any = None,
        min_value: Any = None,
        localize: bool = False,
        rounding: str | None = None,
        normalize_output: bool = False,
        **kwargs: Any,
    ) -> None:
        self.max_digits = max_digits
        self.decimal_places = decimal_places
        self.localize = localize
        self.normalize_output = normalize_output
        if localize or coerce_to_string is not None:
            # Only text can contain the separators of a language.
            self.coerce_to_string = localize or coerce_to_string
        for name, bound in (("max_value", max_value), ("min_value", min_value)):
            if bound is not None and not isinstance(bound, int | Decimal):
                warnings.warn(f"{name} should be an integer or Decimal instance.", stacklevel=2)
        self.max_whole_digits: int | None = (
            None if max_digits is None or decimal_places is None else max_digits - decimal_places
        )
        super().__init__(max_value=max_value, min_value=min_value, **kwargs)
        if rounding is not None and rounding not in _ROUNDINGS:
            developer_error(
                f"Invalid rounding option {rounding}. Valid values for rounding are: {_ROUNDINGS}"
            )
        self.rounding = rounding

    @inlinable("decimal", "read_only", "required", "default", "allow_null", "source")
    def validate_empty_values(self, data: Primitive) -> tuple[bool, Primitive]:
        """Blank text is None if None is allowed."""
        if self.allow_null and isinstance(data, str | bytes) and not data.strip():
            return True, None
        return super().validate_empty_values(data)

    @inlinable("decimal", "localize", "MAX_STRING_LENGTH", "validate_precision", "quantize")
    def to_internal_value(self, data: Primitive) -> Decimal:
        text = _text(self, data)
        if len(text) > self.MAX_STRING_LENGTH:
            self.fail("max_string_length", max_length=self.MAX_STRING_LENGTH)
        try:
            value = Decimal(text)
        except decimal.DecimalException:
            self.fail("invalid")
        if not value.is_finite():
            self.fail("invalid")
        return self.quantize(self.validate_precision(value))

    @inlinable("decimal", "max_digits", "decimal_places", "max_whole_digits", "MAX_STRING_LENGTH")
    def validate_precision(self, value: Decimal) -> Decimal:
        counts = digit_counts(value)
        if self.max_digits is not None and counts.total > self.max_digits:
            self.fail("max_digits", max_digits=self.max_digits)
        if self.decimal_places is not None and counts.decimals > self.decimal_places:
            self.fail("max_decimal_places", max_decimal_places=self.decimal_places)
        if self.max_whole_digits is not None and counts.whole > self.max_whole_digits:
            self.fail("max_whole_digits", max_whole_digits=self.max_whole_digits)
        if counts.total > self.MAX_STRING_LENGTH:
            self.fail("max_string_length", max_length=self.MAX_STRING_LENGTH)
        return value

    @inlinable(
        *("decimal", "max_digits", "decimal_places", "rounding", "normalize_output"),
        *("coerce_to_string", "localize", "quantize"),
    )
    def to_representation(self, value: Native) -> Primitive:
        if value is None:
            return "" if self.coerce_to_string else None
        if not isinstance(value, Decimal):
            value = Decimal(str(value).strip())
        value = self.quantize(value)
        if self.normalize_output:
            value = value.normalize()
        if not self.coerce_to_string:
            return value
        return localize_input(value) if self.localize else f"{value:f}"

    @inlinable("decimal", "max_digits", "decimal_places", "rounding")
    def quantize(self, value: Decimal) -> Decimal:
        """Raises decimal.InvalidOperation if that takes more than ``max_digits`` digits."""
        if self.decimal_places is None:
            return value
        context = decimal.getcontext().copy()
        if self.max_digits is not None:
            context.prec = self.max_digits
        elif value.is_finite():
            context.prec = max(context.prec, value.adjusted() + 1 + self.decimal_places)
        return value.quantize(Decimal(1).scaleb(-self.decimal_places), self.rounding, context)

    def describe_values(self, schema: ViewSchema) -> Schema:
        if _is_text(self):
            return {"type": "string", "format": "decimal"}
        described: Schema = {"type": "number"}
        if not (schema.document_form.receives and self.parent):
            map_digits(self.max_digits, self.decimal_places, described)
        schema.document_form.map_bounds(schema, self, described)
        return described

    def describe_in_contract(self, schema: ViewSchema) -> Schema:
        is_text = _is_text(self)
        described = {"type": "string", "format": "decimal"} if is_text else {"type": "number"}
        map_digits(self.max_digits, self.decimal_places, described)
        schema.document_form.map_bounds(schema, self, described)
        return described


def _is_text(field: DecimalField) -> bool:
    return bool(getattr(field, "coerce_to_string", api_settings.COERCE_DECIMAL_TO_STRING))


def _text(field: DecimalField, data: object) -> str:
    if isinstance(data, list | tuple | dict | set):
        field.fail("invalid")
    try:
        text = smart_str(data).strip()
    except ValueError:  # bytes that are not UTF-8; an int with too many digits
        field.fail("invalid")
    return str(sanitize_separators(text)) if field.localize else text
