"""The OpenAPI codec."""

import json
import re
from typing import Any

from lintel_codecs.issues import Issues
from lintel_codecs.openapi.decoding import read_document
from lintel_codecs.openapi.description import Description, as_mapping, as_text
from lintel_codecs.openapi.downgrading import VERSIONS
from lintel_codecs.openapi.encoding import encoded
from lintel_codecs.openapi.references import Place, References
from lintel_codecs.trees import Tree, read_tree
from lintel_document.codec import Codec
from lintel_document.document import Document
from lintel_document.errors import EncodeError, ParseError
from lintel_document.extension import EXTENSION

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
        not at ``base_url``: the file URL of a description that was read from a file.

        Raises ParseError for content that is neither JSON nor YAML, or not OpenAPI.
        """
        tree = read_tree(content)
        url = options.get("base_url") or _own_url(tree)
        place = Place(tree.root, options.get("source") or url)
        origins = tuple(options.get("origins") or ())
        references = References(place.url, options.get("loader"), origins)
        description = Description(
            place, references, _is_old(tree), Issues(bool(options.get("strict"))), url
        )
        for issue in tree.issues:
            description.note(issue.place, issue.message)
        return read_document(description, self.media_type)

    def encode(self, document: Any, **options: Any) -> bytes:
        """Return a document as OpenAPI in JSON.

        Options: ``version``, "3.1" (the default), "3.0" or "2.0"; ``indent``, true for a readable
        layout. What OpenAPI cannot express is written in extensions, ``x-lintel-...``, which
        ``decode`` reads. Raises EncodeError for a tree that is not a Document, and for an unknown
        version.
        """
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
