"""Schemas of values in the form of each version of OpenAPI.

The tree uses the keywords of 3.0, and project code may use either. Version 3.0 writes
``nullable: true`` and nothing beside ``$ref``; 3.1 and later write JSON Schema 2020-12:
``type: [string, "null"]``, ``examples``, exclusive bounds as numbers.
"""

from collections.abc import Callable, Mapping
from typing import Any

from lintel.fields.describing import Schema
from lintel.schemas import tree

Refer = Callable[[str], str]
Translate = Callable[[Any, Refer], Any]

#: Keys whose values are schemas, lists of schemas, and mappings from names to schemas.
ONE = frozenset(["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then"])
MANY = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
NAMED = frozenset(["properties", "patternProperties", "$defs"])

#: All keys whose values are translated.
WITH_SCHEMAS = ONE | MANY | NAMED | {"$ref", "discriminator"}

EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}

#: The keywords that 3.1 writes differently.
WORDS_OF_3_0 = frozenset(["nullable", "example", *EXCLUSIVE])

#: A schema without any of these is the same in 3.1, as most are; binary formats are told apart.
CHANGED_IN_3_1 = WITH_SCHEMAS | WORDS_OF_3_0


def _inside(schema: tree.Schema, refer: Refer, translate: Translate) -> Schema:
    return {
        key: _value(key, value, refer, translate) if key in WITH_SCHEMAS else value
        for key, value in schema.items()
    }


def _value(key: str, value: object, refer: Refer, translate: Translate) -> Any:
    if key == "$ref" and isinstance(value, str):
        return refer(value)
    if key in ONE and isinstance(value, Mapping):
        return translate(value, refer)
    if key in MANY and isinstance(value, list | tuple):
        return [translate(item, refer) for item in value]
    if key in NAMED and isinstance(value, Mapping):
        return {name: translate(inner, refer) for name, inner in value.items()}
    if key == "discriminator" and isinstance(value, Mapping) and "mapping" in value:
        mapping = {name: refer(target) for name, target in value["mapping"].items()}
        return {**value, "mapping": mapping}
    return value


#: The classes of values by type; extensions of projects write types that choices contradict.
_CLASSES: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool}

#: What drf-spectacular marks choices with, for a hook that removes it.
_MARK = "x-spec-enum-id"


def _fitting_choices(schema: Mapping[str, Any]) -> Schema:
    """Return choices with a type that they all have: null makes it nullable, others remove it."""
    values, kind = schema["enum"], schema.get("type")
    written = {key: said for key, said in schema.items() if key != _MARK}
    if not isinstance(values, list | tuple) or not isinstance(kind, str) or kind not in _CLASSES:
        return written
    if not all(value is None or isinstance(value, _CLASSES[kind]) for value in values):
        del written["type"]
    elif None in values:
        written["nullable"] = True
    return written


def to_3_1(schema: object, refer: Refer) -> Any:
    if type(schema) is not dict and not isinstance(schema, Mapping):
        return schema
    if "enum" in schema:
        schema = _fitting_choices(schema)
    if CHANGED_IN_3_1.isdisjoint(schema) and schema.get("format") != "binary":
        return dict(schema)
    if "$ref" in schema and len(schema) == 1:
        return {"$ref": refer(schema["$ref"])}
    plain = WITH_SCHEMAS.isdisjoint(schema)
    written = dict(schema) if plain else _inside(schema, refer, to_3_1)
    if written.get("format") == "binary" and written.get("type") == "string":
        written["contentMediaType"] = "application/octet-stream"
    return written if WORDS_OF_3_0.isdisjoint(written) else _words_of_3_1(written)


def _words_of_3_1(written: Schema) -> Schema:
    nullable = written.pop("nullable", False)
    if "example" in written:
        written["examples"] = [written.pop("example")]
    for flag, bound in EXCLUSIVE.items():
        if flag not in written:
            continue
        if isinstance(written[flag], bool) and written.pop(flag) and bound in written:
            written[flag] = written.pop(bound)
    return or_null(written) if nullable is True else written


#: Keywords about the schema itself, not about values.
NOTES = frozenset(
    ["description", "title", "default", "readOnly", "writeOnly", "deprecated", "examples"]
)


def or_null(schema: Schema) -> Schema:
    kind = schema.get("type")
    if kind is None and not (schema.keys() & {"$ref", "enum", *MANY}):
        return schema  # there is no type, so null is a value like any other
    if isinstance(kind, str) and MANY.isdisjoint(schema):
        schema["type"] = [kind, "null"]
        if "enum" in schema and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
        return schema
    if "enum" in schema and kind is None:
        return {**schema, "enum": [*(value for value in schema["enum"] if value is not None), None]}
    notes = {key: schema.pop(key) for key in list(schema) if key in NOTES}
    return {"anyOf": [*_alternatives(schema), {"type": "null"}], **notes}


def _alternatives(schema: Schema) -> list[object]:
    if len(schema) == 1:
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return list(schema[key])
        if len(schema.get("allOf", ())) == 1:
            return list(schema["allOf"])
    return [schema]


def to_3_0(schema: object, refer: Refer) -> Any:
    if not isinstance(schema, Mapping):
        return {} if schema is True else schema
    if "enum" in schema:
        schema = _fitting_choices(schema)
    plain = schema.keys().isdisjoint(WITH_SCHEMAS)
    written = dict(schema) if plain else _inside(schema, refer, to_3_0)
    _fit_keywords(written)
    if "const" in written:
        written["enum"] = [written.pop("const")]
    if "examples" in written:
        examples = written.pop("examples")
        if isinstance(examples, list) and examples:
            written["example"] = examples[0]
    for flag, bound in EXCLUSIVE.items():
        if flag in written and not isinstance(written[flag], bool):
            written[bound], written[flag] = written[flag], True
    return _null_in_3_0(_apart(written))


def _fit_keywords(schema: Schema) -> None:
    if "required" in schema and not schema["required"]:
        del schema["required"]  # it must name something there
    kinds = schema.get("type")
    if not isinstance(kinds, list | tuple):
        return
    others = [kind for kind in kinds if kind != "null"]
    if len(others) < len(kinds):
        schema["nullable"] = True
    if len(others) == 1:
        schema["type"] = others[0]
    else:
        del schema["type"]
        schema["anyOf"] = [{"type": kind} for kind in others]


def _apart(schema: Schema) -> Schema:
    """Separate a reference from other keywords, as this version requires."""
    if "$ref" not in schema or len(schema) == 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "$ref"}
    return {"allOf": [{"$ref": schema["$ref"]}], **rest}


def _null_in_3_0(schema: Schema) -> Schema:
    """Write null as generators read it: ``nullable``, also beside references and alternatives."""
    if schema.get("nullable") is not True:
        return schema
    if "type" in schema:
        if "enum" in schema and None not in schema["enum"]:
            return {**schema, "enum": [*schema["enum"], None]}
        return schema
    del schema["nullable"]
    if "enum" in schema:
        return {**schema, "enum": [*(value for value in schema["enum"] if value is not None), None]}
    words = MANY & schema.keys()
    for key in ("oneOf", "anyOf"):
        if words == {key} and all(isinstance(choice, dict) for choice in schema[key]):
            return {**schema, **_null_in_one(key, schema[key])}
    return {**schema, "nullable": True} if words else schema


def _null_in_one(key: str, choices: list[Schema]) -> Schema:
    """Return alternatives of which one takes null: beside a type, ``nullable`` has a meaning.

    Beside references it has one for generators, at least.
    """
    if any(choice.get("nullable") is True or None in choice.get("enum", ()) for choice in choices):
        return {key: choices}
    for at, choice in enumerate(choices):
        kind = _kind_of(choice)
        if kind is not None:
            typed = _null_in_3_0({**choice, "type": kind, "nullable": True})
            return {key: [*choices[:at], typed, *choices[at + 1 :]]}
    return {key: choices, "nullable": True}


def _kind_of(schema: Schema) -> Any:
    """Return the type of a schema of its own, also of the empty text beside named choices."""
    if not schema.keys().isdisjoint({"$ref", *MANY}):
        return None
    values = schema.get("enum", ())
    return "string" if values and set(map(type, values)) == {str} else schema.get("type")
