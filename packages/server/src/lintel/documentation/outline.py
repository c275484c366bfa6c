"""Pages of large APIs: a list of all operations, or a part of them, described without the others.

endpoints ──outline──▶ links without fields, in their places ──▶ the list, or the one asked for
"""

from collections.abc import Sequence
from copy import copy
from typing import Any

from lintel.documentation.reference import Reference, reference_of
from lintel.overrides import is_overridden
from lintel.renderers.documentation import Item, sections
from lintel.renderers.documentation_page import MOST_AT_ONCE, chosen_of, items_of
from lintel.request import Request
from lintel.schemas.coreapi import (
    LinkNode,
    SchemaGenerator,
    absolute,
    distribute_links,
    document_of,
    link_or_warning,
    placed_links,
)
from lintel.schemas.generators import Endpoint
from lintel_document import Document, Link

#: What the page shows: a native document, and the details of its operations.
Shown = tuple[Document, Reference]

#: Methods of generators that decide which operations a document has, and what they are called.
_DECIDING = (
    *("get_schema", "get_links", "coerce_path", "create_view"),
    *("_initialise_endpoints", "_get_paths_and_endpoints"),
)


class Outline:
    """The links of a generator without their fields, and the endpoint of each."""

    def __init__(self, generator: SchemaGenerator, request: Request, public: bool) -> None:
        self.generator, self.request, self.public = generator, request, public
        self.endpoints: dict[int, Endpoint] = {}
        links = placed_links(generator, None if public else request, self.link) or LinkNode()
        distribute_links(links)
        self.document = document_of(generator, links, request)

    def link(self, path: str, method: str, view: Any, base_url: str | None) -> Link:
        link = Link(url=absolute(base_url, path), action=method.lower())
        self.endpoints[id(link)] = path, method, view._lintel_callback
        return link

    def part(self, items: list[Item]) -> Shown | None:
        """Return some operations in full; None if that takes the others."""
        generator = copy(self.generator)
        generator.endpoints = [self.endpoints[id(item["link"])] for item in items]
        content: dict[str, Any] = {}
        for item, (path, method, callback) in zip(items, generator.endpoints, strict=True):
            view = generator.create_view(callback, method, None if self.public else self.request)
            place(content, item["keys"], link_or_warning(path, method, view, generator.url))
        document = document_of(generator, content, self.request)
        reference = reference_of(generator, self.request, self.public, document)
        shown = items_of(sections(document))
        # Others may share the identifiers, and another version may have these.
        is_it = [item["id"] for item in shown] == [item["id"] for item in items]
        is_known = any(reference.get(tuple(item["keys"])) is not None for item in shown)
        return (document, reference) if is_it and is_known else None

    def all(self) -> Shown | None:
        """Return all operations as a list shows them; None if they fit on one page."""
        reference = reference_of(
            self.generator, self.request, self.public, self.document, shows_values=False
        )
        left_out = sum(parts is None for parts in reference.values())
        is_long = len(self.endpoints) - left_out > MOST_AT_ONCE
        return (self.document, reference) if is_long else None


def place(content: dict[str, Any], keys: Sequence[str], link: Link) -> None:
    *above, last = keys
    for key in above:
        content = content.setdefault(key, {})
    content[last] = link


def outlined(generator: object, request: Request, public: bool, lists: bool = True) -> Shown | None:
    """Return what the page of a large API shows; None if the whole API must be described.

    Without ``lists``, only parts are left that are described in full.
    """
    if not isinstance(generator, SchemaGenerator):
        return None
    if is_overridden(generator, *_DECIDING):
        return None
    generator._initialise_endpoints()
    if len(generator.endpoints or ()) <= MOST_AT_ONCE:
        return None
    outline = Outline(generator, request, public)
    items = chosen_of(sections(outline.document), request.query_params)
    if items and (len(items) <= MOST_AT_ONCE or not lists):
        return outline.part(items)
    return outline.all() if lists and len(outline.endpoints) > MOST_AT_ONCE else None
