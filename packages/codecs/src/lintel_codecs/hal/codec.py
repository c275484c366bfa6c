"""HAL (``application/hal+json``) with the forms of HAL-FORMS."""

import json
from collections.abc import Mapping
from typing import Any

from lintel_codecs.hal.decoding import MEDIA_TYPE, Reader
from lintel_codecs.hal.encoding import written_document
from lintel_codecs.issues import Issues
from lintel_codecs.trees import read_tree
from lintel_document.codec import Codec
from lintel_document.document import Document
from lintel_document.errors import EncodeError, ParseError

__all__ = ["HALCodec"]


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
        tree = read_tree(content)
        if not isinstance(tree.root, Mapping):
            raise ParseError("A HAL resource must be an object")
        issues = Issues(bool(options.get("strict")))
        for issue in tree.issues:
            issues.add(issue.place, issue.message)
        return Reader(issues).whole(tree.root, options.get("base_url") or "")

    def recognizes(self, content: bytes) -> bool:
        """Return whether JSON of another media type has the top-level links of HAL."""
        if b'"_links"' not in content:
            return False
        try:
            root = read_tree(content).root
        except ParseError:
            return False
        links = root.get("_links") if isinstance(root, Mapping) else None
        found = links.values() if isinstance(links, Mapping) else ()
        return any(isinstance(link, Mapping) and "href" in link for link in found)

    def encode(self, document: Any, **options: Any) -> bytes:
        """Return a Document as UTF-8, compact, or indented by 4 spaces if ``indent`` is true.

        Raises EncodeError for an Error, and for values that JSON cannot represent.
        """
        if not isinstance(document, Document):
            raise EncodeError(f"HAL represents documents, not {type(document).__name__}")
        indented = bool(options.get("indent"))
        try:
            return json.dumps(
                written_document(document),
                ensure_ascii=False,
                allow_nan=False,
                indent=4 if indented else None,
                separators=(",", ": ") if indented else (",", ":"),
            ).encode()
        except (TypeError, ValueError) as error:
            raise EncodeError(f"HAL cannot represent this document: {error}") from error
