"""The media types that are streams of items."""

from collections.abc import Sequence

from lintel_client.codecs import media_type_of
from lintel_document.links import Link

__all__ = ["FORMATS", "accept_streams", "always_streams", "format_of"]

FORMATS = ("sse", "ndjson", "json-seq")
"""Server-sent events, one JSON value per line, JSON text sequences."""

_TYPES = {
    "text/event-stream": "sse",
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/x-jsonl": "ndjson",
    "application/jsonlines": "ndjson",
    "application/x-jsonlines": "ndjson",
    "application/json-seq": "json-seq",
}
_SUFFIXES = {"ndjson": "ndjson", "jsonl": "ndjson", "json-seq": "json-seq"}
_ASKED = ("text/event-stream", "application/x-ndjson", "application/jsonl", "application/json-seq")


def format_of(content_type: str) -> str:
    """Return the format of a stream by its media type, empty if that is no stream."""
    media_type = media_type_of(content_type)
    return _TYPES.get(media_type) or _SUFFIXES.get(media_type.rpartition("+")[2], "")


def always_streams(link: Link) -> bool:
    """Return whether the description of a link names streams alone as its results."""
    return bool(link.accept) and all(map(format_of, link.accept))


def accept_streams(described: Sequence[str]) -> str:
    """Return the Accept header that asks for a stream: one of those described, or any."""
    named = [media_type_of(kind) for kind in described if format_of(kind)]
    return ", ".join([*dict.fromkeys(named or _ASKED), "*/*;q=0.1"])
