"""The operations that a caller may see, under the names that clients know them by.

endpoints ──outline──▶ links without fields ──▶ names of tools, and the few that are described
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from lintel.request import Request
from lintel.schemas.coreapi import (
    LinkNode,
    SchemaGenerator,
    absolute,
    distribute_links,
    document_of,
    inspector_of,
    link_or_warning,
    placed_links,
)
from lintel.schemas.documenting import service_for_pages
from lintel.schemas.generators import Endpoint
from lintel.schemas.tree import Operation as DescribedOperation
from lintel.schemas.tree import Service
from lintel.schemas.undisturbed import undisturbed
from lintel_document import Field, Link, schemas
from lintel_document.agents.operations import Operation, operations_of
from lintel_document.agents.outputs import Outputs
from lintel_document.agents.toolset import Described

#: Media types of streams of items.
STREAMS = ("text/event-stream", "application/x-ndjson", "application/json-seq")

_COMPONENTS = "#/components/schemas/"


class Catalog:
    """The operations of a project for one request, and the endpoint of each."""

    def __init__(self, request: Request, title: str | None = None) -> None:
        urlconf = getattr(request._request, "urlconf", None)
        self.generator = SchemaGenerator(title=title, urlconf=urlconf)
        self.request = request
        self.endpoints: dict[int, Endpoint] = {}
        links = placed_links(self.generator, request, self.outlined) or LinkNode()
        distribute_links(links)
        self.operations = operations_of(document_of(self.generator, links, request))

    def endpoint(self, operation: Operation) -> Endpoint:
        """Find the path, the method and the callback of an operation."""
        return self.endpoints[id(operation.link)]

    def link(self, operation: Operation) -> Link:
        """Describe one operation with its fields."""
        path, method, callback = self.endpoint(operation)
        with undisturbed():
            view = self.generator.create_view(callback, method, self.request)
            return link_or_warning(path, method, view, self.generator.url)

    def describe(self, operations: Sequence[Operation], note: str = "") -> list[Described]:
        """Describe operations in full; the ``note`` is for those that may stream."""
        service = self.service(operations)
        components = {_COMPONENTS + part.name: part.schema for part in service.components}
        by_path = {(item.path, item.method): item for item in service.operations}
        described = []
        for wanted in operations:
            operation_here = by_path.get(self.endpoint(wanted)[:2])
            outputs = output_of(operation_here, components) if operation_here else Outputs()
            streams = operation_here is not None and _may_stream(operation_here)
            link = self.link(wanted)
            link = with_files(link, operation_here, components) if operation_here else link
            described.append(Described(link, outputs, note if streams else ""))
        return described

    def outlined(self, path: str, method: str, view: Any, base_url: str | None) -> Link:
        """Describe an operation by its text alone, and note its endpoint."""
        described = _description(view, path, method)
        link = Link(absolute(base_url, path), method.lower(), description=described)
        self.endpoints[id(link)] = path, method, view._lintel_callback
        return link

    def service(self, operations: Sequence[Operation]) -> Service:
        """Describe some operations with their bodies and responses."""
        generator = copy(self.generator)
        generator.endpoints = [self.endpoint(operation) for operation in operations]
        return service_for_pages(generator, self.request)


def output_of(operation: DescribedOperation, components: dict[str, Any]) -> Outputs:
    """The output of an operation: its first response of success with JSON."""
    for response in operation.responses or ():
        if response.status.startswith("2"):
            for content in response.content or ():
                if "json" in content.media_type and content.media_type not in STREAMS:
                    return Outputs(content.schema, components.get)
    return Outputs()


def with_files(link: Link, operation: DescribedOperation, components: Mapping[str, Any]) -> Link:
    """Let the fields of a link say which take files: native ones do not."""
    files = set()
    for content in operation.body.content if operation.body else ():
        schema = content.schema or {}
        schema = components.get(schema.get("$ref", ""), schema)
        for name, inner in schema.get("properties", {}).items():
            if isinstance(inner, Mapping) and _is_file(inner):
                files.add(name)
    fields = [
        replace(field, schema=schemas.String(format="binary", description=_text_of(field)))
        if field.sent_name in files and field.location == "form"
        else field
        for field in link.fields
    ]
    return link.replace(fields=fields) if files else link


def _is_file(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "binary" or "contentMediaType" in schema


def _text_of(field: Field) -> str:
    return str(field.description or getattr(field.schema, "description", "") or "")


def _may_stream(operation: DescribedOperation) -> bool:
    responses = operation.responses or ()
    contents = [content for response in responses for content in response.content or ()]
    return any(content.media_type in STREAMS for content in contents)


def _description(view: Any, path: str, method: str) -> str:
    """The text of an operation; none if code of the project fails."""
    try:
        return str(inspector_of(view).get_description(path, method) or "")
    except Exception:
        return ""
