"""Which parts of an object a patch may change: those that its serializer writes."""

from typing import Any

from lintel.fields import FileField
from lintel.patching.errors import refused
from lintel.patching.pointers import Document
from lintel.serializers import Serializer, UnionSerializer
from lintel.serializers.constraints import READ_ONLY
from lintel.serializers.unknown import MESSAGE as UNKNOWN

#: A field, a serializer, or None where the object holds any JSON.
Shape = Any


def is_object(shape: Shape) -> bool:
    """Return whether the fields of a serializer are the members: none can be added or removed."""
    return isinstance(shape, Serializer) and (
        shape.parent is None or not isinstance(shape, UnionSerializer)
    )


def part_of(shape: Shape, name: str, member: str = "path") -> Shape:
    """Return the shape of one part. Raises Failure if it may not be changed."""
    if not is_object(shape):
        return getattr(shape, "child", None)
    field = shape.fields.get(name)
    if field is None or not field.is_exchanged:
        raise refused(str(UNKNOWN), member)
    if field.read_only:
        raise refused(str(READ_ONLY), member)
    return field


def holder_of(shape: Shape, path: tuple[str, ...], member: str = "path") -> Shape:
    """Return the shape of what holds the value at a path. Raises Failure if it is not writable."""
    holder = shape
    for name in path:
        holder, shape = shape, part_of(shape, name, member)
    return holder


def without_kept_files(after: Document, before: Document, shape: Shape) -> Document:
    """An object without the files in it that stay: what shows a file is no input."""
    if not is_object(shape) or not (isinstance(after, dict) and isinstance(before, dict)):
        return after
    result = {}
    for name, value in after.items():
        field, old = shape.fields.get(name), before.get(name)
        if not (isinstance(field, FileField) and name in before and value == old):
            result[name] = without_kept_files(value, old, field)
    return result
