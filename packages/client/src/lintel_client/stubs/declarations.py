"""Schemas as TypeScript types; referenced schemas become types of their name."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from lintel_document.jsonschema import JSONSchema, json_schema
from lintel_document.schemas import Schema

__all__ = ["TypeWriter", "literal", "member"]

NAMES = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
    "array": "unknown[]",
    "object": "Record<string, unknown>",
}
BYTES = "Blob | ArrayBuffer | ArrayBufferView"
RESERVED = frozenset(
    {
        *("ApiClient", "Client", "Document", "ActionOptions", "Record", "Promise", "Blob"),
        *("ArrayBuffer", "ArrayBufferView", "AsyncGenerator", "StreamEvent", "StreamOptions"),
    }
)
MAX_DEPTH = 30

Definitions = Any


class TypeWriter:
    """Writes schemas, and keeps the declarations of those that have names."""

    def __init__(self) -> None:
        # By reference and target; the target is kept so that its id is not reused.
        self._names: dict[tuple[str, int], tuple[str, Any]] = {}
        self._declared: dict[str, str] = {}
        # Named schemas still to be written, one after the other, however deep they are.
        self._waiting: list[tuple[str, Any, Definitions]] = []

    def declarations(self) -> list[str]:
        """Return the declarations of all named types that were used, ordered by name."""
        return [f"export type {name} = {self._declared[name]};" for name in sorted(self._declared)]

    def type_of(self, schema: Schema | None) -> str:
        """Return the type of a value schema; a schema without constraints is ``unknown``."""
        if isinstance(schema, JSONSchema):
            found = self._type(schema.source, schema.definitions, 0)
        else:
            found = "unknown" if schema is None else self._type(json_schema(schema), None, 0)
        while self._waiting:
            name, raw, definitions = self._waiting.pop()
            self._declared[name] = self._type(raw, definitions, 0)
        return found

    def _type(self, raw: Any, definitions: Definitions, depth: int) -> str:
        if not isinstance(raw, Mapping) or depth > MAX_DEPTH:
            return "unknown"
        kind = self._plain(raw, definitions, depth + 1)
        nullable = raw.get("nullable") is True and kind != "unknown"
        return _union([kind, "null"]) if nullable else kind

    def _plain(self, raw: Mapping[str, Any], definitions: Definitions, depth: int) -> str:
        reference, values, kinds = raw.get("$ref"), raw.get("enum"), raw.get("type")
        if isinstance(reference, str):
            return self._named(reference, definitions)
        if "const" in raw:
            return literal(raw["const"])
        if isinstance(values, list) and values:
            return _union(map(literal, values))
        if isinstance(raw.get("allOf"), list):
            return self._intersection(raw, definitions, depth)
        choices = raw.get("oneOf", raw.get("anyOf"))
        if isinstance(choices, list):
            return _union(self._type(choice, definitions, depth) for choice in choices)
        if isinstance(kinds, list):
            return _union(
                self._plain({**raw, "type": kind}, definitions, depth)
                for kind in kinds
                if isinstance(kind, str)
            )
        return self._single(raw, definitions, depth)

    def _single(self, raw: Mapping[str, Any], definitions: Definitions, depth: int) -> str:
        kind, properties = raw.get("type"), raw.get("properties")
        if kind == "string" and (raw.get("format") == "binary" or raw.get("contentMediaType")):
            return BYTES
        if raw.get("items") is not None and kind in ("array", None):
            return f"{_grouped(self._type(raw['items'], definitions, depth))}[]"
        if isinstance(properties, Mapping):
            return self._object(raw, properties, definitions, depth)
        additional = raw.get("additionalProperties")
        if isinstance(additional, Mapping):
            return f"Record<string, {self._type(additional, definitions, depth)}>"
        return NAMES.get(str(kind), "unknown")

    def _object(
        self,
        raw: Mapping[str, Any],
        properties: Mapping[str, Any],
        definitions: Definitions,
        depth: int,
    ) -> str:
        listed = raw.get("required")
        required = listed if isinstance(listed, list) else []
        members = [
            member(str(name), name in required, self._type(inner, definitions, depth))
            for name, inner in properties.items()
        ]
        return f"{{ {'; '.join(members)} }}" if members else NAMES["object"]

    def _intersection(self, raw: Mapping[str, Any], definitions: Definitions, depth: int) -> str:
        own = {key: value for key, value in raw.items() if key != "allOf"}
        types = [self._type(part, definitions, depth) for part in (*raw["allOf"], own)]
        known = [kind for kind in dict.fromkeys(types) if kind not in ("unknown", NAMES["object"])]
        if len(known) > 1:
            return " & ".join(map(_grouped, known))
        return known[0] if known else "unknown"

    def _named(self, reference: str, definitions: Definitions) -> str:
        found = definitions(reference) if definitions else None
        schema = found if isinstance(found, JSONSchema) else JSONSchema(found, definitions)
        raw, inner = schema.source, schema.definitions
        if found is None:
            return "unknown"
        key = (reference, id(raw))
        if key not in self._names:
            name = self._free(_identifier(reference.rpartition("/")[2]))
            self._names[key] = (name, raw)
            self._declared[name] = "unknown"
            self._waiting.append((name, raw, inner))
        return self._names[key][0]

    def _free(self, name: str) -> str:
        free, number = name, 2
        while free in self._declared or free in RESERVED:
            free, number = f"{name}{number}", number + 1
        return free


def member(name: str, is_required: bool, kind: str) -> str:
    """Return a member of an object type."""
    key = name if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) else literal(name)
    return f"{key}{'' if is_required else '?'}: {kind}"


def literal(value: Any) -> str:
    """Return the literal type of one value."""
    if isinstance(value, float):
        value = int(value) if value.is_integer() else value
    if value is not None and not isinstance(value, str | int | float):
        return "unknown"
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(r"[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _union(types: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(types))
    return "unknown" if "unknown" in distinct or not distinct else " | ".join(distinct)


def _grouped(kind: str) -> str:
    is_compound = re.search(r" [|&] ", kind) and not re.fullmatch(r"\{.*\}", kind)
    return f"({kind})" if is_compound else kind


def _identifier(text: str) -> str:
    """Return a name in PascalCase."""
    words = re.findall(r"[^\W_]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else f"Type{name}"
