"""Copies of fields: each serializer gets its own, and changes to one do not affect another.

``copy.deepcopy(field)`` makes a field anew from its arguments. A field made and bound only by
this package may be copied attribute by attribute instead, which is ten times as fast.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.utils.functional import LazyObject

from lintel.fast.compiler.options import is_computed
from lintel.fast.tools import lent
from lintel.provenance import package_of

_Field = TypeVar("_Field")
Copier = Callable[[Any], object]

# Values of most attributes of fields, which two fields may share.
_SHARED = frozenset(
    {type(None), bool, int, float, complex, str, bytes, type, tuple, frozenset, FunctionType, range}
)

# Attributes that are always shared.
_NEVER_CHANGED = frozenset({"_kwargs", "parent"})

# Attributes that cache a result of the first use, and mutable ones.
_OWNED = (list, dict, set, QuerySet, LazyObject)

# Objects of the project are copied like their arguments; those of other packages are shared.
_SHARED_PACKAGES = frozenset(
    {"django", "lintel", "datetime", "zoneinfo", "decimal", "re", "uuid", "json", "builtins"}
)


def clone(field: Any) -> Any:
    """Return a copy of a field that is not bound yet.

    ``copy.deepcopy`` is used if the class of the field or of a field inside has its own rules for
    fields or copies, or if a serializer has made fields for itself.
    """
    state = field.__dict__
    if not _copies_plainly(field) or {"fields", "_lintel_fields"} & state.keys():
        return copy.deepcopy(field)
    made: Any = object.__new__(type(field))
    attributes = made.__dict__
    attributes.update(state)
    for name, value in state.items():
        if type(value) not in _SHARED and name not in _NEVER_CHANGED:
            copier: Copier = _COPIERS.get(name, copied)
            attributes[name] = copier(value)
            if issubclass(type(value), lent().field):
                _take_over(made, attributes[name], value)
    return made


def copiers_of(field: Any) -> list[tuple[str, Copier]] | None:
    """Return the attributes that each copy of ``field`` needs for itself, and how to copy them.

    None if the class has its own rules for copies. Fields inside the field are left out.
    """
    if is_computed(type(field)):
        return None
    return [
        (name, _COPIERS.get(name, copied))
        for name, value in field.__dict__.items()
        if type(value) not in _SHARED
        and name not in _NEVER_CHANGED
        and not issubclass(type(value), lent().field)
    ]


def copied(value: Any) -> Any:
    # Checks the class itself, because isinstance would evaluate a lazy object.
    kind = type(value)
    if (kind is dict or kind is list) and not value:
        return kind()
    if issubclass(kind, lent().field):
        return clone(value)
    if issubclass(kind, _OWNED) or package_of(kind) not in _SHARED_PACKAGES:
        return copy.deepcopy(value)
    return value


def _copied_groups(groups: dict[Any, Any]) -> dict[Any, Any]:
    return {key: dict(value) if type(value) is dict else value for key, value in groups.items()}


def _copied_default(value: Any) -> Any:
    return value if type(value) in lent().shared_defaults else copy.deepcopy(value)


# Attributes copied shallowly: their members are shared by contract, or never changed.
_COPIERS: dict[str, Callable[[Any], Any]] = {
    "_validators": list,
    "_error_messages": dict,
    "default": _copied_default,
    "default_empty_html": _copied_default,
    # A field may have thousands of choices: only the assignable levels are copied.
    "_choices": dict,
    "choice_strings_to_values": dict,
    "grouped_choices": _copied_groups,
    # Classes and functions, and the model's own field.
    "model_field": lambda value: value,
    "reverse": lambda value: value,
}


def _copies_plainly(field: Any) -> bool:
    """Return whether the project neither makes nor binds the field or one inside of it."""
    inside = (
        type(value) for value in field.__dict__.values() if issubclass(type(value), lent().field)
    )
    return not is_computed(type(field)) and not any(is_computed(kind) for kind in inside)


def _take_over(owner: Any, member: Any, original: Any) -> None:
    """Make ``member``, a copy of a field inside the template, a field inside ``owner``."""
    if member.field_name is None and original.field_name is not None:
        member.bind(field_name=original.field_name, parent=owner)
    else:
        member.parent = owner
