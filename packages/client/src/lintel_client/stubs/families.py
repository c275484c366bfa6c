"""Schemas that extend a base by ``allOf``, told apart by its discriminator (OpenAPI, 4.25)."""

from collections.abc import Iterator, Mapping
from typing import Any

from lintel_document.jsonschema import JSONSchema

__all__ = ["Families", "is_base"]

COMPONENTS = ("#/components/schemas", "#/definitions")

Children = dict[int, list[str]]


def is_base(schema: JSONSchema) -> bool:
    """Return whether a schema has a discriminator, and no list of alternatives."""
    source = schema.source
    return isinstance(source.get("discriminator"), Mapping | str) and not (
        source.get("oneOf") or source.get("anyOf")
    )


class Families:
    """Finds the members of families; the components of a file are read once."""

    def __init__(self) -> None:
        # By the components, which are kept so that their id is not reused.
        self._files: dict[int, tuple[Any, Children]] = {}

    def members(self, base: JSONSchema) -> list[JSONSchema]:
        """Return references to the components that extend a base, directly or not."""
        found: dict[str, JSONSchema] = {}
        waiting = [base]
        while waiting:
            for reference in self._children(waiting.pop(0)):
                if reference not in found:
                    found[reference] = JSONSchema({"$ref": reference}, base.definitions)
                    waiting.append(found[reference].resolved)
        return list(found.values())

    def _children(self, schema: JSONSchema) -> Iterator[str]:
        for pointer in COMPONENTS:
            components = schema.at(pointer)
            file = components.source
            if id(file) not in self._files:
                self._files[id(file)] = (file, _read(components, pointer))
            yield from self._files[id(file)][1].get(id(schema.source), ())


def _read(components: JSONSchema, pointer: str) -> Children:
    found: Children = {}
    for name, source in components.source.items():
        parts = source.get("allOf") if isinstance(source, Mapping) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping) and "$ref" in part:
                target = JSONSchema(part, components.definitions).resolved.source
                step = str(name).replace("~", "~0").replace("/", "~1")
                found.setdefault(id(target), []).append(f"{pointer}/{step}")
    return found
