import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_document import (
    Answer,
    Array,
    Body,
    Document,
    Field,
    Issue,
    JSONSchema,
    Link,
    OperationLink,
    Pagination,
    ParseError,
    SecurityScheme,
    Server,
    ServerVariable,
    schemas,
)
from lintel_document.stored import packed, unpacked

DEFINITIONS = {
    "#/a": {"type": "object", "properties": {"b": {"$ref": "#/b"}, "me": {"$ref": "#/a"}}},
    "#/b": {"type": "integer", "enum": [1, 2]},
}


def described():
    """A document that uses all of the model."""
    fields = (
        Field("id", True, "path", schemas.Integer(minimum=1), style="matrix", explode=True),
        Field("q", False, "query", JSONSchema({"$ref": "#/b"}, DEFINITIONS.get), wire_name="Q"),
        Field("ids", schema=schemas.Array(items=schemas.Integer(maximum=9))),
        Field("size", schema=schemas.Enum(enum=["s", 1, None]), example={"a": [1, None]}),
        Field("part", headers=(Field("X-A"),), content_type="image/png", deprecated=True),
    )
    body = JSONSchema({"$ref": "#/a"}, DEFINITIONS.get)
    link = Link(
        "http://x.org/{id}",
        "put",
        "application/json",
        "inplace",
        "T",
        "D",
        fields,
        operation_id="change",
        tags=["t"],
        deprecated=True,
        bodies=[Body("application/json", (Field("all", schema=body),), True)],
        accept=["a/b"],
        path="/{id}",
        servers=[Server("http://{h}/", variables={"h": ServerVariable("x", ("x", "y"))}, name="n")],
        security=({"key": ("read",)}, {}),
        answers=lambda: (Answer("200", "fine", {"application/json": body}, (Field("ETag"),)),),
        links=[OperationLink("next", parameters={"id": "$response.body#/id"})],
        pagination=Pagination("page", parameter="page", items="results"),
        item_schemas={"text/event-stream": JSONSchema({"type": "object"})},
    )
    content = {"a": {"go": link}, "": [1, None, {"x": True}], "in": Document("http://x.org/in")}
    return Document(
        "http://x.org/",
        "T",
        "D",
        "application/openapi+json",
        content,
        version="1",
        servers=link.servers,
        security_schemes={"key": SecurityScheme("key", "apiKey", "query", "k", flows={"a": {}})},
        issues=[Issue("#/x", "is odd", "op")],
    )


def test_nothing_of_the_model_is_lost():
    before = described()
    after = unpacked(packed(before))
    assert after == before
    for name in ("description", "media_type", "version", "servers", "security_schemes", "issues"):
        assert getattr(after, name) == getattr(before, name)
    link, kept = before["a"]["go"], after["a"]["go"]
    for name in ("title", "operation_id", "tags", "deprecated", "links", "pagination", "answers"):
        assert getattr(kept, name) == getattr(link, name), name
    assert kept.fields == link.fields
    assert isinstance(after[""], Array)
    assert isinstance(after["in"], Document)


def test_references_are_looked_up_in_their_scope():
    link = unpacked(packed(described()))["a"]["go"]
    assert link.fields[1].schema.enum == (1, 2)
    body = link.bodies[0].fields[0].schema
    assert body.properties["me"].properties["b"].type_name == "enum"
    assert link.answers[0].content["application/json"].type_name == "object"


def test_two_scopes_stay_apart():
    one = JSONSchema({"$ref": "#/x"}, {"#/x": {"type": "string"}}.get)
    two = JSONSchema({"$ref": "#/x"}, {"#/x": {"type": "integer"}}.get)
    none = JSONSchema({"$ref": "#/x"}, {}.get)
    fields = [Field("one", schema=one), Field("two", schema=two), Field("none", schema=none)]
    document = Document(content={"go": Link("/", fields=fields)})
    kept = [field.schema.type_name for field in unpacked(packed(document))["go"].fields]
    assert kept == ["string", "integer", "anything"]


def test_answers_can_be_left_out():
    content = packed(described(), answers=False)
    assert b"fine" not in content
    assert b"\n" not in content


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), values))
def test_any_content_comes_back(content):
    document = Document("http://x.org/", content=content)
    assert unpacked(packed(document)) == document


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b'{"scopes": [], "document": 1}',
    b'{"scopes": [], "document": {"_": "eval"}}',
    b'{"scopes": [], "document": {"_": "Codec"}}',
    b'{"scopes": [], "document": {"_": "Link", "odd": 1}}',
    b'{"scopes": [], "document": {"_": "schemas.Iterable"}}',
]


@pytest.mark.parametrize("stored", DAMAGED)
def test_what_is_damaged_is_refused(stored):
    with contextlib.suppress(ParseError):
        assert not isinstance(unpacked(stored), Document)
