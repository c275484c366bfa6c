"""JSON Hyper-Schema: the links of a JSON Schema as operations, drafts 04 to 2019-09."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lintel_document.codec import Codec

if TYPE_CHECKING:
    from lintel_document.document import Document

__all__ = ["HyperSchemaCodec"]


_SAYS_HYPERSCHEMA = re.compile(rb'"\$schema"\s*:\s*"[^"]{1,200}hyper-schema')


class HyperSchemaCodec(Codec):
    """Reads JSON Hyper-Schema.

    The links of the whole schema are at the top of the document, those of a property or a
    definition in a group of its name. A key is the relation of the link, ``read`` for "self".
    """

    media_type = "application/schema+json"
    media_types: tuple[str, ...] = ("application/schema+json", "application/hyper-schema+json")
    format = "jsonhyperschema"

    def decode(self, content: bytes, **options: Any) -> Document:
        """Return the operations of a schema; ``base_url`` is where it was loaded from.

        URLs resolve against the ``base`` of the schema, else against its own link "self" if that
        is absolute, else against ``base_url`` or its ``$id``. Links that cannot be an operation
        are issues of the document; with ``strict``, a ParseError. Raises ParseError for
        content that is not a JSON object. References are followed only inside the content.
        """
        # What reads is loaded on first use: a client asks each codec for its media types.
        whole = import_module("lintel_codecs.hyperschema.whole")
        document: Document = whole.read(content, self.media_type, options)
        return document

    def recognizes(self, content: bytes) -> bool:
        """Return whether JSON of another media type names a schema that describes links."""
        return _SAYS_HYPERSCHEMA.search(content) is not None
