"""Parameters as JSON Schema, of any operation that a document can hold."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client.errors import ParameterError
from lintel_client.files import File
from lintel_client.mcp.calling import parameters
from lintel_document import Field, JSONSchema, Link, schemas
from lintel_document.agents.inputs import Inputs

TREE = {
    "type": "object",
    "description": "A tree",
    "properties": {"next": {"$ref": "#/tree"}, "kind": {"enum": ["a", "b"]}},
}


def test_references_of_an_argument_stay_its_own():
    schema = JSONSchema({"$ref": "#/tree"}, {"#/tree": TREE}.get)
    link = Link(fields=[Field("one", False, "form", schema), Field("two", False, "form", schema)])
    made = Inputs(link).schema()
    jsonschema.Draft202012Validator.check_schema(made)
    assert made["properties"]["one"]["description"] == "A tree"
    jsonschema.validate({"one": {"next": {"kind": "a"}}, "two": {"next": {}}}, made)
    for name in ("one", "two"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({name: {"next": {"next": {"kind": "c"}}}}, made)


def test_names_that_several_fields_share_are_told_apart_by_place():
    fields = [
        Field("id", True, "path"),
        Field("id", False, "form"),
        Field("filter[a]", location="query"),
    ]
    inputs = Inputs(Link("/x/{id}", "post", fields=fields))
    assert set(inputs.schema()["properties"]) == {"path.id", "form.id", "filter_a", "answer_cursor"}
    assert parameters(inputs, {"path.id": 1, "filter_a": 2}) == {"path.id": 1, "filter[a]": 2}


def test_variables_of_the_url_are_arguments():
    schema = Inputs(Link("/x/{id}{?page}")).schema()
    assert set(schema["properties"]) == {"id", "page", "answer_cursor"}
    assert schema["required"] == ["id"]


def test_an_argument_may_be_called_like_the_cursor():
    inputs = Inputs(Link("/x{?answer_cursor}"))
    assert set(inputs.schema()["properties"]) == {"answer_cursor", "answer_cursor_"}
    assert inputs.cursor == "answer_cursor_"


def test_unknown_arguments_are_named():
    with pytest.raises(ParameterError, match="known arguments: id") as caught:
        parameters(Inputs(Link("/x/{id}")), {"ident": 1})
    assert list(caught.value.errors) == ["ident"]


def test_binary_fields_take_files():
    field = Field("photo", True, "form", schemas.String(format="binary"))
    inputs = Inputs(Link("/x", "post", "multipart/form-data", fields=[field]))
    given_file = {"name": "a.png", "base64": "AAE=", "content_type": "image/png"}
    assert parameters(inputs, {"photo": given_file}) == {
        "photo": File("a.png", b"\x00\x01", "image/png")
    }
    assert parameters(inputs, {"photo": {"text": "é"}})["photo"].content == "é".encode()


NAMES = st.text(max_size=5) | st.sampled_from(["id", "path.id", "a.b", "answer_cursor", "x" * 200])
FIELDS = st.builds(
    Field,
    name=NAMES,
    required=st.booleans(),
    location=st.sampled_from(["", "path", "query", "form", "body", "header", "cookie", "odd"]),
    schema=st.none()
    | st.builds(schemas.String, description=st.text(max_size=5))
    | st.builds(schemas.Enum, enum=st.lists(st.integers(), max_size=3, unique=True))
    | st.just(JSONSchema({"$ref": "#/tree"}, {"#/tree": TREE}.get))
    | st.just(JSONSchema({"type": "array", "items": {"$ref": "#/nowhere"}})),
    description=st.none() | st.text(max_size=5),
    type=st.none() | st.sampled_from(["string", "file"]),
)


@given(fields=st.lists(FIELDS, max_size=6), url=st.sampled_from(["/x", "/{id}/{a}", "/{id}{?x*}"]))
def test_any_operation_has_a_schema_whose_arguments_are_its_parameters(fields, url):
    inputs = Inputs(Link(url, "post", fields=fields))
    schema = inputs.schema()
    names = set(schema["properties"]) - {inputs.cursor}
    assert set(schema.get("required", ())) <= names
    assert all(0 < len(name) <= 64 for name in names)
    assert len(parameters(inputs, dict.fromkeys(names))) <= len(names)


def test_a_value_to_write_has_its_plain_name():
    fields = [Field("status", False, "query"), Field("status", False, "form")]
    inputs = Inputs(Link("/x", "patch", fields=fields))
    properties = inputs.schema()["properties"]
    assert list(properties) == ["query.status", "status", "answer_cursor"]
    assert properties["query.status"]["description"] == "In the query; status is in the body."
    assert "description" not in properties["status"]
    given = {"query.status": "draft", "status": "firm"}
    assert parameters(inputs, given) == given
    assert [inputs.argument(name) for name in ("status", "query.status")] == [*given][::-1]
    reading = Inputs(Link("/x", "query", fields=fields)).schema()
    assert list(reading["properties"]) == ["query.status", "form.status", "answer_cursor"]
