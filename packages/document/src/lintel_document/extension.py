"""Stores what a format cannot express in an extension, which other readers ignore.

An encoder writes what its format can express, reads that again, and adds what came back
differently here; so nothing in the model is lost, and nothing is stored twice.
"""

from collections.abc import Mapping
from typing import Any

from lintel_document.comparing import Comparison
from lintel_document.document import Document
from lintel_document.errors import ParseError
from lintel_document.links import Link
from lintel_document.stored import DOCUMENT_ATTRIBUTES, LINK_ATTRIBUTES, Packer, Unpacker
from lintel_document.typecheck import checked_attributes

__all__ = [
    "EXTENSION",
    "SCOPES",
    "Remainder",
    "completed_document",
    "completed_link",
    "uncompleted_link",
]

EXTENSION = "x-lintel"
"""The member that holds the attributes of a link, or of a document."""
SCOPES = "scopes"
"""The member of the outermost extension that holds what schemas refer to."""

# The format of a document and its issues belong to what it was read from.
_OF_DOCUMENT = tuple(name for name in DOCUMENT_ATTRIBUTES if name not in ("media_type", "issues"))


class Remainder:
    """Collects the parts of links and documents that a format could not express."""

    def __init__(self) -> None:
        self._packer = Packer(answers=True)
        self._comparison = Comparison()

    def of_link(self, link: Link, again: Link | None) -> dict[str, Any]:
        """Return the attributes of a link that ``again``, read from the output, lacks."""
        return self._packed(link, again or Link(), LINK_ATTRIBUTES)

    def of_document(self, document: Document, again: Document | None = None) -> dict[str, Any]:
        """Return the attributes of a document that ``again`` lacks, except its content."""
        return self._packed(document, Document() if again is None else again, _OF_DOCUMENT)

    def scopes(self) -> list[dict[str, Any]]:
        """Return what the schemas in all results refer to, for Unpacker."""
        return self._packer.scopes()

    def _packed(self, one: Any, again: Any, names: tuple[str, ...]) -> dict[str, Any]:
        names_left = self._comparison.differing(one, again, names)
        return {name: self._packer.value(getattr(one, name)) for name in names_left}


def completed_link(link: Link, extension: Any, unpacker: Unpacker) -> Link:
    """Return a link with the attributes of an extension instead of its own.

    Raises ParseError for an invalid extension.
    """
    # A change of only the encoding would select the fields of another body.
    return link.replace(**{"fields": link.fields, **_read(Link, extension, unpacker)})


def uncompleted_link(link: Link, extension: Any) -> Link:
    """Return a link whose extension is damaged: what it says cannot be called stays so."""
    problem = extension.get("problem") if isinstance(extension, Mapping) else None
    return link.replace(fields=link.fields, problem=problem) if isinstance(problem, str) else link


def completed_document(document: Document, extension: Any, unpacker: Unpacker) -> Document:
    """Return a document with the attributes of an extension instead of its own.

    Raises ParseError for an invalid extension.
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
