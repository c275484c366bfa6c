"""JSON Merge Patch (RFC 7396, section 2)."""

from typing import Any

from lintel.exceptions import ErrorDetail
from lintel.patching.errors import Failure, PatchRefused
from lintel.patching.pointers import Document
from lintel.patching.writable import Shape, is_object, part_of


def merged(target: Document, patch: Document, shape: Shape = None) -> Document:
    """Return the target, changed in place, with a patch merged into it.

    A null removes a member; a field of a serializer stays, and becomes null. Raises PatchRefused
    with an error for each member that may not be changed.
    """
    root: dict[str, Document] = {"": target}
    errors: dict[str, Any] = {}
    waiting = [(root, "", patch, shape, errors)]
    # Without recursion: a patch may be nested as deeply as any JSON.
    for holder, key, value, expected, at in waiting:
        if not isinstance(value, dict):
            holder[key] = value
            continue
        if not isinstance(holder.get(key), dict):
            holder[key] = {}
        for name, part in value.items():
            if part is None and not is_object(expected):
                holder[key].pop(name, None)
                continue
            try:
                shape_of_part = part_of(expected, name)
            except Failure as failure:
                at[name] = [ErrorDetail(failure.text, PatchRefused.default_code)]
                continue
            inner = _Place(at, name)
            waiting.append((holder[key], name, part, shape_of_part, inner))
    if errors:
        raise PatchRefused(errors)
    return root[""]


class _Place(dict[str, Any]):
    """The errors of a member, which are among those of its owner as soon as there are some."""

    def __init__(self, owner: dict[str, Any], name: str) -> None:
        super().__init__()
        self._owner = owner
        self._name = name

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self._owner[self._name] = self
