"""The OpenAPI codec."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lintel_document.codec import Codec

if TYPE_CHECKING:
    from lintel_document.document import Document

__all__ = ["OpenAPICodec"]

_SAYS_VERSION = re.compile(
    rb"""(?:^|[{,\s])["']?(?:openapi|swagger)["']?\s{0,20}:\s{0,20}["']?[23]\b"""
)


class OpenAPICodec(Codec):
    """Reads OpenAPI 2.0, 3.0, 3.1 and 3.2 in JSON and YAML; writes 3.1, 3.0 and 2.0 in JSON."""

    media_type = "application/openapi+json"
    media_types: tuple[str, ...] = (
        "application/openapi+json",
        "application/openapi+yaml",
        "application/vnd.oai.openapi+json",
        "application/vnd.oai.openapi+yaml",
        "application/vnd.oai.openapi",
    )
    format = "openapi"

    def recognizes(self, content: bytes) -> bool:
        """Return whether a text declares itself as such a description."""
        return _SAYS_VERSION.search(content) is not None

    def decode(self, content: bytes, **options: Any) -> Document:
        """Return the document of a description.

        Options: ``base_url``, where it was loaded from; ``strict``, to raise ParseError for what
        otherwise becomes an issue of the document; ``loader``, a function from an absolute URL to
        bytes, that lets references lead to other files below the folder of this one, and to
        ``origins`` such as "https://schemas.example.org". ``source`` is where references start if
        not at ``base_url``: the file URL of a description that was read from a file. No file is
        asked for after others have taken ``seconds`` (600) to load.

        Raises ParseError for content that is neither JSON nor YAML, or not OpenAPI.
        """
        # Loaded on first use: a client asks each codec for its media types.
        whole = import_module("lintel_codecs.openapi.whole")
        document: Document = whole.read(content, self.media_type, options)
        return document

    def encode(self, document: Any, **options: Any) -> bytes:
        """Return a document as OpenAPI in JSON.

        Options: ``version``, "3.1" (the default), "3.0" or "2.0"; ``indent``, true for a readable
        layout. What OpenAPI cannot express is written in extensions, ``x-lintel-...``, which
        ``decode`` reads. Raises EncodeError for a tree that is not a Document, and for an unknown
        version.
        """
        content: bytes = import_module("lintel_codecs.openapi.whole").write(document, options)
        return content
