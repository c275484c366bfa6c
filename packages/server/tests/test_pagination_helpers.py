"""Functions that pagination classes of other packages import."""

import pytest

from lintel.pagination import (
    PAGE_BREAK,
    _divide_with_ceil,
    _get_displayed_page_numbers,
    _get_page_links,
    _positive_int,
    _reverse_ordering,
)


def test_numbers_of_query_parameters() -> None:
    assert _positive_int("7", cutoff=3) == 3
    assert _positive_int("0") == 0
    for text, strict in (("0", True), ("-1", False)):
        with pytest.raises(ValueError, match="too small"):
            _positive_int(text, strict=strict)


def test_pages_are_counted_and_shown() -> None:
    assert (_divide_with_ceil(6, 3), _divide_with_ceil(7, 3)) == (2, 3)
    assert _get_displayed_page_numbers(5, 9) == [1, None, 4, 5, 6, None, 9]
    links = _get_page_links([1, None], 1, "?page={}".format)
    assert links == [("?page=1", 1, True, False), PAGE_BREAK]


def test_an_ordering_is_reversed() -> None:
    assert _reverse_ordering(("a", "-b")) == ("-a", "b")
