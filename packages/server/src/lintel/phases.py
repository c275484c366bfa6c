"""The parts of a request that can be observed, such as by traces.

A part is a function marked with :func:`phase`, or each call between the names that a function
marked with :func:`phases` yields. While nobody observes, the marked functions stand where they
were written, and nothing asks; :func:`observe` puts others in their places.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial, wraps
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

#: What is entered around a part, by its name.
Begin: TypeAlias = Callable[[str], AbstractContextManager[object]]

#: Finds that of the request that is served here; None if nobody observes it.
Find: TypeAlias = Callable[[], Begin | None]

#: Makes a function that does the same as another, and lets it be observed.
_Wrap: TypeAlias = Callable[[Find, Any], Callable[..., Any]]


class _Parts:
    """The marked functions; they are as many as the source has."""

    def __init__(self) -> None:
        self.marked: list[tuple[FunctionType, _Wrap]] = []
        self.find: Find | None = None


_parts = _Parts()


def phase(name: str) -> Callable[[FunctionT], FunctionT]:
    """Mark a function or a chain of a module, or the getter of a property, as a part."""
    return partial(_mark, lambda find, function: _within(find, name, function))


def phases(names: Mapping[str, str]) -> Callable[[FunctionT], FunctionT]:
    """Mark a function that names what is called next: each is a part until the next is asked for.

    ``names`` are the names of parts that are called otherwise.
    """
    return partial(_mark, lambda find, function: _between(find, names, function))


def _mark(wrap: _Wrap, function: Any) -> Any:
    _parts.marked.append((function, wrap))
    return function


def observe(find: Find) -> None:
    """Ask ``find()`` at each part from now on; once a process."""
    if _parts.find is not None:
        return
    _parts.find = find
    for function, wrap in _parts.marked:
        replaced = wrap(find, function)
        owner, _, name = function.__qualname__.rpartition(".")
        if owner:
            setattr(function.__globals__[owner], name, property(replaced))
        else:
            function.__globals__[name] = replaced


def _within(find: Find, name: str, function: Any) -> Callable[..., Any]:
    if not hasattr(function, "run"):
        return _called(find, name, function)

    @wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        begin = find()
        if begin is None:
            return (yield from function(*args, **kwargs))
        with begin(name):
            return (yield from function(*args, **kwargs))

    inside.run = _called(find, name, function.run)  # type: ignore[attr-defined]
    return inside


def _called(find: Find, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        begin = find()
        if begin is None:
            return function(*args, **kwargs)
        with begin(name):
            return function(*args, **kwargs)

    return inside


def _between(find: Find, names: Mapping[str, str], function: Any) -> Callable[..., Any]:
    @wraps(function)
    def named(*args: Any) -> Iterable[str]:
        begin, hooks = find(), function(*args)
        return hooks if begin is None else _each(begin, names, hooks)

    return named


def _each(begin: Begin, names: Mapping[str, str], hooks: Iterable[str]) -> Iterator[str]:
    for hook in hooks:
        with begin(names.get(hook, hook)):
            yield hook
