"""Whether two parts of the model are equal in every attribute.

Links and schemas are equal by ``==`` if they send the same requests or were written alike. Here
titles and the order of fields count too, and schemas are compared through their
references, whatever these are called.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

from lintel_document.document import Array
from lintel_document.jsonschema import DATA_KEYWORDS, NAMING_KEYWORDS, JSONSchema

__all__ = ["Comparison"]

MAX_DEPTH = 100
"""How deeply schemas are compared; deeper ones differ."""


class Comparison:
    """Compares values; pairs of schemas found equal are remembered."""

    def __init__(self) -> None:
        self._equal: dict[tuple[int, int], tuple[JSONSchema, JSONSchema]] = {}
        self._waiting: list[tuple[JSONSchema, JSONSchema]] = []

    def differing(self, one: Any, other: Any, names: Iterable[str]) -> list[str]:
        """Return those of the named attributes in which two objects differ."""
        return [name for name in names if not self.same(getattr(one, name), getattr(other, name))]

    def same(self, one: Any, other: Any) -> bool:
        """Return whether two values are equal."""
        if isinstance(one, JSONSchema) and isinstance(other, JSONSchema):
            return self._same_schemas(one, other)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            return one.keys() == other.keys() and all(
                self.same(value, other[key]) for key, value in one.items()
            )
        if isinstance(one, list | Array | tuple) and isinstance(other, list | Array | tuple):
            return len(one) == len(other) and all(map(self.same, one, other))
        if type(one) is not type(other):
            return False
        if is_dataclass(one):
            names = [each.name for each in fields(one)]
            return not self.differing(one, other, names)
        return bool(one == other)

    def _same_schemas(self, one: JSONSchema, other: JSONSchema) -> bool:
        known = len(self._equal)
        self._await(one, other)
        while self._waiting:
            one, other = self._waiting.pop()
            if not self._same_nodes(one.source, other.source, one, other, "", 0):
                # Pairs assumed to be equal on the way may depend on this one.
                self._equal = dict(islice(self._equal.items(), known))
                self._waiting.clear()
                return False
        return True

    def _await(self, one: JSONSchema, other: JSONSchema) -> bool:
        """Assume two schemas to be equal until they are compared, each pair once."""
        pair = (id(one.source), id(other.source))
        if pair not in self._equal:
            # Kept alive, so that their ids are not reused.
            self._equal[pair] = (one, other)
            self._waiting.append((one, other))
        return True

    def _same_nodes(
        self, a: Any, b: Any, one: JSONSchema, other: JSONSchema, above: str, depth: int
    ) -> bool:
        """Compare nodes of two schemas; ``above`` is their keyword."""
        if depth > MAX_DEPTH:
            return False
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(
                self._same_nodes(x, y, one, other, "", depth + 1) for x, y in zip(a, b, strict=True)
            )
        if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
            return type(a) is type(b) and bool(a == b)
        if a.keys() != b.keys():
            return False
        return all(self._same_members(key, a, b, one, other, above, depth + 1) for key in a)

    def _same_members(
        self,
        key: str,
        a: Mapping[str, Any],
        b: Mapping[str, Any],
        one: JSONSchema,
        other: JSONSchema,
        above: str,
        depth: int,
    ) -> bool:
        is_keyword = above not in NAMING_KEYWORDS
        if is_keyword and key in DATA_KEYWORDS:
            return self.same(a[key], b[key])
        if is_keyword and key == "$ref" and isinstance(a[key], str) and isinstance(b[key], str):
            return self._await(one.at(a[key]), other.at(b[key]))
        return self._same_nodes(a[key], b[key], one, other, key if is_keyword else "", depth)
