"""Everything in the model survives a round trip through every format that can be written."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel_codecs.hal import HALCodec
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import (
    Answer,
    Array,
    Body,
    CoreJSONCodec,
    Document,
    Error,
    Example,
    Field,
    JSONSchema,
    Link,
    Object,
    OperationLink,
    Pagination,
    SecurityScheme,
    Server,
    ServerVariable,
    Tag,
    schemas,
)
from lintel_document.comparing import Comparison
from lintel_document.stored import DOCUMENT_ATTRIBUTES, LINK_ATTRIBUTES
from lintel_document.urls import resolve

FORMATS = {
    "openapi-3.1": (OpenAPICodec(), {"version": "3.1"}),
    "openapi-3.0": (OpenAPICodec(), {"version": "3.0"}),
    "openapi-2.0": (OpenAPICodec(), {"version": "2.0"}),
    "hal": (HALCodec(), {}),
    "corejson": (CoreJSONCodec(), {"extensions": True}),
}
# The format of a document, and what was wrong with it, belong to what it was read from.
KEPT = [name for name in DOCUMENT_ATTRIBUTES if name not in ("media_type", "issues")]


def lost(before: Any, after: Any, path: tuple[Any, ...] = ()) -> list[Any]:
    """Return what a tree holds and another does not, with its path."""
    comparison = Comparison()
    if isinstance(before, Link) and isinstance(after, Link):
        return [(*path, name) for name in comparison.differing(before, after, LINK_ATTRIBUTES)]
    if type(before) is not type(after):
        return [(*path, type(before).__name__, type(after).__name__)]
    if isinstance(before, Array):
        keys, found = range(len(before)), len(before) == len(after)
    elif hasattr(before, "items"):
        keys, found = before.keys(), before.keys() == after.keys()
    else:
        return [] if before == after else [(*path, before, after)]
    if not found:
        return [(*path, "keys")]
    names = KEPT if isinstance(before, Document) else ["title"] if isinstance(before, Error) else []
    own = [(*path, name) for name in comparison.differing(before, after, names)]
    return own + [each for key in keys for each in lost(before[key], after[key], (*path, key))]


def again(document: Document, name: str) -> Document:
    codec, options = FORMATS[name]
    found = codec.decode(codec.encode(document, **options))
    assert isinstance(found, Document)
    return found


WORDS = st.text("abé_-/{}$ ~", min_size=1, max_size=4)
NAMES = st.sampled_from(["id", "page", "Tag", "q", "a b"])
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=3,
)
DEFINITIONS = {
    "#/a": {"type": ["object", "null"], "properties": {"b": {"$ref": "#/b"}, "a": {"$ref": "#/a"}}},
    "#/b": {"const": 3, "$ref": "#/missing", "examples": [{"$ref": "#/a"}]},
}
SOURCES = st.sampled_from(
    [
        {"$ref": "#/a"},
        {"$ref": "#/b"},
        {"$ref": "#/a", "description": "beside"},
        {"type": ["integer", "null"], "exclusiveMinimum": 3},
        {"oneOf": [{"type": "string"}, {"$ref": "#/a"}], "patternProperties": {"^a": {}}},
        {"properties": {"$ref": {"type": "string"}, "enum": {"type": "null"}}},
        {"type": "array", "prefixItems": [{}], "default": {"$ref": "#/a"}},
    ]
)
SCHEMAS = (
    st.none()
    | SOURCES.map(lambda source: JSONSchema(source, DEFINITIONS.get))
    | st.builds(schemas.String, title=WORDS, max_length=st.none() | st.integers(0, 9))
    | st.builds(schemas.Integer, minimum=st.none() | st.just(0), exclusive_minimum=st.booleans())
    | st.builds(schemas.Enum, enum=st.lists(DATA, max_size=2), default=DATA)
    | st.builds(schemas.Array, items=st.builds(schemas.Boolean), unique_items=st.booleans())
    | st.builds(schemas.Object, properties=st.dictionaries(WORDS, st.builds(schemas.Number)))
)
PLAIN_FIELDS = st.builds(
    Field,
    NAMES,
    st.booleans(),
    st.sampled_from(["", "path", "query", "form", "body", "header", "cookie", "querystring"]),
    SCHEMAS,
    st.none() | WORDS,
    st.none() | WORDS,
    DATA,
    style=st.sampled_from(["", "form", "matrix", "odd"]),
    explode=st.none() | st.booleans(),
    allow_reserved=st.booleans(),
    content_type=st.sampled_from(["", "application/json", "image/png, image/gif"]),
    deprecated=st.booleans(),
    wire_name=st.sampled_from(["", "Id"]),
)
EXAMPLES = st.lists(
    st.builds(Example, st.sampled_from(["", "one", "two"]), DATA, WORDS, url=WORDS), max_size=2
).map(tuple)
FIELDS = st.builds(
    lambda field, headers, examples: replace(field, headers=tuple(headers), examples=examples),
    PLAIN_FIELDS,
    st.lists(PLAIN_FIELDS, max_size=1),
    EXAMPLES,
)
VARIABLES = st.builds(ServerVariable, WORDS, st.lists(WORDS, max_size=2).map(tuple), WORDS)
SERVERS = st.builds(
    Server,
    st.sampled_from(["https://a.example/v1", "https://{host}/", "http://b.example"]),
    WORDS,
    st.dictionaries(st.just("host"), VARIABLES),
    WORDS,
)
SCHEMES = st.builds(
    SecurityScheme,
    st.just("k"),
    st.sampled_from(["apiKey", "http", "oauth2", "openIdConnect", "odd"]),
    st.sampled_from(["", "header", "cookie"]),
    WORDS,
    st.sampled_from(["", "basic", "bearer"]),
    description=WORDS,
    flows=st.dictionaries(st.sampled_from(["implicit", "odd"]), st.just({"scopes": {"a": "b"}})),
    deprecated=st.booleans(),
)
ANSWERS = st.builds(
    Answer,
    st.sampled_from(["200", "4XX", "default"]),
    WORDS,
    st.dictionaries(st.sampled_from(["application/json", "text/csv"]), SCHEMAS, max_size=2),
    st.lists(FIELDS, max_size=1).map(tuple),
    st.dictionaries(st.sampled_from(["application/json", "text/html"]), EXAMPLES, max_size=1),
)
LINKS = st.builds(
    Link,
    st.sampled_from(
        ["/x", "https://a.example/v1/x/{id}", "http://o.example/{+x}{?y*}#f", "/x?a=b", ""]
    ),
    st.sampled_from(["", "get", "post", "PUT", "delete", "search", "query"]),
    st.sampled_from(["", "application/json", "multipart/form-data"]),
    st.sampled_from(["", "new", "inplace"]),
    WORDS,
    WORDS | st.sampled_from(["a\nProfile: x", "Deprecated: u\nLanguage: de"]),
    st.lists(FIELDS, max_size=3),
    operation_id=st.sampled_from(["", "read", "read"]),
    tags=st.lists(NAMES, max_size=2),
    deprecated=st.booleans(),
    bodies=st.lists(
        st.builds(
            Body,
            st.sampled_from(["application/json", "text/plain", "multipart/form-data"]),
            st.lists(FIELDS, max_size=2).map(tuple),
            st.booleans(),
        ),
        max_size=2,
    ),
    accept=st.sampled_from([(), ("text/csv",), ("text/csv", "application/json")]),
    path=st.sampled_from(["", "", "/x", "/x/{id}"]),
    servers=st.lists(SERVERS, max_size=2),
    security=st.none()
    | st.lists(
        st.dictionaries(st.sampled_from(["k", "other"]), st.just(("read",)), max_size=2), max_size=2
    ).map(tuple),
    answers=st.lists(ANSWERS, max_size=2, unique_by=lambda answer: answer.status).map(tuple),
    links=st.lists(st.builds(OperationLink, NAMES, st.just("200"), body=DATA), max_size=2),
    pagination=st.none() | st.builds(Pagination, st.just("page"), NAMES, items=WORDS),
    item_schemas=st.dictionaries(
        st.sampled_from(["text/event-stream", "application/jsonl"]), SCHEMAS, max_size=2
    ),
)
KEYS = st.sampled_from(["", "self", "a:b", "_links", "_type", "x-lintel", "users", "list", "0"])
ENTRIES = st.recursive(
    LINKS | DATA, lambda inner: st.dictionaries(KEYS, inner, max_size=2), max_leaves=4
)


def documents(entries: Any) -> Any:
    return st.builds(
        Document,
        st.sampled_from(["", "https://a.example/", "https://o.example/a?b=c"]),
        WORDS,
        WORDS,
        content=st.dictionaries(KEYS, entries, max_size=3),
        version=st.sampled_from(["", "1"]),
        servers=st.lists(SERVERS, max_size=2),
        security_schemes=st.dictionaries(st.just("k"), SCHEMES),
        tags=st.lists(st.builds(Tag, NAMES, WORDS, url=WORDS, parent=WORDS), max_size=2),
    )


DOCUMENTS = documents(
    ENTRIES | documents(ENTRIES) | st.lists(documents(LINKS), min_size=1, max_size=2)
)


def absolute(node: Any, base: str = "") -> Any:
    """A tree as it is read: URLs of links are those that they lead to."""
    if isinstance(node, Link):
        return node.replace(url=resolve(base, node.url))
    if isinstance(node, Array):
        return Array([absolute(item, base) for item in node])
    base = resolve(base, node.url) if isinstance(node, Document) else base
    if isinstance(node, Object | Document | Error):
        copy = node.clone({key: absolute(value, base) for key, value in node.items()})
        if not isinstance(node, Document):
            return copy
        rest = {name: getattr(node, name) for name in DOCUMENT_ATTRIBUTES if name != "url"}
        return Document(base, content=copy, **rest)
    return node


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None, max_examples=30)
@given(document=DOCUMENTS)
def test_nothing_that_a_document_holds_is_lost(name, document):
    before = absolute(document)
    assert lost(before, again(before, name)) == []


def described() -> Document:
    """A document whose link no format can say whole."""
    schema = JSONSchema({"$ref": "#/a"}, DEFINITIONS.get)
    field = Field("id", False, "query", schema, style="odd", wire_name="ID")
    link = Link("https://a.example/x", "get", fields=[field], operation_id="read", tags=["t"])
    return Document("https://a.example/", "T", content={"in": {"go": link}}, version="1")


def damaged(tree: Any, value: Any) -> Any:
    """A tree with a value in place of all that its extensions hold."""
    if isinstance(tree, list):
        return [damaged(item, value) for item in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: dict.fromkeys(inner, value) if key == "x-lintel" else damaged(inner, value)
        for key, inner in tree.items()
    }


BAD = [
    None,
    3,
    "text",
    [],
    {},
    {"_": "eval"},
    {"_": "Link", "url": 3},
    {"_": "Field", "name": "x", "schema": "text"},
    {"_": "tuple", "items": [{"_": "Field", "name": 3}]},
    {"_": "tuple", "items": [{"_": "Answer", "status": "200", "content": {"a/b": "text"}}]},
    {"_": "JSONSchema", "source": {}, "scope": 10**30},
    [{"#/a": {"_": "JSONSchema"}}],
]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("value", BAD, ids=str)
def test_a_damaged_extension_leaves_the_rest(name, value):
    codec, options = FORMATS[name]
    tree = damaged(json.loads(codec.encode(described(), **options)), value)
    document = codec.decode(json.dumps(tree).encode(), base_url="https://a.example/")
    link = document.get_in(["in", "go"]) or document.get_in(["in", "get /x"])
    assert (link.url.partition("{")[0], link.action) == ("https://a.example/x", "get")
    for field in link.fields:
        assert field.schema is None or field.schema.type_name
    assert name == "corejson" or document.issues


def test_a_deep_extension_is_an_issue():
    content = HALCodec().encode(described()).decode()
    deep = '{"_": "tuple", "items": [' * 80 + "]}" * 80
    document = HALCodec().decode(content.replace('"read"', deep).encode())
    assert "extension" in str(document.issues[0])


def test_plain_links_stay_plain_in_core_json():
    field = Field("q", description="d", example=1, schema=schemas.String(max_length=3))
    document = Document("https://a.example/", content={"go": Link("/x", "get", fields=[field])})
    assert b"x-lintel" not in CoreJSONCodec().encode(document)
    assert b"x-lintel" in CoreJSONCodec().encode(document, extensions=True)
    assert b"x-lintel" in CoreJSONCodec().encode(described())
    assert b"x-lintel" not in CoreJSONCodec().encode(described(), extensions=False)
