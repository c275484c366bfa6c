"""From schemas to types: records for objects, with names from the description."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lintel_client.stubs.directions import Directions
from lintel_client.stubs.families import Families, is_base
from lintel_client.stubs.kinds import (
    ANY,
    FILE,
    Kind,
    Later,
    ListOf,
    Literals,
    MapOf,
    Member,
    Plain,
    Record,
    Ref,
)
from lintel_client.stubs.selves import Selves, small
from lintel_client.stubs.tags import Tags
from lintel_client.stubs.unions import union
from lintel_document.jsonschema import JSONSchema, json_schema
from lintel_document.schemas import Schema

__all__ = ["TEXTS", "Place", "Shapes", "type_name"]

MAX_DEPTH = 40
MAX_OPTIONS = 200
PLAIN = ("string", "integer", "number", "boolean", "null")
FORMATS = ("date", "date-time", "time", "uuid", "decimal")
TEXTS = tuple(map(Plain, FORMATS))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a schema stands: the name for what has none, how deep, and whether it is sent."""

    name: str
    depth: int = 0
    sent: bool = False
    has_own_name: bool = False

    def below(self, addition: str) -> "Place":
        return Place(f"{self.name}{addition}", self.depth + 1, self.sent)


class Shapes:
    """Reads schemas, and collects the records of objects.

    For ``models``, an object that is sent has other members than one that is returned if some are
    read-only or write-only; records that a discriminator tells apart have literal tags.
    """

    def __init__(self, models: bool = False) -> None:
        self.models = models
        self._records: list[Record] = []
        self._by_name: dict[str, Record] = {}
        self._by_source: dict[tuple[int, bool], tuple[Any, Kind]] = {}
        self._directions = Directions()
        self._tags = Tags()
        self._families = Families()
        self._selves = Selves()

    def finished(self) -> list[Record]:
        """Return all records."""
        for record in self._records:
            record.members = [
                replace(each, kind=self._selves.settled(each.kind)) for each in record.members
            ]
        self._tags.write(self._by_name)
        return self._records

    def settled(self, kind: Kind) -> Kind:
        """Return a type in which what contains itself is written out once."""
        return self._selves.settled(kind)

    def record(self, kind: Kind) -> Record | None:
        return self._by_name.get(kind.name) if isinstance(kind, Ref) else None

    def new_record(self, name: str, description: str = "", is_params: bool = False) -> Record:
        unique, number = name, 2
        while unique in self._by_name:
            unique, number = f"{name}{number}", number + 1
        made = self._by_name[unique] = Record(unique, description, is_params=is_params)
        self._records.append(made)
        return made

    def kind(self, schema: Any, place: Place) -> Kind:
        """Return the type of a value schema; ANY for what says nothing."""
        if isinstance(schema, Schema) and not isinstance(schema, JSONSchema):
            schema = JSONSchema(json_schema(schema))
        if not isinstance(schema, JSONSchema) or place.depth > MAX_DEPTH:
            return ANY
        resolved = schema.resolved
        reference = schema.source.get("$ref")
        own = type_name(str(reference).rpartition("/")[2]) if reference else ""
        at = replace(place, name=own or place.name, has_own_name=bool(own))
        nullable = True in (resolved.source.get("nullable"), schema.source.get("nullable"))
        kind = self._known(resolved, at)
        return union([kind, Plain("null")]) if nullable else kind

    def _known(self, schema: JSONSchema, place: Place) -> Kind:
        key = self._key(schema, place)
        if key in self._by_source:
            return self._by_source[key][1]
        # The source is kept so that its id is not reused.
        self._by_source[key] = (schema.source, Later(key))
        kind = small(self._described(schema, place))
        if isinstance(kind, Plain):
            # A file depends on the direction, which only types with parts are told apart by.
            del self._by_source[key]
            return kind
        self._selves.note(key, kind)
        self._by_source[key] = (schema.source, kind)
        return kind

    def _key(self, schema: JSONSchema, place: Place) -> tuple[int, bool]:
        return (id(schema.source), place.sent and self._is_split(schema))

    def _is_split(self, schema: JSONSchema) -> bool:
        return self.models and self._directions.differ(schema)

    def _described(self, schema: JSONSchema, place: Place) -> Kind:
        literals = _literals(schema)
        if literals is not None:
            return literals
        if self.models and is_base(schema):
            return self._family(schema, place)
        for keyword in ("oneOf", "anyOf"):
            parts = schema.source.get(keyword)
            if isinstance(parts, list) and parts and not schema.properties:
                return self._alternatives(schema, parts[:MAX_OPTIONS], place)
        kinds = schema.source.get("type")
        if isinstance(kinds, list):
            return union([self._typed(schema, str(kind), place) for kind in kinds])
        return self._typed(schema, schema.type_name, place)

    def _alternatives(self, schema: JSONSchema, parts: list[Any], place: Place) -> Kind:
        options = [JSONSchema(part, schema.definitions) for part in parts]
        kinds = [self.kind(each, place.below(str(at))) for at, each in enumerate(options, 1)]
        if self.models:
            self._tags.note(schema, list(zip(options, kinds, strict=True)))
        return union(kinds)

    def _family(self, schema: JSONSchema, place: Place) -> Kind:
        """Return the schemas that extend a base with a discriminator, then the base itself.

        A value with a tag that is not described is the base.
        """
        options = self._families.members(schema)
        kinds = [self.kind(each, place.below(str(at))) for at, each in enumerate(options, 1)]
        self._tags.note(schema, list(zip(options, kinds, strict=True)))
        return union([*kinds, self._typed(schema, schema.type_name, place)])

    def _typed(self, schema: JSONSchema, kind: str, place: Place) -> Kind:
        if kind == "array":
            return ListOf(self.kind(schema.items, place.below("Item")))
        if kind == "string":
            return self._text(schema.format, place)
        if kind in PLAIN:
            return Plain(kind)
        parts = schema.source.get("allOf")
        if isinstance(parts, list) and len(parts) == 1 and not schema.source.get("properties"):
            return self.kind(JSONSchema(parts[0], schema.definitions), place.below(""))
        if kind == "object" or schema.properties:
            return self._object(schema, place)
        return ANY

    def _text(self, format: str | None, place: Place) -> Kind:
        if format == "binary":
            return FILE if place.sent or not self.models else Plain("string")
        return Plain(str(format)) if self.models and format in FORMATS else Plain("string")

    def _object(self, schema: JSONSchema, place: Place) -> Kind:
        properties = schema.properties
        if not properties:
            inner = schema.source.get("additionalProperties")
            value = JSONSchema(inner, schema.definitions) if isinstance(inner, Mapping) else None
            return MapOf(self.kind(value, place.below("Value")))
        is_split = self._is_split(schema)
        name = f"{place.name}Input" if place.sent and is_split else place.name
        record = self.new_record(name, schema.title or schema.description)
        if self.models:
            record.description = schema.description or schema.title
        # Registered before its members are read, because they may refer to it.
        if not self.models or not is_base(schema):
            self._by_source[self._key(schema, place)] = (schema.source, Ref(record.name))
        for key_name, inner in properties.items():
            if self.models and self._directions.leaves_out(inner, place.sent):
                continue
            kind = self.kind(inner, place.below(type_name(key_name)))
            text = inner.description or inner.title
            record.members.append(Member(key_name, kind, key_name in schema.required, text))
        return Ref(record.name)


def _literals(schema: JSONSchema) -> Kind | None:
    values = schema.enum
    if not values:
        return None
    if not all(value is None or isinstance(value, str | int) for value in values):
        return None
    return Literals(tuple(dict.fromkeys(values)))


def type_name(text: str) -> str:
    """Return a text as the name of a type: plain letters and digits, each word capitalized."""
    words = re.findall(r"[A-Za-z0-9]+", text)
    name = "".join(word[:1].upper() + word[1:] for word in words)[:80]
    return f"T{name}" if name[:1].isdigit() else name
