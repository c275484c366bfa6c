"""The responses of operations, and the operations that follow from a response."""

from collections.abc import Iterator, Mapping
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description, Part, as_mapping, as_text
from lintel_codecs.openapi.examples import read_examples
from lintel_codecs.openapi.swagger import new_responses
from lintel_document.fields import Example, Field
from lintel_document.operations import Answer, OperationLink, Pagination

__all__ = ["accepted", "item_schemas", "operation_links", "pagination", "read_answers", "responses"]

# Names of parameters that select a page, and of properties with the items and the next page.
PAGES = {
    "cursor": ("cursor", "page_token", "pageToken", "next_token", "starting_after", "after"),
    "page": ("page", "page_number", "pageNumber", "page[number]"),
    "offset": ("offset", "skip", "start", "page[offset]"),
}
SIZES = ("limit", "page_size", "pageSize", "per_page", "perPage", "size", "first", "page[size]")
ITEMS = ("results", "items", "data", "value", "values", "records", "entries")
NEXTS = ("next", "next_page", "nextPage", "next_cursor", "nextCursor", "next_page_token")
NEXT_LINKS = ("next", "@odata.nextLink", "nextLink", "next_url", "next_page_url")
NEXT_TOKENS = (*NEXTS, "nextPageToken", "next_token", "nextToken")
TOTALS = ("count", "total", "total_count", "totalCount", "@odata.count")


def responses(description: Description, operation: Part) -> dict[str, Part]:
    """Return the responses of an operation by status; those of 2.0 are converted to 3.x."""
    node = operation.inner("responses")
    at = pointer(operation.at, "responses")
    if node is not None and not isinstance(node, Mapping):
        description.note(at, "Responses must be an object")
    found = {}
    for status, raw in as_mapping(node).items():
        if str(status).startswith("x-"):
            continue
        part = description.part(raw, operation.place, pointer(at, status), "response", str(status))
        if part and description.is_old:
            raised = new_responses(description, operation.node, part.node)
            part = Part(raised, part.place, part.at)
        if part:
            found[str(status)] = part
    return found


def accepted(found: Mapping[str, Part]) -> tuple[str, ...]:
    """Return the media types of success responses, in the order of the description."""
    good = [part for status, part in found.items() if status[:1] in ("2", "d")]
    types = [str(kind) for part in good for kind in as_mapping(part.inner("content"))]
    return tuple(dict.fromkeys(types))


def item_schemas(description: Description, found: Mapping[str, Part]) -> dict[str, Any]:
    """Return the schemas of one item of the streams among success responses, by media type."""
    good = [part for status, part in found.items() if status[:1] in ("2", "d")]
    media = [
        (str(kind), as_mapping(raw), part.place)
        for part in good
        for kind, raw in as_mapping(part.inner("content")).items()
    ]
    return {
        kind: description.schema(raw["itemSchema"], place)
        for kind, raw, place in media
        if "itemSchema" in raw
    }


def read_answers(description: Description, found: Mapping[str, Part]) -> tuple[Answer, ...]:
    """Return the responses in full. Called late, so it reports no more issues."""
    return tuple(_answer(description, status, part) for status, part in found.items())


def _answer(description: Description, status: str, part: Part) -> Answer:
    content = {
        str(kind): as_mapping(media) for kind, media in as_mapping(part.inner("content")).items()
    }
    examples = {kind: _examples(description, media, part) for kind, media in content.items()}
    if description.is_old:
        listed = as_mapping(part.inner("examples")).items()
        examples |= {str(kind): (Example("", value),) for kind, value in listed}
    return Answer(
        status,
        as_text(part.inner("description")),
        {
            kind: description.schema(media.get("schema"), part.place)
            for kind, media in content.items()
        },
        tuple(
            _header(description, str(name), as_mapping(raw), part)
            for name, raw in as_mapping(part.inner("headers")).items()
        ),
        {kind: shown for kind, shown in examples.items() if shown},
    )


def _header(description: Description, name: str, raw: Mapping[str, Any], part: Part) -> Field:
    return Field(
        name,
        location="header",
        schema=description.schema(raw.get("schema"), part.place),
        description=as_text(raw.get("description")) or None,
    )


def _examples(
    description: Description, media: Mapping[str, Any], part: Part
) -> tuple[Example, ...]:
    example, named = read_examples(description, media, part)
    return named or (() if example is None else (Example("", example),))


def operation_links(description: Description, found: Mapping[str, Part]) -> Iterator[OperationLink]:
    """Yield the links of all responses."""
    for status, part in found.items():
        for name, node in as_mapping(part.inner("links") or part.inner("x-links")).items():
            at = pointer(part.at, "links", name)
            link = description.part(node, part.place, at, "link", str(name))
            if link:
                yield OperationLink(
                    name=str(name),
                    status=status,
                    operation_id=as_text(link.inner("operationId")),
                    operation_ref=as_text(link.inner("operationRef")),
                    parameters=as_mapping(link.inner("parameters")),
                    body=link.inner("requestBody"),
                    description=as_text(link.inner("description")),
                )


def pagination(
    description: Description, fields: list[Field], found: Mapping[str, Part]
) -> Pagination | None:
    """Return how to find the next page, as far as names and headers show."""
    names = [field.name for field in fields if field.location == "query"]
    good = next((part for status, part in found.items() if status.startswith("2")), None)
    if good is None:
        return None
    size = _first(SIZES, names)
    if any(str(name).lower() == "link" for name in as_mapping(good.inner("headers"))):
        return Pagination("header", _first(PAGES["page"], names), size)
    style, parameter = _chosen(names)
    if not style and not size:
        return None
    return _by_properties(_properties(description, good), style, parameter, size)


def _by_properties(
    properties: list[str], style: str, parameter: str, size: str
) -> Pagination | None:
    items, total = _first(ITEMS, properties), _first(TOTALS, properties)
    token = _first(NEXT_TOKENS, properties)
    if style == "cursor" and token:
        return Pagination("cursor", parameter, size, items, token, total)
    following = _first(NEXT_LINKS, properties)
    if following:
        return Pagination("link", parameter, size, items, following, total)
    if style in ("", "cursor"):
        return None
    return Pagination(style, parameter, size, items, "", total)


def _chosen(names: list[str]) -> tuple[str, str]:
    for style, known in PAGES.items():
        parameter = _first(known, names)
        if parameter:
            return style, parameter
    return "", ""


def _properties(description: Description, part: Part) -> list[str]:
    for media in as_mapping(part.inner("content")).values():
        schema = description.schema(as_mapping(media).get("schema"), part.place)
        return list(schema.properties) if schema else []
    return []


def _first(known: tuple[str, ...], names: Any) -> str:
    return next((name for name in known if name in names), "")
