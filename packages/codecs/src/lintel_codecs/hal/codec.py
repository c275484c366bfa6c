"""HAL (``application/hal+json``) with the forms of HAL-FORMS."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lintel_codecs.hal.reserved import MEDIA_TYPE
from lintel_document.codec import Codec

if TYPE_CHECKING:
    from lintel_document.document import Document

__all__ = ["HALCodec"]

#: What reads and writes, loaded on first use: a client asks each codec for its media types.
_WHOLE = "lintel_codecs.hal.whole"


class HALCodec(Codec):
    """Reads and writes HAL and HAL-FORMS."""

    media_type = MEDIA_TYPE
    media_types: tuple[str, ...] = (
        MEDIA_TYPE,
        "application/prs.hal-forms+json",
        "application/vnd.hal+json",
    )
    format = "hal"

    def decode(self, content: bytes, **options: Any) -> Document:
        """Return the resource as a document; URLs resolve against ``base_url`` and ``self``.

        Parts that cannot be read, or are nested deeper than 100 levels, are reported as issues of
        the document; with ``strict``, as a ParseError. Raises ParseError if it is no JSON object.
        """
        document: Document = import_module(_WHOLE).read(content, options)
        return document

    def recognizes(self, content: bytes) -> bool:
        """Return whether JSON of another media type has the top-level links of HAL."""
        if b'"_links"' not in content:
            return False
        found: bool = import_module(_WHOLE).has_links(content)
        return found

    def encode(self, document: Any, **options: Any) -> bytes:
        """Return a Document as UTF-8, compact, or indented by 4 spaces if ``indent`` is true.

        Raises EncodeError for an Error, and for values that JSON cannot represent.
        """
        content: bytes = import_module(_WHOLE).write(document, options)
        return content
