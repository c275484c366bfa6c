"""JSON values, each on its own line: NDJSON, also called JSON Lines."""

from __future__ import annotations

from typing import Any

from lintel.renderers.data import Context, JSONRenderer, RendererContext


class NDJSONRenderer(JSONRenderer):
    """The items of a list as lines, and any other data as one line.

    With :class:`lintel.streaming.StreamingListMixin` lists are sent while they are read. Set
    ``media_type`` and ``format`` on a subclass for ``application/jsonl``.
    """

    media_type = "application/x-ndjson"
    format = "ndjson"

    def get_indent(
        self, accepted_media_type: str | None, renderer_context: RendererContext
    ) -> int | None:
        """Return None: a value must stay on its line."""
        return None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        """Return lines in UTF-8, each ending with a line feed; no bytes for None."""
        if data is None:
            return b""
        items = data if isinstance(data, list | tuple) else [data]
        render = super().render
        return b"".join(render(item) + b"\n" if item is not None else b"null\n" for item in items)
