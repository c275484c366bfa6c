"""Calls of an operation with values that its description allows, chosen by a seeded generator."""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from lintel.documentation.patterns import text_of
from lintel_client.parameters import distinguished
from lintel_document.document import Array, Node
from lintel_document.fields import Field
from lintel_document.jsonschema import JSONSchema
from lintel_document.links import Link

MAX_DEPTH = 4
LARGEST = 2**53 - 1
TEXTS = ["a", "a b", "ü☃", "a&b=c#d", "100%", "x/y", "1,5", "true", 'it\'s "q"', "+1;x", "~._-"]
FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "email": "ada@example.org",
    "uuid": "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b",
    "uri": "https://example.org/a?b=c",
    "url": "https://example.org/a?b=c",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": base64.b64encode(b"bytes").decode(),
}
FILE = {"$file": "note.txt", "bytes": b"some text\n".hex()}


@dataclass(frozen=True)
class Call:
    """An operation by its keys, and parameters in JSON, in which ``$file`` stands for a file.

    ``encoding`` chooses among the media types of the body; None: the first.
    """

    keys: tuple[str | int, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    encoding: str | None = None


def operations(node: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, Link]]:
    """Return the links of a document by their keys, in its order."""
    if isinstance(node, Link):
        yield keys, node
    elif isinstance(node, Node):
        for key, inner in node.items():
            yield from operations(inner, (*keys, key))
    elif isinstance(node, Array):
        for at, inner in enumerate(node):
            yield from operations(inner, (*keys, at))


def call_of(keys: tuple[str | int, ...], link: Link, random: Random) -> Call:
    """Return a call with what is required, and some of what is not."""
    fields = [each for each in distinguished(link).fields if each.name]
    whole = [each for each in fields if each.location == "body"]
    parts = [each for each in fields if each.location == "form"]
    if whole and parts:
        left_out = parts if random.random() < 0.5 else whole
        fields = [each for each in fields if each not in left_out]
    chance = random.choice([0.0, 0.3, 1.0])
    required = {each.name for each in fields if each.required or each.location in ("path", "body")}
    return Call(
        keys,
        {
            each.name: value_of(each, link, random)
            for each in fields
            if each.name in required or random.random() < chance
        },
    )


def value_of(given: Field, link: Link, random: Random) -> Any:
    """Return a value for a parameter."""
    is_upload = link.encoding == "application/octet-stream" and given.location in ("body", "form")
    if is_upload or getattr(given.schema, "format", None) == "binary":
        return FILE
    return Values(random).of(given.schema, 0)


class Values:
    """Makes values of schemas, believable for a validator of formats, lengths and bounds."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def of(self, schema: Any, depth: int) -> Any:
        """Return a value of a schema; None, the text and an empty list where nothing is known."""
        choices = [each for each in getattr(schema, "enum", ()) if each is not None]
        if choices:
            return self._random.choice(choices)
        for keyword in ("oneOf", "anyOf"):
            options = _keyword(schema, keyword)
            if isinstance(options, list) and options and not schema.properties:
                return self.of(JSONSchema(options[0], schema.resolved.definitions), depth + 1)
        kind = getattr(schema, "type_name", "anything")
        made = getattr(self, f"_{kind}", self._string)
        return made(schema, depth)

    def _anything(self, schema: Any, depth: int) -> Any:
        if not _keyword(schema, "items") and getattr(schema, "source", None):
            return self._string(schema, depth)
        return self._random.choice(
            ["text", "", "1", 7, 0, -1.5, True, False, ["a", 1], {"a": None}]
        )

    def _boolean(self, schema: Any, depth: int) -> bool:
        return self._random.random() < 0.5

    def _integer(self, schema: Any, depth: int) -> int:
        low, high = _bounds(schema)
        return self._random.randint(int(low), int(high))

    def _number(self, schema: Any, depth: int) -> float:
        low, high = _bounds(schema)
        return low if high - low < 1 else self._random.randint(int(low), int(high) - 1) + 0.5

    def _string(self, schema: Any, depth: int) -> str:
        known = FORMATS.get(getattr(schema, "format", None) or "")
        pattern = _keyword(schema, "pattern")
        if known or isinstance(pattern, str):
            return known or self._matching(schema, pattern)
        low, high = _keyword(schema, "minLength") or 0, _keyword(schema, "maxLength") or 1_000_000
        text = self._random.choice(TEXTS)
        return (text * (low // len(text) + 1))[:high] if low > len(text) else text[:high]

    def _matching(self, schema: Any, pattern: str) -> str:
        shown = [each for each in _examples(schema) if isinstance(each, str) and each]
        return str(shown[0]) if shown else text_of(pattern) or ""

    def _array(self, schema: Any, depth: int) -> list[Any]:
        if depth > MAX_DEPTH:
            return []
        low, high = _keyword(schema, "minItems") or 0, _keyword(schema, "maxItems")
        count = max(low, self._random.randint(1, 2))
        count = count if high is None else min(count, high)
        return [self.of(schema.items, depth + 1) for _ in range(count)]

    def _object(self, schema: Any, depth: int) -> dict[str, Any]:
        found = {}
        for name, inner in (getattr(schema, "properties", None) or {}).items():
            needed = name in (schema.required or ())
            if _keyword(inner, "readOnly") is True or getattr(inner, "format", None) == "binary":
                continue
            if needed or (depth < MAX_DEPTH and self._random.random() < 0.4):
                found[name] = self.of(inner, depth + 1) if depth < MAX_DEPTH * 3 else {}
        return found


def _bounds(schema: Any) -> tuple[float, float]:
    low, high = _keyword(schema, "minimum"), _keyword(schema, "maximum")
    low = low if isinstance(low, int | float) else (0 if high is None or high >= 0 else high - 9)
    high = high if isinstance(high, int | float) else low + 100
    # Without BigInt, JavaScript has no integers beyond these.
    low, high = max(low, -LARGEST), min(high, LARGEST)
    above = _keyword(schema, "exclusiveMinimum")
    return (low + 1 if above is True else max(low, above + 1) if above else low), high


def _keyword(schema: Any, name: str) -> Any:
    get = getattr(schema, "get", None)
    return get(name) if get else None


def _examples(schema: Any) -> list[Any]:
    listed = _keyword(schema, "examples")
    more = listed if isinstance(listed, list) else []
    return [each for each in (_keyword(schema, "example"), *more) if each is not None]
