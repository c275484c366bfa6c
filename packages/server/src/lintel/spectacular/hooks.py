"""Hooks by name, for settings that list them."""

from collections.abc import Iterable
from typing import Any

from lintel.fields.describing import Schema

#: Path, pattern, method and callback of an operation.
Listed = tuple[str, str, str, Any]


def preprocess_exclude_path_format(endpoints: Iterable[Listed], **kwargs: object) -> list[Listed]:
    """The endpoints without those whose path ends with a format suffix."""
    return [item for item in endpoints if not item[0].endswith(("{format}", "{format}/"))]


def postprocess_schema_enums(result: Schema, generator: object, **kwargs: object) -> Schema:
    """The document as it is: choices are components already."""
    return result


def postprocess_schema_enum_id_removal(
    result: Schema, generator: object, **kwargs: object
) -> Schema:
    """The document as it is: no marks have to be removed."""
    return result
