"""Reads and writes whole OpenAPI descriptions."""

import json
from collections.abc import Mapping
from typing import Any

from lintel_codecs.issues import Issues
from lintel_codecs.openapi.decoding import read_document
from lintel_codecs.openapi.description import Description, as_mapping, as_text
from lintel_codecs.openapi.downgrading import VERSIONS
from lintel_codecs.openapi.encoding import encoded
from lintel_codecs.openapi.references import MAX_SECONDS, Place, References
from lintel_codecs.trees import Tree, read_tree
from lintel_document.document import Document
from lintel_document.errors import EncodeError, ParseError
from lintel_document.extension import EXTENSION

__all__ = ["read", "write"]


def read(content: bytes, media_type: str, options: Mapping[str, Any]) -> Document:
    """Return the document of a description, see ``OpenAPICodec.decode``."""
    tree = read_tree(content)
    url = options.get("base_url") or _own_url(tree)
    place = Place(tree.root, options.get("source") or url)
    origins = tuple(options.get("origins") or ())
    seconds = options.get("seconds", MAX_SECONDS)
    references = References(place.url, options.get("loader"), origins, seconds)
    description = Description(
        place, references, _is_old(tree), Issues(bool(options.get("strict"))), url
    )
    for issue in tree.issues:
        description.note(issue.place, issue.message)
    return read_document(description, media_type)


def write(document: Any, options: Mapping[str, Any]) -> bytes:
    """Return a document as a description, see ``OpenAPICodec.encode``."""
    if not isinstance(document, Document):
        raise EncodeError(f"OpenAPI describes documents, not {type(document).__name__}")
    version = str(options.get("version") or "3.1")
    if version not in VERSIONS:
        raise EncodeError(f"OpenAPI is written in {', '.join(VERSIONS)}, not in {version}")
    tree = encoded(document, VERSIONS[version])
    indent = 4 if options.get("indent") else None
    try:
        return json.dumps(tree, ensure_ascii=True, allow_nan=False, indent=indent).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise EncodeError(f"OpenAPI cannot represent this tree: {error}") from error


def _own_url(tree: Tree) -> str:
    """Return the URL of the document that this was written from."""
    extension = as_mapping(as_mapping(tree.root).get(EXTENSION))
    return as_text(extension.get("url"))


def _is_old(tree: Tree) -> bool:
    root = tree.root if isinstance(tree.root, dict) else {}
    if str(root.get("swagger", "")).startswith("2"):
        return True
    if isinstance(root.get("openapi"), str | int | float):
        return False
    found = root.get("swagger") or root.get("swaggerVersion")
    detail = f"version {found} is not read" if found else "there is no openapi or swagger version"
    raise ParseError(f"This is not an OpenAPI description: {detail}")
