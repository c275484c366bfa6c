"""Marks on our own methods, by which faster code knows them.

A decorator that copies the attributes of a function copies the mark as well, and such a copy does
something else. So a mark names the function it was made for, and counts only there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import MethodType
from typing import Any, Generic, TypeVar

MethodT = TypeVar("MethodT", bound=Callable[..., Any])
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Mark(Generic[ValueT]):
    function: Callable[..., Any] = field(repr=False)
    value: ValueT


@dataclass(frozen=True, slots=True)
class Marker(Generic[ValueT]):
    """One kind of mark, kept under a name on functions."""

    name: str

    def put(self, function: MethodT, value: ValueT) -> MethodT:
        setattr(function, self.name, Mark(function, value))
        return function

    def of(self, function: object) -> ValueT | None:
        """Return what was said about a function or bound method; None for a copied mark."""
        function = function.__func__ if type(function) is MethodType else function
        mark = getattr(function, self.name, None)
        return mark.value if type(mark) is Mark and mark.function is function else None


# ---- relations that a method of the project reads ----

_READS: Marker[tuple[str, ...]] = Marker("lintel_reads")


def reads(*paths: str) -> Callable[[MethodT], MethodT]:
    """Declare which relations the method of a SerializerMethodField reads: ``"author.city"``.

    For a list they are loaded with one query per relation, unless they are loaded already.
    """
    return lambda method: _READS.put(method, paths)


def reads_of(function: object) -> tuple[str, ...] | None:
    return _READS.of(function)


# ---- methods that generated text may replace ----


@dataclass(frozen=True, slots=True)
class Inlinable:
    """What a method does, and the attributes of its object that it reads."""

    kind: str
    reads: tuple[str, ...]


_INLINABLE: Marker[Inlinable] = Marker("_lintel_inlinable")


def inlinable(kind: str, *reads: str) -> Callable[[MethodT], MethodT]:
    return lambda method: _INLINABLE.put(method, Inlinable(kind, reads))


def inlinable_as(cls: type, method: str) -> Inlinable | None:
    """Return the mark of the function found as ``cls.method``, also through properties."""
    member = getattr(cls, method, None)
    if isinstance(member, property):
        member = member.fget
    elif not callable(member):
        member = getattr(member, "func", None)
    return _INLINABLE.of(member)


# ---- methods that may run on the event loop ----

Condition = Callable[..., bool]
_PROMPT: Marker[Condition] = Marker("_lintel_prompt")


def prompt(function: MethodT) -> MethodT:
    """Mark a function that neither waits nor queries, so that it may run on the event loop."""
    return _PROMPT.put(function, lambda *args: True)


def prompt_when(condition: Condition) -> Callable[[MethodT], MethodT]:
    """Mark a method that does not block if ``condition(self, *arguments)`` is true."""
    return lambda method: _PROMPT.put(method, condition)


#: The condition under which a function or method does not block; None if unknown.
promptness = _PROMPT.of


# ---- paginators whose rows may be fetched lazily ----

#: Finds the page of a paginator, a queryset, a ``request`` and a ``view``: rows, a lazy page, None.
FindPage = Callable[..., Any]
_FINDS: Marker[FindPage] = Marker("_lintel_finds")


def finds(find_page: FindPage) -> Callable[[MethodT], MethodT]:
    return lambda method: _FINDS.put(method, find_page)


#: That function of a method; None for a method of the project.
finder_of = _FINDS.of


_HANDS_ON: Marker[bool] = Marker("_lintel_hands_on_rows")


def handing_on_rows(method: MethodT) -> MethodT:
    """Mark a method of a view between paginator and serializer that does nothing with the rows."""
    return _HANDS_ON.put(method, True)


def hands_on_rows(*methods: object) -> bool:
    return None not in map(_HANDS_ON.of, methods)
