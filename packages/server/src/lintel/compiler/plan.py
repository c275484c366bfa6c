"""Plans: what a serializer does, as plain frozen data.

A method of a field that generated text may stand for is marked where it is defined::

    @inlinable("integer", "max_length")
    def to_internal_value(self, data): ...

``kind`` names what the method does, the further names are the attributes of the field that it
reads. :func:`conversion` describes one method of one field: it answers only while the marked
function is still the one that a call would reach. A subclass, a mixin, a monkeypatch or an
attribute of the instance that replaces the method has no mark, and generated text then calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_Method = TypeVar("_Method", bound=Callable[..., Any])

_MARK = "_lintel_inlinable"


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands on a marked method: the kind of its work and the attributes it reads."""

    kind: str
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """An unhashable or foreign value inside a plan: equal only to the very same object."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True, slots=True)
class Conversion:
    """One inlinable method with the values of the attributes that it reads."""

    kind: str
    options: tuple[tuple[str, Any], ...] = ()

    def option(self, name: str) -> Any:
        """The value of one attribute as it was when the plan was made."""
        for key, value in self.options:
            if key == name:
                return value.value if isinstance(value, Identity) else value
        raise KeyError(name)


def inlinable(kind: str, *reads: str) -> Callable[[_Method], _Method]:
    """Mark a method as one that generated text may stand for."""

    def mark(method: _Method) -> _Method:
        setattr(method, _MARK, Mark(kind, reads))
        return method

    return mark


def conversion(owner: object, method: str) -> Conversion | None:
    """Describe ``owner.method`` as a conversion; None where only a call will do."""
    if method in getattr(owner, "__dict__", ()):
        return None
    mark = getattr(getattr(type(owner), method, None), _MARK, None)
    if mark is None:
        return None
    return Conversion(mark.kind, tuple((name, _plain(owner, name)) for name in mark.reads))


def _plain(owner: object, name: str) -> Any:
    value = getattr(owner, name, None)
    if value is None or type(value) in (str, int, bool, float):
        return value
    return Identity(value)
