"""What can be read from a field without running the project's code.

A plan holds for every serializer of a class. Values that the project computes may change with the
next request: for another tenant, language, time zone, user or flag. So options are read only where
they are stored, and a field is *computed* if a method of the project decides how it is
made or bound, or a property of the project replaces one of its options.
"""

import datetime
from collections.abc import Iterable, Iterator
from decimal import Decimal
from types import FunctionType
from uuid import UUID

from lintel.fast.compiler.protocols import AnyField
from lintel.overrides import OURS, is_ours, package_of, reached
from lintel.trust.warrants import bases

#: Methods that decide the attributes of an instance once it is part of a serializer.
MAKING = ("__new__", "__init__", "__deepcopy__", "bind", "get_validators")

#: The method of a metaclass that makes instances.
CALLING = ("__call__",)

#: Methods that decide the value of an attribute of an instance.
ANSWERING = ("__getattribute__", "__getattr__", "__setattr__")

#: Options of fields and serializers of every kind.
OPTIONS = (
    *("read_only", "write_only", "required", "default", "allow_null"),
    *("field_name", "source", "source_attrs", "parent", "child", "child_relation"),
    *("validators", "default_validators", "error_messages", "choices", "queryset"),
)

#: Types of immutable values, which mean the same at each use.
CONSTANTS = (
    *(type(None), bool, int, float, str, bytes, Decimal, datetime.date, datetime.datetime),
    *(datetime.time, datetime.timedelta, UUID),
)


def is_computed(cls: type, names: Iterable[str] = ()) -> bool:
    if reached(cls, "_lintel_computed") is True:
        return True
    made = (*_definitions(cls, (*MAKING, *ANSWERING)), *_definitions(type(cls), CALLING))
    if not all(map(is_ours, made)):
        return True
    return any(is_property_of_project(cls, name) for name in (*OPTIONS, *names))


def is_computed_field(field: object) -> bool:
    """The same for one field, whose choices may come from an object of the project."""
    held = field.__dict__
    choices = [*held.get("_args", ()), held.get("_kwargs", {}).get("choices")]
    return is_computed(type(field)) or any(map(_is_read_anew, choices))


def _is_read_anew(value: object) -> bool:
    kind = type(value)
    is_constant = kind in _PLAIN or isinstance(value, type) or package_of(kind) == OURS
    return not is_constant and hasattr(kind, "__iter__")


def arguments(fields: Iterable[AnyField]) -> Iterator[tuple[object, str]]:
    """Yield where fields, and our own objects inside, hold the arguments of their copies."""
    for field in fields:
        held = field.__dict__
        yield from ((held, name) for name in ("_args", "_kwargs") if name in held)
        for value in (*held.get("_args", ()), *held.get("_kwargs", {}).values()):
            if hasattr(value, "_kwargs"):
                yield from arguments([value])
            elif package_of(type(value)) == OURS and hasattr(value, "__dict__"):
                yield value, "__dict__"


def is_property_of_project(cls: type, name: str) -> bool:
    """Return whether reading an attribute of an instance runs a descriptor of the project."""
    member = reached(cls, name)
    return _is_descriptor(member) and not is_ours(member) and package_of(type(member)) != OURS


_VALUES = (type(None), bool, int, float, str, bytes, list, dict, set, tuple, frozenset, range)

# A function among class attributes is a method or a value; neither computes an option.
_PLAIN = (*_VALUES, FunctionType, staticmethod, classmethod)


def _is_descriptor(member: object) -> bool:
    return type(member) not in _PLAIN and hasattr(type(member), "__get__")


def _definitions(cls: type, names: Iterable[str]) -> Iterator[object]:
    """Yield all definitions that a call may reach, also by ``super()``, except Python's own."""
    for owner in bases([cls]):
        yield from (vars(owner)[name] for name in names if name in vars(owner))


def is_plain_namespace(cls: type) -> bool:
    """Return whether a class such as ``Meta`` holds only values: no property, no metaclass."""
    return type(cls) is type and not any(
        _is_descriptor(value)
        and not isinstance(value, type)
        and type(value).__name__ != "getset_descriptor"
        for part in cls.__mro__[:-1]
        for value in vars(part).values()
    )
