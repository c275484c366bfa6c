"""A document as HAL: content, ``_links``, ``_embedded``, and ``_templates`` for the rest."""

from collections.abc import Mapping
from typing import Any

from lintel_codecs.hal.decoding import MAX_DEPTH
from lintel_codecs.hal.forms import written_form
from lintel_codecs.hal.links import is_fetched, written_link
from lintel_codecs.hal.reserved import escaped, relation_of
from lintel_document.document import Array, Document, Error
from lintel_document.errors import EncodeError
from lintel_document.extension import EXTENSION, SCOPES, Remainder
from lintel_document.links import Link
from lintel_document.urls import relative

__all__ = ["written_document"]


def written_document(document: Document) -> dict[str, Any]:
    """Return a document as a resource. Raises EncodeError for what HAL cannot represent."""
    return _Writer().whole(document)


class _Writer:
    """Writes resources, and collects what HAL cannot express."""

    def __init__(self) -> None:
        self._remainder = Remainder()

    def whole(self, document: Document) -> dict[str, Any]:
        """Return the outermost resource, including what extensions refer to."""
        written = self._document(document, "", 0)
        scopes = self._remainder.scopes()
        if scopes:
            links = written.pop("_links", {})
            own = links.setdefault("self", {})
            own.setdefault(EXTENSION, {})[SCOPES] = scopes
            return {"_links": links, **written}
        return written

    def _document(self, document: Document, base_url: str, depth: int) -> dict[str, Any]:
        own: dict[str, Any] = {}
        if document.url:
            shortened = relative(base_url, document.url) if base_url else ""
            own["href"] = shortened or document.url
        for name in ("title", "description"):
            if getattr(document, name):
                own[name] = getattr(document, name)
        again = Document(document.url, document.title, document.description)
        left = self._remainder.of_document(document, again)
        if left:
            own[EXTENSION] = left
        return self._resource(document, document.url or base_url, own, depth)

    def _resource(
        self, content: Mapping[str, Any], base_url: str, own: dict[str, Any], depth: int
    ) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            raise EncodeError(f"nested too deeply: more than {MAX_DEPTH} levels")
        parts: dict[str, dict[str, Any]] = {
            "_links": {"self": own} if own else {},
            "": {},
            "_embedded": {},
            "_templates": {},
        }
        for key, value in content.items():
            if not isinstance(key, str):
                raise EncodeError(f"HAL cannot represent the key {key!r}: keys are strings")
            part, name, written = self._entry(key, value, base_url, depth)
            parts[part][name] = written
        data = parts.pop("")
        filled = {name: part for name, part in parts.items() if part}
        links = {"_links": filled.pop("_links")} if "_links" in filled else {}
        return {**links, **data, **filled}

    def _entry(self, key: str, value: Any, base_url: str, depth: int) -> tuple[str, str, Any]:
        """Return the part of the resource for a value, its name there, and its form."""
        if isinstance(value, Link):
            if is_fetched(value):
                return "_links", relation_of(key), written_link(value, base_url, self._remainder)
            return "_templates", key, written_form(value, base_url, self._remainder)
        if isinstance(value, Document):
            return "_embedded", relation_of(key), self._document(value, base_url, depth + 1)
        if _are_links(value):
            return "_links", relation_of(key), self._link_list(value, base_url)
        if isinstance(value, Array | list | tuple) and any(isinstance(v, Document) for v in value):
            items = [self._item(item, base_url, depth + 1) for item in value]
            return "_embedded", relation_of(key), items
        return "", escaped(key), self._value(value, base_url, depth + 1)

    def _link_list(self, value: Any, base_url: str) -> list[dict[str, Any]]:
        if isinstance(value, Mapping):
            return [
                {**written_link(link, base_url, self._remainder), "name": name}
                for name, link in value.items()
            ]
        return [written_link(link, base_url, self._remainder) for link in value]

    def _item(self, value: Any, base_url: str, depth: int) -> Any:
        if isinstance(value, Document):
            return self._document(value, base_url, depth)
        return self._value(value, base_url, depth)

    def _value(self, value: Any, base_url: str, depth: int) -> Any:
        if value is None or isinstance(value, str | int | float):
            return value
        if depth > MAX_DEPTH:
            raise EncodeError(f"nested too deeply: more than {MAX_DEPTH} levels")
        if isinstance(value, Mapping) and not isinstance(value, Document | Error):
            return self._resource(value, base_url, {}, depth)
        if isinstance(value, Array | list | tuple):
            return [self._value(item, base_url, depth + 1) for item in value]
        raise EncodeError(f"HAL cannot represent a value of type {type(value).__name__} here")


def _are_links(value: Any) -> bool:
    """Return whether one relation can list these links: a list, or names of links to fetch."""
    if isinstance(value, Array | list | tuple):
        return bool(value) and all(isinstance(item, Link) for item in value)
    if isinstance(value, Mapping) and not isinstance(value, Document | Error):
        return bool(value) and all(
            isinstance(item, Link) and is_fetched(item) for item in value.values()
        )
    return False
