"""Pages by a cursor into the order of the rows."""

from __future__ import annotations

from typing import NamedTuple

from lintel.pagination.base import BasePagination


class Cursor(NamedTuple):
    """A place between two rows."""

    offset: int
    reverse: bool
    position: str | None


class CursorPagination(BasePagination):
    """Pages before and after a place in the order of the rows."""
