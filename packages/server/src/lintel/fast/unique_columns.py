"""Whether Django alone finds a row by a unique column."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.manager import BaseManager

from lintel.fast.originals import ONE, is_itself
from lintel.fast.vocabulary import (
    GETTING,
    MANAGING,
    is_compared_plainly,
    is_plain_column,
    is_routed_plainly,
    selects_all_rows,
)

#: Columns whose values compare in Python as in the database, and the types of these values.
COLUMN_TYPES = (models.IntegerField, models.CharField, models.UUIDField)
VALUE_TYPES = (int, str, UUID)
#: The lookup that compares them.
EXACT = "exact"


def unique_column(source: Any, name: str) -> Any:
    """Return the column by which Django alone finds one of all rows of ``source``, else None.

    ``source`` is a manager or a queryset. A queryset has None if it holds more than a model, a
    database and ``select_related()``.
    """
    if not is_itself(ONE) or not _selects_all_rows(source):
        return None
    column = _column(source.model, name)
    is_plain = (
        column is not None
        and is_plain_column(column)
        and is_compared_plainly(column, EXACT)
        and is_routed_plainly()
    )
    return column if is_plain else None


def _selects_all_rows(source: Any) -> bool:
    # Lazy objects and mocks only claim to be instances.
    cls = type(source)
    if issubclass(cls, models.QuerySet):
        return GETTING.are_of_django_on(source) and selects_all_rows(source)
    if not issubclass(cls, BaseManager) or not MANAGING.are_of_django_on(source):
        return False
    queryset_class = getattr(source, "_queryset_class", None)
    is_queryset = isinstance(queryset_class, type) and issubclass(queryset_class, models.QuerySet)
    return is_queryset and GETTING.are_of_django(queryset_class)


def _column(model: Any, name: str) -> Any:
    try:
        options = model._meta
        column = options.pk if name == "pk" else options.get_field(name)
    except (AttributeError, FieldDoesNotExist):
        return None
    is_unique = isinstance(column, COLUMN_TYPES) and column.unique and not column.remote_field
    return column if is_unique else None
