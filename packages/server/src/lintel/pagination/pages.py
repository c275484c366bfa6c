"""Pages by number: ``?page=4``."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.core.paginator import InvalidPage
from django.core.paginator import Paginator as DjangoPaginator
from django.db.models import QuerySet
from django.db.models.manager import BaseManager
from django.utils.translation import gettext_lazy as _

from lintel import fast
from lintel.exceptions import NotFound
from lintel.fast import PLAIN, LazyPage
from lintel.fields.describing import Schema
from lintel.marks import finds
from lintel.pagination.base import (
    SizedPagination,
    displayed_numbers,
    envelope_schema,
    linked,
    page_links,
)
from lintel.pagination.counts import EXACT, NONE, CountingMixin, UncertainPaginator, exact_count
from lintel.problems.places import about_parameter
from lintel.request import Request
from lintel.response import Response


def find_numbered_page(
    style: PageNumberPagination, rows: object, request: Request, view: object
) -> object:
    style.request = request
    page_size = style.get_page_size(request)
    if not page_size:
        return None
    rows = rows.all() if isinstance(rows, BaseManager) else rows
    paginator = _django_paginator(style, rows, page_size)
    page_number = style.get_page_number(request, paginator)
    try:
        style.page = paginator.page(page_number)
    except InvalidPage as error:
        message = style.invalid_page_message.format(page_number=page_number, message=str(error))
        raise about_parameter(NotFound(message), style.page_query_param) from error
    if style.page.has_other_pages() and style.template is not None:
        style.display_page_controls = True
    shown = fast.page_rows(style.page)
    return list(style.page) if shown is PLAIN else shown


def _django_paginator(style: PageNumberPagination, rows: object, page_size: int) -> Any:
    if style.counting != EXACT:
        return UncertainPaginator(rows, page_size, style.find_count(rows))
    paginator = style.django_paginator_class(rows, page_size)
    if isinstance(rows, QuerySet) and fast.counts_rows(paginator):
        paginator.count = exact_count(rows)
    return paginator


def page_url(style: PageNumberPagination, number: int) -> str:
    return linked(style, {style.page_query_param: None if number == 1 else number})


class PageNumberPagination(CountingMixin, SizedPagination):
    """Pages of equal size, found by their number."""

    django_paginator_class: Any = DjangoPaginator

    may_miss_page = True
    page_query_param = "page"
    page_query_description: Any = _("A page number within the paginated result set.")

    #: Values of the parameter that stand for the last page.
    last_page_strings: Any = ("last",)

    template: str | None = "rest_framework/pagination/numbers.html"
    invalid_page_message: Any = _("Invalid page.")

    described_parameters = {"page": ("Page", "integer"), "page_size": ("Page size", "integer")}
    page: Any

    @finds(find_numbered_page)
    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        """Return the rows of the page. Raises NotFound for a page that does not exist."""
        rows = find_numbered_page(self, queryset, request, view)
        if type(rows) is not LazyPage:
            return rows
        self.page.object_list = rows.instances()
        return list(self.page.object_list)

    def get_page_number(self, request: Request, paginator: Any) -> Any:
        """Return the requested page number, as sent; 1 if there is none."""
        number = request.query_params.get(self.page_query_param) or 1
        if number not in self.last_page_strings or self.counting == NONE:
            return number
        if self.counting != EXACT:
            paginator.known_count = exact_count(paginator.object_list)
        return paginator.num_pages

    def get_paginated_response(self, data: Any) -> Response:
        links = {"next": self.get_next_link(), "previous": self.get_previous_link()}
        return Response({"count": self.page.paginator.count, **links, "results": data})

    def get_paginated_response_schema(self, schema: Schema) -> Schema:
        address = f"http://api.example.org/accounts/?{self.page_query_param}="
        return self.nullable_count(envelope_schema(schema, f"{address}4", f"{address}2"))

    def get_next_link(self) -> str | None:
        return page_url(self, self.page.next_page_number()) if self.page.has_next() else None

    def get_previous_link(self) -> str | None:
        if not self.page.has_previous():
            return None
        return page_url(self, self.page.previous_page_number())

    def get_html_context(self) -> dict[str, Any]:
        current = self.page.number
        final = max(self.page.paginator.num_pages, current + self.page.has_next())
        numbers = displayed_numbers(current, final)
        return {
            "previous_url": self.get_previous_link(),
            "next_url": self.get_next_link(),
            "page_links": page_links(numbers, current, partial(page_url, self)),
        }
