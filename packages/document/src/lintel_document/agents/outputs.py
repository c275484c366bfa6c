"""The schema of a tool's output, and results that fit it.

Descriptions promise more than services keep, and clients refuse results that do not fit. So a
schema here has only keywords that ``fits`` checks, and what does not fit has a place beside it.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Outputs", "fits", "simplified"]

Resolve = Callable[[str], Any]

MAX_SCHEMA = 2_000
"""The most characters of the schema of one result."""
_DEPTHS = (5, 3, 2, 1)
_MAX_STEPS = 8
_LONGEST_TEXT = 200
_MANY_CHOICES = 40


def _nothing(reference: str) -> None:
    """Resolve no reference."""


class Outputs:
    """The output of a tool: an object with the whole result, or a part of its text."""

    def __init__(self, schema: Any = None, resolve: Resolve = _nothing) -> None:
        self.result = _within_limit(schema, resolve)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the output."""
        texts = {"part": "A part of the result's text", "answer_cursor": "Continues a part"}
        properties = {
            "result": self.result,
            "other": {"description": "A result that the API does not describe"},
            **{name: {"type": "string", "description": text} for name, text in texts.items()},
        }
        return {"type": "object", "properties": properties}

    def structured(self, result: Any) -> dict[str, Any]:
        """Return a result, plain data, as an output that fits the schema."""
        return {"result" if fits(result, self.result) else "other": result}


def simplified(schema: Any, resolve: Resolve = _nothing, depth: int = _DEPTHS[0]) -> dict[str, Any]:
    """Return a looser JSON Schema of limited depth, without references.

    All values that fit the given schema (2020-12) fit it. ``resolve`` returns what a reference
    leads to.
    """
    for _ in range(_MAX_STEPS):
        if isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
            schema = resolve(schema["$ref"])
    if not isinstance(schema, Mapping) or "$ref" in schema:
        return {}
    if depth <= 0:
        return _typed(schema)
    return {**_typed(schema), **_inside(schema, resolve, depth - 1), **_texts(schema)}


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether plain data fits a simplified schema."""
    kinds = schema.get("type")
    named = [kinds] if isinstance(kinds, str) else kinds
    if named and not any(_is(value, kind) for kind in named):
        return False
    if "enum" in schema and not any(_same(value, choice) for choice in schema["enum"]):
        return False
    if "anyOf" in schema and not any(fits(value, each) for each in schema["anyOf"]):
        return False
    if isinstance(value, Mapping):
        return _members_fit(value, schema)
    inner = schema.get("items")
    return not (inner and isinstance(value, list)) or all(fits(item, inner) for item in value)


def _within_limit(schema: Any, resolve: Resolve) -> dict[str, Any]:
    for depth in _DEPTHS:
        made = simplified(schema, resolve, depth)
        if len(json.dumps(made, default=str)) <= MAX_SCHEMA:
            return made
    return {}


def _typed(schema: Mapping[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type")
    if isinstance(kinds, str) and kinds in _KINDS:
        return {"type": kinds}
    if isinstance(kinds, list) and kinds and all(kind in _KINDS for kind in kinds):
        return {"type": list(dict.fromkeys(kinds))}
    return {}


def _inside(schema: Mapping[str, Any], resolve: Resolve, depth: int) -> dict[str, Any]:
    """Return the keywords about what is inside a value, and the choices of one."""
    made: dict[str, Any] = {}
    properties = _properties(schema, resolve)
    if properties:
        made["properties"] = {
            str(name): simplified(inner, resolve, depth) for name, inner in properties.items()
        }
    items = simplified(schema.get("items"), resolve, depth)
    if items and "prefixItems" not in schema:
        made["items"] = items
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(choices, list) and 0 < len(choices) <= _MANY_CHOICES:
        made["enum"] = choices
    return {**made, **_alternatives(schema, resolve, depth)}


def _properties(schema: Mapping[str, Any], resolve: Resolve) -> Mapping[str, Any]:
    """Return the properties of an object, with those of what it extends (allOf)."""
    found: dict[str, Any] = {}
    parts = schema.get("allOf")
    for part in parts[:_MAX_STEPS] if isinstance(parts, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("$ref"), str):
            part = resolve(part["$ref"])
        inner = part.get("properties") if isinstance(part, Mapping) else None
        found.update(inner if isinstance(inner, Mapping) else {})
    own = schema.get("properties")
    return {**found, **own} if isinstance(own, Mapping) else found


def _alternatives(schema: Mapping[str, Any], resolve: Resolve, depth: int) -> dict[str, Any]:
    for keyword in ("anyOf", "oneOf"):
        parts = schema.get(keyword)
        if isinstance(parts, list) and 0 < len(parts) <= _MAX_STEPS:
            made = [simplified(part, resolve, depth) for part in parts]
            return {"anyOf": made} if all(made) else {}
    return {}


def _texts(schema: Mapping[str, Any]) -> dict[str, str]:
    texts = {name: schema.get(name) for name in ("description", "format")}
    return {name: text[:_LONGEST_TEXT] for name, text in texts.items() if isinstance(text, str)}


def _members_fit(value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    return all(fits(inner, properties[name]) for name, inner in value.items() if name in properties)


_KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _is(value: Any, kind: str) -> bool:
    is_truth = isinstance(value, bool)
    return isinstance(value, _KINDS[kind]) and (not is_truth or kind == "boolean")


def _same(value: Any, choice: Any) -> bool:
    return type(value) is type(choice) and value == choice
