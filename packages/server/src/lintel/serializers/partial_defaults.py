"""Defaults in partial updates: ``Meta.partial_defaults`` names the fields that have one there.

Usually input that leaves a field out leaves its column unchanged. A field that notes who has
changed an object, or when, needs its default with every write.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.exceptions import ValidationError as DjangoValidationError

from lintel import fast
from lintel.exceptions import ValidationError
from lintel.fields import Field, SkipField, empty
from lintel.fields.base import called_default, detail_for, is_partial
from lintel.fields.types import Native
from lintel.serializers.types import AnySerializer, Errors, Values


def with_partial_defaults(serializer: AnySerializer, names: Any, values: Native) -> Native:
    """Add defaults for what partial input leaves out. Raises ValidationError by field."""
    if not isinstance(values, dict) or not is_partial(serializer):
        return values
    errors: Errors = {}
    for field in _chosen(serializer, names):
        if not _has_value(values, field.source_attrs):
            _add(serializer, field, values, errors)
    if errors:
        raise ValidationError(errors)
    return values


def _chosen(serializer: AnySerializer, names: Any) -> Iterable[Field]:
    fields = fast.current_fields(serializer)
    if not isinstance(names, list | tuple | set | frozenset):
        _refuse(serializer, names, "it is a list of names")
    for name in names:
        field = fields.get(name)
        if field is None or field.read_only or field.default is empty:
            _refuse(serializer, names, f"`{name}` is no field that takes input and has a default")
    return [fields[name] for name in fields if name in names]


def _refuse(serializer: object, names: object, reason: str) -> None:
    raise ImproperlyConfigured(
        f"{type(serializer).__name__}.Meta.partial_defaults is {names!r}: {reason}."
    )


def _has_value(values: Values, path: Iterable[str]) -> bool:
    part: Any = values
    for name in path:
        if not isinstance(part, Mapping) or name not in part:
            return False
        part = part[name]
    return True


def _add(serializer: AnySerializer, field: Any, values: Values, errors: Errors) -> None:
    hook = getattr(serializer, f"validate_{field.field_name}", None)
    try:
        value = called_default(field.default, field)
        value = value if hook is None else hook(value)
    except SkipField:
        return
    except ValidationError as error:
        errors[field.field_name] = error.detail
    except DjangoValidationError as error:
        errors[field.field_name] = detail_for(field, error)
    else:
        serializer.set_value(values, field.source_attrs, value)
