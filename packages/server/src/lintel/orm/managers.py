"""Managers stand for all their rows."""

from __future__ import annotations

from typing import Any

from django.db.models.manager import BaseManager


def queryset_of(rows: Any) -> Any:
    """Return all rows of a manager; anything else as it is."""
    return rows.all() if isinstance(rows, BaseManager) else rows
