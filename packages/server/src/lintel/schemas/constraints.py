"""The constraints of validators, in JSON Schema.

Source of the keywords: JSON Schema Validation, draft Wright 00, the basis of OpenAPI 3.0.
"""

import re
from collections.abc import Callable, MutableMapping
from typing import Any, SupportsFloat

from django.core import validators
from django.core.validators import RegexValidator, URLValidator

from lintel import serializers
from lintel.fields import Field
from lintel.fields.describing import map_digits

Schema = MutableMapping[str, Any]

Writing = Callable[[Any, Field, Schema], None]


def map_validators(field: Field, schema: Schema) -> None:
    for validator in field.validators:
        _write_limits(validator, field, schema)
        if isinstance(validator, RegexValidator):
            # JSON Schema writes patterns in the dialect of ECMA 262, which has \z for \Z.
            regex: Any = validator.regex
            schema["pattern"] = regex.pattern.replace("\\Z", "\\z")


def _write_limits(validator: object, field: Field, schema: Schema) -> None:
    for kinds, write in VALIDATORS:
        if isinstance(validator, kinds):
            write(validator, field, schema)


def _email(validator: object, field: Field, schema: Schema) -> None:
    schema["format"] = "email"


def _url(validator: object, field: Field, schema: Schema) -> None:
    schema["format"] = "uri"


def _limit(text_name: str, list_name: str | None = None) -> Writing:
    def write(validator: Any, field: Field, schema: Schema) -> None:
        is_list = isinstance(field, serializers.ListField)
        limit = validator.limit_value
        name = list_name if list_name and is_list else text_name
        schema[name] = limit() if callable(limit) else limit

    return write


def _digits(validator: Any, field: Field, schema: Schema) -> None:
    # Keywords for numbers do not apply to a decimal that is sent as a string.
    if getattr(field, "coerce_to_string", True):
        return
    map_digits(validator.max_digits, validator.decimal_places or 0, schema)


#: Kinds of validators and what each writes; a validator may be of several kinds.
VALIDATORS: list[tuple[Any, Writing]] = [
    (validators.EmailValidator, _email),
    (validators.URLValidator, _url),
    (validators.MaxLengthValidator, _limit("maxLength", "maxItems")),
    (validators.MinLengthValidator, _limit("minLength", "minItems")),
    (validators.MaxValueValidator, _limit("maximum")),
    (validators.MinValueValidator, _limit("minimum")),
    (validators.DecimalValidator, _digits),
]

_UNKNOWN_TO_ECMA = re.compile(r"\(\?[aiLmsux-]+[:)]|\(\?P[=>]|\(\?#|\(\?\(|\\[bB]\{")


def ecma_pattern(pattern: str) -> str | None:
    """Return a Python pattern in the dialect of ECMA 262; None if it has no such form."""
    if _UNKNOWN_TO_ECMA.search(pattern):
        return None
    return (
        pattern.replace("(?P<", "(?<").replace("\\Z", "$").replace("\\z", "$").replace("\\A", "^")
    )


def describe_validators(field: Field, described: Schema) -> None:
    added: Schema = {}
    for validator in field.validators:
        _write_limits(validator, field, added)
        if isinstance(validator, RegexValidator) and type(validator) is not URLValidator:
            added.update(_pattern_of(validator))
    kind = described.get("type")
    for word, value in added.items():
        if WORDS.get(word) in (kind, None) or (kind == "integer" and WORDS[word] == "number"):
            described[word] = _number(value) if WORDS.get(word) == "number" else value


def _pattern_of(validator: RegexValidator) -> Schema:
    """Return the keyword for a pattern; empty if it cannot be written.

    That of Django's URLs never can be, and compiling it takes long.
    """
    regex: Any = validator.regex
    if regex.flags & ~re.UNICODE or (pattern := ecma_pattern(regex.pattern)) is None:
        return {}
    return {"not": {"pattern": pattern}} if validator.inverse_match else {"pattern": pattern}


#: The type of values that a keyword applies to; None for any.
WORDS = {
    "minLength": "string",
    "maxLength": "string",
    "pattern": "string",
    "not": "string",
    "format": "string",
    "minItems": "array",
    "maxItems": "array",
    "minimum": "number",
    "maximum": "number",
    "multipleOf": "number",
}


def _number(value: SupportsFloat) -> float:
    return value if isinstance(value, int | float) else float(value)
