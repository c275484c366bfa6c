"""Helpers for decorators."""

from typing import Any

from lintel.schemas import extend_schema_serializer


def forced_singular_serializer(serializer_class: Any) -> Any:
    """A subclass that describes one object also where an operation lists objects."""
    patched = type(serializer_class.__name__, (serializer_class,), {})
    return extend_schema_serializer(many=False)(patched)
