"""Marks that decorators leave on classes and functions for the inspection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FIELD = "_lintel_schema_field"
SERIALIZER = "_lintel_schema_serializer"
OPERATION = "_lintel_schema_operation"
METHODS = "_lintel_schema_methods"


@dataclass(frozen=True)
class NamedOverride:
    """The argument of ``@extend_schema_field``, and the name of its component."""

    described: object
    component_name: str


def field_override(place: object) -> object:
    return getattr(
        place if isinstance(place, type) or callable(place) else type(place), FIELD, None
    )


def serializer_options(serializer: object) -> dict[str, Any]:
    found = getattr(serializer, SERIALIZER, None)
    return found if isinstance(found, dict) else {}
