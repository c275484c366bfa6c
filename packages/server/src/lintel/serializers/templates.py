"""When the fields of a model serializer may be made once and copied from then on."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from django.db import models
from django.utils.choices import CallableChoiceIterator

from lintel.compiler.plan import Identity, conversion
from lintel.settings import api_settings

#: The steps from a model to fields; a class that replaces one of them gets fresh fields each time.
FIELD_HOOKS = (
    "get_fields",
    "get_field_names",
    "get_default_field_names",
    "build_field",
    "build_standard_field",
    "build_relational_field",
    "build_nested_field",
    "build_property_field",
    "build_url_field",
    "build_unknown_field",
    "include_extra_kwargs",
    "get_extra_kwargs",
    "get_unique_together_constraints",
    "get_uniqueness_extra_kwargs",
)

_CLASSES = (
    "serializer_related_field",
    "serializer_related_to_field",
    "serializer_url_field",
    "serializer_choice_field",
    "url_field_name",
)
_OPTIONS = ("fields", "exclude", "depth", "read_only_fields", "extra_kwargs", "validators")
_PLAIN_TYPES = (str, int, bool, float, type(None))

# By model: whether its columns look the same each time.
_STEADY = "_lintel_steady"


def fields_key(serializer: Any) -> Hashable | None:
    """What the fields depend on beyond the class; two equal keys mean equal fields.

    None where they have to be made anew for each instance: a step is overridden, or the model
    has choices, limits or files that are looked up each time.
    """
    if any(conversion(serializer, hook) is None for hook in FIELD_HOOKS):
        return None
    meta = getattr(serializer, "Meta", None)
    model = getattr(meta, "model", None)
    if model is None or not hasattr(model, "_meta") or not _is_steady(model):
        return None
    mapping = serializer.serializer_field_mapping
    return (
        model,
        api_settings.generation,
        tuple(_frozen(getattr(meta, name, None)) for name in _OPTIONS),
        tuple(getattr(serializer, name) for name in _CLASSES),
        tuple(mapping),
        tuple(mapping.values()),
    )


def _is_steady(model: Any) -> bool:
    known = model._meta.__dict__.get(_STEADY)
    if known is None:
        columns = (*model._meta.fields, *model._meta.many_to_many)
        known = not any(_is_looked_up(column) for column in columns)
        model._meta.__dict__[_STEADY] = known
    return bool(known)


def _is_looked_up(column: Any) -> bool:
    if isinstance(column, models.FilePathField):
        return True
    if isinstance(column.choices, CallableChoiceIterator):
        return True
    limit = getattr(column.remote_field, "limit_choices_to", None)
    return callable(limit)


def _frozen(value: Any) -> Hashable:
    """A value that can be compared later, also when the original has been changed meanwhile."""
    if type(value) in _PLAIN_TYPES:
        return type(value), value
    if type(value) in (list, tuple):
        return (type(value), *map(_frozen, value))
    if type(value) is dict:
        return (dict, *((key, _frozen(entry)) for key, entry in value.items()))
    return Identity(value)
