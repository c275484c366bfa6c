"""Small functions that pagination classes of other packages import, by the names they know."""

from __future__ import annotations

from collections.abc import Iterable

from lintel.pagination.base import displayed_numbers as _get_displayed_page_numbers
from lintel.pagination.base import page_links as _get_page_links
from lintel.pagination.base import positive_number as _positive_int

__all__ = [
    "_divide_with_ceil",
    "_get_displayed_page_numbers",
    "_get_page_links",
    "_positive_int",
    "_reverse_ordering",
]


def _divide_with_ceil(dividend: int, divisor: int) -> int:
    """Quotient of whole numbers, rounded up."""
    return -(-dividend // divisor)


def _reverse_ordering(ordering: Iterable[str]) -> tuple[str, ...]:
    """The names of columns in the opposite direction each."""
    return tuple(name[1:] if name.startswith("-") else f"-{name}" for name in ordering)
