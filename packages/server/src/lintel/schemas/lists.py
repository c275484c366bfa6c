"""Pages: the envelope of the paginator of a view around the items of a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lintel.schemas.components import add_shared, name_of_reference
from lintel.schemas.inspection import current, is_reference
from lintel.settings import api_settings
from lintel.streaming import StreamingListMixin, streams


def streamed_media_types(view: Any, method: str) -> set[str]:
    """The media types in which a list is all of its items, without pages."""
    if not isinstance(view, StreamingListMixin) or not streams(view, method):
        return set()
    renderers: Any = getattr(view, "renderer_classes", ())
    return {each.media_type for each in renderers if each.format in view.stream_formats}


def list_schema(schema: Any, item: Any) -> Any:
    """A list of items, in the envelope of the paginator of the view.

    In a full description the envelope is a component, named after its items and the paginator.
    """
    found: Any = {"type": "array", "items": item}
    paginator = schema.get_paginator()
    if paginator is None:
        return found
    enveloped = paginator.get_paginated_response_schema(found)
    name = name_of_reference(item["$ref"]) if is_reference(item) else None
    if current() is None or name is None or not isinstance(enveloped, Mapping):
        return enveloped
    if enveloped == found:
        return enveloped
    return add_shared(f"{_style(type(paginator))}Paginated{name}List", enveloped)


_SUFFIX = re.compile(r"(?<=.)(Pagination|Paginator|Pages)$")


def _style(paginator: type) -> str:
    """The word for a paginator in names of components: none for the one of the settings.

    It follows from the class alone, so that another endpoint renames nothing.
    """
    if paginator is api_settings.DEFAULT_PAGINATION_CLASS:
        return ""
    return _SUFFIX.sub("", paginator.__name__)
