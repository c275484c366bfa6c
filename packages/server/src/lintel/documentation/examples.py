"""Example values, generated from their schemas and names if the project gave none."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from itertools import islice

from lintel.documentation.believable import called, numbers_for, texts_for
from lintel.documentation.fitting import accepts_number, accepts_text, number_for, text_for
from lintel.renderers.documentation_kept import as_text
from lintel.schemas.tree import Schema

#: Deeper nesting is omitted: schemas may contain themselves.
DEPTH = 5

#: The most items of a list, however many it needs.
MOST_ITEMS = 100


class Examples:
    """Generates examples for schemas that refer to ``components``, schemas by name."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self.components = components

    @cached_property
    def digest(self) -> str:
        return sha256(as_text(self.components).encode()).hexdigest()

    def resolve(self, schema: object) -> Schema:
        """Merge a schema with what it refers to; its own keywords win."""
        seen: set[str] = set()
        result = dict(schema) if isinstance(schema, Mapping) else {}
        while "$ref" in result and result["$ref"] not in seen:
            reference = str(result.pop("$ref"))
            seen.add(reference)
            component = self.components.get(reference.rpartition("/")[2])
            result = {**(component if isinstance(component, Mapping) else {}), **result}
        for part in result.pop("allOf", ()):
            result = _merged(self.resolve(part), result)
        return result

    def of(self, schema: object, depth: int = DEPTH, name: str = "") -> object:
        """Return a value; ``name`` is that of the field or parameter that holds it."""
        schema = self.resolve(schema)
        given = self.given(schema)
        if given:
            return given[0]
        for word in ("oneOf", "anyOf"):
            for choice in schema.get(word, ()):
                if self.resolve(choice).get("type") != "null":
                    return self.of(choice, depth - 1, name) if depth else None
        return self.made(schema, depth, name)

    def given(self, schema: Schema) -> list[object]:
        """Return the values in the schema itself, the best example first."""
        values = list(schema.get("examples") or ())
        values += [schema[name] for name in ("example", "default", "const") if name in schema]
        return values + [value for value in schema.get("enum", ()) if value not in ("", None)][:1]

    def made(self, schema: Schema, depth: int, name: str) -> object:
        kind = kind_of(schema)
        if kind == "object":
            return self.object_of(schema, depth)
        if kind == "array":
            return self.list_of(schema, depth, name)
        if kind in ("integer", "number"):
            return number_for(schema, numbers_for(name, kind == "integer"))
        if kind == "string":
            return text_for(schema, texts_for(name, schema.get("format", "")))
        return True if kind == "boolean" else None

    def list_of(self, schema: Schema, depth: int, name: str) -> list[object]:
        items = schema.get("items", {})
        count = min(max(schema.get("minItems", 0), 1), MOST_ITEMS)
        if not depth or schema.get("maxItems") == 0:
            return []
        first = self.of(items, depth - 1, name)
        if not schema.get("uniqueItems") or count == 1:
            return [first] * count
        resolved = self.resolve(items)
        return list(islice(resolved.get("enum") or different(first, resolved), count))

    def object_of(self, schema: Schema, depth: int) -> dict[str, object]:
        if not depth:
            return {}
        fields = schema.get("properties", {})
        if not fields and isinstance(schema.get("additionalProperties"), Mapping):
            return {"key": self.of(schema["additionalProperties"], depth - 1)}
        return {
            name: self.of(value, depth - 1, called(name, fields)) for name, value in fields.items()
        }


def different(first: object, schema: Schema) -> Iterator[object]:
    """Values that are unlike each other, where text or numbers are asked for."""
    yield first
    for number in range(2, MOST_ITEMS + 2):
        if isinstance(first, str) and accepts_text(schema, f"{first}{number}"):
            yield f"{first}{number}"
        elif isinstance(first, int | float) and accepts_number(schema, first + number):
            yield first + number


def kind_of(schema: Schema) -> str:
    """Return the JSON type of a schema, the first one besides null; empty if any is allowed."""
    kind = schema.get("type", "object" if "properties" in schema else "")
    if isinstance(kind, list | tuple):
        kind = next((name for name in kind if name != "null"), "null")
    return str(kind)


def _merged(inner: Schema, outer: Schema) -> dict[str, object]:
    result = {**inner, **outer}
    if "properties" in inner and "properties" in outer:
        result["properties"] = {**inner["properties"], **outer["properties"]}
    if "required" in inner and "required" in outer:
        result["required"] = [*inner["required"], *outer["required"]]
    return result
