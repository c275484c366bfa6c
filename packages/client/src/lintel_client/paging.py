"""Reads a page of a list: its items, the total, and where the next page is.

A description may define them (``Pagination`` of a link); else the forms of our services and of
known other ones are tried. Nothing here sends anything.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lintel_client.errors import ParseError
from lintel_client.headers import Headers
from lintel_client.weblinks import link_with_relation
from lintel_document.document import Array
from lintel_document.links import Link
from lintel_document.operations import Pagination

__all__ = ["items_of", "next_parameters", "next_url", "sign_of_more", "total_of"]

NEXT_URLS = (
    *("next", "links.next", "_links.next", "meta.next", "paging.next", "pagination.next"),
    *("@odata.nextLink", "nextLink", "next_page_url", "next_url", "nextPageUrl", "next_page"),
    *("links.next_page", "meta.links.next", "meta.pagination.links.next", "pagination.next_url"),
)
NEXT_TOKENS = (
    *("next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken"),
    *("meta.next_cursor", "pagination.next_cursor", "response_metadata.next_cursor", "NextToken"),
    *("metadata.continue", "continue"),
    *("meta.next_token", "pagination.next_token", "paging.cursors.after", "cursor.next", "next"),
)
TOKEN_PARAMETERS = (
    *("cursor", "page_token", "pageToken", "next_token", "nextToken", "pagination_token"),
    *("after", "starting_after", "page[cursor]", "page[after]", "continuation", "NextToken"),
    "continue",
)
ITEMS = (
    *("results", "items", "data", "value", "entries", "records", "objects", "values", "rows"),
    *("data.items", "data.results", "data.data", "hits.hits"),
)
TOTALS = (
    *("total", "total_count", "totalCount", "total_results", "totalResults", "@odata.count"),
    *("meta.total", "meta.total_count", "meta.count", "meta.pagination.total", "pagination.total"),
    *("page.totalElements", "totalElements", "total_items", "totalItems", "paging.total"),
    *("meta.totalCount", "hits.total.value", "hits.total", "links.total", "pagination.total_count"),
)
MORE = (
    *("has_more", "hasMore", "more", "is_truncated", "isTruncated", "IsTruncated", "has_next"),
    *("hasNext", "meta.has_more", "pagination.has_more", "paging.has_more", "pagination.has_next"),
)
PAGE_PARAMETERS = (
    *("page", "page_number", "pageNumber", "page[number]"),
    *("offset", "skip", "start", "page[offset]"),
)
TOTAL_HEADERS = ("X-Total-Count", "X-Total", "Total-Count")


def items_of(result: Any, hint: Pagination | None = None) -> Sequence[Any]:
    """Return the items of a page. Raises ParseError if it contains no list, or several."""
    if hint and hint.items:
        found = at_path(result, hint.items)
        if not is_list(found):
            raise ParseError(f"The page has no list at {hint.items!r}")
        return found
    if result is None:
        return []
    if is_list(result):
        return result
    known = next((found for found in _lists(result)), None)
    if known is None:
        raise ParseError(
            "The answer holds no list of items that could be told from others: say where they "
            'stand, with pagination=Pagination("link", items="path.to.list")'
        )
    return known


def total_of(result: Any, headers: Headers, hint: Pagination | None = None) -> int | None:
    """Return how many items all pages hold together, None if the page does not say."""
    paths = [hint.total] if hint and hint.total else list(TOTALS)
    if isinstance(result, Mapping) and is_list(result.get("results")):
        # In other styles, a count may be that of the one page.
        paths.insert(0, "count")
    found = [at_path(result, path) for path in paths]
    found += [headers.get(name) for name in TOTAL_HEADERS]
    return next((number for number in map(_number, found) if number is not None), None)


def next_url(
    result: Any, headers: Headers, hint: Pagination | None = None, tokens: bool = False
) -> str | None:
    """Return the URL of the next page as the response writes it, None if there is none.

    With ``tokens``, text that does not look like a URL is not treated as one.
    """
    from_header = link_with_relation(headers, "next")
    if from_header is not None:
        return from_header
    paths = (hint.next,) if hint and hint.style == "link" and hint.next else NEXT_URLS
    for path in paths:
        url = _as_url(at_path(result, path))
        if url and (not tokens or _looks_like_url(url)):
            return url
    return None


def next_parameters(
    result: Any,
    headers: Headers,
    link: Link,
    given: Mapping[str, Any],
    hint: Pagination | None = None,
) -> dict[str, Any] | None:
    """Return the parameters that select the next page, None if there is none."""
    items = items_of(result, hint)
    if hint and hint.parameter and hint.style in ("page", "offset"):
        return _counted(result, headers, hint, given, items)
    declared = {field.name for field in link.fields}
    parameters = [hint.parameter] if hint and hint.parameter else TOKEN_PARAMETERS
    parameter = next((name for name in parameters if name in declared), None)
    if parameter is None and hint and hint.parameter:
        parameter = hint.parameter
    if parameter is None:
        return None
    paths = (hint.next,) if hint and hint.next else NEXT_TOKENS
    found = (at_path(result, path) for path in paths)
    token = next(filter(_is_token, found), None)
    if token is None and at_path(result, "has_more") is True and items:
        token = at_path(items[-1], "id")
    return {parameter: token} if _is_token(token) else None


def sign_of_more(
    result: Any, headers: Headers, given: Mapping[str, Any], hint: Pagination | None = None
) -> str:
    """Return what in a page says that others follow, such as ``has_more``; empty if nothing does.

    A total says nothing about a page that the caller chose.
    """
    for path in MORE:
        if at_path(result, path) is True:
            return path
    for path in NEXT_TOKENS:
        if _is_token(at_path(result, path)):
            return path
    chosen = {*TOKEN_PARAMETERS, *PAGE_PARAMETERS, hint.parameter if hint else ""}
    if _says_last(result) or chosen & given.keys():
        return ""
    total = total_of(result, headers, hint)
    return f"{total} items" if total is not None and total > len(items_of(result, hint)) else ""


def _counted(
    result: Any, headers: Headers, hint: Pagination, given: Mapping[str, Any], items: Sequence[Any]
) -> dict[str, Any] | None:
    """Return the next page number or offset, until the items or the total end."""
    if not items or _says_last(result):
        return None
    step = 1 if hint.style == "page" else len(items)
    start = 1 if hint.style == "page" else 0
    current = _number(given.get(hint.parameter, start))
    if current is None:
        return None
    size = _number(given.get(hint.size)) if hint.size else None
    if size and len(items) < size:
        return None
    total = total_of(result, headers, hint)
    if hint.style == "offset" and total is not None and current + step >= total:
        return None
    return {hint.parameter: current + step}


def _says_last(result: Any) -> bool:
    """Return whether a page has an empty place for the next one."""
    return isinstance(result, Mapping) and "next" in result and not result["next"]


def at_path(value: Any, path: str) -> Any:
    """Return the value at a dotted path, or under a key that contains dots; else None."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def is_list(value: Any) -> bool:
    return isinstance(value, list | Array)


def _lists(result: Any) -> Iterator[Sequence[Any]]:
    """Return the lists that may be the items of a page, the most likely first."""
    for path in ITEMS:
        if is_list(found := at_path(result, path)):
            yield found
    for holder in (at_path(result, "_embedded"), result):
        lists = [value for value in _values(holder) if is_list(value)]
        if len(lists) == 1:
            yield lists[0]


def _values(holder: Any) -> list[Any]:
    return list(holder.values()) if isinstance(holder, Mapping) else []


def _as_url(value: Any) -> str | None:
    if isinstance(value, Link):
        return value.url
    if isinstance(value, Mapping):
        value = value.get("href") or value.get("url")
    return value if isinstance(value, str) and value else None


def _is_token(value: Any) -> bool:
    return isinstance(value, str | int) and bool(value) and not isinstance(value, bool)


def _looks_like_url(text: str) -> bool:
    return "://" in text or text.startswith(("/", "?", "./", "../"))


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_number else None
