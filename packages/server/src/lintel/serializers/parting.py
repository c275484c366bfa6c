"""Lists that are freed with their response, instead of by the garbage collector.

The serializer of a list refers to that of its items, which refers to it. So the rows and the data
of a page wait for the collector, while the next requests take other memory, which is slower than
memory that has just been used: by a tenth of the whole request for a page of 100 rows.
"""

import weakref
from collections import Counter, OrderedDict
from sys import getrefcount
from typing import Any

from lintel.utils.serializer_helpers import BindingDict, ReturnList

#: Data with more members than this are no envelope of a page.
_ENVELOPE = 16
#: Where data, lists and relations to many keep the one field in them.
_NAMES = ("serializer", "child", "child_relation")


def let_go(data: Any) -> None:
    """Have the fields of the serializers of lists refer to them weakly.

    ``data`` are those of a closed response. Whoever keeps these keeps their serializers. If anybody
    else may keep one, or a field in it, however deep, all of them stay as they are.
    """
    is_envelope = type(data) in (dict, OrderedDict) and len(data) <= _ENVELOPE
    for value in data.values() if is_envelope else (data,):
        if type(value) is ReturnList:
            holders: list[_Holder] = []
            if _keeps_to_itself(_Holder(value), holders):
                for holder in holders:
                    holder.loosen()


class _Holder:
    """A field and the fields in it; or data and their serializer."""

    __slots__ = ("inner", "owner", "shown", "times")

    def __init__(self, owner: Any) -> None:
        held = vars(owner)
        shown = held.get("fields")
        self.owner = owner
        self.shown = shown if type(shown) is BindingDict and shown.serializer is owner else None
        fields = [member for name in _NAMES if (member := held.get(name)) is not None]
        fields += (held.get("_lintel_fields") or {}).values()
        fields += [] if self.shown is None else self.shown.fields.values()
        self.inner = [*{id(member): member for member in fields}.values()]
        #: How often it refers to each, by id.
        self.times = Counter(map(id, (*fields, *held.get("_kwargs", {}).values())))

    def references(self) -> int:
        """How many references to it come from inside."""
        return sum(map(self._is_parent_of, self.inner)) + (self.shown is not None)

    def loosen(self) -> None:
        weak = weakref.proxy(self.owner)
        if self.shown is not None:
            self.shown.serializer = weak
        for member in filter(self._is_parent_of, self.inner):
            vars(member)["parent"] = weak

    def _is_parent_of(self, field: Any) -> bool:
        return vars(field).get("parent") is self.owner


def _keeps_to_itself(holder: _Holder, holders: list[_Holder]) -> bool:
    """Return whether nothing else refers to what it holds; note it, and those inside, if so."""
    # The holder refers to this as well.
    if holder.shown is not None and _counts([holder.shown]) > [_UNSHARED + 1]:
        return False
    for count, field in zip(_counts(holder.inner), holder.inner, strict=True):
        inner = _Holder(field)
        inside = inner.references() + holder.times[id(field)] - 1
        if count - inside > _UNSHARED or not _keeps_to_itself(inner, holders):
            return False
    holders.append(holder)
    return True


def _counts(objects: list[Any]) -> list[int]:
    return [getrefcount(member) for member in objects]


_place = [object()]
#: What Python counts for an object to which one place refers, and the list of the call.
(_UNSHARED,) = _counts([*_place])
