"""Values that are neither containers nor files, told by their type alone."""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import compress
from operator import not_
from uuid import UUID

_USUAL = frozenset(
    [*(str, int, float, bool, type(None), Decimal, UUID), *(datetime, date, time, timedelta)]
)


def unusual(values: Iterable[object]) -> Iterable[object]:
    """Return the other values, which the caller has to look at, in one pass without a frame."""
    held = [*values]
    return compress(held, map(not_, map(_USUAL.__contains__, map(type, held))))
