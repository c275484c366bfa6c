"""What decorators leave on classes and functions for the inspection to find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FIELD = "_lintel_schema_field"
SERIALIZER = "_lintel_schema_serializer"
OPERATION = "_lintel_schema_operation"
METHODS = "_lintel_schema_methods"


@dataclass(frozen=True)
class NamedOverride:
    """What ``@extend_schema_field`` said, and the component that it is to be."""

    described: Any
    component_name: str


def field_override(place: Any) -> Any:
    """What ``@extend_schema_field`` said about a field or a method, None where it said nothing."""
    return getattr(
        place if isinstance(place, type) or callable(place) else type(place), FIELD, None
    )


def serializer_options(serializer: Any) -> dict[str, Any]:
    """What ``@extend_schema_serializer`` said about a serializer, or about a class."""
    found = getattr(serializer, SERIALIZER, None)
    return found if isinstance(found, dict) else {}
