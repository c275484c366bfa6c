"""A system check: declarations in ``Meta.nested`` that cannot be carried out."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register

from lintel.checks import option_of, routed_views
from lintel.serializers.model import ModelSerializer
from lintel.serializers.parts import Nested


@register(Tags.compatibility)
def nested_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    classes: dict[type, None] = {}
    for view in routed_views():
        _collect(option_of(view, "serializer_class", None), classes)
    return [message for cls in classes for message in _mistakes(cls)]


def _collect(cls: Any, classes: dict[type, None]) -> None:
    """Add a serializer class and those that are nested in it."""
    if not isinstance(cls, type) or not issubclass(cls, ModelSerializer) or cls in classes:
        return
    classes[cls] = None
    for field in cls._declared_fields.values():
        _collect(type(getattr(field, "child", field)), classes)


def _mistakes(cls: Any) -> Iterator[CheckMessage]:
    declared = getattr(getattr(cls, "Meta", None), "nested", None) or {}
    for name, nested in declared.items():
        if not isinstance(nested, Nested):
            mistakes = [("It is not a Nested.", "Write Nested(match=..., missing=...).")]
        else:
            field = cls._declared_fields.get(name)
            mistakes = list(nested.mistakes(getattr(cls.Meta, "model", None), name, field))
        for text, hint in mistakes:
            message = f"{cls.__qualname__}.Meta.nested[{name!r}]: {text}"
            yield Error(message, hint=hint, obj=cls, id="lintel.E033")
