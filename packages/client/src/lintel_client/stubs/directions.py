"""Whether what is sent differs from what is returned: members of one direction, and files."""

from collections.abc import Iterator, Mapping
from typing import Any

from lintel_document.jsonschema import JSONSchema

__all__ = ["Directions"]

COMBINING = ("allOf", "anyOf", "oneOf")


class Directions:
    """Answers for schemas, each looked at once."""

    def __init__(self) -> None:
        # The source is kept so that its id is not reused.
        self._known: dict[int, tuple[Any, bool]] = {}

    def differ(self, schema: JSONSchema) -> bool:
        """Return whether a schema, or one it leads to, has members of one direction or files."""
        start = schema.resolved
        known = self._known.get(id(start.source))
        if known is not None:
            return known[1]
        seen: dict[int, JSONSchema] = {}
        found = self._reaches(start, seen)
        self._known[id(start.source)] = (start.source, found)
        if not found:
            self._known.update({key: (each.source, False) for key, each in seen.items()})
        return found

    def _reaches(self, start: JSONSchema, seen: dict[int, JSONSchema]) -> bool:
        waiting = [start]
        while waiting:
            schema = waiting.pop().resolved
            known = self._known.get(id(schema.source))
            if known is not None and known[1]:
                return True
            if known is not None or id(schema.source) in seen:
                continue
            seen[id(schema.source)] = schema
            inner = list(_inner(schema))
            if any(_is_marked(each) for each in inner):
                return True
            waiting += inner
        return False

    def leaves_out(self, schema: JSONSchema, sent: bool) -> bool:
        """Return whether a member is not part of what is sent, or of what is returned."""
        return schema.get("readOnly" if sent else "writeOnly") is True


def _is_marked(schema: JSONSchema) -> bool:
    is_one_way = schema.get("readOnly") is True or schema.get("writeOnly") is True
    return is_one_way or schema.get("format") == "binary"


def _inner(schema: JSONSchema) -> Iterator[JSONSchema]:
    yield from schema.properties.values()
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.source.get(keyword), Mapping):
            yield JSONSchema(schema.source[keyword], schema.definitions)
    for keyword in COMBINING:
        parts = schema.source.get(keyword)
        for part in parts if isinstance(parts, list) else []:
            yield JSONSchema(part, schema.definitions)
