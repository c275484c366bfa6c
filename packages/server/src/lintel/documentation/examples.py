"""Example values, generated from their schemas if the project gave none."""

from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256

from lintel.renderers.documentation_kept import as_text
from lintel.schemas.tree import Schema

#: Values of formats, as sent on the wire.
BY_FORMAT: Mapping[str, str] = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:30:00Z",
    "time": "12:30:00",
    "duration": "P1DT2H",
    "email": "ada@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uri-reference": "/page/",
    "json-pointer": "/name",
    "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "slug": "a-slug",
    "decimal": "1.50",
    "binary": "(file)",
    "byte": "aGVsbG8=",
    "password": "password",
}

#: Deeper nesting is omitted: schemas may contain themselves.
DEPTH = 5


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

    def of(self, schema: object, depth: int = DEPTH) -> object:
        schema = self.resolve(schema)
        given = self.given(schema)
        if given:
            return given[0]
        for word in ("oneOf", "anyOf"):
            for choice in schema.get(word, ()):
                if self.resolve(choice).get("type") != "null":
                    return self.of(choice, depth - 1) if depth else None
        return self.made(schema, depth)

    def given(self, schema: Schema) -> list[object]:
        """Return the values in the schema itself, the best example first."""
        values = list(schema.get("examples") or ())
        values += [schema[name] for name in ("example", "default", "const") if name in schema]
        return values + [value for value in schema.get("enum", ()) if value not in ("", None)][:1]

    def made(self, schema: Schema, depth: int) -> object:
        kind = kind_of(schema)
        if kind == "object":
            return self.object_of(schema, depth)
        if kind == "array":
            return [self.of(schema.get("items", {}), depth - 1)] if depth else []
        if kind in ("integer", "number"):
            return _number(schema)
        return {"boolean": True, "string": _text(schema)}.get(kind)

    def object_of(self, schema: Schema, depth: int) -> dict[str, object]:
        if not depth:
            return {}
        properties = schema.get("properties", {})
        if not properties and isinstance(schema.get("additionalProperties"), Mapping):
            return {"key": self.of(schema["additionalProperties"], depth - 1)}
        return {name: self.of(value, depth - 1) for name, value in properties.items()}


def kind_of(schema: Schema) -> str:
    """Return the JSON type of a schema, the first one besides null; empty if any is allowed."""
    kind = schema.get("type", "object" if "properties" in schema else "")
    if isinstance(kind, list | tuple):
        kind = next((each for each in kind if each != "null"), "null")
    return str(kind)


def _merged(inner: Schema, outer: Schema) -> dict[str, object]:
    result = {**inner, **outer}
    if "properties" in inner and "properties" in outer:
        result["properties"] = {**inner["properties"], **outer["properties"]}
    if "required" in inner and "required" in outer:
        result["required"] = [*inner["required"], *outer["required"]]
    return result


def _number(schema: Schema) -> object:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and "exclusiveMinimum" in schema:
        low = schema["exclusiveMinimum"] + 1
    value = 1 if low is None else max(low, 1)
    return value if high is None or value <= high else high


def _text(schema: Schema) -> str:
    text = str(BY_FORMAT.get(schema.get("format", ""), "text"))
    if "format" in schema:
        return text
    text = text.ljust(min(schema.get("minLength", 0), 100), "t")
    return text[: schema.get("maxLength", 100)]
