"""Schemas as code for zod 4, beside the types of TypeScript of the same names.

A schema is a constant, declared after those it uses; where schemas contain each other, one of them
is used by ``z.lazy``.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lintel_client.stubs.declarations import (
    BYTES,
    MAX_DEPTH,
    Definitions,
    TypeWriter,
    literal,
    member,
)
from lintel_document.jsonschema import JSONSchema, json_schema
from lintel_document.schemas import Schema

__all__ = ["UNKNOWN", "ZodWriter", "object_schema", "union_schema"]

UNKNOWN = "z.unknown()"
RECORD = f"z.record(z.string(), {UNKNOWN})"
KINDS = {
    "number": "z.number()",
    "integer": "z.number().refine(globalThis.Number.isInteger)",
    "boolean": "z.boolean()",
    "null": "z.null()",
    "array": f"z.array({UNKNOWN})",
    "object": RECORD,
}
FORMATS = {
    "date": "z.iso.date()",
    "date-time": "z.iso.datetime({ offset: true, local: true })",
    "uuid": "z.guid()",
}
# A reference to a constant, until it is known whether that is declared before.
MARK = "\0"


class ZodWriter:
    """Writes schemas as expressions, and keeps the constants of those that have names.

    ``types`` gives the names, and declares their types.
    """

    def __init__(self, types: TypeWriter) -> None:
        self._types = types
        self._texts: dict[str, str] = {}
        # Constants that accept more than their types say.
        self._wider: set[str] = set()
        self._is_wider = False
        self._waiting: list[tuple[str, Any, Definitions]] = []

    def of(self, schema: Schema | None) -> str:
        """Return a schema as an expression that may be used after all declarations."""
        if isinstance(schema, JSONSchema):
            found = self._text(schema.source, schema.definitions, 0)
        else:
            found = UNKNOWN if schema is None else self._text(json_schema(schema), None, 0)
        while self._waiting:
            name, raw, definitions = self._waiting.pop()
            self._is_wider = False
            self._texts[name] = self._text(raw, definitions, 0)
            if self._is_wider:
                self._wider.add(name)
        return found.replace(MARK, "")

    def declarations(self) -> list[str]:
        """Return the declarations of all constants, in an order in which they can be evaluated."""
        before: set[str] = set()
        written = []
        for name in _ordered(self._texts):
            written.append(self._declaration(name, _resolved(self._texts[name], before)))
            before.add(name)
        return written

    def _declaration(self, name: str, text: str) -> str:
        # Compilers take minutes to find such types of a thousand schemas by themselves.
        if name in self._wider:
            return f"export const {name} = ({text}) as z.ZodType as z.ZodType<{name}>;"
        return f"export const {name}: z.ZodType<{name}> = {text};"

    def _text(self, raw: Any, definitions: Definitions, depth: int) -> str:
        if not isinstance(raw, Mapping) or depth > MAX_DEPTH:
            return UNKNOWN
        found = self._plain(raw, definitions, depth + 1)
        nullable = raw.get("nullable") is True and found != UNKNOWN
        return f"{found}.nullable()" if nullable else found

    def _plain(self, raw: Mapping[str, Any], definitions: Definitions, depth: int) -> str:
        reference, values, kinds = raw.get("$ref"), raw.get("enum"), raw.get("type")
        if isinstance(reference, str):
            return self._named(reference, definitions)
        if "const" in raw:
            return _literals([raw["const"]])
        if isinstance(values, list) and values:
            return _literals(values)
        if isinstance(raw.get("allOf"), list):
            return self._intersection(raw, definitions, depth)
        choices = raw.get("oneOf", raw.get("anyOf"))
        if isinstance(choices, list):
            return union_schema(self._text(choice, definitions, depth) for choice in choices)
        if isinstance(kinds, list):
            alone = [{**raw, "type": kind} for kind in kinds if isinstance(kind, str)]
            return union_schema(self._plain(each, definitions, depth) for each in alone)
        return self._single(raw, definitions, depth)

    def _single(self, raw: Mapping[str, Any], definitions: Definitions, depth: int) -> str:
        kind, properties = raw.get("type"), raw.get("properties")
        if kind == "string":
            return _string(raw)
        if kind in ("integer", "number"):
            return KINDS[kind] + "".join(_bounds(raw))
        if raw.get("items") is not None and kind in ("array", None):
            return f"z.array({self._text(raw['items'], definitions, depth)})"
        if isinstance(properties, Mapping):
            return self._object(raw, properties, definitions, depth)
        additional = raw.get("additionalProperties")
        if isinstance(additional, Mapping):
            return f"z.record(z.string(), {self._text(additional, definitions, depth)})"
        return KINDS.get(str(kind), UNKNOWN)

    def _object(
        self,
        raw: Mapping[str, Any],
        properties: Mapping[str, Any],
        definitions: Definitions,
        depth: int,
    ) -> str:
        listed = raw.get("required")
        required = listed if isinstance(listed, list) else []
        members = {}
        for name, inner in properties.items():
            # One schema describes what is sent and what is returned: these are in one of both.
            is_partial = _goes_one_way(inner)
            self._is_wider |= is_partial and name in required
            text = self._text(inner, definitions, depth)
            members[str(name)] = text, name in required and not is_partial
        return object_schema(members) if members else RECORD

    def _intersection(self, raw: Mapping[str, Any], definitions: Definitions, depth: int) -> str:
        own = {key: value for key, value in raw.items() if key != "allOf"}
        texts = [self._text(part, definitions, depth) for part in (*raw["allOf"], own)]
        known = [text for text in dict.fromkeys(texts) if text not in (UNKNOWN, RECORD)]
        joined = known[0] if known else UNKNOWN
        for text in known[1:]:
            joined = f"z.intersection({joined}, {text})"
        return joined

    def _named(self, reference: str, definitions: Definitions) -> str:
        name = self._types.type_of(JSONSchema({"$ref": reference}, definitions))
        found = definitions(reference) if definitions else None
        if found is None:
            return UNKNOWN
        schema = found if isinstance(found, JSONSchema) else JSONSchema(found, definitions)
        if name not in self._texts:
            self._texts[name] = UNKNOWN
            self._waiting.append((name, schema.source, schema.definitions))
        return f"{MARK}{name}{MARK}"


def object_schema(members: Mapping[str, tuple[str, bool]]) -> str:
    """Return an object of expressions by name, each with whether it is required.

    Further properties are let through: servers add some over time.
    """
    listed = [
        _property(name, text if is_required else f"{text}.optional()")
        for name, (text, is_required) in members.items()
    ]
    return f"z.looseObject({{ {', '.join(listed)} }})" if listed else "z.looseObject({})"


def union_schema(texts: Iterable[str]) -> str:
    """Return a choice of expressions."""
    distinct = list(dict.fromkeys(texts))
    if UNKNOWN in distinct or not distinct:
        return UNKNOWN
    return distinct[0] if len(distinct) == 1 else f"z.union([{', '.join(distinct)}])"


def _property(name: str, text: str) -> str:
    # Written as any other, this one would be the prototype of the object.
    return f'["__proto__"]: {text}' if name == "__proto__" else member(name, True, text)


def _literals(values: list[Any]) -> str:
    texts = list(dict.fromkeys(map(literal, values)))
    return UNKNOWN if "unknown" in texts else f"z.literal([{', '.join(texts)}])"


def _string(raw: Mapping[str, Any]) -> str:
    if raw.get("format") == "binary" or raw.get("contentMediaType"):
        return f"z.custom<{BYTES}>()"
    text = FORMATS.get(str(raw.get("format")), "z.string()")
    low, high = (_number(raw.get(name)) for name in ("minLength", "maxLength"))
    if low is not None or high is not None:
        text += f".refine(lengths({low or '0'}, {high or 'globalThis.Infinity'}))"
    pattern = raw.get("pattern")
    return f"{text}.refine(matches({literal(pattern)}))" if isinstance(pattern, str) else text


def _bounds(raw: Mapping[str, Any]) -> Iterator[str]:
    for name, exclusive, check, strict in (
        ("minimum", "exclusiveMinimum", "min", "gt"),
        ("maximum", "exclusiveMaximum", "max", "lt"),
    ):
        # A boolean in OpenAPI 3.0, a bound of its own since 3.1.
        is_strict = raw.get(exclusive) is True
        if bound := _number(raw.get(name)):
            yield f".{strict if is_strict else check}({bound})"
        if bound := _number(raw.get(exclusive)):
            yield f".{strict}({bound})"


def _number(value: Any) -> str | None:
    """Return a finite number in JavaScript."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return literal(value) if isinstance(value, int) or math.isfinite(value) else None


def _goes_one_way(raw: Any) -> bool:
    return isinstance(raw, Mapping) and (
        raw.get("readOnly") is True or raw.get("writeOnly") is True
    )


def _names(text: str) -> list[str]:
    return re.findall(f"{MARK}([^{MARK}]*){MARK}", text)


def _ordered(texts: Mapping[str, str]) -> list[str]:
    """Return the names, each after those it uses unless they use it."""
    order: dict[str, None] = {}
    seen: set[str] = set()
    for first in sorted(texts):
        stack = [(first, iter([first]))]
        while stack:
            name, inner = stack[-1]
            following = next((each for each in inner if each not in seen), None)
            if following is not None:
                seen.add(following)
                stack.append((following, iter(_names(texts[following]))))
                continue
            stack.pop()
            if stack:
                order.setdefault(name)
    return list(order)


def _resolved(text: str, before: set[str]) -> str:
    """Return a text with the names it uses, by ``z.lazy`` if they are declared later."""

    def written(found: re.Match[str]) -> str:
        return found[1] if found[1] in before else f"z.lazy(() => {found[1]})"

    return re.sub(f"{MARK}([^{MARK}]*){MARK}", written, text)
