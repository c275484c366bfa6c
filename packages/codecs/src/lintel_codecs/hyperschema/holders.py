"""The schemas of a document that have links, and the group of each one's links."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.references import References

__all__ = ["Holder", "find_holders"]

# Keywords whose value maps names to schemas; the names are part of the group.
_MAPS = frozenset({"properties", "patternProperties", "definitions", "$defs", "dependentSchemas"})
# Keywords whose value is data, which contains no schemas.
_DATA = frozenset({"enum", "const", "default", "example", "examples", "required", "type"})


@dataclass(frozen=True, slots=True)
class Holder:
    """A schema with ``links``: its place, and the names on the path to it."""

    schema: Mapping[str, Any]
    place: str
    names: tuple[str, ...]

    @property
    def group(self) -> str:
        """Return the key of the group, empty for the links of the whole document."""
        return "_".join(self.names)


def find_holders(root: Mapping[str, Any], references: References) -> Iterator[Holder]:
    """Yield each schema with links once, those in the root's properties first, then by place."""
    seen: set[int] = set()
    for holder in _candidates(root, references):
        if id(holder.schema) not in seen and "links" in holder.schema:
            seen.add(id(holder.schema))
            yield holder


def _candidates(root: Mapping[str, Any], references: References) -> Iterator[Holder]:
    yield Holder(root, "#", ())
    properties = root.get("properties")
    if isinstance(properties, Mapping):
        for name, schema in properties.items():
            found, place = _followed(schema, pointer("#", "properties", name), references)
            if found is not None:
                yield Holder(found, place, (name,))
    yield from _below(Holder(root, "#", ()))


def _followed(
    schema: Any, place: str, references: References
) -> tuple[Mapping[str, Any] | None, str]:
    """Return the schema that references lead to, None if they are circular or broken."""
    for _ in range(32):
        if not isinstance(schema, Mapping):
            return None, place
        reference = schema.get("$ref")
        if not isinstance(reference, str) or "links" in schema:
            return schema, place
        schema, place = references(reference), reference
    return None, place


def _below(start: Holder) -> Iterator[Holder]:
    """Return all objects below a schema that may be schemas, in the order of the file."""
    waiting: list[tuple[Any, str, tuple[str, ...]]] = [(start.schema, start.place, ())]
    while waiting:
        node, place, names = waiting.pop()
        if isinstance(node, Mapping):
            yield Holder(node, place, names)
            waiting.extend(reversed(list(_inner(node, place, names))))
        elif isinstance(node, list):
            items = [(item, pointer(place, at), names) for at, item in enumerate(node)]
            waiting.extend(reversed(items))


def _inner(
    schema: Mapping[str, Any], place: str, names: tuple[str, ...]
) -> Iterator[tuple[Any, str, tuple[str, ...]]]:
    for keyword, value in schema.items():
        if keyword in _MAPS and isinstance(value, Mapping):
            for name, inner in value.items():
                yield inner, pointer(place, keyword, name), (*names, name)
        elif keyword not in _DATA and isinstance(value, Mapping | list):
            yield value, pointer(place, keyword), names
