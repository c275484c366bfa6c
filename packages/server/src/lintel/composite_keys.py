"""Composite primary keys (Django's ``CompositePrimaryKey``) in addresses.

The parts of a key are written in the order of the model, with commas between them: ``7,2``. In a
part, ``~`` is ``~0``, ``/`` is ``~1``, ``,`` is ``~2`` and ``.`` is ``~3``, so that every key fits
into the pattern of a router. The first two are those of JSON Pointer (RFC 6901).
"""

from typing import Any

from django.db.models import Model

#: Characters that have a meaning in an address, and what stands for them. The first escapes others.
_ESCAPES = (("~", "~0"), ("/", "~1"), (",", "~2"), (".", "~3"))


def parts_of(model: type[Model] | None) -> tuple[Any, ...]:
    """The columns of a composite key; () for a key of one column."""
    key = getattr(getattr(model, "_meta", None), "pk", None)
    return tuple(getattr(key, "fields", ())) if hasattr(key, "field_names") else ()


def key_text(values: tuple[object, ...]) -> str:
    return ",".join(map(_part_text, values))


def _part_text(value: Any) -> str:
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return text


def parsed_key(model: type[Model] | None, value: object) -> object:
    """The key that a text stands for; what is no text, or for a simple key, as it is.

    Raises ValueError for another number of parts, ValidationError of Django for a part that its
    column cannot hold.
    """
    columns = parts_of(model)
    if not columns or not isinstance(value, str):
        return value
    parts = value.split(",")
    if len(parts) != len(columns):
        raise ValueError(f"A key of {len(columns)} parts is needed.")
    texts = map(_plain_part, parts)
    return tuple(
        column_behind(column).to_python(text) for column, text in zip(columns, texts, strict=True)
    )


def _plain_part(text: str) -> str:
    for character, escape in reversed(_ESCAPES):
        text = text.replace(escape, character)
    return text


def column_behind(column: Any) -> Any:
    """The column that holds the value: of a relation, the one that it points at."""
    while column.remote_field is not None:
        column = column.target_field
    return column
