"""Pages by position: ``?limit=20&offset=60``."""

from __future__ import annotations

import sys
from typing import Any

from django.db.models import QuerySet
from django.db.models.manager import BaseManager
from django.utils.translation import gettext_lazy as _

from lintel.fast import LazyPage
from lintel.fields.describing import Schema
from lintel.marks import finds
from lintel.pagination.base import (
    LinkedPagination,
    displayed_numbers,
    envelope_schema,
    has_pages,
    linked,
    page_links,
    requested_size,
)
from lintel.pagination.counts import EXACT, CountingMixin, corrected, exact_count
from lintel.request import Request
from lintel.response import Response
from lintel.settings import SettingDefault


def divided_up(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def find_page_at_offset(
    style: LimitOffsetPagination, rows: Any, request: Request, view: object
) -> object:
    style.request = request
    style.limit = style.get_limit(request)
    if style.limit is None:
        return None
    rows = rows.all() if isinstance(rows, BaseManager) else rows
    style.offset = style.get_offset(request)
    if style.counting != EXACT:
        return _uncertain_rows(style, rows)
    style.count = style.get_count(rows)
    if style.count > style.limit and style.template is not None:
        style.display_page_controls = True
    if style.count == 0 or style.offset > style.count:
        return []
    page = rows[style.offset : min(style.offset + style.limit, sys.maxsize)]
    return LazyPage(page) if isinstance(page, QuerySet) else list(page)


def _uncertain_rows(style: LimitOffsetPagination, rows: Any) -> object:
    count = style.find_count(rows)
    places = (style.offset, int(style.offset + style.limit) + 1)
    start, stop = (min(place, sys.maxsize) for place in places)
    result = list(rows[start:stop])
    # Without a count, the links still need to know how far the rows have been read.
    style.count = corrected(count or 0, style.offset, len(result), style.limit)
    style.is_counted = count is not None
    if style.template is not None and (style.offset > 0 or len(result) > style.limit):
        style.display_page_controls = True
    return result[: style.limit]


def offset_url(style: LimitOffsetPagination, offset: int | None) -> str:
    """Return the URL of a page of this size; None leaves the offset out."""
    changes = {style.offset_query_param: offset}
    if style.limit_query_param:
        changes[style.limit_query_param] = style.limit
    return linked(style, changes)


def current_and_final(style: LimitOffsetPagination) -> tuple[int, int]:
    """Return the number of this page and of the last one, counted in pages of this size."""
    if not style.limit:
        return 1, 1
    before = divided_up(style.offset, style.limit)
    final = max(divided_up(style.count - style.offset, style.limit) + before, 1)
    return min(before + 1, final), final


class LimitOffsetPagination(CountingMixin, LinkedPagination):
    """As many rows as the client requests, from any offset."""

    default_limit: Any = SettingDefault("PAGE_SIZE")
    limit_query_param = "limit"
    limit_query_description: Any = _("Number of results to return per page.")
    offset_query_param = "offset"
    offset_query_description: Any = _("The initial index from which to return the results.")
    max_limit: int | None = None
    template: str | None = "rest_framework/pagination/numbers.html"

    count: int
    described_parameters = {"limit": ("Limit", "integer"), "offset": ("Offset", "integer")}
    is_counted = True
    limit: Any
    offset: int

    @finds(find_page_at_offset)
    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        """Return the rows from ``offset`` on; None if neither client nor view sets a limit."""
        page = find_page_at_offset(self, queryset, request, view)
        return page.instances() if type(page) is LazyPage else page

    def get_paginated_response(self, data: Any) -> Response:
        links = {"next": self.get_next_link(), "previous": self.get_previous_link()}
        count = self.count if self.is_counted else None
        return Response({"count": count, **links, "results": data})

    def get_paginated_response_schema(self, schema: Schema) -> Schema:
        limit, offset = self.limit_query_param, self.offset_query_param
        address = "http://api.example.org/accounts/?"
        page = envelope_schema(
            schema, f"{address}{offset}=400&{limit}=100", f"{address}{offset}=200&{limit}=100"
        )
        return self.nullable_count(page)

    def get_limit(self, request: Request) -> Any:
        name = self.limit_query_param
        return requested_size(request, name, self.max_limit, self.default_limit)

    def get_offset(self, request: Any) -> int:
        try:
            return max(int(request.query_params[self.offset_query_param]), 0)
        except (KeyError, ValueError):
            return 0

    def get_next_link(self) -> str | None:
        if self.offset + self.limit >= self.count:
            return None
        return offset_url(self, self.offset + self.limit)

    def get_previous_link(self) -> str | None:
        if self.offset <= 0:
            return None
        return offset_url(self, max(self.offset - self.limit, 0) or None)

    def get_html_context(self) -> dict[str, Any]:
        """Pages are counted from this one in both directions, so the first may be short."""
        current, final = current_and_final(self)

        def url_of(number: int) -> str:
            offset = None if number == 1 else self.offset + (number - current) * self.limit
            return linked(self, {self.offset_query_param: offset})

        return {
            "previous_url": self.get_previous_link(),
            "next_url": self.get_next_link(),
            "page_links": page_links(displayed_numbers(current, final), current, url_of),
        }

    def get_count(self, queryset: Any) -> int:
        return exact_count(queryset)

    def makes_pages(self) -> bool | None:
        is_usual = type(self).get_limit is LimitOffsetPagination.get_limit
        return has_pages(self, is_usual, self.default_limit, self.limit_query_param)
