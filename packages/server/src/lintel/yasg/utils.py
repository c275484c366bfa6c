"""Decorators of operations and of methods of serializers."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from lintel.schemas.overrides import YASG_SERIALIZER
from lintel.schemas.yasg_operations import ATTRIBUTE

DecoratedT = TypeVar("DecoratedT")


class no_body:
    """The value of ``request_body`` for operations without one."""


class unset:
    """The value of arguments that were not given."""


def swagger_auto_schema(
    method: str | None = None, methods: Iterable[str] | None = None, **kwargs: object
) -> Callable[[DecoratedT], DecoratedT]:
    """Describe a handler, an action or a function view, or only some of its methods."""
    said = {name: value for name, value in kwargs.items() if value is not unset}
    if method is not None or methods is not None:
        names = [*(methods or ()), *([method] if method else [])]
        said = {name.lower(): dict(said) for name in names}

    def decorate(decorated: DecoratedT) -> DecoratedT:
        setattr(decorated, ATTRIBUTE, {**getattr(decorated, ATTRIBUTE, {}), **said})
        return decorated

    return decorate


def swagger_serializer_method(serializer_or_field: object) -> Callable[[DecoratedT], DecoratedT]:
    """Describe what the method of a SerializerMethodField returns."""

    def decorate(decorated: DecoratedT) -> DecoratedT:
        setattr(decorated, YASG_SERIALIZER, serializer_or_field)
        return decorated

    return decorate
