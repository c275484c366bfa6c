"""Writes the index of a document: see ``lintel_client.cli.index``."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lintel_client.cli.index import stamp_of
from lintel_client.forms import MULTIPART, essence
from lintel_client.parameters import OCTET_STREAM, distinguished
from lintel_document import schemas
from lintel_document.document import Array, Document, Node
from lintel_document.jsonschema import JSONSchema
from lintel_document.links import Field, Link
from lintel_document.stored import packed
from lintel_document.uritemplates import variables

__all__ = ["index_lines", "short_examples"]

LONGEST_SUMMARY = 100
LONGEST_DESCRIPTION = 300
LONGEST_EXAMPLE = 60
MOST_EXAMPLES = 5

#: From so many operations on, a text that they share is about their group.
LEAST_SHARED = 3

_BODY = ("form", "body")
_Entry = list[Any]


class _Writer:
    """Collects the lines of all operations, and the tree of keys that leads to them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._size = 0
        self.lines: list[bytes] = []
        #: What all operations of a group say, by its key.
        self.shared: dict[str, str] = {}

    def tree(self, value: Any, path: tuple[str, ...], embedded: bool) -> dict[str, Any] | _Entry:
        """Return the part of the index for a value, empty if it contains no operation."""
        if isinstance(value, Link):
            return self._operation(value, path, embedded)
        children = dict(_children(value))
        found = {
            key: self.tree(inner, (*path, key), embedded or _embeds(inner))
            for key, inner in children.items()
        }
        self._tell_apart(children, found, path)
        return {key: inner for key, inner in found.items() if inner}

    def _tell_apart(
        self, children: dict[str, Any], found: dict[str, Any], path: tuple[str, ...]
    ) -> None:
        """Let operations that all say the same say their request, and the group the text."""
        entries = {key: each for key, each in found.items() if isinstance(each, list)}
        counted = Counter(entry[-1] for entry in entries.values() if entry[-1])
        for text in [text for text, count in counted.items() if count >= LEAST_SHARED]:
            for key in [key for key, entry in entries.items() if entry[-1] == text]:
                entries[key][-1] = _request(children[key])
            if len(path) == 1:
                self.shared[path[0]] = text

    def _operation(self, link: Link, path: tuple[str, ...], embedded: bool) -> _Entry:
        rows = [*_rows(link), *_rows_of_other_bodies(link)]
        parameters = json.dumps(rows).encode() + b"\n"
        alone = b"" if embedded else _encoded(self._document, path, link)
        entry = [self._size, len(parameters), len(alone), embedded, _summary(link)]
        self._size += len(parameters) + len(alone)
        self.lines += [parameters, alone]
        return entry


def index_lines(document: Document, stored: Path) -> bytes:
    """Return the lines of the index of a document that is stored in a file."""
    writer = _Writer(document)
    tree = writer.tree(document, (), False)
    about = writer.shared | {
        tag.name: _first(tag.description or tag.summary, LONGEST_DESCRIPTION)
        for tag in document.tags
    }
    head = json.dumps({"stamp": stamp_of(stored), "tree": tree, "about": about}).encode()
    return b"".join([head, b"\n", *writer.lines])


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Node):
        yield from value.items()
    elif isinstance(value, Array):
        yield from ((str(number), inner) for number, inner in enumerate(value))


def _embeds(value: Any) -> bool:
    return isinstance(value, Document | Array)


def _encoded(document: Document, path: tuple[str, ...], link: Link) -> bytes:
    content: Any = link
    for key in reversed(path):
        content = {key: content}
    return packed(document.clone(content), answers=False) + b"\n"


def _named(link: Link) -> list[Field]:
    """Return the fields of a link, and the variables of its URL that no field describes."""
    described = {found.name for found in link.fields}
    return [
        *(found for found in distinguished(link).fields if found.name),
        *(
            Field(each.name, required=not each.optional, location="path")
            for each in variables(link.url)
            if each.name not in described
        ),
    ]


def _rows(link: Link) -> list[dict[str, Any]]:
    types = ["", essence(link.encoding)] if link.bodies else []
    return [
        _parameter(link, found) | {"content_types": types if found.location in _BODY else []}
        for found in _named(link)
    ]


def _rows_of_other_bodies(link: Link) -> Iterator[dict[str, Any]]:
    for body in link.bodies[1:]:
        other = link.replace(encoding=body.media_type)
        types = [essence(body.media_type)]
        for found in body.fields:
            if found.name:
                yield _parameter(other, found) | {"content_types": types}


def _parameter(link: Link, found: Field) -> dict[str, Any]:
    schema = found.schema
    return {
        "name": found.name,
        "required": found.required,
        "location": found.location,
        "kind": _kind(link, found),
        "item": _item_type(schema),
        "format": str(getattr(schema, "format", None) or ""),
        "choices": _choices(schema),
        "description": _first(_description(found), LONGEST_DESCRIPTION),
        "examples": short_examples(found),
    }


def _kind(link: Link, found: Field) -> str:
    binary = getattr(found.schema, "format", None) == "binary"
    if link.encoding == OCTET_STREAM or (binary and link.encoding == MULTIPART):
        return "file" if found.location not in ("path", "query", "header", "cookie") else ""
    return schemas.type_name(found.schema) if found.schema is not None else found.type or ""


def _item_type(schema: Any) -> str:
    items = getattr(schema, "items", None)
    return schemas.type_name(items) if isinstance(items, schemas.Schema) else ""


def _choices(schema: Any) -> list[Any]:
    values = getattr(schema, "enum", None) or ()
    return [value for value in values if value is None or isinstance(value, str | int | float)]


def short_examples(found: Field) -> list[Any]:
    """Return the first examples of a parameter that are short enough for a line."""
    values = [
        found.example,
        *(each.value for each in found.examples),
        *_schema_examples(found.schema),
    ]
    short = [
        value
        for value in values
        if isinstance(value, str | int | float) and len(str(value)) <= LONGEST_EXAMPLE
    ]
    return list(dict.fromkeys(short))[:MOST_EXAMPLES]


def _schema_examples(schema: Any) -> list[Any]:
    """Return the examples in a JSON Schema: `examples`, or `example` of older dialects."""
    if not isinstance(schema, JSONSchema):
        return []
    listed = schema.get("examples")
    return [schema.get("example"), *(listed if isinstance(listed, list) else [])]


def _description(found: Field) -> str:
    return str(found.description or getattr(found.schema, "description", "") or "")


def _summary(link: Link) -> str:
    return _first(link.title or link.description, LONGEST_SUMMARY)


def _request(link: Link) -> str:
    address = link.url.partition("{?")[0]
    with suppress(ValueError):  # brackets that hold no address
        address = urlsplit(address).path
    return _first(f"{(link.action or 'get').upper()} {address or '/'}", LONGEST_SUMMARY)


def _first(text: str, size: int) -> str:
    """Return the first paragraph of a text in one line, truncated if it is long."""
    line = " ".join(text.strip().partition("\n\n")[0].split())
    return line if len(line) <= size else f"{line[: size - 1]}…"
