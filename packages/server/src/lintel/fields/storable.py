"""Text in JSON, keys and lists that a column of PostgreSQL cannot hold: NUL, lone surrogates.

Other databases store both, and a field alone does not know where its value goes: what is found is
refused only below a serializer whose model has such a column.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import connections, models, router

from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields.base import Field, is_secret
from lintel.fields.text import CharField
from lintel.utils.encoders import is_encodable

#: Accepts the texts and keys that every column can hold, of any length, even empty.
STORABLE_TEXT = CharField(allow_blank=True, trim_whitespace=False)

#: NUL and surrogates in JSON, as escapes or as they are. Two surrogates may be one character.
_SUSPECT = re.compile(r"\\u0000|\\u[dD][89a-fA-F]|[\x00\ud800-\udfff]")

#: Types of columns that Django fills from JSON and keys; those of arrays end in a bracket.
_STRICT_TYPES = ("jsonb", "hstore")

#: Longer places are left out, so that an error is never much longer than a usual one.
_MAX_PLACE_LENGTH = 200


def refuse_unstorable_json(field: Field, text: str) -> None:
    """The message of the error begins with a JSON Pointer to the value or member (RFC 6901)."""
    if not _SUSPECT.search(text) or not _is_strict(field):
        return
    for path, value in _texts(json.loads(text)):
        try:
            STORABLE_TEXT.run_validation(value)
        except ValidationError as error:
            prefix = "" if is_secret(field) else _prefix(path)
            details = [ErrorDetail(f"{prefix}{detail}", detail.code) for detail in error.detail]
            raise ValidationError(details) from error


def refuse_unstorable(field: Field, value: object) -> None:
    """Do the same for a value that no field has validated; other values than JSON's pass."""
    if isinstance(value, list | tuple | dict) or (isinstance(value, str) and _is_odd(value)):
        try:
            text = json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            return
        refuse_unstorable_json(field, text)


def unstorable_keys(field: Field, members: list[tuple[str, object]]) -> list[str]:
    keys = [key for key, _value in members]
    if not _is_odd("".join(keys)) or not _is_strict(field):
        return []
    return [key for key in keys if _SUSPECT.search(key)]


def _is_odd(text: str) -> bool:
    return "\0" in text or not (text.isascii() or is_encodable(text))


def _texts(value: object) -> Iterator[tuple[tuple[str, ...], str]]:
    waiting: list[tuple[tuple[str, ...], object]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, str):
            yield path, item
        members: Iterable[tuple[object, object]] = ()
        if isinstance(item, dict):
            for key in item:
                yield (*path, key), key
            members = item.items()
        elif isinstance(item, list):
            members = enumerate(item)
        waiting += [((*path, str(key)), member) for key, member in reversed([*members])]


def _prefix(path: tuple[str, ...]) -> str:
    parts = (part.replace("~", "~0").replace("/", "~1") for part in path)
    pointer = _SUSPECT.sub(_escape, "".join(f"/{part}" for part in parts))
    return f"{pointer}: " if pointer and len(pointer) <= _MAX_PLACE_LENGTH else ""


def _escape(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) > 1 else f"\\u{ord(match[0]):04x}"


def _is_strict(field: Field) -> bool:
    """Return whether a field writes to a column of PostgreSQL for JSON, arrays or hstore."""
    path: list[str] = []
    while (parent := getattr(field, "parent", None)) is not None:
        # Items have no name, and `source="*"` leaves that of the field inside.
        path = field.source_attrs if any(field.source_attrs) else path
        model = getattr(getattr(parent, "Meta", None), "model", None)
        if path and isinstance(model, type) and issubclass(model, models.Model):
            return _is_strict_column(model, path, parent)
        field = parent
    return False


def _is_strict_column(model: Any, path: list[str], serializer: Field) -> bool:
    try:
        for name in path[:-1]:
            model = model._meta.get_field(name).related_model
        column = model._meta.get_field(path[-1])
    except (FieldDoesNotExist, AttributeError):
        return False
    instance = getattr(serializer, "instance", None)
    hints = {"instance": instance} if isinstance(instance, model) else {}
    connection = connections[router.db_for_write(model, **hints)]
    if connection.vendor != "postgresql" or not isinstance(column, models.Field):
        return False
    kind = column.db_type(connection) or ""
    names = ("get_prep_value", "get_db_prep_value", "get_db_prep_save")
    passes_on = all(getattr(type(column), name) is getattr(models.Field, name) for name in names)
    return kind in _STRICT_TYPES or kind.endswith("]") or passes_on
