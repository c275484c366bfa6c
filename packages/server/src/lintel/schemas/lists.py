"""Pages: the envelope of the paginator of a view around the items of a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lintel import pagination
from lintel.schemas.components import add_shared, name_of_reference
from lintel.schemas.inspection import current, is_reference
from lintel.settings import api_settings
from lintel.streaming import StreamingListMixin, streams

#: Paginators that answer with the whole list where nobody says how many rows a page has: the method
#: that finds the number, the attribute for it, and the one that names the parameter for it.
SIZES: list[tuple[type, str, str, str]] = [
    (pagination.PageNumberPagination, "get_page_size", "page_size", "page_size_query_param"),
    (pagination.CursorPagination, "get_page_size", "page_size", "page_size_query_param"),
    (pagination.LimitOffsetPagination, "get_limit", "default_limit", "limit_query_param"),
]


def streamed_media_types(view: Any, method: str) -> set[str]:
    """Return the media types in which a list is all of its items, without pages."""
    if not isinstance(view, StreamingListMixin) or not streams(view, method):
        return set()
    renderers: Any = getattr(view, "renderer_classes", ())
    return {each.media_type for each in renderers if each.format in view.stream_formats}


def list_schema(schema: Any, item: Any) -> Any:
    """Return a list of items, in the envelope of the paginator of the view.

    In a full description the envelope is a component, named after its items and the paginator, and
    a list without pages is described where the paginator answers with one.
    """
    found: Any = {"type": "array", "items": item}
    paginator = schema.get_paginator()
    if paginator is None:
        return found
    enveloped = paginator.get_paginated_response_schema(found)
    if current() is None or not isinstance(enveloped, Mapping) or enveloped == found:
        return enveloped
    is_needed, is_possible = _pages(paginator)
    if not is_possible:
        return found
    name = name_of_reference(item["$ref"]) if is_reference(item) else None
    if name is None:
        page = enveloped
    else:
        page = add_shared(f"{_style(type(paginator))}Paginated{name}List", enveloped)
    return page if is_needed else {"oneOf": [page, found]}


_SUFFIX = re.compile(r"(?<=.)(Pagination|Paginator|Pages)$")


def _style(paginator: type) -> str:
    """The word for a paginator in names of components: none for the one of the settings.

    It follows from the class alone, so that another endpoint renames nothing.
    """
    if paginator is api_settings.DEFAULT_PAGINATION_CLASS:
        return ""
    return _SUFFIX.sub("", paginator.__name__)


def makes_pages(paginator: Any) -> bool:
    """Return whether a paginator ever makes pages: some have no size, and no parameter for one."""
    return _pages(paginator)[1]


def _pages(paginator: Any) -> tuple[bool, bool]:
    """Whether a paginator always makes pages, and whether it ever does."""
    for kind, method, size, parameter in SIZES:
        if not isinstance(paginator, kind):
            continue
        if any(_is_overridden(paginator, kind, name) for name in (method, "paginate_queryset")):
            break
        is_needed = bool(getattr(paginator, size))
        return is_needed, is_needed or bool(getattr(paginator, parameter))
    return True, True


def _is_overridden(paginator: Any, kind: type, name: str) -> bool:
    return getattr(type(paginator), name) is not getattr(kind, name)
