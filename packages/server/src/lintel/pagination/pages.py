"""Pages by number: ``?page=4``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.paginator import InvalidPage, Page
from django.core.paginator import Paginator as DjangoPaginator
from django.utils.translation import gettext_lazy as _

from lintel.compiler.pages import LatePage
from lintel.compiler.plan import inlinable
from lintel.exceptions import NotFound
from lintel.pagination.base import (
    BasePagination,
    HTMLControlsMixin,
    displayed_numbers,
    envelope_schema,
    integer_field,
    late,
    page_links,
    positive_number,
    query_parameter,
)
from lintel.pagination.counts import EXACT, NONE, CountingMixin, UncertainPaginator, exact_count
from lintel.response import Response
from lintel.settings import SettingDefault
from lintel_document import Field


class PageNumberPagination(CountingMixin, HTMLControlsMixin, BasePagination):
    """Pages of equal size, found by their number.

    Clients choose the size where ``page_size_query_param`` names a parameter for it, up to
    ``max_page_size``.
    """

    page_size: Any = SettingDefault("PAGE_SIZE")
    django_paginator_class: Any = DjangoPaginator

    page_query_param = "page"
    page_query_description: Any = _("A page number within the paginated result set.")

    page_size_query_param: str | None = None
    page_size_query_description: Any = _("Number of results to return per page.")
    max_page_size: int | None = None

    #: Values of the parameter that stand for the final page.
    last_page_strings: Any = ("last",)

    template: str | None = "rest_framework/pagination/numbers.html"
    invalid_page_message: Any = _("Invalid page.")

    page: Any
    request: Any

    @inlinable("_late_page")
    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        """The rows of the page. Raises NotFound for a page that there is not."""
        rows = self._late_page(queryset, request, view)
        if type(rows) is not LatePage:
            return rows
        self.page.object_list = rows.instances()
        return list(self.page.object_list)

    def _late_page(self, queryset: Any, request: Any, view: Any) -> Any:
        self.request = request
        page_size = self.get_page_size(request)
        if not page_size:
            return None
        paginator = self._paginator(queryset, page_size)
        page_number = self.get_page_number(request, paginator)
        try:
            self.page = paginator.page(page_number)
        except InvalidPage as error:
            message = self.invalid_page_message.format(page_number=page_number, message=str(error))
            raise NotFound(message) from error
        if self.page.has_other_pages() and self.template is not None:
            self.display_page_controls = True
        return page_rows(self.page)

    def _paginator(self, rows: Any, page_size: int) -> Any:
        if self.counting != EXACT:
            return UncertainPaginator(rows, page_size, self.find_count(rows))
        paginator = self.django_paginator_class(rows, page_size)
        if getattr(type(paginator), "count", None) is DjangoPaginator.count:
            paginator.count = exact_count(rows)
        return paginator

    def get_page_number(self, request: Any, paginator: Any) -> Any:
        """The number that the request asks for, as it stands there; 1 where there is none."""
        number = request.query_params.get(self.page_query_param) or 1
        if number not in self.last_page_strings or self.counting == NONE:
            return number
        if self.counting != EXACT:
            paginator.known_count = exact_count(paginator.object_list)
        return paginator.num_pages

    def get_paginated_response(self, data: Any) -> Response:
        """Count, links and rows."""
        return Response(
            {
                "count": self.page.paginator.count,
                "next": self.get_next_link(),
                "previous": self.get_previous_link(),
                "results": data,
            }
        )

    def get_paginated_response_schema(self, schema: Any) -> Any:
        """The JSON Schema of a page."""
        address = f"http://api.example.org/accounts/?{self.page_query_param}="
        return self.nullable_count(envelope_schema(schema, f"{address}4", f"{address}2"))

    def get_page_size(self, request: Any) -> Any:
        """Rows in a page; None or 0 for no pages."""
        if self.page_size_query_param:
            try:
                return positive_number(
                    request.query_params[self.page_size_query_param],
                    strict=True,
                    cutoff=self.max_page_size,
                )
            except (KeyError, ValueError):
                pass
        return self.page_size

    def get_next_link(self) -> str | None:
        """Address of the page after this one."""
        return self._page_url(self.page.next_page_number()) if self.page.has_next() else None

    def get_previous_link(self) -> str | None:
        """Address of the page before this one."""
        if not self.page.has_previous():
            return None
        return self._page_url(self.page.previous_page_number())

    def _page_url(self, number: int) -> str:
        """Address of a page; the first one needs no number."""
        return self._linked({self.page_query_param: None if number == 1 else number})

    def get_html_context(self) -> dict[str, Any]:
        """The links of the page controls."""
        current = self.page.number
        final = max(self.page.paginator.num_pages, current + self.page.has_next())
        numbers = displayed_numbers(current, final)
        return {
            "previous_url": self.get_previous_link(),
            "next_url": self.get_next_link(),
            "page_links": page_links(numbers, current, self._page_url),
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """The query parameters of this style, for OpenAPI."""
        parameters = [
            query_parameter(self.page_query_param, self.page_query_description, "integer")
        ]
        if self.page_size_query_param is not None:
            description = self.page_size_query_description
            parameters.append(query_parameter(self.page_size_query_param, description, "integer"))
        return parameters

    def get_schema_fields(self, view: Any) -> list[Field]:
        """The query parameters of this style, for the native schema."""
        fields = [integer_field(self.page_query_param, "Page", self.page_query_description)]
        if self.page_size_query_param is not None:
            description = self.page_size_query_description
            fields.append(integer_field(self.page_size_query_param, "Page size", description))
        return fields


def page_rows(page: Any) -> Sequence[Any]:
    """The rows of a page of Django's, which would hand them out by their index, one by one.

    Rows of the database are fetched later.
    """
    if type(page).__getitem__ is not Page.__getitem__ or type(page).__iter__ is not Page.__iter__:
        return list(page)
    if isinstance(page.object_list, list):
        return list(page.object_list)
    page.object_list = late(page.object_list)
    return page.object_list
