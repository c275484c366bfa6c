"""Checks whether values from elsewhere have the types that the model declares."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from lintel_document.schemas import Schema

__all__ = ["checked_attributes"]


def checked_attributes(kind: Any, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes of an object of a class of the model.

    Raises TypeError for the first that the class lacks, or that has another type.
    """
    declared = _declared(kind)
    for name, value in attributes.items():
        if name not in declared:
            raise TypeError(f"{kind.__name__} has no attribute {name!r}")
        if not _fits(value, declared[name]):
            raise TypeError(f"{kind.__name__}: {name!r} must not be {type(value).__name__}")
    return attributes


@lru_cache(maxsize=64)
def _declared(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    declared = {
        name.removeprefix("_"): hint
        for name, hint in hints.items()
        if get_origin(hint) is not ClassVar
    }
    return {**declared, **{name: _SCHEMAS[name] for name in declared if name in _SCHEMAS}}


# Programs may pass schemas of other libraries here; text cannot.
_SCHEMAS = {
    "schema": Schema | None,
    "content": Mapping[str, Schema | None],
    "item_schemas": Mapping[str, Schema | None],
}


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin is UnionType:
        return any(_fits(value, each) for each in get_args(hint))
    if origin is tuple:
        item, *rest = get_args(hint)
        return isinstance(value, tuple) and bool(rest) and all(_fits(each, item) for each in value)
    if origin is not None and issubclass(origin, Mapping):
        key, inner = get_args(hint)
        return isinstance(value, Mapping) and all(
            _fits(name, key) and _fits(each, inner) for name, each in value.items()
        )
    if origin is not None:
        # A function, or a value with several accepted forms: only the checked one comes from text.
        return origin is not Callable and isinstance(value, tuple | list)
    if hint is Any:
        return True
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, NoneType if hint is None else hint)
