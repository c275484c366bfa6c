"""Choices as named components.

The name is that of the choices class, if the model or serializer reveals it; else
that of the model and the field, else that of the serializer and the field. None of these depends
on the project's endpoints, so adding one renames nothing, and two classes with equal values
remain two components.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from django.db import models

from lintel import serializers
from lintel.fields import ChoiceField
from lintel.fields.columns import column_of
from lintel.fields.describing import Schema, choice_type
from lintel.schemas.columns import may_be_blank, model_of_serializer
from lintel.schemas.inspection import Inspection
from lintel.schemas.openapi.choices import choices_schema
from lintel.schemas.texts import labels_of

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

SUFFIX = "Enum"


def enum_reference(schema: AutoSchema, field: ChoiceField) -> Schema:
    """Return the choices of a field, or a reference to them: the same in both directions."""
    inspection: Inspection = schema.document_form.inspection
    given = _reference_to_choices, schema, field
    return dict(inspection.once_for(field, enum_reference, *given))


def _reference_to_choices(schema: AutoSchema, field: ChoiceField) -> Schema:
    described = choices_schema(schema, field)
    values = described.get("enum") if isinstance(described, dict) else None
    if values is not None and not values:
        return {}
    if not values or field.field_name is None:
        return dict(described)
    blank = may_be_blank(field)
    proper = [value for value in values if value not in ("", None)]
    written = with_values(described, proper)
    labels = labels_of(field.choices, proper)
    if labels:
        written["description"] = labels
    named = schema.document_form.add_shared(enum_name(schema, field), written)
    extra = {"enum": [""]} if blank or "" in values else None
    result = {"oneOf": [named, extra]} if extra else named
    return {**result, "nullable": True} if None in values else result


def typed(values: list[object]) -> Schema:
    kind = choice_type(values)
    return {"type": kind} if kind else {}


def with_values(described: Schema, values: list[object]) -> Schema:
    rest = {key: value for key, value in described.items() if key not in ("enum", "type")}
    plain = [value.value if isinstance(value, Enum) else value for value in values]
    return {**typed(values), **rest, "enum": plain}


def enum_name(schema: AutoSchema, field: ChoiceField) -> str:
    inspection: Inspection = schema.document_form.inspection
    if inspection.enum_names:
        named = inspection.enum_names.get(frozenset(field.choices) - {"", None})
        if named is not None:
            return named
    cls = choices_class(inspection, field)
    if cls is not None:
        return class_name(cls)
    owner = _owner(field)
    model = model_of_serializer(owner)
    source = camel_case(str(field.field_name or field.parent.field_name))
    if model is not None and _column(owner, field) is not None:
        return f"{model.__name__}{source}{SUFFIX}"
    subject = schema.get_component_name(owner) if owner is not None else ""
    return f"{subject}{source}{SUFFIX}"


def class_name(cls: type) -> str:
    name = cls.__qualname__.rpartition("<locals>.")[2].replace(".", "")
    if any(other is not cls for other in _namesakes(cls)):
        name = f"{camel_case(_app(cls))}{name}"
    return name if name.endswith(SUFFIX) else f"{name}{SUFFIX}"


def _namesakes(cls: type) -> Iterator[type]:
    waiting: list[type[models.Choices]] = [models.Choices]
    while waiting:
        for subclass in waiting.pop().__subclasses__():
            waiting.append(subclass)
            if subclass.__qualname__ == cls.__qualname__:
                yield subclass


def _app(cls: type) -> str:
    parts = cls.__module__.split(".")
    return parts[-2] if len(parts) > 1 else parts[-1]


def camel_case(text: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in text.split("_"))


def _owner(field: ChoiceField) -> Any:
    owner = field.parent
    while owner is not None and not isinstance(owner, serializers.Serializer):
        owner = owner.parent
    return owner


def _column(serializer: object, field: ChoiceField) -> Any:
    column = column_of(model_of_serializer(serializer), field.source or field.field_name)
    return column if getattr(column, "choices", None) else None


def choices_class(inspection: Inspection, field: ChoiceField) -> type | None:
    values = {value for value in field.choices if value not in ("", None)}
    owner = _owner(field)
    column = _column(owner, field)
    for default in (getattr(column, "default", None), field.default):
        if isinstance(default, models.Choices) and set(type(default).values) - {""} >= values:
            return type(default)
    for place in _places(owner, column):
        classes = inspection.once((_classes_in, place), _classes_in, place)
        fitting = [cls for cls in classes if _values(cls) == values]
        if len(set(fitting)) == 1:
            return fitting[0]
        if fitting:
            return None
    return None


def _values(cls: type[models.Choices]) -> set[object]:
    return {value for value in cls.values if value not in ("", None)}


def _places(serializer: object, column: Any) -> Iterator[object]:
    owners: list[Any] = [] if column is None else [column.model]
    for owner in [*owners, *([] if serializer is None else [type(serializer)])]:
        yield owner
        module = sys.modules.get(owner.__module__)
        if module is not None:
            yield module


def _classes_in(place: object) -> list[type[models.Choices]]:
    return [
        value
        for value in list(vars(place).values())
        if isinstance(value, type) and issubclass(value, models.Choices) and len(value)
    ]
