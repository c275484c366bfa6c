"""Constraints of validators, in keywords that all readers of a schema interpret alike."""

from __future__ import annotations

import re
from typing import Any

from django.core.validators import RegexValidator

from lintel.fields import Field
from lintel.fields.describing import Schema
from lintel.schemas import constraints

_UNKNOWN_TO_ECMA = re.compile(r"\(\?[aiLmsux-]+[:)]|\(\?P[=>]|\(\?#|\(\?\(|\\[bB]\{")


def ecma_pattern(pattern: str) -> str | None:
    """Return a Python regular expression in the dialect of ECMA 262.

    None if it cannot be expressed there.
    """
    if _UNKNOWN_TO_ECMA.search(pattern):
        return None
    return (
        pattern.replace("(?P<", "(?<").replace("\\Z", "$").replace("\\z", "$").replace("\\A", "^")
    )


def describe_validators(field: Field, described: Schema) -> None:
    """Add the constraints of a field's validators, with keywords for the type of the values."""
    if not field.validators:
        return
    added: Schema = {}
    constraints.map_validators(field, added)
    _describe_patterns(field, added)
    kind = described.get("type")
    for word, value in added.items():
        if WORDS.get(word) in (kind, None) or (kind == "integer" and WORDS[word] == "number"):
            described[word] = _number(value) if WORDS.get(word) == "number" else value


def _describe_patterns(field: Field, added: Schema) -> None:
    """Write the pattern in a form that all readers interpret alike; omit it if there is none."""
    added.pop("pattern", None)
    for validator in field.validators:
        if not isinstance(validator, RegexValidator):
            continue
        regex: Any = validator.regex
        if regex.flags & ~re.UNICODE or (pattern := ecma_pattern(regex.pattern)) is None:
            continue
        if not validator.inverse_match:
            added["pattern"] = pattern
        else:
            added["not"] = {"pattern": pattern}


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


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) else float(value)
