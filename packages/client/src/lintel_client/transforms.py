"""How the result of a link changes the document that contains the link."""

from typing import Any

from lintel_client.lookup import FoundLink
from lintel_client.responses import NO_CONTENT
from lintel_document.document import Document

__all__ = ["apply_transform"]

CHANGING_METHODS = frozenset({"put", "patch", "delete"})


def apply_transform(document: Document, found: FoundLink, result: Any) -> Any:
    """Return the result of a call as its caller sees it.

    A link inside an embedded document changes that document in place when its transform is
    "inplace", or when it has none and its action is put, patch or delete: a returned document
    replaces the embedded one, no content removes it, and the result is the whole document. In all
    other cases the result is returned unchanged; no content is None.
    """
    if found.document_path and _in_place(found):
        if result is NO_CONTENT:
            return document.delete_in(found.document_path)
        if isinstance(result, Document):
            return document.set_in(found.document_path, result)
    return None if result is NO_CONTENT else result


def _in_place(found: FoundLink) -> bool:
    if found.link.transform:
        return found.link.transform == "inplace"
    return found.link.action.lower() in CHANGING_METHODS
