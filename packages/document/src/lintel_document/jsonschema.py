"""JSON Schema as a value schema: the mapping of a description, interpreted on demand.

``JSONSchema`` keeps the mapping unchanged, and resolves ``$ref`` through
``definitions``. ``json_schema`` converts any value schema to JSON Schema, with all it refers to
inside.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any

from lintel_document import schemas

__all__ = ["MAX_REFERENCES", "JSONSchema", "SchemaWriter", "json_schema"]

MAX_REFERENCES = 32
"""How many references may lead to one another, and how deep schemas may extend others."""
MAX_NODES = 20_000
"""The most that one self-contained schema may hold; what goes beyond becomes ``{}``."""

_UNNAMED = re.compile(r"[^A-Za-z0-9._-]+")

# Keywords whose values are data, in which "$ref" is a member like any other.
DATA_KEYWORDS = frozenset({"const", "default", "enum", "example", "examples"})
# Keywords whose values are objects with names as keys.
NAMING_KEYWORDS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

Definitions = Callable[[str], Any]


class JSONSchema(schemas.Schema):
    """A schema in JSON Schema (any draft, and the dialects of OpenAPI).

    ``source`` is the unchanged mapping, not to be modified. ``definitions`` is called with the
    value of a ``$ref`` and returns the schema there, as a mapping or a JSONSchema, or None. All
    attributes are those of the schema that the reference leads to; missing ones and those of
    the wrong type are None or empty.
    """

    __slots__ = ("definitions", "source")

    source: Mapping[str, Any]
    definitions: Definitions | None

    def __init__(self, source: Any, definitions: Definitions | None = None) -> None:
        object.__setattr__(self, "source", source if isinstance(source, Mapping) else {})
        object.__setattr__(self, "definitions", definitions)

    @property
    def resolved(self) -> "JSONSchema":
        """Return the schema that references lead to, empty if they are circular."""
        schema = self
        for _ in range(MAX_REFERENCES):
            reference = schema.source.get("$ref")
            if not isinstance(reference, str):
                return schema
            schema = schema.at(reference)
        return JSONSchema({})

    def at(self, reference: str) -> "JSONSchema":
        found = self.definitions(reference) if self.definitions else None
        return found if isinstance(found, JSONSchema) else JSONSchema(found, self.definitions)

    def get(self, keyword: str, default: Any = None) -> Any:
        """Return the value of a keyword, beside a reference or where it leads."""
        if keyword in self.source:
            return self.source[keyword]
        return self.resolved.source.get(keyword, default)

    @property
    def type_name(self) -> str:  # type: ignore[override] # the same for all instances elsewhere
        """Return the JSON type: the first that is not null, "enum" if values are listed."""
        if self.enum:
            return "enum"
        kind = self.get("type")
        if isinstance(kind, list):
            kind = next((name for name in kind if name != "null"), None)
        if isinstance(kind, str) and kind in schemas.BY_TYPE_NAME:
            return kind
        return "object" if self.properties else "array" if self.get("items") else "anything"

    @property
    def title(self) -> str:
        return _text(self.get("title"))

    @property
    def description(self) -> str:
        return _text(self.get("description"))

    @property
    def default(self) -> Any:
        return self.get("default")

    @property
    def enum(self) -> tuple[Any, ...]:
        values = self.get("enum")
        if isinstance(values, list):
            return tuple(values)
        source = self.resolved.source
        return (source["const"],) if "const" in source else ()

    @property
    def format(self) -> str | None:
        return _text(self.get("format")) or None

    @property
    def items(self) -> "JSONSchema":
        """Return the schema of the items of an array."""
        resolved = self.resolved
        return JSONSchema(resolved.source.get("items"), resolved.definitions)

    @property
    def properties(self) -> dict[str, "JSONSchema"]:
        """Return the properties of an object, including those of extended schemas (allOf)."""
        return {
            str(name): JSONSchema(inner, schema.definitions)
            for schema in self._extended()
            for name, inner in _mapping(schema.source.get("properties")).items()
        }

    @property
    def required(self) -> tuple[str, ...]:
        """Return the required names of an object, including those of extended schemas."""
        names = [
            name
            for schema in self._extended()
            for name in _list(schema.source.get("required"))
            if isinstance(name, str)
        ]
        return tuple(dict.fromkeys(names))

    def _extended(self) -> list["JSONSchema"]:
        """Return the schema and those of its allOf, at any depth, each once."""
        found: dict[int, JSONSchema] = {}
        waiting = [self.resolved]
        while waiting and len(found) < MAX_REFERENCES * 4:
            schema = waiting.pop(0)
            if id(schema.source) in found:
                continue
            found[id(schema.source)] = schema
            parts = _list(schema.source.get("allOf"))
            waiting += [JSONSchema(part, schema.definitions).resolved for part in parts]
        return list(found.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JSONSchema) and self.source == other.source

    def __hash__(self) -> int:
        return hash(tuple(map(str, self.source)))

    def __repr__(self) -> str:
        return f"JSONSchema({self.source!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return JSONSchema, (self.source, self.definitions)


def json_schema(schema: Any) -> dict[str, Any]:
    """Return a value schema as JSON Schema (2020-12), with all references in ``$defs``.

    None, and anything but a schema, is ``{}``: any value. The result is limited to MAX_NODES.
    """
    if isinstance(schema, JSONSchema):
        writer = SchemaWriter()
        whole = writer.write(schema)
        return {**whole, "$defs": writer.definitions} if writer.definitions else whole
    return dict(_described(schema)) if isinstance(schema, schemas.Schema) else {}


_KEYWORDS = {
    "max_properties": "maxProperties",
    "min_properties": "minProperties",
    "max_items": "maxItems",
    "min_items": "minItems",
    "multiple_of": "multipleOf",
    "max_length": "maxLength",
    "min_length": "minLength",
    **{name: name for name in ("minimum", "maximum", "pattern", "format", "default")},
}


def _described(schema: schemas.Schema) -> Iterator[tuple[str, Any]]:
    kind = schema.type_name
    if isinstance(schema, schemas.Enum):
        yield "enum", list(schema.enum)
    elif kind != "anything":
        yield "type", kind
    for name in ("title", "description"):
        if getattr(schema, name):
            yield name, getattr(schema, name)
    for attribute in dataclass_fields(schema):
        value = getattr(schema, attribute.name)
        if attribute.name in _KEYWORDS and value is not None:
            yield from _limit(schema, _KEYWORDS[attribute.name], value)
    yield from _inner(schema)


def _limit(schema: schemas.Schema, keyword: str, value: Any) -> Iterator[tuple[str, Any]]:
    bound = keyword.capitalize()
    if getattr(schema, f"exclusive_{keyword}", False):
        yield f"exclusive{bound}", value
    else:
        yield keyword, value


def _inner(schema: schemas.Schema) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, schemas.Object):
        for keyword, inner in (
            ("properties", schema.properties),
            ("patternProperties", schema.pattern_properties),
        ):
            if inner:
                yield keyword, {name: json_schema(value) for name, value in inner.items()}
        if schema.required:
            yield "required", list(schema.required)
        if schema.additional_properties is not True:
            yield "additionalProperties", _additional(schema.additional_properties)
    if isinstance(schema, schemas.Array):
        yield from _array_keywords(schema)


def _array_keywords(schema: schemas.Array) -> Iterator[tuple[str, Any]]:
    if isinstance(schema.items, tuple):
        yield "prefixItems", [json_schema(item) for item in schema.items]
    elif json_schema(schema.items):
        yield "items", json_schema(schema.items)
    if schema.unique_items:
        yield "uniqueItems", True


def _additional(value: Any) -> Any:
    return value if isinstance(value, bool) else json_schema(value)


class SchemaWriter:
    """Copies schemas, and everything they refer to once, as definitions below a prefix.

    The names of definitions are the last parts of references, in letters, digits, ``.``, ``_`` and
    ``-``, with a number if two would be equal. ``limit`` limits the nodes of all copies
    together.
    """

    def __init__(self, prefix: str = "#/$defs/", limit: int = MAX_NODES) -> None:
        self.definitions: dict[str, Any] = {}
        self._prefix = prefix
        self._names: dict[tuple[int, str], str] = {}
        self._taken: dict[str, int] = {}
        self._targets: list[JSONSchema] = []
        self._waiting: list[tuple[str, JSONSchema]] = []
        self._left = limit

    def write(self, schema: Any) -> dict[str, Any]:
        """Return a value schema as JSON Schema; its definitions are added to ``definitions``."""
        if not isinstance(schema, JSONSchema):
            return json_schema(schema)
        result: dict[str, Any] = self._copied(schema.source, schema)
        while self._waiting:
            name, waiting = self._waiting.pop()
            self.definitions[name] = self._copied(waiting.source, waiting)
        return result

    def _copied(self, node: Any, schema: JSONSchema | None, depth: int = 0, above: str = "") -> Any:
        """Copy a node; ``above`` is its keyword, and ``schema`` is false for data."""
        self._left -= 1
        if self._left < 0 or depth > MAX_REFERENCES * 2:
            return {}
        if isinstance(node, list):
            return [self._copied(item, schema, depth + 1) for item in node]
        if not isinstance(node, Mapping):
            return node
        if schema and above not in NAMING_KEYWORDS and isinstance(node.get("$ref"), str):
            return {**node, "$ref": self._reference(node["$ref"], schema)}
        copied = {}
        for key, value in node.items():
            is_keyword = schema is not None and above not in NAMING_KEYWORDS
            inner = None if is_keyword and key in DATA_KEYWORDS else schema
            keyword = str(key) if is_keyword else ""
            copied[str(key)] = self._copied(value, inner, depth + 1, keyword)
        return copied

    def _reference(self, reference: str, schema: JSONSchema) -> str:
        target = schema.at(reference)
        # One text may refer to different schemas from different files.
        key = (id(target.source), reference)
        if key not in self._names:
            self._names[key] = self._free_name(reference)
            # Objects kept alive keep their ids.
            self._targets.append(target)
            self._waiting.append((self._names[key], target))
        return self._prefix + self._names[key]

    def _free_name(self, reference: str) -> str:
        base = name = _UNNAMED.sub("_", reference.rpartition("/")[2]) or "schema"
        while name in self._taken:
            number = self._taken[base] = self._taken.get(base, 1) + 1
            name = f"{base}_{number}"
        self._taken[name] = 1
        return name


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
