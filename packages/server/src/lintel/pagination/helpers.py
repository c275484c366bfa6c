"""Small functions that pagination classes of other packages import by these names."""

from __future__ import annotations

from lintel.pagination.base import displayed_numbers as _get_displayed_page_numbers
from lintel.pagination.base import page_links as _get_page_links
from lintel.pagination.base import positive_number as _positive_int
from lintel.pagination.offsets import divided_up as _divide_with_ceil
from lintel.pagination.positions import reverse_ordering as _reverse_ordering

__all__ = [
    "_divide_with_ceil",
    "_get_displayed_page_numbers",
    "_get_page_links",
    "_positive_int",
    "_reverse_ordering",
]
