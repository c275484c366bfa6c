"""Pages: the envelope of a view's paginator around the items of a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from lintel.schemas.components import add_shared, name_of_reference
from lintel.schemas.inspection import Inspection, is_reference
from lintel.settings import api_settings
from lintel.streaming import StreamingListMixin, streams
from lintel.views import APIView


def streamed_media_types(view: APIView, method: str) -> set[str]:
    """Return the media types in which a list contains all items, without pages."""
    if not isinstance(view, StreamingListMixin) or not streams(view, method):
        return set()
    renderers: Any = getattr(view, "renderer_classes", ())
    return {each.media_type for each in renderers if each.format in view.stream_formats}


def list_schema(inspection: Inspection, paginator: Any, item: Any) -> Any:
    """Return a list of items, in the envelope of a paginator.

    The envelope is a component, named after its items and the paginator. A list without pages is
    described if the paginator may return one.
    """
    rows: Any = {"type": "array", "items": item}
    if paginator is None:
        return rows
    page = paginator.get_paginated_response_schema(rows)
    if not isinstance(page, Mapping) or page == rows:
        return page
    is_paged = makes_pages(paginator)
    if is_paged is False:
        return rows
    name = name_of_reference(item["$ref"]) if is_reference(item) else None
    if name is not None:
        page = add_shared(inspection, f"{_style(type(paginator))}Paginated{name}List", dict(page))
    return page if is_paged else {"oneOf": [page, rows]}


_SUFFIX = re.compile(r"(?<=.)(Pagination|Paginator|Pages)$")


def _style(paginator: type) -> str:
    """Return the part of component names for a paginator: empty for the one of the settings.

    It depends only on the class, so that other endpoints do not rename it.
    """
    if paginator is api_settings.DEFAULT_PAGINATION_CLASS:
        return ""
    return _SUFFIX.sub("", paginator.__name__)


def makes_pages(paginator: Any) -> bool | None:
    """Return whether a paginator makes pages; None if the request decides."""
    hook = getattr(paginator, "makes_pages", None)
    return True if hook is None else cast("bool | None", hook())
