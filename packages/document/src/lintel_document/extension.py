"""What a format has no words for, in an extension that other readers pass over.

An encoder writes what its format can say, reads that again, and adds here what came back in
another way; so nothing that the model holds is lost, and what the format says is said once.
"""

from collections.abc import Mapping
from typing import Any

from lintel_document.comparing import Comparison
from lintel_document.document import Document
from lintel_document.errors import ParseError
from lintel_document.links import Link
from lintel_document.stored import DOCUMENT_ATTRIBUTES, LINK_ATTRIBUTES, Packer, Unpacker
from lintel_document.typecheck import checked_attributes

__all__ = ["EXTENSION", "SCOPES", "Remainder", "completed_document", "completed_link"]

EXTENSION = "x-lintel"
"""The member that holds the attributes of a link, or of a document."""
SCOPES = "scopes"
"""The member of the outermost extension that holds what schemas refer to."""

# Which format a document had, and what was wrong with it, belongs to what it was read from.
_OF_DOCUMENT = tuple(name for name in DOCUMENT_ATTRIBUTES if name not in ("media_type", "issues"))


class Remainder:
    """Collects what is left of links and documents once a format has said what it can."""

    def __init__(self) -> None:
        self._packer = Packer(answers=True)
        self._comparison = Comparison()

    def of_link(self, link: Link, again: Link | None) -> dict[str, Any]:
        """Return the attributes of a link that ``again``, read from what was written, lacks."""
        return self._packed(link, again or Link(), LINK_ATTRIBUTES)

    def of_document(self, document: Document, again: Document | None = None) -> dict[str, Any]:
        """Return the attributes of a document that ``again`` lacks, its content apart."""
        return self._packed(document, Document() if again is None else again, _OF_DOCUMENT)

    def scopes(self) -> list[dict[str, Any]]:
        """Return what the schemas of all that was returned refer to, for Unpacker."""
        return self._packer.scopes()

    def _packed(self, one: Any, again: Any, names: tuple[str, ...]) -> dict[str, Any]:
        names_left = self._comparison.differing(one, again, names)
        return {name: self._packer.value(getattr(one, name)) for name in names_left}


def completed_link(link: Link, extension: Any, unpacker: Unpacker) -> Link:
    """Return a link with the attributes of an extension in place of its own.

    Raises ParseError for an extension that is none.
    """
    # A change of the encoding alone would take the fields of another body.
    return link.replace(**{"fields": link.fields, **_read(Link, extension, unpacker)})


def completed_document(document: Document, extension: Any, unpacker: Unpacker) -> Document:
    """Return a document with the attributes of an extension in place of its own.

    Raises ParseError for an extension that is none.
    """
    own = {name: getattr(document, name) for name in DOCUMENT_ATTRIBUTES}
    return Document(content=document, **{**own, **_read(Document, extension, unpacker)})


def _read(kind: Any, extension: Any, unpacker: Unpacker) -> Mapping[str, Any]:
    names = LINK_ATTRIBUTES if kind is Link else _OF_DOCUMENT
    if not isinstance(extension, Mapping):
        raise ParseError("The extension must be an object")
    values = {name: unpacker.value(extension[name]) for name in names if name in extension}
    try:
        return checked_attributes(kind, values)
    except TypeError as error:
        raise ParseError(f"The extension is damaged: {error}") from error
