"""How a description says that a form takes objects and lists (NestedMultiPartParser)."""

from typing import Any

from lintel.fields import DictField
from lintel.fields.describing import Schema
from lintel.parsers import NestedMultiPartParser
from lintel.serializers import BaseSerializer, Serializer

#: The part that takes nested values as JSON, or "" for names that lead to them.
NESTED = "x-lintel-nested"
NAMES = "Nested values are parts whose names lead to them, such as `lines[0].photo`."
DOCUMENT = (
    "Nested values are parts whose names lead to them, such as `lines[0].photo`, or the part "
    "`{part}` holds the object as JSON, and the other parts are put at their places in it."
)


def with_nested_form(body: Schema, parser: type[NestedMultiPartParser], serializer: Any) -> Schema:
    """Return a body whose form says how it takes nested values, if it has any."""
    form = body["content"].get(parser.media_type)
    names = _nested_names(serializer)
    if form is None or not names:
        return body
    part = parser.json_part
    form["encoding"] = {name: {NESTED: part or ""} for name in names}
    return {"description": NAMES if part is None else DOCUMENT.format(part=part), **body}


def _nested_names(serializer: Any) -> list[str]:
    if not isinstance(serializer, Serializer):
        return []
    fields = serializer.fields.items()
    return [name for name, field in fields if not field.read_only and _is_nested(field)]


def _is_nested(field: Any) -> bool:
    child = getattr(field, "child", None)
    if child is None or isinstance(field, DictField):
        return isinstance(field, BaseSerializer | DictField)
    return hasattr(child, "child") or _is_nested(child)
