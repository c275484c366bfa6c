"""When the fields of a model serializer may be made once and copied from then on."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.choices import CallableChoiceIterator

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
    "_get_model_fields",
)


def is_steady(model: Any) -> bool:
    """Whether the columns look the same each time: no choices, limits or files to look up."""
    columns = (*model._meta.fields, *model._meta.many_to_many)
    return not any(_is_looked_up(column) for column in columns)


def _is_looked_up(column: Any) -> bool:
    if isinstance(column, models.FilePathField):
        return True
    if isinstance(column.choices, CallableChoiceIterator):
        return True
    return callable(getattr(column.remote_field, "limit_choices_to", None))
