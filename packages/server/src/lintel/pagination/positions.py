"""Cursors into rows that can be filtered and ordered, but whose columns are unknown.

Packages chain querysets of several models, or fetch rows from elsewhere, behind the methods of a
queryset: ``order_by``, ``filter``, slices. Such rows have no key. A position among them is the
value of the first column, and the number of rows with it to skip: cursors without a version.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from lintel.pagination.cursor_tokens import Cursor


def first_position(row: object, ordering: Sequence[Any]) -> str | None:
    name = ordering[0].lstrip("-")
    value = row[name] if isinstance(row, dict) else getattr(row, name)
    return None if value is None else str(value)


def reverse_ordering(ordering: Iterable[str]) -> tuple[str, ...]:
    return tuple(name[1:] if name.startswith("-") else f"-{name}" for name in ordering)


def rows_at(rows: Any, ordering: Sequence[str], cursor: Cursor, size: int) -> list[Any]:
    """Return the rows from a cursor on, in its direction, and one more to detect the end."""
    result = rows.order_by(*(reverse_ordering(ordering) if cursor.reverse else ordering))
    if cursor.position is not None:
        name = ordering[0].lstrip("-")
        is_descending = ordering[0].startswith("-") is not cursor.reverse
        result = result.filter(**{f"{name}__{'lt' if is_descending else 'gt'}": cursor.position})
    # No database counts beyond 63 bits.
    start = min(cursor.offset, sys.maxsize - size - 1)
    return list(result[start : start + size + 1])


def cursor_beside(
    values: Sequence[str | None],
    neighbours: tuple[str | None, str | None],
    came_by: Cursor,
    is_reversed: bool,
) -> Cursor:
    """Return the cursor for the rows after a page, or in reverse for those before it.

    ``values``: the positions of the rows of the page. ``neighbours``: those of the row before and
    the row after it; None if there is none. ``came_by``: the cursor of the page.
    """
    before, after = neighbours
    ahead, behind = (before, after) if is_reversed else (after, before)
    if not values:
        return Cursor(0, is_reversed, None)
    if came_by.reverse is not is_reversed and came_by.offset:
        # Rows were skipped on that side, and may equal the row at the end of the page.
        ahead = values[0 if is_reversed else -1]
    towards_end = values if is_reversed else values[::-1]
    for skipped, value in enumerate(towards_end):
        if value is not None and value != ahead:
            return Cursor(skipped, is_reversed, value)
    if came_by.reverse is is_reversed:
        return Cursor(came_by.offset + len(values), is_reversed, came_by.position)
    if behind is None:
        return Cursor(len(values), is_reversed, None)
    # All rows around are equal: how many of them lie behind the page is unknown.
    return Cursor(len(values) if behind != values[0] else 0, is_reversed, behind)
