"""Conditions and limits on a queryset, without the detour over names that are known already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models.sql import AND, Query

from lintel.orm.vocabulary import has_plain_methods, slices_plainly


def add_condition(queryset: Any, make: Callable[[Any], Any]) -> bool:
    """Add ``make(query)`` to the conditions of a fresh queryset; False where only filter() can.

    ``make`` answers a resolved expression, or None where it has none for this query.
    """
    query = queryset.query
    if type(query) is not Query or query.is_sliced or query.combinator:
        return False
    if not has_plain_methods(type(queryset)):
        return False
    condition = make(query)
    if condition is None:
        return False
    query.where.add(condition, AND)
    return True


def cut(queryset: Any, start: int, stop: int) -> Any:
    """Return rows ``start`` to ``stop`` of a fresh queryset, maybe as the same object."""
    if slices_plainly(queryset):
        queryset.query.set_limits(start, stop)
        return queryset
    return queryset[start:stop]
