import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel_document import (
    Array,
    CoreJSONCodec,
    Document,
    EncodeError,
    Error,
    Field,
    Link,
    Object,
    ParseError,
    schemas,
)
from lintel_document.corejson import MAX_DEPTH

codec = CoreJSONCodec()
BASE = "https://x.org/base/"


def written(tree, **options):
    return json.loads(codec.encode(tree, **options))


def read(raw, base_url=BASE):
    return codec.decode(json.dumps(raw).encode(), base_url=base_url)


# Round trips

texts = st.text(max_size=8)
keys = st.one_of(texts, st.sampled_from(["", "_type", "_meta", "__type", "___meta", "__z", "_"]))
urls = st.builds(
    str.__add__,
    st.sampled_from(["https://x.org/", "https://y.org/", "http://x.org/"]),
    st.text(st.sampled_from("ab/{}?=é"), max_size=8),
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts
)
plain_schemas = st.sampled_from(
    [kind for kind in schemas.BY_TYPE_NAME.values() if kind is not schemas.Enum]
)
value_schemas = st.one_of(
    st.none(),
    st.builds(
        lambda kind, title, text: kind(title=title, description=text), plain_schemas, texts, texts
    ),
    st.builds(schemas.Enum, enum=st.lists(scalars, max_size=3), title=texts),
)
fields = st.builds(
    Field,
    name=texts,
    required=st.booleans(),
    location=st.sampled_from(["", "path", "query", "form", "body", "header", "cookie", "odd"]),
    schema=value_schemas,
)
links = st.builds(
    Link,
    url=urls,
    action=texts,
    encoding=texts,
    transform=texts,
    title=texts,
    description=texts,
    fields=st.lists(fields, max_size=3),
)


def contents(values):
    return st.dictionaries(keys, values, max_size=4)


values = st.recursive(
    st.one_of(scalars, links),
    lambda inner: st.one_of(
        contents(inner),
        st.lists(inner, max_size=3),
        st.builds(Document, url=urls, title=texts, description=texts, content=contents(inner)),
        st.builds(Error, title=texts, content=contents(inner)),
    ),
    max_leaves=12,
)
documents = st.builds(Document, url=urls, title=texts, description=texts, content=contents(values))


@settings(deadline=None)
@given(document=documents, indent=st.booleans())
def test_a_document_comes_back_as_it_was(document, indent):
    again = codec.decode(codec.encode(document, indent=indent), base_url=BASE)
    assert again == document
    assert again.description == document.description
    assert list(again) == list(document)
    assert again.media_type == codec.media_type


@settings(deadline=None)
@given(tree=st.builds(Error, title=texts, content=contents(values)))
def test_an_error_comes_back_as_it_was(tree):
    assert codec.decode(codec.encode(tree)) == tree


json_values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), contents(inner)), max_leaves=12
)
odd_trees = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["_type", "_meta", "url", "title", "fields", "name", "schema", "enum", "x", ""]
            ),
            st.one_of(
                inner, st.sampled_from(["document", "link", "error", "enum", "//[", "http:"])
            ),
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(raw=odd_trees)
def test_any_object_can_be_read_and_written_again(raw):
    try:
        tree = read(raw)
    except ParseError:
        assert not isinstance(raw, dict) or raw.get("_type") == "link"
    else:
        assert codec.decode(codec.encode(tree), base_url=BASE) == read(
            json.loads(codec.encode(tree))
        )


@given(content=st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(content):
    try:
        tree = codec.decode(content)
    except ParseError:
        return
    assert isinstance(tree, Document | Error)


@given(data=contents(json_values))
def test_data_survives_inside_a_document(data):
    assert codec.decode(codec.encode(Document(content=data))) == data


# Writing


def test_output_is_compact_and_keeps_characters_raw():
    document = Document(content={"b": "café", "a": [1, {}]})
    assert codec.encode(document) == '{"_type":"document","b":"café","a":[1,{}]}'.encode()


def test_indented_output_uses_four_spaces():
    assert codec.encode(Document(content={"a": 1}), indent=True) == (
        b'{\n    "_type": "document",\n    "a": 1\n}'
    )


def test_half_surrogates_travel_as_escapes():
    content = codec.encode(Document(content={"a\ud800": "é\udfff"}))
    assert content == '{"_type":"document","a\\ud800":"é\\udfff"}'.encode()
    assert codec.decode(content) == {"a\ud800": "é\udfff"}


def test_links_inside_an_array_are_written_relative():
    document = Document("https://x.org/a/", content={"l": [Link("https://x.org/b/")]})
    assert written(document)["l"] == [{"_type": "link", "url": "/b/"}]


def test_links_of_a_nested_document_relate_to_that_document():
    inner = Document("https://x.org/inner/", content={"me": Link("https://x.org/inner/")})
    outer = Document("https://x.org/", content={"inner": inner, "go": Link("https://x.org/")})
    assert written(outer) == {
        "_type": "document",
        "_meta": {"url": "https://x.org/"},
        "inner": {
            "_type": "document",
            "_meta": {"url": "/inner/"},
            "me": {"_type": "link"},
        },
        "go": {"_type": "link"},
    }
    assert codec.decode(codec.encode(outer)) == outer


def test_a_schema_without_description_equals_itself_after_a_round_trip():
    link = Link("https://x.org/", fields=[Field("a", schema=schemas.String(description=None))])
    document = Document("https://x.org/", content={"go": link})
    assert codec.decode(codec.encode(document)) == document


def test_plain_values_and_tuples_are_written_as_they_are():
    assert codec.encode({"detail": "x", "_type": "y"}) == b'{"detail":"x","__type":"y"}'
    assert codec.encode([1, (2, None)]) == b"[1,[2,null]]"
    assert codec.encode(Link("/x")) == b'{"_type":"link","url":"/x"}'


def test_a_foreign_schema_is_told_by_its_class():
    class Boolean:
        title = "T"
        description = None

    link = Link("/", fields=[Field("a", schema=Boolean())])
    assert written(link)["fields"][0]["schema"] == {
        "_type": "boolean",
        "title": "T",
        "description": "",
    }


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "type object"),
        (float("nan"), "cannot represent"),
        (float("inf"), "cannot represent"),
        (b"bytes", "type bytes"),
        ({1, 2}, "type set"),
        ([[{"a": object()}]], "type object"),
    ],
)
def test_values_without_a_form_are_refused(value, message):
    with pytest.raises(EncodeError, match=message):
        codec.encode(Document(content={"a": value}))


def test_keys_that_are_no_strings_are_refused():
    with pytest.raises(EncodeError, match="key 1"):
        codec.encode({1: 2})


def test_endless_trees_are_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(EncodeError, match="nested too deeply"):
        codec.encode({"a": endless})


# Reading


@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 100_000])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(depth, start, end):
    content = '{"a":' + start * depth + "1" + end * depth + "}"
    with pytest.raises(ParseError, match="nested too deeply"):
        codec.decode(content.encode())


def test_the_deepest_tree_allowed_is_written_again():
    depth = MAX_DEPTH
    content = ('{"a":' + "[" * depth + "]" * depth + "}").encode()
    tree = codec.decode(content)
    assert codec.decode(codec.encode(tree)) == tree


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"{",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"1" * 5000 + b"}",
        b"null",
        b'"text"',
        b"[]",
        b'{"_type": "link"}',
        b'{"a": 1} trailing',
    ],
)
def test_what_holds_no_document_is_refused(content):
    with pytest.raises(ParseError):
        codec.decode(content)


def test_a_byte_order_mark_is_ignored():
    assert codec.decode(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_text_can_be_read_as_well():
    assert codec.decode('{"a": "é"}') == {"a": "é"}


def test_reserved_keys_of_plain_objects_are_dropped():
    assert read({"_type": 5, "_meta": 1, "a": {"_type": "odd", "_meta": {}, "b": 1}}) == {
        "a": {"b": 1}
    }


def test_an_empty_key_survives():
    tree = read({"_type": "document", "": {"list": {"_type": "link", "url": "/"}}})
    assert tree[""]["list"].url == "https://x.org/"
    assert "" in written(tree)


@pytest.mark.parametrize("required", [1, "true", None, [], {}])
def test_required_must_be_true_itself(required):
    raw = {"_type": "link", "fields": [{"name": "a", "required": required}]}
    assert read({"go": raw})["go"].fields == (Field("a"),)


def test_schemas_are_read_by_type():
    names = list(schemas.BY_TYPE_NAME)
    fields = [{"name": name, "schema": {"_type": name, "title": 4}} for name in names]
    link = read({"go": {"_type": "link", "fields": [*fields, {"name": "x", "schema": []}]}})["go"]
    assert [type(field.schema) for field in link.fields[:-1]] == list(schemas.BY_TYPE_NAME.values())
    assert link.fields[-1].schema is None


def test_containers_have_the_types_of_the_model():
    tree = read({"a": [{"b": 1}]})
    assert type(tree) is Document
    assert type(tree["a"]) is Array
    assert type(tree["a"][0]) is Object
