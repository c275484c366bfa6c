"""Python values that stand for text or data: dates, UUIDs, enums, sets, objects of classes."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import Any
from uuid import UUID

from lintel_client.files import is_file
from lintel_client.values import is_list

__all__ = ["as_data"]


def as_data(value: Any) -> Any:
    """Return a value as mappings, lists, text, numbers and files; other types stay as they are.

    Dates and times become text as in ISO 8601, in UTC with "Z"; an enum its value; a set a list in
    the order of its items as text; a dataclass, and an object of attrs or pydantic, a mapping of
    its fields. An object with ``__json_members__`` is the mapping that this method returns.
    """
    if isinstance(value, Enum):
        return as_data(value.value)
    if isinstance(value, date | time):
        return _moment(value)
    if isinstance(value, UUID):
        return str(value)
    return _collection(value)


def _moment(value: date | time) -> str:
    text = value.isoformat()
    has_zone = isinstance(value, datetime | time) and text.endswith("+00:00")
    return f"{text[:-6]}Z" if has_zone else text


def _collection(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {as_data(key): as_data(inner) for key, inner in value.items()}
    if is_list(value):
        return [as_data(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(as_data, value), key=str)
    return value if isinstance(value, type) or is_file(value) else _object(value)


def _object(value: Any) -> Any:
    """Return an object as a mapping if its class says what its fields are."""
    kind = type(value)
    if hasattr(kind, "__json_members__"):
        return as_data(value.__json_members__())
    if hasattr(kind, "__attrs_attrs__"):
        return {each.name: as_data(getattr(value, each.name)) for each in kind.__attrs_attrs__}
    if hasattr(kind, "model_dump"):
        return as_data(value.model_dump(by_alias=True))
    if is_dataclass(value):
        return {field.name: as_data(getattr(value, field.name)) for field in fields(value)}
    return value
