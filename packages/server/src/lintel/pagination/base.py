"""The base of all paginators: the interface, numbers from the query, rows of page links."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote_plus, urlencode

from django.template import loader
from django.utils.translation import gettext_lazy as _

from lintel.fields.describing import Schema
from lintel.inspectors import query_field, query_parameter
from lintel.marks import finder_of
from lintel.request import Request
from lintel.response import Response
from lintel.settings import COMPATIBLE_VERSIONS, SettingDefault, api_settings
from lintel_document import Field


class PageLink(NamedTuple):
    """One link in a row of page numbers; a break stands for omitted pages."""

    url: str | None
    number: int | None
    is_active: bool
    is_break: bool


PAGE_BREAK = PageLink(url=None, number=None, is_active=False, is_break=True)


def positive_number(text: str, strict: bool = False, cutoff: int | None = None) -> int:
    """Return a number, at most ``cutoff``. Raises ValueError below zero, or one if ``strict``."""
    number = int(text)
    if number < 0 or (number == 0 and strict):
        raise ValueError("The number is too small.")
    # No database counts beyond 63 bits.
    return min(number, cutoff or sys.maxsize, sys.maxsize)


def requested_size(request: Any, name: str | None, most: int | None, default: object) -> object:
    if name is None:
        return default
    try:
        return positive_number(request.query_params[name], strict=True, cutoff=most)
    except (KeyError, ValueError):
        return default


def displayed_numbers(current: int, final: int) -> list[int | None]:
    """Return the ends, the current page and its neighbours; None for a gap of several pages."""
    shown = {1, current - 1, current, current + 1, final}
    if current <= 4:
        shown |= {2, 3}
    if current >= final - 3:
        shown |= {final - 1, final - 2}
    if final <= 5:
        shown = set(range(1, final + 1))
    numbers: list[int | None] = []
    for number in sorted(number for number in shown if 0 < number <= final):
        if numbers and number - (numbers[-1] or 0) > 1:
            numbers.append(None)
        numbers.append(number)
    return numbers


def page_links(
    numbers: Iterable[int | None], current: int, url_of: Callable[[int], str]
) -> list[PageLink]:
    return [
        PAGE_BREAK
        if number is None
        else PageLink(url_of(number), number, is_active=number == current, is_break=False)
        for number in numbers
    ]


#: Cursors, numbers and most names.
_BASE64 = re.compile(r"[\w+/=-]*", re.ASCII)


def _quoted(text: Any, *options: Any) -> str:
    """Do what ``quote_plus`` does, which goes through base64 letter by letter: 3% of a page."""
    if isinstance(text, str) and _BASE64.fullmatch(text):
        return text.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
    return quote_plus(text, *options)


class Address:
    """A URL, parsed once: ``link({"page": 2})`` gives the same as ``replace_query_param``."""

    def __init__(self, url: str) -> None:
        url, hash_sign, fragment = url.partition("#")
        self._start, _mark, query = url.partition("?")
        self._end: str = hash_sign + fragment
        self._parameters: Mapping[str, object] = parse_qs(query, keep_blank_values=True)

    def link(self, changes: Mapping[str, object]) -> str:
        """Return the URL with these parameters; None removes one. They are sorted by name."""
        parameters: dict[str, object] = {**self._parameters, **changes}
        for name in [name for name, value in changes.items() if value is None]:
            del parameters[name]
        query = urlencode(sorted(parameters.items()), doseq=True, quote_via=_quoted)
        return f"{self._start}{'?' if query else ''}{query}{self._end}"


def envelope_schema(
    results: object, next_example: str, previous_example: str, counted: bool = True
) -> Schema:
    count = {"count": {"type": "integer", "example": 123}} if counted else {}
    is_bare = COMPATIBLE_VERSIONS[0] == api_settings.COMPATIBLE_WITH
    return {
        "type": "object",
        **({} if is_bare else {"required": [*count, "results"]}),
        "properties": {
            **count,
            "next": _link_schema(next_example, is_bare and not counted),
            "previous": _link_schema(previous_example, is_bare and not counted),
            "results": results,
        },
    }


def _link_schema(example: str, is_bare: bool) -> Schema:
    link = {"type": "string", "nullable": True}
    return link if is_bare else {**link, "format": "uri", "example": example}


def linked(
    paginator: BasePagination, changes: Mapping[str, object], base_url: str | None = None
) -> str:
    source = paginator.request if base_url is None else base_url
    if paginator._lintel_address[0] is not source:
        url = paginator.request.build_absolute_uri() if base_url is None else base_url
        paginator._lintel_address = source, Address(url)
    return paginator._lintel_address[1].link(changes)


class BasePagination:
    """Base of all styles, for one request; ``paginate_queryset`` may be ``async def``."""

    display_page_controls = False

    #: Whether a request may name a page that does not exist, which is an error: for descriptions.
    may_miss_page = False

    request: Any

    #: The URL of the links, and the request or the text that it was parsed from.
    _lintel_address: tuple[object, Address] = (None, Address(""))

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        """Return the rows of the requested page; None to disable pagination."""
        raise NotImplementedError("paginate_queryset() must be implemented.")

    def get_paginated_response(self, data: Any) -> Response:
        raise NotImplementedError("get_paginated_response() must be implemented.")

    def get_paginated_response_schema(self, schema: Schema) -> Schema:
        """Return the JSON Schema of that response, given the one of the list of rows."""
        return schema

    def to_html(self) -> str:
        raise NotImplementedError("to_html() must be implemented to display page controls.")

    def get_results(self, data: Any) -> Any:
        return data["results"]

    def makes_pages(self) -> bool | None:
        """Return whether lists come in pages, for descriptions; None if the request decides."""
        return True

    def get_schema_operation_parameters(self, view: Any) -> list[Schema]:
        return []

    def get_schema_fields(self, view: Any) -> list[Field]:
        return []


class HTMLControlsMixin:
    """Renders page controls from ``template`` with ``get_html_context()``."""

    template: str | None

    def get_html_context(self) -> dict[str, Any]:
        raise NotImplementedError("get_html_context() must be implemented.")

    def to_html(self) -> str:
        if self.template is None:
            return ""
        return loader.get_template(self.template).render(self.get_html_context())


class LinkedPagination(HTMLControlsMixin, BasePagination):
    """Base of the styles whose responses have links to the pages around."""

    #: The query parameters, each with its title and type: ``page_query_param`` is the name of
    #: ``page``, and ``page_query_description`` its description.
    described_parameters: Mapping[str, tuple[str, str]] = {}

    def get_schema_operation_parameters(self, view: Any) -> list[Schema]:
        return [query_parameter(name, text, kind) for name, _title, text, kind in _parameters(self)]

    def get_schema_fields(self, view: Any) -> list[Field]:
        return [query_field(*parameter) for parameter in _parameters(self)]


def _parameters(style: LinkedPagination) -> Iterator[tuple[str, str, Any, str]]:
    for prefix, (title, kind) in style.described_parameters.items():
        name = getattr(style, f"{prefix}_query_param")
        if name:
            yield name, title, getattr(style, f"{prefix}_query_description"), kind


class SizedPagination(LinkedPagination):
    """Pages of ``page_size``: clients set it by ``page_size_query_param``, to ``max_page_size``."""

    page_size: Any = SettingDefault("PAGE_SIZE")
    page_size_query_param: str | None = None
    page_size_query_description: Any = _("Number of results to return per page.")
    max_page_size: int | None = None

    def get_page_size(self, request: Request) -> Any:
        """Return the rows per page; None or 0 for no pagination."""
        name = self.page_size_query_param
        return requested_size(request, name, self.max_page_size, self.page_size)

    def makes_pages(self) -> bool | None:
        is_usual = type(self).get_page_size is SizedPagination.get_page_size
        return has_pages(self, is_usual, self.page_size, self.page_size_query_param)


def has_pages(
    style: LinkedPagination, is_usual: bool, size: object, parameter: str | None
) -> bool | None:
    """True for a size, or an override of the project; None if only clients give a size."""
    if size or not is_usual or finder_of(style.paginate_queryset) is None:
        return True
    return None if parameter else False
