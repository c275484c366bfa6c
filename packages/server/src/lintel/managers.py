"""Managers in place of querysets."""

from typing import Any

from django.db.models.manager import BaseManager


def queryset_of(rows: Any) -> Any:
    """Return the queryset of a manager; anything else unchanged."""
    return rows.all() if isinstance(rows, BaseManager) else rows
