"""Whether code of the project stands in the place of ours.

A project overrides methods in subclasses, and tools patch classes and instances. Where behaviour
depends on that (a hook is called, a description says less, a check warns), the globals of the
function that a call would reach decide: decorators copy names, attributes and marks, never globals.
"""

import functools
import inspect
from collections.abc import Iterable, Iterator
from types import CellType, FunctionType, MethodType
from typing import Any

from django.utils.functional import cached_property, classproperty

#: The name of this package.
OURS = __name__.partition(".")[0]
_MISSING: object = object()

#: Where objects of these exact types store their function.
_INSIDE: dict[type, str] = {
    MethodType: "__func__",
    classmethod: "__func__",
    staticmethod: "__func__",
    property: "fget",
    functools.cached_property: "func",
    cached_property: "func",
    classproperty: "fget",
}


def function_of(member: object) -> FunctionType | None:
    """Return the plain function of a method, property or standard decorator; else None."""
    # An object that only behaves like a function may do anything, so it does not count.
    attribute = _INSIDE.get(type(member))
    if attribute is not None:
        member = getattr(member, attribute)
    return member if type(member) is FunctionType else None


def packages_of(member: object) -> set[str]:
    """The packages that a function, and what it wraps, are written in; empty for other objects."""
    function = function_of(member)
    return set() if function is None else {_package_of(inner) for inner in _all_inside(function)}


def _package_of(function: FunctionType) -> str:
    name = function.__globals__.get("__name__")
    return name.partition(".")[0] if isinstance(name, str) else ""


def _all_inside(function: FunctionType) -> set[FunctionType]:
    result: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        function = waiting.pop()
        if function not in result:
            result.add(function)
            waiting += _functions_in(function.__closure__ or ())
    return result


def _functions_in(cells: Iterable[CellType]) -> Iterator[FunctionType]:
    for value in [cell.cell_contents for cell in cells if cell != _EMPTY_CELL]:
        parts = value if type(value) in (list, tuple) else (value,)
        yield from (part for part in parts if type(part) is FunctionType)


#: Differs from every cell with contents, whatever these are, and they are not compared.
_EMPTY_CELL = CellType()


def package_of(cls: type) -> str:
    return cls.__module__.partition(".")[0]


def reached(owner: object, name: str) -> Any:
    """Return what ``owner.name`` finds, without running a descriptor; None if nothing."""
    if isinstance(owner, type):
        # As getattr_static() finds it, which checks each class for hidden members.
        for base in (*_bases_of(owner), *_bases_of(type(owner))):
            result = _members_of(base).get(name, _MISSING)
            if result is not _MISSING:
                return result
        return None
    return inspect.getattr_static(owner, name, None)


_bases_of: Any = type.__dict__["__mro__"].__get__
_members_of: Any = type.__dict__["__dict__"].__get__


def is_ours(member: object) -> bool:
    """Whether this package wrote a function, however it is bound or decorated."""
    function = function_of(member)
    return function is not None and _package_of(function) == OURS


def is_overridden(owner: object, *names: str) -> bool:
    """Whether one of these methods of ours is another one in a class or an object."""
    return not (
        looks_up_plainly(owner) and all(map(is_ours, [reached(owner, name) for name in names]))
    )


def looks_up_plainly(owner: object) -> bool:
    cls: Any = owner if isinstance(owner, type) else type(owner)
    return cls.__getattribute__ is object.__getattribute__
