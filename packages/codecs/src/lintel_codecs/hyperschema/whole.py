"""Reads whole schemas."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from lintel_codecs.hyperschema.holders import find_holders
from lintel_codecs.hyperschema.keys import keyed
from lintel_codecs.hyperschema.operations import Operation, Reader
from lintel_codecs.issues import Issues
from lintel_codecs.references import References
from lintel_codecs.trees import read_tree
from lintel_document.document import Document
from lintel_document.errors import ParseError
from lintel_document.links import Link
from lintel_document.urls import resolve

__all__ = ["read"]


def read(content: bytes, media_type: str, options: Mapping[str, Any]) -> Document:
    """Return the operations of a schema, see ``HyperSchemaCodec.decode``."""
    tree = read_tree(content)
    root = tree.root
    if not isinstance(root, Mapping):
        raise ParseError("A JSON Hyper-Schema must be an object")
    issues = Issues(bool(options.get("strict")))
    for issue in tree.issues:
        issues.add(issue.place, issue.message)
    url = options.get("base_url") or ""
    groups = _groups(root, issues, _base_url(root, url))
    return Document(
        url=url or _identifier(root),
        title=_text(root.get("title")),
        description=_text(root.get("description")),
        media_type=media_type,
        content=_content(groups),
        issues=issues.all(),
    )


def _groups(root: Mapping[str, Any], issues: Issues, base_url: str) -> dict[str, list[Operation]]:
    references = References(root)
    reader = Reader(references, issues, base_url)
    groups: dict[str, list[Operation]] = defaultdict(list)
    for holder in find_holders(root, references):
        groups[holder.group] += reader.operations(holder)
    return groups


def _content(groups: Mapping[str, list[Operation]]) -> dict[str, Any]:
    named = {name: keyed(found) for name, found in groups.items() if name and found}
    top: dict[str, Link] = keyed(groups.get("", ()), taken=named)
    return {**top, **named}


def _base_url(root: Mapping[str, Any], url: str) -> str:
    base = _text(root.get("base")) or _own_link(root)
    return resolve(url or _identifier(root), base)


def _own_link(root: Mapping[str, Any]) -> str:
    """Return the absolute URL that the schema of an API gives for the API itself."""
    links = root.get("links")
    for link in links if isinstance(links, list) else ():
        href = link.get("href") if isinstance(link, Mapping) else None
        if isinstance(href, str) and link.get("rel") == "self" and "://" in href:
            return "" if "{" in href else href
    return ""


def _identifier(root: Mapping[str, Any]) -> str:
    found = _text(root.get("$id")) or _text(root.get("id"))
    return found.removesuffix("#") if "://" in found else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
