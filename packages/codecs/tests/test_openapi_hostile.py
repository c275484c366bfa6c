"""Malicious or careless descriptions: bounded work, an issue with a place, the rest usable."""

import json
import re
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel_codecs.openapi import OpenAPICodec, references
from lintel_document import Document, Link, ParseError, json_schema

SECONDS = 10
"""Far above what any of these takes, far below what unbounded work would."""


def decoded(content: str | bytes, **options: Any) -> Document:
    started = time.process_time()
    try:
        return OpenAPICodec().decode(content, **options)
    finally:
        assert time.process_time() - started < SECONDS


def described(operation: str) -> str:
    start = '{"openapi": "3.1.0", "paths": {"/ok": {"get": {"operationId": "ok"}}, "/x": {"post": '
    return start + operation + "}}}"


BODY = '{"requestBody": {"content": {"application/json": {"schema": %s}}}}'


@pytest.mark.parametrize(
    "operation",
    [
        BODY % ('{"items":' * 10_000 + "1" + "}" * 10_000),
        BODY % ("[" * 100_000 + "]" * 100_000),
        '{"parameters": %s}' % ('["a\\"[{",' * 10_000 + "1" + "]" * 10_000),
        BODY % ('{"maximum": %s}' % ("9" * 100_000)),
    ],
    ids=["objects", "lists", "strings", "digits"],
)
def test_what_is_beyond_all_use_is_left_out(operation):
    document = decoded(described(operation))
    assert set(document) == {"ok", "post /x"}
    assert document.issues
    assert OpenAPICodec().encode(document)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: " + "[" * 10_000, "nested too deeply at line 1"),
        ("a: " + "{a: " * 10_000, "nested too deeply at line 1"),
        ("a: &a [*a]", "'a' at line 1, column 8 leads to nothing before it"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_says_where(content, message):
    with pytest.raises(ParseError, match=message):
        decoded(content)


@pytest.mark.parametrize("tag", ["apply:os.mkdir", "new:pathlib.Path.mkdir", "apply:pathlib.Path"])
def test_yaml_makes_no_objects(tag, tmp_path):
    folder = tmp_path / "made"
    content = f"openapi: 3.1.0\ninfo: {{title: !!python/object/{tag} ['{folder}'], version: '1'}}\n"
    with suppress(ParseError):
        assert isinstance(decoded(content).title, str)
    assert not folder.exists()


@pytest.mark.parametrize("merged", ["[{}]", "{{<<: [{}]}}"])
def test_aliases_do_not_multiply(merged):
    lines = ["openapi: 3.1.0", "a0: &a0 {x: 1}"]
    for number in range(1, 15):
        inner = merged.format(", ".join([f"*a{number - 1}"] * 10))
        lines.append(f"a{number}: &a{number} {inner}")
    with pytest.raises(ParseError, match="Aliases make more than"):
        decoded("\n".join(lines))


def test_aliases_in_measure_are_fine():
    text = "openapi: 3.1.0\nx: &g {get: {operationId: a}}\npaths: {/a: *g, /b: {<<: *g}}"
    assert set(decoded(text)) == {"get /a", "get /b"}


def test_shared_operation_ids_are_listed_and_none_is_lost():
    item = {"get": {"operationId": "same", "tags": ["t"]}}
    paths = {f"/x{number}": item for number in range(3000)}
    document = decoded(json.dumps({"openapi": "3.1.0", "paths": paths}))
    assert len(document["t"]) == 3000
    assert "used" in document.issues[0].message or "too" in document.issues[0].message
    assert document.issues[0].place == "#/paths/~1x1/get"
    assert len(document.issues) == 1001


def test_towers_of_schemas_are_bounded():
    schemas = {
        f"s{number}": {
            "allOf": [{"$ref": f"#/components/schemas/s{number + 1}"}] * 2,
            "properties": {f"p{number}": {}},
        }
        for number in range(3000)
    }
    media = {"application/json": {"schema": {"$ref": "#/components/schemas/s0"}}}
    paths = {f"/x{number}": {"post": {"requestBody": {"content": media}}} for number in range(50)}
    tree = {"openapi": "3.1.0", "components": {"schemas": schemas}, "paths": paths}
    document = decoded(json.dumps(tree))
    assert len(document) == 50
    assert len(json.dumps(json_schema(document["post /x1"].fields[-1].schema))) < 2_000_000


def test_bodies_share_the_fields_of_one_schema():
    big = {"type": "object", "properties": {f"p{number}": {} for number in range(2000)}}
    media = {"schema": {"$ref": "#/components/schemas/b"}}
    content = {f"application/v{number}+json": media for number in range(20)}
    paths = {f"/x{number}": {"post": {"requestBody": {"content": content}}} for number in range(50)}
    tree = {"openapi": "3.1.0", "components": {"schemas": {"b": big}}, "paths": paths}
    document = decoded(json.dumps(tree))
    first, last = document["post /x0"].bodies[0], document["post /x49"].bodies[-1]
    assert first.fields[0] is last.fields[0]


def loading(reference: str, base_url: str, files: dict[str, bytes], **options: Any) -> Any:
    asked = []

    def loader(url: str) -> bytes:
        asked.append(url)
        if url not in files:
            raise OSError("there is no such file")
        return files[url]

    text = described(json.dumps({"parameters": [{"$ref": reference}]}))
    document = decoded(text, base_url=base_url, loader=loader, **options)
    return asked, [field.name for field in document["post /x"].fields], document.issues


PARAMETER = b'{"p": {"$ref": "other.yaml#/q"}}'
OTHER = b"q: {name: q, in: query, schema: {$ref: '#/s'}}\ns: {enum: [a]}"


@pytest.mark.parametrize("base", ["https://a.example/api/", "file:///srv/api/"])
def test_references_to_neighbours_are_followed_with_a_loader(base):
    files = {f"{base}parts/p.json": PARAMETER, f"{base}parts/other.yaml": OTHER}
    asked, names, issues = loading("parts/p.json#/p", f"{base}openapi.json", files)
    assert asked == list(files)
    assert (names, issues) == (["q"], ())


@pytest.mark.parametrize("base", ["https://a.example/api/", "file:///srv/api/"])
def test_a_file_may_refer_to_any_below_the_first_folder(base):
    referring = b'{"p": {"$ref": "../components/q.json#/q"}}'
    files = {f"{base}parts/p.json": referring, f"{base}components/q.json": OTHER}
    assert loading("parts/p.json#/p", f"{base}openapi.json", files)[1:] == (["q"], ())


@pytest.mark.parametrize("base", ["https://a.example/api/", "file:///srv/api/"])
@pytest.mark.parametrize("target", ["../../q.json", "..%2f../q.json", "/q.json", "//b.example/q"])
def test_no_file_may_lead_out_of_the_first_folder(base, target):
    files = {f"{base}parts/p.json": b'{"p": {"$ref": "%b#/q"}}' % target.encode()}
    asked, names, issues = loading("parts/p.json#/p", f"{base}openapi.json", files)
    assert (asked, names) == ([f"{base}parts/p.json"], [])
    assert "outside of the folder" in issues[0].message


def test_files_and_bytes_are_bounded(monkeypatch):
    base = "https://a.example/"
    files = {f"{base}p.json": PARAMETER, f"{base}other.yaml": OTHER}
    monkeypatch.setattr(references, "MAX_FILES", 1)
    asked, names, issues = loading("p.json#/p", f"{base}openapi.json", files)
    assert (asked, names) == ([f"{base}p.json"], [])
    assert "More than 1 files" in issues[0].message
    monkeypatch.undo()
    monkeypatch.setattr(references, "MAX_BYTES", len(PARAMETER) + 1)
    asked, names, issues = loading("p.json#/p", f"{base}openapi.json", files)
    assert (asked, names) == (list(files), [])
    assert "bytes together" in issues[0].message


@pytest.mark.parametrize(
    ("reference", "base"),
    [
        ("../p.json#/a", "https://a.example/api/openapi.json"),
        ("file:///etc/passwd#/a", "https://a.example/openapi.json"),
        ("http://169.254.169.254/latest#/a", "https://a.example/openapi.json"),
        ("http://a.example/p.json#/a", "https://a.example/openapi.json"),
        ("../../etc/passwd#/a", "file:///srv/api/openapi.json"),
        ("%2e%2e/%2e%2e/etc/passwd#/a", "file:///srv/api/openapi.json"),
        ("https://a.example/p.json", "file:///srv/api/openapi.json"),
        ("//b.example/p.json", "https://a.example/openapi.json"),
        ("http://[", "https://a.example/openapi.json"),
        ("p.json#/a", ""),
    ],
)
def test_nothing_else_is_loaded(reference, base):
    asked, names, issues = loading(reference, base, {})
    assert (asked, names) == ([], [])
    assert issues[0].place == "#/paths/~1x/post/parameters/0"


def test_an_origin_that_is_allowed_is_asked():
    files = {"https://b.example/p.json": b'{"name": "n", "in": "query"}'}
    options = {"origins": ["https://b.example"]}
    base = "https://a.example/openapi.json"
    assert loading("https://b.example/p.json", base, files, **options)[1] == ["n"]
    asked, names, issues = loading("https://b.example/none.json", base, files, **options)
    assert (len(asked), names) == (1, [])
    assert "there is no such file" in issues[0].message


def test_without_a_loader_nothing_is_loaded():
    document = decoded(
        described('{"parameters": [{"$ref": "p.json"}]}'), base_url="https://a.example/"
    )
    assert "no loader is given" in document.issues[0].message


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)
WHOLE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1", "description": "d"},
    "servers": [
        {"url": "https://{v}.example", "variables": {"v": {"default": "a", "enum": ["a"]}}}
    ],
    "security": [{"k": ["s"]}],
    "tags": [{"name": "t"}],
    "x-lintel-data": {"a": [1]},
    "components": {
        "securitySchemes": {"k": {"type": "oauth2", "flows": {"implicit": {"scopes": {"s": "S"}}}}},
        "schemas": {"s": {"type": "object", "allOf": [{"properties": {"a": {"enum": [1]}}}]}},
    },
    "paths": {
        "/ok": {"get": {"operationId": "ok"}},
        "/x/{id}": {
            "summary": "s",
            "parameters": [{"name": "id", "in": "path", "style": "label", "schema": {}}],
            "post": {
                "operationId": "x",
                "tags": ["t"],
                "x-lintel-keys": ["a", 0],
                "x-lintel-link": {"url": "/y", "fields": [{"name": "f", "schema": {}}]},
                "parameters": [{"name": "q", "in": "query", "content": {"a/b": {"schema": {}}}}],
                "requestBody": {
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {"$ref": "#/components/schemas/s"},
                            "encoding": {"a": {"headers": {"X": {"schema": {"default": 1}}}}},
                        }
                    },
                },
                "responses": {
                    "200": {
                        "headers": {"Link": {"schema": {}}},
                        "content": {"application/json": {"schema": {"items": {}}}},
                        "links": {"l": {"operationId": "ok", "parameters": {"id": "$url"}}},
                    }
                },
            },
        },
    },
}
OLD: dict[str, Any] = {
    "swagger": "2.0",
    "host": "a.example",
    "basePath": "/v1",
    "schemes": ["https"],
    "consumes": ["application/json"],
    "securityDefinitions": {"k": {"type": "oauth2", "flow": "implicit", "scopes": {}}},
    "paths": {
        "/x": {
            "post": {
                "parameters": [
                    {"name": "f", "in": "formData", "type": "file"},
                    {"name": "c", "in": "query", "type": "array", "collectionFormat": "ssv"},
                ],
                "responses": {"200": {"schema": {"type": "string"}}},
            },
            "put": {"parameters": [{"name": "b", "in": "body", "schema": {"type": "object"}}]},
        }
    },
}


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    pairs = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    return [path] * bool(path) + [p for key, inner in pairs for p in places(inner, (*path, key))]


def changed(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copied = dict(node) if isinstance(node, dict) else list(node)
    copied[path[0]] = changed(node[path[0]], path[1:], value)
    return copied


def every(node: Any) -> list[Link]:
    if isinstance(node, Link):
        return [node]
    inner = node.values() if hasattr(node, "values") else node if isinstance(node, list) else ()
    return [link for value in inner for link in every(value)]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_wrong_types_anywhere_leave_the_rest(data):
    whole = data.draw(st.sampled_from([WHOLE, OLD]))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(whole)))
        whole = changed(whole, path, data.draw(ANYTHING))
    text = json.dumps(whole)
    try:
        document = decoded(text, base_url="https://h.example/openapi.json")
    except ParseError:
        name, number = ("openapi", 3) if "openapi" in whole else ("swagger", 2)
        assert not re.match(rf"{number}(\.|$)", str(whole.get(name)))
        return
    for link in every(document):
        assert link.answers is link.answers
        for field in link.fields:
            assert isinstance(json_schema(field.schema), dict)
    for version in ("3.1", "3.0", "2.0"):
        written = OpenAPICodec().encode(document, version=version)
        assert isinstance(OpenAPICodec().decode(written), Document)


@settings(deadline=None, max_examples=100)
@given(
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: ("openapi: 3.1.0\n" + text).encode())
)
def test_any_bytes_are_a_document_or_a_parse_error(content):
    with suppress(ParseError):
        decoded(content)


def chain(length: int) -> str:
    links = {f"s{at}": {"$ref": f"#/components/schemas/s{at + 1}"} for at in range(length)}
    schemas = {**links, f"s{length}": {"type": "object", "properties": {"a": {}}}}
    paths = {"/x": {"post": json.loads(BODY % '{"$ref": "#/components/schemas/s0"}')}}
    return json.dumps({"openapi": "3.1.0", "components": {"schemas": schemas}, "paths": paths})


def test_a_chain_of_references_has_a_limit():
    (link,) = decoded(chain(20)).values()
    assert [field.name for field in link.fields] == ["a", "body"]
    assert decoded(chain(64)).issues == ()
    for length in (65, 100_000):
        with pytest.raises(ParseError, match=r"s[01] refers to more than 64 others"):
            decoded(chain(length))
