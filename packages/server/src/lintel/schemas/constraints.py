"""The constraints of serializer fields and validators, in JSON Schema.

Source of the keywords: JSON Schema Validation, draft Wright 00, the basis of OpenAPI 3.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from decimal import Decimal
from typing import Any

from django.core import validators

from lintel import serializers

#: Integers beyond these need 64 bits.
INT32_RANGE = (-(2**31), 2**31 - 1)

Schema = MutableMapping[str, Any]


def choice_type(choices: Iterable[Any]) -> str | None:
    """Return the type that all ``choices`` share.

    None if they differ, or if there is no such type.
    """
    values = list(choices)
    if set(map(type, values)) == {str}:
        return "string"
    candidates: list[tuple[str, Any]] = [
        ("boolean", bool),
        ("integer", int),
        ("number", (int, float, Decimal)),
        ("string", str),
    ]
    for name, kinds in candidates:
        if all(isinstance(value, kinds) for value in values):
            return name
    return None


def map_bounds(field: Any, schema: Schema) -> None:
    """Write the ``max_value`` and ``min_value`` of a field."""
    if field.max_value is not None:
        schema["maximum"] = field.max_value
    if field.min_value is not None:
        schema["minimum"] = field.min_value


def map_integer_size(schema: Schema) -> None:
    """Write the format of an integer whose bounds go beyond 32 bits."""
    lowest, highest = INT32_RANGE
    bounds = [schema[name] for name in ("minimum", "maximum") if name in schema]
    if any(bound < lowest or bound > highest for bound in bounds):
        schema["format"] = "int64"


def map_digits(max_digits: int | None, decimal_places: int | None, schema: Schema) -> None:
    """Write how many digits a number may have."""
    if decimal_places:
        schema["multipleOf"] = float(f"1e-{decimal_places}")
    if max_digits is not None and decimal_places is not None and max_digits > decimal_places:
        schema["maximum"] = 10 ** (max_digits - decimal_places)
        schema["minimum"] = -schema["maximum"]


def map_validators(field: Any, schema: Schema) -> None:
    """Write the constraints of a field's validators, as far as JSON Schema can express them."""
    for validator in field.validators:
        for kinds, write in VALIDATORS:
            if isinstance(validator, kinds):
                write(validator, field, schema)


def _email(validator: Any, field: Any, schema: Schema) -> None:
    schema["format"] = "email"


def _url(validator: Any, field: Any, schema: Schema) -> None:
    schema["format"] = "uri"


def _pattern(validator: Any, field: Any, schema: Schema) -> None:
    # JSON Schema writes patterns in the dialect of ECMA 262, which has \z where Python has \Z.
    schema["pattern"] = validator.regex.pattern.replace("\\Z", "\\z")


def _limit(text_name: str, list_name: str | None = None) -> Callable[[Any, Any, Schema], None]:
    """Write the limit of a validator under a name, of a list under ``list_name``."""

    def write(validator: Any, field: Any, schema: Schema) -> None:
        is_list = list_name is not None and isinstance(field, serializers.ListField)
        limit = validator.limit_value
        schema[list_name if list_name and is_list else text_name] = (
            limit() if callable(limit) else limit
        )

    return write


def _digits(validator: Any, field: Any, schema: Schema) -> None:
    # Keywords for numbers do not apply to a decimal that is sent as a string.
    if getattr(field, "coerce_to_string", True):
        return
    map_digits(validator.max_digits, validator.decimal_places or 0, schema)


#: Kinds of validators and what each writes; a validator may be of several kinds.
VALIDATORS: list[tuple[Any, Callable[[Any, Any, Schema], None]]] = [
    (validators.EmailValidator, _email),
    (validators.URLValidator, _url),
    (validators.RegexValidator, _pattern),
    (validators.MaxLengthValidator, _limit("maxLength", "maxItems")),
    (validators.MinLengthValidator, _limit("minLength", "minItems")),
    (validators.MaxValueValidator, _limit("maximum")),
    (validators.MinValueValidator, _limit("minimum")),
    (validators.DecimalValidator, _digits),
]
