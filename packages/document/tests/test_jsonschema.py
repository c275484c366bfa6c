"""JSON Schema as value schemas, and back."""

import jsonschema
import pytest

from lintel_document import JSONSchema, json_schema, schemas

TREE = {"type": "object", "properties": {"next": {"$ref": "#/tree"}, "v": {"type": "integer"}}}
DEFINITIONS = {
    "#/tree": TREE,
    "#/loop": {"$ref": "#/pool"},
    "#/pool": {"$ref": "#/loop"},
    "#/wide": {"allOf": [{"$ref": "#/tree"}, {"properties": {"w": {}}, "required": ["w", 3]}]},
}


def described(source):
    return JSONSchema(source, DEFINITIONS.get)


def test_attributes_are_those_of_where_the_reference_leads():
    schema = described({"$ref": "#/tree", "description": "A tree"})
    assert (schema.type_name, schema.description) == ("object", "A tree")
    assert schemas.type_name(schema.properties["v"]) == "integer"
    assert schema.properties["next"].properties["v"].type_name == "integer"


def test_properties_of_extended_schemas_count():
    schema = described({"$ref": "#/wide"})
    assert set(schema.properties) == {"w", "next", "v"}
    assert schema.required == ("w",)
    assert schema.type_name == "object"


@pytest.mark.parametrize("source", [{"$ref": "#/loop"}, {"$ref": "#/nowhere"}, {"$ref": 3}, 7, []])
def test_what_leads_nowhere_is_anything(source):
    schema = described(source)
    assert schema.type_name == "anything"
    assert (schema.title, schema.enum, schema.properties) == ("", (), {})


def test_wrong_types_count_as_missing():
    schema = described(
        {"type": ["null", "string"], "enum": 3, "title": [], "properties": [], "required": "x"}
    )
    assert (schema.type_name, schema.title, schema.required) == ("string", "", ())
    assert described({"type": "file"}).type_name == "anything"
    assert described({"const": 4}).enum == (4,)


def test_a_schema_becomes_self_contained():
    whole = json_schema(described({"type": "array", "items": {"$ref": "#/tree"}}))
    assert whole["items"] == {"$ref": "#/$defs/tree"}
    jsonschema.validate([{"v": 1, "next": {"v": 2}}], whole)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([{"next": {"v": "two"}}], whole)
    assert json_schema(described({"$ref": "#/loop"}))["$defs"]


def test_what_a_schema_can_grow_to_is_bounded():
    bomb = {"a": []}
    for _ in range(40):
        bomb = {"a": [bomb] * 9}
    assert len(str(json_schema(described(bomb)))) < 1_000_000


def test_value_schemas_become_json_schema():
    schema = schemas.Object(
        properties={
            "n": schemas.Integer(minimum=1, maximum=9, exclusive_maximum=True),
            "s": schemas.String(max_length=3, description="Short"),
            "e": schemas.Enum(enum=["a", "b"]),
            "l": schemas.Array(items=schemas.Number(), unique_items=True),
        },
        required=["n"],
        additional_properties=False,
    )
    assert json_schema(schema) == {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
            "s": {"type": "string", "description": "Short", "maxLength": 3},
            "e": {"enum": ["a", "b"]},
            "l": {"type": "array", "items": {"type": "number"}, "uniqueItems": True},
        },
        "required": ["n"],
        "additionalProperties": False,
    }
    assert json_schema(None) == {}


def test_references_in_data_are_data():
    found = {"$ref": "#/x"}
    source = {
        "properties": {"example": found, "default": {"default": found, "enum": [found]}},
        "example": found,
        "examples": [{"inner": found}],
        "const": {"properties": found},
    }
    written = json_schema(JSONSchema(source, {"#/x": {"type": "string"}}.get))
    reference = {"$ref": "#/$defs/x"}
    assert written == {
        **source,
        "properties": {"example": reference, "default": {"default": found, "enum": [found]}},
        "$defs": {"x": {"type": "string"}},
    }
