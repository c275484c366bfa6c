"""Which events carry JSON, by the schema of one event (``itemSchema`` of OpenAPI 3.2, 4.14.4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lintel_client.codecs import media_type_of
from lintel_document.jsonschema import JSONSchema

__all__ = ["EventTypes", "described_events"]

MAX_DEPTH = 8
ANY = ""
"""Stands for all types of events that the schema does not name."""


@dataclass(frozen=True, slots=True)
class EventTypes:
    """The types of events whose data is JSON, or text, and texts that are none of the JSON."""

    json: frozenset[str] = frozenset()
    text: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()

    def is_json(self, event: str, data: str) -> bool:
        """Return whether the data of an event of this type is JSON."""
        listed = event in self.json or (ANY in self.json and event not in self.text)
        return listed and data not in self.constants


def described_events(schema: Any) -> EventTypes:
    """Return which events a schema says to carry JSON."""
    json: set[str] = set()
    text: set[str] = set()
    constants: set[str] = set()
    for variant in _variants(schema, 0):
        names = [name for name in _values(variant.properties.get("event")) if name] or [ANY]
        for data in _variants(variant.properties.get("data"), 0):
            (json if _is_json(data) else text).update(names)
            constants.update(_values(data))
    return EventTypes(frozenset(json), frozenset(text), frozenset(constants))


def _variants(schema: Any, depth: int) -> Iterator[JSONSchema]:
    """Yield a schema and its alternatives at any depth."""
    if not isinstance(schema, JSONSchema) or depth > MAX_DEPTH:
        return
    resolved = schema.resolved
    yield resolved
    for keyword in ("oneOf", "anyOf"):
        parts = resolved.source.get(keyword)
        for part in parts if isinstance(parts, list) else ():
            yield from _variants(JSONSchema(part, resolved.definitions), depth + 1)


def _is_json(data: JSONSchema) -> bool:
    media_type = media_type_of(str(data.source.get("contentMediaType") or ""))
    if media_type:
        return media_type.endswith(("/json", "+json"))
    kinds = data.source.get("type")
    named = kinds if isinstance(kinds, list) else [kinds]
    return not {"object", "array", "integer", "number", "boolean"}.isdisjoint(map(str, named))


def _values(schema: JSONSchema | None) -> list[str]:
    return [value for value in (schema.enum if schema else ()) if isinstance(value, str)]
