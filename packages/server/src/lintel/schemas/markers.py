"""What decorators leave on classes and functions for the inspection to find."""

from __future__ import annotations

import inspect
from typing import Any

FIELD = "_lintel_schema_field"
SERIALIZER = "_lintel_schema_serializer"
OPERATION = "_lintel_schema_operation"
METHODS = "_lintel_schema_methods"


def field_override(place: Any) -> Any:
    """What ``@extend_schema_field`` said about a field or a method, None where it said nothing."""
    return inspect.getattr_static(place, FIELD, None)


def serializer_options(serializer: Any) -> dict[str, Any]:
    """What ``@extend_schema_serializer`` said about a serializer, or about a class."""
    found = getattr(serializer, SERIALIZER, None)
    return found if isinstance(found, dict) else {}


def is_excluded(serializer: Any, field: Any) -> bool:
    """Whether a field is left out of the description of its serializer."""
    return field.field_name in serializer_options(serializer).get("exclude_fields", ())
