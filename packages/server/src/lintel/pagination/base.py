"""The base of all paginators: the interface, numbers from the query, rows of page links."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, quote_plus, urlencode

from django.db.models import QuerySet
from django.http import HttpRequest
from django.template import loader

from lintel.orm.late_pages import LatePage
from lintel.provenance import is_ours
from lintel.response import Response
from lintel_document import Field
from lintel_document import schemas as field_schemas


class PageLink(NamedTuple):
    """One link in a row of page numbers; a break stands for omitted pages."""

    url: str | None
    number: int | None
    is_active: bool
    is_break: bool


PAGE_BREAK = PageLink(url=None, number=None, is_active=False, is_break=True)


def positive_number(text: str, strict: bool = False, cutoff: int | None = None) -> int:
    """Return the number in a query parameter, at most ``cutoff``.

    Raises ValueError for negative numbers, for zero if ``strict``, and for other text.
    """
    number = int(text)
    if number < 0 or (number == 0 and strict):
        raise ValueError("The number is too small.")
    # No database counts beyond 63 bits.
    return min(number, cutoff or sys.maxsize, sys.maxsize)


def displayed_numbers(current: int, final: int) -> list[int | None]:
    """Return the page numbers to show: the ends, the current page and its neighbours.

    None marks a gap. A gap of one page is filled, and the current page keeps two neighbours at
    either end of the row.
    """
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
    """Return the links of a row of page numbers."""
    return [
        PAGE_BREAK
        if number is None
        else PageLink(url_of(number), number, is_active=number == current, is_break=False)
        for number in numbers
    ]


#: A path that needs no encoding.
PLAIN_PATH = re.compile(r"(?:/[\w~-][\w.~-]*)*/?", re.ASCII)

#: A query that decoding and encoding leaves unchanged; cursors end in an encoded equals sign.
PLAIN_QUERY = re.compile(r"[\w.~=&-]*(?:%(?:3D|2B|2F)[\w.~=&-]*)*", re.ASCII)
PLAIN_TEXT = re.compile(r"[\w.~-]*", re.ASCII)
BASE64_TEXT = re.compile(r"[\w+/=-]*", re.ASCII)


def encoded(text: str) -> str:
    """Return the text encoded for a query."""
    if PLAIN_TEXT.fullmatch(text):
        return text
    return encoded_base64(text) if BASE64_TEXT.fullmatch(text) else quote_plus(text)


def encoded_base64(text: str) -> str:
    """Return base64 encoded for a query."""
    return text.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")


def _parameters(query: str) -> dict[str, str]:
    """Return the parts of a query by decoded names, each with all values of the parameter."""
    parts: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if "%" in name or not PLAIN_QUERY.fullmatch(part):
            found = parse_qs(query, keep_blank_values=True)
            return {name: urlencode([(name, values)], doseq=True) for name, values in found.items()}
        text = f"{name}={value.replace('=', '%3D')}"
        parts[name] = f"{parts[name]}&{text}" if name in parts else text
    return parts


def absolute_address(request: Any) -> str:
    """Return ``request.build_absolute_uri()``, faster for plain URLs."""
    inner = getattr(request, "_request", None)
    if isinstance(inner, HttpRequest) and _is_addressed_by_django(request, inner):
        query = inner.META.get("QUERY_STRING", "")
        if PLAIN_PATH.fullmatch(inner.path) and PLAIN_QUERY.fullmatch(query):
            return f"{_scheme_and_host(inner)}{inner.path}{'?' if query else ''}{query}"
    address: str = request.build_absolute_uri()
    return address


#: Methods by which a request of Django builds its own URL.
_scheme_and_host = attrgetter("_current_scheme_host")
BUILDERS = ("build_absolute_uri", "get_full_path", "_current_scheme_host")
_builds_addresses = attrgetter(*BUILDERS)
DJANGO_BUILDERS = _builds_addresses(HttpRequest)


def _is_addressed_by_django(request: Any, inner: HttpRequest) -> bool:
    """Return whether neither a class nor one of the two requests overrides how URLs are built."""
    return (
        _builds_addresses(type(inner)) == DJANGO_BUILDERS
        and not hasattr(type(request), "build_absolute_uri")
        and "build_absolute_uri" not in vars(request)
        and vars(inner).keys().isdisjoint(BUILDERS)
    )


class Address:
    """The URL of a list, parsed once for all links that differ in a parameter or two.

    ``link({"page": 2})`` gives the same as ``replace_query_param``.
    """

    __slots__ = ("_end", "_parameters", "_places", "_start")

    def __init__(self, url: str) -> None:
        url, hash_sign, fragment = url.partition("#")
        self._start, _, query = url.partition("?")
        self._end = hash_sign + fragment
        self._parameters = _parameters(query) if query else {}
        self._places: dict[str, tuple[str, str]] = {}

    def link(self, changes: dict[str, Any]) -> str:
        """Return the URL with these parameters; None removes one.

        They are sorted by name.
        """
        if len(changes) == 1:
            ((name, value),) = changes.items()
            if value is not None:
                before, after = self.around(name)
                return f"{before}{encoded(str(value))}{after}"
        parameters = self._parameters.copy()
        for name, value in changes.items():
            if value is None:
                parameters.pop(name, None)
            else:
                parameters[name] = f"{encoded(name)}={encoded(str(value))}"
        if not parameters:
            return self._start + self._end
        query = "&".join([parameters[name] for name in sorted(parameters)])
        return f"{self._start}?{query}{self._end}"

    def around(self, name: str) -> tuple[str, str]:
        """Return the URL before and after the value of one parameter."""
        if name in self._places:
            return self._places[name]
        parts = self._parameters
        before = "".join([f"{parts[each]}&" for each in sorted(parts) if each < name])
        after = "".join([f"&{parts[each]}" for each in sorted(parts) if each > name])
        found = (f"{self._start}?{before}{encoded(name)}=", f"{after}{self._end}")
        self._places[name] = found
        return found


def query_parameter(name: str, description: Any, kind: str) -> dict[str, Any]:
    """Return an OpenAPI parameter of a list operation."""
    return {
        "name": name,
        "required": False,
        "in": "query",
        "description": str(description),
        "schema": {"type": kind},
    }


def query_field(name: str, title: str, description: Any, schema_class: Any) -> Field:
    """Return a parameter of a list operation in the native schema."""
    schema = schema_class(title=title, description=str(description))
    return Field(name=name, required=False, location="query", schema=schema)


def integer_field(name: str, title: str, description: Any) -> Field:
    """Return the native schema of a number."""
    return query_field(name, title, description, field_schemas.Integer)


def string_field(name: str, title: str, description: Any) -> Field:
    """Return the native schema of a text."""
    return query_field(name, title, description, field_schemas.String)


def envelope_schema(
    results: Any, next_example: str, previous_example: str, counted: bool = True
) -> dict[str, Any]:
    """Return the JSON Schema of a page: links and results, and the count of all rows."""
    count = {"count": {"type": "integer", "example": 123}} if counted else {}
    return {
        "type": "object",
        "required": [*count, "results"],
        "properties": {
            **count,
            "next": _link_schema(next_example),
            "previous": _link_schema(previous_example),
            "results": results,
        },
    }


def _link_schema(example: str) -> dict[str, Any]:
    return {"type": "string", "nullable": True, "format": "uri", "example": example}


def pages_by_size(size: Any, parameter: str | None) -> bool | None:
    """Return whether a style makes pages that has a default size, and a parameter for the size."""
    return True if size else None if parameter else False


def late(rows: Any) -> Any:
    """Return the rows of a page: a queryset is fetched later, anything else becomes a list."""
    return LatePage(rows) if isinstance(rows, QuerySet) else list(rows)


MethodT = TypeVar("MethodT", bound=Callable[..., Any])

#: Finds the page of a paginator, a queryset and a request for a view: rows, a LatePage or None.
FindPage = Callable[[Any, Any, Any, Any], Any]


def fetched_late(find_page: FindPage) -> Callable[[MethodT], MethodT]:
    """Mark a ``paginate_queryset`` of ours with the function that finds the page's rows."""

    def mark(method: MethodT) -> MethodT:
        method.find_page = find_page  # type: ignore[attr-defined]
        return method

    return mark


def late_page(paginator: Any, queryset: Any, request: Any, view: Any) -> Any:
    """Return what ``paginate_queryset`` does, fetched later if the method is ours."""
    method = paginator.paginate_queryset
    find_page = getattr(method, "find_page", None) if is_ours(method) else None
    if find_page is None:
        return method(queryset, request, view=view)
    return find_page(paginator, queryset, request, view)


def linked(paginator: Any, changes: dict[str, Any], base_url: str | None = None) -> str:
    """Return the URL of a paginator's request, or another one, with some parameters changed."""
    return address_of(paginator, base_url).link(changes)


def address_of(paginator: Any, base_url: str | None) -> Address:
    """Return the parsed URL of a paginator's request, or of another one."""
    source = paginator.request if base_url is None else base_url
    known = paginator._lintel_address
    if known is None or known[0] is not source:
        url = absolute_address(paginator.request) if base_url is None else base_url
        known = paginator._lintel_address = (source, Address(url))
    found: Address = known[1]
    return found


class BasePagination:
    """Base of all pagination styles. ``paginate_queryset`` may be ``async def``.

    A paginator serves one request and stores its results on itself.
    """

    display_page_controls = False

    #: Whether a request may name a page that does not exist, which is an error: for descriptions.
    may_miss_page = False

    request: Any

    _lintel_address: tuple[Any, Address] | None = None

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        """Return the rows of the requested page; None to disable pagination."""
        raise NotImplementedError("paginate_queryset() must be implemented.")

    def get_paginated_response(self, data: Any) -> Response:
        """Return the response around the serialized rows."""
        raise NotImplementedError("get_paginated_response() must be implemented.")

    def get_paginated_response_schema(self, schema: Any) -> Any:
        """Return the JSON Schema of that response, given the one of the list of rows."""
        return schema

    def to_html(self) -> str:
        """Return page controls for the browsable interface."""
        raise NotImplementedError("to_html() must be implemented to display page controls.")

    def get_results(self, data: Any) -> Any:
        """Return the rows in the data of a response."""
        return data["results"]

    def makes_pages(self) -> bool | None:
        """Return whether lists come in pages, for descriptions; None if the request decides."""
        return True

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the query parameters of this style, for OpenAPI."""
        return []

    def get_schema_fields(self, view: Any) -> list[Field]:
        """Return the query parameters of this style, for the native schema."""
        return []


class HTMLControlsMixin:
    """Renders page controls from ``template`` with ``get_html_context()``."""

    template: str | None

    def get_html_context(self) -> dict[str, Any]:
        """Return the context passed to the template."""
        raise NotImplementedError("get_html_context() must be implemented.")

    def to_html(self) -> str:
        """Return page controls for the browsable interface; empty without a template."""
        if self.template is None:
            return ""
        template = loader.get_template(self.template)
        return template.render(self.get_html_context())
