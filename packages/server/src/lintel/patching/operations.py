"""The operations of a JSON Patch (RFC 6902, section 4)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from lintel.patching.errors import (
    Failure,
    PatchRefused,
    conflict,
    invalid,
    no_object,
    nothing_at,
    refused,
)
from lintel.patching.pointers import Document, key_in, place_in, read_pointer, too_many, value_at
from lintel.patching.writable import Shape, holder_of, is_object
from lintel.utils.json import MAX_DEPTH

NAMES = ("add", "remove", "replace", "move", "copy", "test")

#: How many values one patch may copy or move: copies of copies grow fast.
MAX_MOVED_VALUES = 100_000


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    path: tuple[str, ...]
    source: tuple[str, ...] = ()
    value: Document = None

    def changed(self) -> tuple[tuple[str, ...], ...]:
        """The places that an operation changes."""
        return (self.path, self.source) if self.name == "move" else (self.path,)


class Patched:
    """A document while operations change it. ``shape`` says which parts may be changed."""

    def __init__(self, document: Document, shape: Shape = None) -> None:
        self.document = document
        self.shape = shape
        self.values_left = MAX_MOVED_VALUES


def read_operations(given: Sequence[object]) -> list[Operation]:
    """Return the operations of a patch. Raises ValidationError at the first that is malformed."""
    result = []
    for position, operation in enumerate(given):
        try:
            result.append(_read(operation))
        except Failure as failure:
            raise failure.at(position) from None
    return result


def apply_operations(patched: Patched, operations: Sequence[Operation]) -> Document:
    """Return the changed document. Raises PatchConflict or PatchRefused at the first that fails."""
    for position, operation in enumerate(operations):
        try:
            _CHANGES[operation.name](patched, operation)
        except Failure as failure:
            raise failure.at(position) from None
    return patched.document


# Reading


def _read(given: object) -> Operation:
    if not isinstance(given, Mapping):
        raise invalid(no_object(given), "op")
    name = _text(given, "op")
    if name not in NAMES:
        raise invalid(gettext('"{input}" is not a valid choice.').format(input=name[:100]), "op")
    path = read_pointer(_text(given, "path"), "path")
    source = read_pointer(_text(given, "from"), "from") if name in ("move", "copy") else ()
    if name in ("add", "replace", "test") and "value" not in given:
        raise invalid(gettext("This field is required."), "value")
    return Operation(name, path, source, given.get("value"))


def _text(given: Mapping[str, object], member: str) -> str:
    value = given.get(member)
    if value is None:
        raise invalid(gettext("This field is required."), member)
    if not isinstance(value, str):
        raise invalid(gettext("Not a valid string."), member)
    return value


# Changing


def _add(patched: Patched, operation: Operation) -> None:
    _put(patched, operation.path, _copied(operation.value))


def _put(patched: Patched, path: tuple[str, ...], value: Document) -> None:
    if len(path) + _measured(value)[1] > MAX_DEPTH:
        raise refused(gettext("The object would be nested too deeply."))
    if not path:
        _replace_whole(patched, value)
        return
    holder_of(patched.shape, path)
    holder = value_at(patched.document, path[:-1])
    if isinstance(holder, list):
        holder.insert(place_in(holder, path[-1]), value)
    elif isinstance(holder, dict):
        holder[path[-1]] = value
    else:
        raise nothing_at()


def _replace_whole(patched: Patched, value: Document) -> None:
    """Replace the whole document: what is not writable must stay as it is."""
    if is_object(patched.shape):
        if not isinstance(value, dict):
            raise refused(no_object(value), "value")
        before = patched.document
        for name in {**before, **value}:
            if name not in before or name not in value or not same(before[name], value[name]):
                holder_of(patched.shape, (name,), "value")
        value = {**dict.fromkeys(before), **value}
    patched.document = value


def _remove(patched: Patched, operation: Operation) -> None:
    _take(patched, operation.path, "path")


def _take(patched: Patched, path: tuple[str, ...], member: str) -> Document:
    """Remove a value; a field of a serializer stays, and becomes null."""
    if not path:
        raise refused(str(PatchRefused.default_detail), member)
    owner = holder_of(patched.shape, path, member)
    holder = value_at(patched.document, path[:-1], member)
    key = key_in(holder, path[-1], member)
    value = holder[key]
    if is_object(owner):
        holder[key] = None
    else:
        del holder[key]
    return value


def _replace(patched: Patched, operation: Operation) -> None:
    path, value = operation.path, _copied(operation.value)
    value_at(patched.document, path)
    if path and isinstance(holder := value_at(patched.document, path[:-1]), list):
        holder_of(patched.shape, path)
        del holder[int(path[-1])]
    _put(patched, path, value)


def _move(patched: Patched, operation: Operation) -> None:
    path, source = operation.path, operation.source
    if path != source and path[: len(source)] == source:
        raise refused(gettext("A value cannot be moved into itself."))
    value = value_at(patched.document, source, "from")
    _pay(patched, value)
    _take(patched, source, "from")
    _put(patched, path, value)


def _copy(patched: Patched, operation: Operation) -> None:
    value = value_at(patched.document, operation.source, "from")
    _pay(patched, value)
    _put(patched, operation.path, _copied(value))


def _pay(patched: Patched, value: Document) -> None:
    patched.values_left -= _measured(value)[0]
    if patched.values_left < 0:
        raise refused(too_many(MAX_MOVED_VALUES), "from")


def _test(patched: Patched, operation: Operation) -> None:
    if not same(value_at(patched.document, operation.path), operation.value):
        raise conflict(gettext("The value is another one."), "value")


_CHANGES: Mapping[str, Callable[[Patched, Operation], None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


# Values


def _copied(value: Document) -> Document:
    is_plain = not isinstance(value, dict | list)
    # NaN and the infinities stay, because STRICT_JSON may be off.
    return value if is_plain else json.loads(json.dumps(value))


def _measured(value: Document) -> tuple[int, int]:
    """Return how many values there are, and how deep they are nested."""
    count, depth, level = 0, 0, [value]
    while level:
        count, depth = count + len(level), depth + 1
        level = [part for value in level for part in _parts(value)]
    return count, depth


def _parts(value: Document) -> Sequence[Document]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


def same(left: Document, right: Document) -> bool:
    """Compare as RFC 6902, section 4.6 does: 1 is 1.0, and true is not 1."""
    waiting = [(left, right)]
    while waiting:
        first, other = waiting.pop()
        if _is_other(first, other):
            return False
        if isinstance(first, dict):
            waiting += [(first[name], other[name]) for name in first]
        elif isinstance(first, list):
            waiting += zip(first, other, strict=True)
    return True


def _is_other(first: Document, other: Document) -> bool:
    if isinstance(first, dict):
        return not isinstance(other, dict) or first.keys() != other.keys()
    if isinstance(first, list):
        return not isinstance(other, list) or len(first) != len(other)
    return isinstance(first, bool) != isinstance(other, bool) or first != other
