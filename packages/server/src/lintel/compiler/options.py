"""What can be read off a field without asking code of the project.

A plan says what holds for every serializer of a class. Whatever the project computes may be another
thing at the next request: for another tenant, language, zone, user or flag. So options are read
where they stand, and a field is *computed* as soon as a method of the project decides how it is
made or bound, or a property of the project stands in the place of one of its options.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from decimal import Decimal
from types import FunctionType
from typing import Any
from uuid import UUID

from lintel.provenance import is_class_of_ours, is_ours

#: Methods that decide what an instance holds once it is part of a serializer.
MAKING = ("__new__", "__init__", "__deepcopy__", "bind", "get_validators")

#: Methods that decide what an attribute of an instance is.
ANSWERING = ("__getattribute__", "__getattr__", "__setattr__")

#: Options of fields and serializers of every kind.
OPTIONS = (
    "read_only",
    "write_only",
    "required",
    "default",
    "source",
    "source_attrs",
    "allow_null",
    "field_name",
    "parent",
    "validators",
    "default_validators",
    "error_messages",
    "choices",
    "queryset",
    "child",
    "child_relation",
)

#: Types of values that cannot be changed in place, and mean the same at each use.
CONSTANTS = (
    type(None),
    bool,
    int,
    float,
    str,
    bytes,
    Decimal,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    UUID,
)

_ABSENT: object = object()


def standing(cls: type, name: str) -> Any:
    """What a class holds under a name, itself or by inheritance; no descriptor is run."""
    for owner in cls.__mro__:
        if name in owner.__dict__:
            return owner.__dict__[name]
    return _ABSENT


def is_computed(cls: type, names: Iterable[str] = ()) -> bool:
    """Return whether code of the project decides what an instance holds, or one of these options.

    ``names`` are options beside those that every field has.
    """
    if standing(cls, "_lintel_computed") is True:
        return True
    if any(not is_ours(found) for found in _definitions(cls, (*MAKING, *ANSWERING))):
        return True
    return any(is_property_of_project(cls, name) for name in (*OPTIONS, *names))


def is_computed_field(field: object, names: Iterable[str] = ()) -> bool:
    """Return the same of one field, whose choices may be read from an object of the project."""
    return is_computed(type(field), names) or any(map(_is_read_anew, _arguments(field)))


def _arguments(field: object) -> Iterator[object]:
    yield from field.__dict__.get("_args", ())
    yield field.__dict__.get("_kwargs", {}).get("choices")


def _is_read_anew(value: object) -> bool:
    kind = type(value)
    known = kind in _PLAIN or isinstance(value, type) or is_class_of_ours(kind)
    return not known and hasattr(kind, "__iter__")


def containers(fields: Iterable[object]) -> Iterator[object]:
    """Yield the lists and dicts among the arguments of fields, which may be changed in place."""
    for field in fields:
        held = field.__dict__
        for value in (*held.get("_args", ()), *held.get("_kwargs", {}).values()):
            if type(value) in (list, dict, set) and value:
                yield value
            elif hasattr(value, "_kwargs"):
                yield from containers([value])


def is_property_of_project(cls: type, name: str) -> bool:
    """Return whether reading an attribute of an instance runs a descriptor of the project."""
    found = standing(cls, name)
    kind = type(found)
    if found is _ABSENT or kind in _PLAIN or not hasattr(kind, "__get__"):
        return False
    return not is_ours(found) and not is_class_of_ours(kind)


_VALUES = (type(None), bool, int, float, str, bytes, list, dict, set, tuple, frozenset, range)

# A function among the class attributes is a method or a value, and neither computes an option.
_PLAIN = (*_VALUES, FunctionType, staticmethod, classmethod)


def _definitions(cls: type, names: Iterable[str]) -> Iterator[object]:
    """All definitions that a call may reach, by super() as well; those of Python left out."""
    for owner in cls.__mro__:
        if owner.__module__ not in _OF_PYTHON:
            held = owner.__dict__
            for name in names:
                if name in held:
                    yield held[name]


_OF_PYTHON = ("builtins", "typing", "abc")


def is_plain_namespace(cls: type) -> bool:
    """Tell whether a class such as ``Meta`` holds nothing but values: no property, no metaclass."""
    if type(cls) is not type:
        return False
    parts = (vars(part) for part in cls.__mro__[:-1])
    return not any(_is_computed_value(value) for held in parts for value in held.values())


def _is_computed_value(value: object) -> bool:
    kind = type(value)
    return (
        kind not in _PLAIN
        and not isinstance(value, type)
        and hasattr(kind, "__get__")
        and kind.__name__ != "getset_descriptor"
    )
