"""From a document to the types of its operations."""

import re
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
    Literals,
    MapOf,
    Member,
    Plain,
    Record,
    Ref,
    Union,
)
from lintel_document import uritemplates
from lintel_document.document import Array, Document
from lintel_document.jsonschema import JSONSchema, json_schema
from lintel_document.links import Field, Link
from lintel_document.operations import Answer
from lintel_document.schemas import Schema

__all__ = ["Operation", "operations_of"]

Key = str | int

MAX_DEPTH = 40
MAX_OPTIONS = 200
LISTS = ("results", "items", "data", "value")
PLAIN = ("string", "integer", "number", "boolean", "null")


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


def operations_of(document: Document) -> tuple[list[Operation], list[Record]]:
    """Return the operations of a document, and the records that their types refer to."""
    reader = _Reader()
    links = list(_links(document, ()))
    # A shorter path before a longer one that begins with the same keys.
    operations = [reader.operation(keys, link) for keys, link in sorted(links, key=_by_length)]
    return operations, reader.records


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
    def __init__(self) -> None:
        self.records: list[Record] = []
        self._taken: set[str] = set()
        self._by_source: dict[int, tuple[Any, Kind]] = {}

    def operation(self, keys: tuple[Key, ...], link: Link) -> Operation:
        name = _type_name(" ".join(str(key) for key in keys)) or "Root"
        answers = [answer for answer in link.answers if answer.status.startswith("2")]
        result = self._result(name, answers)
        params, required = self._params(name, link)
        summary, streamed = link.title or link.description, self._streamed(name, link)
        return Operation(keys, summary, params, required, result, self._item(result), streamed)

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
        record = self._new_record(name, "")
        for each in fields:
            kind = self._param_kind(f"{name}{_type_name(each.name)}", each, link)
            text = each.description or getattr(each.schema, "description", "") or ""
            record.members.append(Member(each.name, kind, each.required, text))
        return Ref(record.name)

    def _param_kind(self, name: str, field: Field, link: Link) -> Kind:
        kind = self._kind(field.schema, name, 0)
        is_upload = field.location in ("form", "body", "") and link.encoding.startswith(
            ("multipart/", "application/octet-stream")
        )
        if is_upload and kind in (ANY, Plain("string")):
            return kind if kind == ANY else Union((kind, FILE))
        return kind

    # Results

    def _result(self, name: str, answers: Sequence[Answer]) -> Kind:
        if not answers:
            return ANY
        found = [
            self._answer_kind(f"{name}Result", media_type, schema)
            for answer in answers
            for media_type, schema in (answer.content.items() or (("", None),))
        ]
        return _union(found)

    def _answer_kind(self, name: str, media_type: str, schema: Any) -> Kind:
        kind = media_type_of(media_type)
        if not kind:
            return Plain("null")
        if kind.endswith(("/json", "+json")):
            return self._kind(schema, name, 0)
        if "*" in kind:
            return ANY
        return Plain("string") if kind.startswith("text/") else Plain("download")

    def _streamed(self, name: str, link: Link) -> Kind | None:
        """Return the type of an item of a stream."""
        for media_type, schema in link.item_schemas.items():
            if format_of(media_type) == "sse":
                return EventOf(self._event_data(f"{name}Data", schema))
            if format_of(media_type):
                return self._kind(schema, f"{name}Item", 0)
        return None

    def _event_data(self, name: str, schema: Any) -> Kind:
        types = described_events(schema)
        if not types.json:
            return Plain("string")
        data = schema.properties.get("data")
        if types.text or data is None:
            return ANY
        content = data.get("contentSchema")
        return self._kind(JSONSchema(content, data.resolved.definitions), name, 0)

    def _item(self, result: Kind) -> Kind | None:
        """Return the type of the items of a list, also of one in an envelope."""
        if isinstance(result, ListOf):
            return result.item
        record = self._record(result)
        if record is None:
            return None
        lists = {each.name: each.kind for each in record.members if isinstance(each.kind, ListOf)}
        known = next((lists[name] for name in LISTS if name in lists), None)
        return known.item if known else None

    def _record(self, kind: Kind) -> Record | None:
        named = isinstance(kind, Ref)
        return next((each for each in self.records if named and Ref(each.name) == kind), None)

    # Schemas

    def _kind(self, schema: Any, name: str, depth: int) -> Kind:
        if isinstance(schema, Schema) and not isinstance(schema, JSONSchema):
            schema = JSONSchema(json_schema(schema))
        if not isinstance(schema, JSONSchema) or depth > MAX_DEPTH:
            return ANY
        resolved = schema.resolved
        reference = schema.source.get("$ref")
        own = _type_name(str(reference).rpartition("/")[2]) if reference else ""
        known = self._by_source.get(id(resolved.source))
        if known is not None:
            return known[1]
        kind = self._described(resolved, own or name, depth, bool(own))
        nullable = resolved.source.get("nullable") is True
        return _union([kind, Plain("null")]) if nullable else kind

    def _described(self, schema: JSONSchema, name: str, depth: int, named: bool) -> Kind:
        literals = _literals(schema)
        if literals is not None:
            return literals
        for keyword in ("oneOf", "anyOf"):
            parts = schema.source.get(keyword)
            if isinstance(parts, list) and parts and not schema.properties:
                options = [JSONSchema(part, schema.definitions) for part in parts[:MAX_OPTIONS]]
                return _union(
                    [
                        self._kind(part, f"{name}{at}", depth + 1)
                        for at, part in enumerate(options, 1)
                    ]
                )
        kinds = schema.source.get("type")
        if isinstance(kinds, list):
            return _union([self._typed(schema, str(kind), name, depth) for kind in kinds])
        return self._typed(schema, schema.type_name, name, depth)

    def _typed(self, schema: JSONSchema, kind: str, name: str, depth: int) -> Kind:
        if kind == "array":
            return ListOf(self._kind(schema.items, f"{name}Item", depth + 1))
        if kind == "string" and schema.format == "binary":
            return FILE
        if kind in PLAIN:
            return Plain(kind)
        parts = schema.source.get("allOf")
        if kind == "object" or schema.properties:
            return self._object(schema, name, depth)
        if isinstance(parts, list) and len(parts) == 1:
            return self._kind(JSONSchema(parts[0], schema.definitions), name, depth + 1)
        return ANY

    def _object(self, schema: JSONSchema, name: str, depth: int) -> Kind:
        properties = schema.properties
        if not properties:
            inner = schema.source.get("additionalProperties")
            value = JSONSchema(inner, schema.definitions) if isinstance(inner, Mapping) else None
            return MapOf(self._kind(value, f"{name}Value", depth + 1))
        record = self._new_record(name, schema.title or schema.description)
        # Registered before its members are read, because they may refer to it. The source is kept
        # so that its id is not reused.
        self._by_source[id(schema.source)] = (schema.source, Ref(record.name))
        for key, inner in properties.items():
            kind = self._kind(inner, f"{name}{_type_name(key)}", depth + 1)
            text = inner.description or inner.title
            record.members.append(Member(key, kind, key in schema.required, text))
        return Ref(record.name)

    def _new_record(self, name: str, description: str) -> Record:
        unique, number = name, 2
        while unique in self._taken:
            unique, number = f"{name}{number}", number + 1
        self._taken.add(unique)
        self.records.append(Record(unique, description))
        return self.records[-1]


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


def _literals(schema: JSONSchema) -> Kind | None:
    values = schema.enum
    if not values:
        return None
    if not all(value is None or isinstance(value, str | int) for value in values):
        return None
    return Literals(tuple(dict.fromkeys(values)))


def _union(kinds: Iterable[Kind]) -> Kind:
    options: dict[Kind, None] = {}
    for kind in kinds:
        options.update(dict.fromkeys(kind.options if isinstance(kind, Union) else (kind,)))
    if ANY in options or not options:
        return ANY
    return Union(tuple(options)) if len(options) > 1 else next(iter(options))


def _type_name(text: str) -> str:
    """Return a text as the name of a type: plain letters and digits, each word capitalized."""
    words = re.findall(r"[A-Za-z0-9]+", text)
    name = "".join(word[:1].upper() + word[1:] for word in words)[:80]
    return f"T{name}" if name[:1].isdigit() else name
