"""Pages of large APIs: a list of all operations, or one of them, without describing the others.

endpoints ──outline──▶ links without fields, in their places ──▶ the list, or the one asked for
"""

from copy import copy
from typing import Any

from lintel.documentation.reference import Reference, reference_of
from lintel.provenance import reaches_ours
from lintel.renderers.documentation import Item, sections
from lintel.renderers.documentation_page import ASKED_FOR, MOST_AT_ONCE, items_of
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
    "get_schema",
    "get_links",
    "coerce_path",
    "create_view",
    "_initialise_endpoints",
    "_get_paths_and_endpoints",
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

    def alone(self, item: Item) -> Shown | None:
        """Return one operation in full; None if that takes the others."""
        path, method, callback = self.endpoints[id(item["link"])]
        generator = copy(self.generator)
        generator.endpoints = [(path, method, callback)]
        view = generator.create_view(callback, method, None if self.public else self.request)
        content: Any = link_or_warning(path, method, view, generator.url)
        for key in reversed(item["keys"]):
            content = {key: content}
        document = document_of(generator, content, self.request)
        reference = reference_of(generator, self.request, self.public, document)
        (shown,) = items_of(sections(document))
        # Another operation may share the identifier, or another version have this one.
        is_it = shown["id"] == item["id"] and reference.get(tuple(item["keys"])) is not None
        return (document, reference) if is_it else None

    def all(self) -> Shown | None:
        """Return all operations as a list shows them; None if they fit on one page."""
        reference = reference_of(
            self.generator, self.request, self.public, self.document, shows_values=False
        )
        left_out = sum(parts is None for parts in reference.values())
        is_long = len(self.endpoints) - left_out > MOST_AT_ONCE
        return (self.document, reference) if is_long else None


def outlined(generator: object, request: Request, public: bool) -> Shown | None:
    """Return what the page of a large API shows; None if the whole API must be described."""
    if not isinstance(generator, SchemaGenerator):
        return None
    cls = type(generator)
    if not vars(generator).keys().isdisjoint(_DECIDING) or not reaches_ours(cls, *_DECIDING):
        return None
    generator._initialise_endpoints()
    if len(generator.endpoints or ()) <= MOST_AT_ONCE:
        return None
    outline = Outline(generator, request, public)
    wanted = request.query_params.get(ASKED_FOR, "")
    for item in items_of(sections(outline.document)):
        if item["id"] == wanted:
            return outline.alone(item)
    return outline.all() if len(outline.endpoints) > MOST_AT_ONCE else None
