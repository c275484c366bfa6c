"""From a document to the types of its operations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lintel_client.codecs import media_type_of
from lintel_client.parameters import distinguished
from lintel_client.streaming.described import described_events
from lintel_client.streaming.kinds import format_of
from lintel_client.stubs.kinds import (
    ANY,
    FILE,
    EventOf,
    Kind,
    ListOf,
    Member,
    Plain,
    Record,
    Ref,
    Union,
)
from lintel_client.stubs.shapes import TEXTS, Place, Shapes, type_name
from lintel_client.stubs.unions import union
from lintel_document import uritemplates
from lintel_document.document import Array, Document
from lintel_document.jsonschema import JSONSchema
from lintel_document.links import Field, Link
from lintel_document.operations import Answer

__all__ = ["Operation", "operations_of"]

Key = str | int

LISTS = ("results", "items", "data", "value")


@dataclass(frozen=True, slots=True)
class Operation:
    """One link: its keys, and the types of its parameters, its result and an item of a page.

    ``streamed`` is the type of an item of its stream, if its description has one.
    """

    keys: tuple[Key, ...]
    summary: str
    params: tuple[Ref, ...]
    required: bool
    result: Kind
    item: Kind | None
    streamed: Kind | None = None


def operations_of(document: Document, models: bool = False) -> tuple[list[Operation], list[Record]]:
    """Return the operations of a document, and the records that their types refer to.

    For ``models``, what is sent and what is returned have records of their own where they differ,
    and texts of known formats have types of their own.
    """
    reader = _Reader(Shapes(models))
    links = list(_links(document, ()))
    # A shorter path before a longer one that begins with the same keys.
    operations = [reader.operation(keys, link) for keys, link in sorted(links, key=_by_length)]
    return operations, reader.shapes.finished()


def _by_length(found: tuple[tuple[Key, ...], Link]) -> int:
    return len(found[0])


def _links(node: Any, path: tuple[Key, ...]) -> Iterator[tuple[tuple[Key, ...], Link]]:
    if isinstance(node, Link):
        yield path, node
        return
    entries: Iterable[tuple[Key, Any]] = ()
    if isinstance(node, Mapping):
        entries = node.items()
    elif isinstance(node, Array):
        entries = enumerate(node)
    for key, value in entries:
        yield from _links(value, (*path, key))


class _Reader:
    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes

    def operation(self, keys: tuple[Key, ...], link: Link) -> Operation:
        name = type_name(" ".join(str(key) for key in keys)) or "Root"
        answers = [answer for answer in link.answers if answer.status.startswith("2")]
        result = self._result(name, answers)
        params, required = self._params(name, link)
        item, streamed = (
            kind and self.shapes.settled(kind)
            for kind in (self._item(result), self._streamed(name, link))
        )
        summary = link.title or link.description
        return Operation(keys, summary, params, required, result, item, streamed)

    # Parameters

    def _params(self, name: str, link: Link) -> tuple[tuple[Ref, ...], bool]:
        """Return records of the ways to call a link: by members of its body, or with all of it."""
        fields = _without_doubles([*distinguished(link).fields, *_path_fields(link)])
        whole = [each for each in fields if each.location == "body"]
        members = [each for each in fields if each.location != "body"]
        others = [each for each in members if each.location not in ("form", "")]
        by_members = bool(not whole or len(others) < len(members))
        ways = [self._param_record(f"{name}Params", members, link)] if by_members else []
        if whole:
            # Giving the whole body is an alternative to the members.
            needed = [replace(each, required=True) if by_members else each for each in whole]
            way_name = f"{name}WholeParams" if by_members else f"{name}Params"
            ways.append(self._param_record(way_name, [*others, *needed], link))
        has_body = any(body.required for body in link.bodies)
        return tuple(ways), has_body or any(each.required for each in fields)

    def _param_record(self, name: str, fields: Sequence[Field], link: Link) -> Ref:
        record = self.shapes.new_record(name, is_params=True)
        for each in fields:
            whole = each.location == "body" and self.shapes.models
            inner = name.removesuffix("Params").removesuffix("Whole") if whole else name
            kind = self._param_kind(f"{inner}{type_name(each.name)}", each, link)
            text = each.description or getattr(each.schema, "description", "") or ""
            record.members.append(Member(each.name, kind, each.required, text))
        return Ref(record.name)

    def _param_kind(self, name: str, field: Field, link: Link) -> Kind:
        kind = self.shapes.kind(field.schema, Place(name, sent=True))
        is_upload = field.location in ("form", "body", "") and link.encoding.startswith(
            ("multipart/", "application/octet-stream")
        )
        if is_upload and kind in (ANY, Plain("string")):
            return kind if kind == ANY else Union((kind, FILE))
        # A text will do, too, where there is a type for its format.
        return union([kind, Plain("string")]) if kind in TEXTS else kind

    # Results

    def _result(self, name: str, answers: Sequence[Answer]) -> Kind:
        if not answers:
            return ANY
        found = [
            self._answer_kind(f"{name}Result", media_type, schema)
            for answer in answers
            for media_type, schema in (answer.content.items() or (("", None),))
        ]
        return self.shapes.settled(union(found))

    def _answer_kind(self, name: str, media_type: str, schema: Any) -> Kind:
        kind = media_type_of(media_type)
        if not kind:
            return Plain("null")
        if kind.endswith(("/json", "+json")):
            return self.shapes.kind(schema, Place(name))
        if "*" in kind:
            return ANY
        return Plain("string") if kind.startswith("text/") else Plain("download")

    def _streamed(self, name: str, link: Link) -> Kind | None:
        """Return the type of an item of a stream."""
        for media_type, schema in link.item_schemas.items():
            if format_of(media_type) == "sse":
                return EventOf(self._event_data(f"{name}Data", schema))
            if format_of(media_type):
                return self.shapes.kind(schema, Place(f"{name}Item"))
        return None

    def _event_data(self, name: str, schema: Any) -> Kind:
        types = described_events(schema)
        if not types.json:
            return Plain("string")
        data = schema.properties.get("data")
        if types.text or data is None:
            return ANY
        content = data.get("contentSchema")
        return self.shapes.kind(JSONSchema(content, data.resolved.definitions), Place(name))

    def _item(self, result: Kind) -> Kind | None:
        """Return the type of the items of a list, also of one in an envelope."""
        if isinstance(result, ListOf):
            return result.item
        record = self.shapes.record(result)
        if record is None:
            return None
        lists = {each.name: each.kind for each in record.members if isinstance(each.kind, ListOf)}
        known = next((lists[name] for name in LISTS if name in lists), None)
        return known.item if known else None


def _without_doubles(fields: Iterable[Field]) -> list[Field]:
    """Return one field per name: a value is given to all fields of a name."""
    found: dict[str, Field] = {}
    for each in fields:
        if each.name and (each.name not in found or each.required):
            found[each.name] = each
    return list(found.values())


def _path_fields(link: Link) -> list[Field]:
    named = {each.name for each in link.fields}
    return [
        Field(each.name, not each.optional, "path")
        for each in uritemplates.variables(link.url)
        if each.name not in named
    ]
