"""Conditions and limits on a queryset, without resolving names that are already known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models.sql import AND, Query

from lintel.fast.originals import ONE, is_itself
from lintel.fast.vocabulary import has_plain_methods, is_compared_as_usual, slices_plainly


def add_condition(
    queryset: Any, make: Callable[[Any], Any], columns: Iterable[Any], lookups: Iterable[str]
) -> bool:
    """Add ``make(query)`` to the conditions of a new queryset; False if filter() is needed.

    ``make`` returns a resolved expression made of ``lookups`` of ``columns``, or None if it has
    none for this query.
    """
    query = queryset.query
    if type(query) is not Query or query.is_sliced or query.combinator:
        return False
    if not is_itself(ONE) or not has_plain_methods(type(queryset)):
        return False
    if not all(is_compared_as_usual(column, name) for column in columns for name in lookups):
        return False
    condition = make(query)
    if condition is None:
        return False
    query.where.add(condition, AND)
    return True


def cut(queryset: Any, start: int, stop: int) -> Any:
    """Return rows ``start`` to ``stop`` of a new queryset, maybe as the same object."""
    if slices_plainly(queryset):
        queryset.query.set_limits(start, stop)
        return queryset
    return queryset[start:stop]
