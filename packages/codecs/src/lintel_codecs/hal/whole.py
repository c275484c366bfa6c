"""Reads and writes whole HAL resources."""

import json
from collections.abc import Mapping
from typing import Any

from lintel_codecs.hal.decoding import Reader
from lintel_codecs.hal.encoding import written_document
from lintel_codecs.issues import Issues
from lintel_codecs.trees import read_tree
from lintel_document.document import Document
from lintel_document.errors import EncodeError, ParseError

__all__ = ["has_links", "read", "write"]


def read(content: bytes, options: Mapping[str, Any]) -> Document:
    """Return a resource as a document, see ``HALCodec.decode``."""
    tree = read_tree(content)
    if not isinstance(tree.root, Mapping):
        raise ParseError("A HAL resource must be an object")
    issues = Issues(bool(options.get("strict")))
    for issue in tree.issues:
        issues.add(issue.place, issue.message)
    return Reader(issues).whole(tree.root, options.get("base_url") or "")


def has_links(content: bytes) -> bool:
    """Return whether JSON has the top-level links of HAL."""
    try:
        root = read_tree(content).root
    except ParseError:
        return False
    links = root.get("_links") if isinstance(root, Mapping) else None
    found = links.values() if isinstance(links, Mapping) else ()
    return any(isinstance(link, Mapping) and "href" in link for link in found)


def write(document: Any, options: Mapping[str, Any]) -> bytes:
    """Return a document as HAL, see ``HALCodec.encode``."""
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
