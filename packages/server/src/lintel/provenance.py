"""Whose code a call reaches: that of this package, of Django, or of the project.

Shortcuts replace known code. Code that a project puts in its place, in a subclass or by patching
a class or an instance, is called instead. The globals of the function that a call
would reach decide: decorators copy names, attributes and marks, never globals.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
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


def function_of(found: object) -> FunctionType | None:
    """Return the plain function of a method, property or standard decorator; else None."""
    # An object that only behaves like a function may do anything, so it does not count.
    attribute = _INSIDE.get(type(found))
    if attribute is not None:
        found = getattr(found, attribute)
    return found if type(found) is FunctionType else None


def _is_written_in(package: str, function: FunctionType | None) -> bool:
    name = None if function is None else function.__globals__.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] == package


def is_ours(found: object) -> bool:
    return _is_written_in(OURS, function_of(found))


def is_of_django(found: object) -> bool:
    """Return whether a function is Django's, and what it wraps as well."""
    function = function_of(found)
    if function is None or not function.__closure__:
        return _is_written_in("django", function)
    return all(_is_written_in("django", each) for each in _all_inside(function))


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
        for base in _bases_of(owner):
            found = _members_of(base).get(name, _MISSING)
            if found is not _MISSING:
                return found
    return inspect.getattr_static(owner, name, None)


_bases_of: Any = type.__dict__["__mro__"].__get__
_members_of: Any = type.__dict__["__dict__"].__get__


def reaches_ours(owner: object, *names: str) -> bool:
    return _all_reached(is_ours, owner, names)


def reaches_django(owner: object, *names: str) -> bool:
    return _all_reached(is_of_django, owner, names)


def _all_reached(accepts: Callable[[object], bool], owner: object, names: Iterable[str]) -> bool:
    return looks_up_plainly(owner) and all(map(accepts, [reached(owner, name) for name in names]))


def looks_up_plainly(owner: object) -> bool:
    cls: Any = owner if isinstance(owner, type) else type(owner)
    return cls.__getattribute__ is object.__getattribute__
