"""The base of all parts of a document: no attribute changes once the object is built."""

from typing import Any, NoReturn

__all__ = ["Immutable", "checked_text"]


class Immutable:
    """Base of objects whose attributes are written once, by ``_fill``, while they are built."""

    __slots__ = ()

    def _fill(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is immutable: {name!r} cannot be assigned")

    def __delattr__(self, name: str) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is immutable: {name!r} cannot be deleted")

    def __copy__(self) -> "Immutable":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Immutable":
        return self


def checked_text(owner: object, name: str, value: str | None) -> str:
    """Return the text of an argument, ``""`` for None. Raises TypeError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        found = type(value).__name__
        raise TypeError(f"{type(owner).__name__}: {name!r} must be a string, not {found}")
    return value
