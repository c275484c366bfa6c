"""How many rows a list has: counted, cached, estimated, or unknown.

``counting`` of a pagination class chooses; see docs/server/pagination.md. If the number may be
wrong, only the number is: whether there is a next page is found out by fetching one row
more than the page holds.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

from django.core.cache import cache as default_cache
from django.core.exceptions import EmptyResultSet, ImproperlyConfigured
from django.core.paginator import EmptyPage, Page, PageNotAnInteger, Paginator
from django.db import connections
from django.db.models import QuerySet

from lintel import fast
from lintel.fast import PLAIN
from lintel.fields.describing import Schema

EXACT, CACHED, ESTIMATED, NONE = "exact", "cached", "estimated", "none"
MODES = (EXACT, CACHED, ESTIMATED, NONE)


class CountingMixin:
    """Decides how pagination styles with a count determine it."""

    #: ``"exact"``, ``"cached"``, ``"estimated"`` (PostgreSQL; exact elsewhere) or ``"none"``.
    counting: str = EXACT

    #: Seconds for which a cached count is valid.
    count_timeout: float = 60

    #: The cache of cached counts.
    count_cache: Any = default_cache

    #: Estimates below this number are replaced by an exact count, which is cheap then.
    estimate_from: int = 10_000

    def find_count(self, rows: Any) -> int | None:
        """Return the number of rows according to ``counting``; None for ``"none"``."""
        if self.counting not in MODES:
            modes = ", ".join(repr(mode) for mode in MODES)
            raise ImproperlyConfigured(
                f"{type(self).__name__}.counting is {self.counting!r}: set it to one of {modes}."
            )
        if self.counting == NONE:
            return None
        if not isinstance(rows, QuerySet) or self.counting == EXACT:
            return exact_count(rows)
        return _cached_count(self, rows) if self.counting == CACHED else _estimate(self, rows)

    def nullable_count(self, schema: Schema) -> Schema:
        """Return the JSON Schema of a page; its count may be null if rows are not counted."""
        if self.counting == NONE:
            schema["properties"]["count"]["nullable"] = True
        return schema


def _cached_count(style: CountingMixin, queryset: QuerySet[Any]) -> int:
    key = count_key(queryset)
    result = style.count_cache.get(key)
    if result is None:
        result = exact_count(queryset)
        style.count_cache.set(key, result, style.count_timeout)
    return int(result)


def _estimate(style: CountingMixin, queryset: QuerySet[Any]) -> int:
    result = estimated_count(queryset)
    if result is None or result < style.estimate_from:
        return exact_count(queryset)
    return result


class UncertainPaginator(Paginator):
    """Pages of which there may be more or fewer than a count says; the rows themselves decide."""

    def __init__(self, rows: Any, per_page: int, count: int | None) -> None:
        super().__init__(rows, per_page)
        self.known_count = count

    @property
    def count(self) -> Any:
        return self.known_count

    @property
    def num_pages(self) -> int:
        return max(1, -(-(self.known_count or 0) // self.per_page))

    def validate_number(self, number: Any) -> int:
        try:
            result = int(number)
        except (TypeError, ValueError):
            raise PageNotAnInteger(self.error_messages["invalid_page"]) from None
        if result < 1:
            raise EmptyPage(self.error_messages["min_page"])
        return result

    def page(self, number: Any) -> UncertainPage:
        """Return the page. Raises EmptyPage if there are no rows that far."""
        valid = self.validate_number(number)
        start = (valid - 1) * int(self.per_page)
        if start + self.per_page >= sys.maxsize:
            raise EmptyPage(self.error_messages["no_results"])
        rows = list(self.object_list[start : start + self.per_page + 1])
        if not rows and valid > 1:
            raise EmptyPage(self.error_messages["no_results"])
        if self.known_count is not None:
            self.known_count = corrected(self.known_count, start, len(rows), int(self.per_page))
        return UncertainPage(rows, valid, self)


class UncertainPage(Page):
    """A page fetched with one extra row."""

    def __init__(self, rows: list[object], number: int, paginator: UncertainPaginator) -> None:
        self.has_more: bool = len(rows) > paginator.per_page
        super().__init__(rows[: paginator.per_page], number, paginator)

    def has_next(self) -> bool:
        return self.has_more

    def next_page_number(self) -> int:
        return self.number + 1


def corrected(count: int, start: int, shown: int, size: int) -> int:
    """Return a count consistent with what a page shows: ``shown`` rows, one of them beyond it."""
    if shown > size:
        return max(count, start + shown)
    return start + shown if shown or start == 0 else min(count, start)


def exact_count(rows: Any) -> int:
    """Return the number of rows of a queryset, of anything with ``count()``, or of a list."""
    try:
        # A project may give one queryset a count of its own.
        if isinstance(rows, QuerySet) and rows._result_cache is None and "count" not in vars(rows):
            counted = fast.countable(rows) if rows.query.annotations else rows
            result = fast.count(counted)
            return counted.count() if result is PLAIN else result
        return int(rows.count())
    except (AttributeError, TypeError):
        return len(rows)


def count_key(queryset: QuerySet[Any]) -> str:
    """Return a name for the count of these rows, the same in every process."""
    try:
        statement = fast.countable(queryset).order_by().query.sql_with_params()
    except EmptyResultSet:
        statement = ("", ())
    text = f"{queryset.db} {statement}"
    return f"lintel_count_{hashlib.sha256(text.encode()).hexdigest()}"


def estimated_count(queryset: QuerySet[Any]) -> int | None:
    """Return the estimate of PostgreSQL's planner; None on other databases."""
    if connections[queryset.db].vendor != "postgresql":
        return None
    # A filter that matches nothing has no plan.
    plan = fast.countable(queryset).order_by().explain(format="json")
    return int(json.loads(plan)[0]["Plan"]["Plan Rows"]) if plan else 0
