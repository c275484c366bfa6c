"""Documents to OpenAPI and back: what is written is valid, and nothing is lost."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate

from lintel_client.building import build_request
from lintel_client.errors import LintelError
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import (
    Array,
    Body,
    Document,
    EncodeError,
    Field,
    JSONSchema,
    Link,
    SecurityScheme,
    schemas,
)

VERSIONS = ["3.1", "3.0", "2.0"]
CASES = json.loads(
    (Path(__file__).parents[3] / "tests" / "data" / "client_cases.json").read_text()
)["cases"]


def again(document: Document, version: str) -> Document:
    content = OpenAPICodec().encode(document, version=version)
    return OpenAPICodec().decode(content, base_url=document.url)


def links(node: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Link]:
    if isinstance(node, Link):
        return {path: node}
    pairs = enumerate(node) if isinstance(node, Array) else getattr(node, "items", dict)()
    found = {}
    for key, value in pairs:
        found |= links(value, (*path, key))
    return found


def native() -> Document:
    return Document(
        "https://a.example/api/",
        "Snippets",
        "All",
        content={
            "version": 3,
            "": {"list": Link("https://a.example/{?page,size}", "get", fields=["page"])},
            "snippets": {
                "about": {"n": [1, None, "x"]},
                "list": Link("/snippets/", "get", title="All", fields=[Field("page")]),
                "page": Link("/snippets/", "get", fields=[Field("p", location="query")]),
                "read": Link(
                    "/snippets/{+id}{/rest*}",
                    "get",
                    fields=[Field("id", True, "path", schemas.Integer(title="Key", minimum=1))],
                ),
                "create": Link(
                    "/snippets/",
                    "post",
                    "multipart/form-data",
                    transform="new",
                    fields=[
                        Field("title", True, "form", schemas.String(max_length=9)),
                        Field("X-A", False, "header"),
                    ],
                ),
                "other": [Link("https://b.example/x", "purge"), Link("/y?a=1", "delete")],
            },
        },
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_a_native_document_comes_back(version):
    before, after = native(), again(native(), version)
    found = links(after)
    assert found.keys() == links(before).keys()
    for path, link in links(before).items():
        assert found[path].url == link.url.replace("/", "https://a.example/", 1) or link.url
        assert (found[path].action, found[path].transform) == (link.action, link.transform)
        assert [f.name for f in found[path].fields] == [f.name for f in link.fields]
    assert after["version"] == 3
    assert after["snippets"]["about"] == {"n": [1, None, "x"]}
    assert (after.title, after.description) == ("Snippets", "All")


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_written_is_valid(version):
    validate(json.loads(OpenAPICodec().encode(native().set("", {}), version=version)))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_descriptions_come_back_from_every_version(case, version):
    base_url = case.get("retrieved_from", "")
    document = OpenAPICodec().decode(json.dumps(case["doc"]), base_url=base_url)
    after = again(document, version)
    assert after["op"] == document["op"] if "op" in document else after == document
    assert dict(after.security_schemes) == dict(document.security_schemes)
    assert links(after).keys() == links(document).keys()


def test_schemas_that_refer_to_each_other_come_back():
    tree = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/tree"}}}
    description = {
        "openapi": "3.1.1",
        "info": {"title": "t", "version": "1"},
        "components": {"schemas": {"tree": tree}},
        "paths": {
            "/x": {
                "post": {
                    "requestBody": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/tree"}}
                        }
                    },
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
    }
    content = OpenAPICodec().encode(OpenAPICodec().decode(json.dumps(description)))
    written = json.loads(content)
    assert written["components"]["schemas"] == {"tree": tree}
    validate(written)
    old = json.loads(OpenAPICodec().encode(OpenAPICodec().decode(content), version="2.0"))
    assert old["definitions"]["tree"]["properties"]["next"] == {"$ref": "#/definitions/tree"}


def test_schemes_that_2_0_does_not_know_come_back():
    schemes = {
        "b": SecurityScheme("b", "http", scheme="bearer"),
        "c": SecurityScheme("c", "apiKey", "cookie", "sid"),
        "o": SecurityScheme("o", "oauth2", flows={"clientCredentials": {"tokenUrl": "https://t/"}}),
    }
    document = Document("https://a.example/", security_schemes=schemes)
    assert dict(again(document, "2.0").security_schemes)["b"] == schemes["b"]
    assert dict(again(document, "2.0").security_schemes)["c"] == schemes["c"]
    assert dict(again(document, "3.0").security_schemes) == schemes


def test_nullable_and_bounds_of_3_0():
    schema = JSONSchema({"type": ["string", "null"], "exclusiveMinimum": 3, "const": "a"})
    link = Link("/x", path="/x", action="get", fields=[Field("q", location="query", schema=schema)])
    content = OpenAPICodec().encode(Document(content={"x": link}), version="3.0")
    (parameter,) = json.loads(content)["paths"]["/x"]["get"]["parameters"]
    assert parameter["schema"] == {
        "type": "string",
        "nullable": True,
        "minimum": 3,
        "exclusiveMinimum": True,
        "enum": ["a"],
    }


@pytest.mark.parametrize("tree", [Link("/x"), {"a": 1}, None])
def test_only_documents_are_described(tree):
    with pytest.raises(EncodeError, match="OpenAPI describes documents"):
        OpenAPICodec().encode(tree)


def test_unknown_versions_and_values_are_refused():
    with pytest.raises(EncodeError, match=r"3\.1, 3\.0, 2\.0, not in 4"):
        OpenAPICodec().encode(Document(), version="4")
    with pytest.raises(EncodeError, match="type object"):
        OpenAPICodec().encode(Document(content={"a": object()}))
    with pytest.raises(EncodeError):
        OpenAPICodec().encode(Document(content={"a": float("nan")}))


NAMES = st.text("abcxyz_", min_size=1, max_size=4)
KEYS = st.text(max_size=5)
VALUES = st.one_of(st.text(max_size=4), st.integers(), st.booleans(), st.lists(NAMES, max_size=3))
FIELDS = st.builds(
    Field,
    NAMES,
    st.booleans(),
    st.sampled_from(["", "query", "header", "cookie", "form", "body", "path"]),
    st.sampled_from([None, schemas.String(description="d"), schemas.Enum(enum=["a"])]),
)
TEMPLATES = st.lists(
    st.one_of(NAMES, NAMES.map("{{{}}}".format), NAMES.map("{{+{}}}".format)), max_size=3
).map("/".join)
LINKS = st.builds(
    Link,
    TEMPLATES.map("/{}".format) | TEMPLATES.map("https://b.example/{}{{?q}}".format),
    st.sampled_from(["", "get", "post", "PUT", "delete", "purge"]),
    st.sampled_from(
        ["", "application/json", "multipart/form-data", "application/x-www-form-urlencoded"]
    ),
    fields=st.lists(FIELDS, max_size=4),
)
TREES = st.recursive(
    LINKS | st.none() | st.integers(),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=6,
)


def outcome(document: Document, link: Link, params: dict[str, Any]) -> Any:
    try:
        return build_request(link, params, base_url=document.url)
    except LintelError as error:
        return str(error)


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(KEYS, TREES, max_size=4),
    st.dictionaries(NAMES | st.just("q"), VALUES, max_size=4),
    st.sampled_from(VERSIONS),
)
def test_a_document_that_comes_back_builds_the_same_requests(content, params, version):
    document = Document("https://a.example/api/", content=content)
    after = again(document, version)
    found = links(after)
    assert found.keys() == links(document).keys()
    for path, link in links(document).items():
        given = {name: params.get(name, "1") for name in [f.name for f in link.fields]}
        assert outcome(after, found[path], given) == outcome(document, link, given)
        assert outcome(after, found[path], params) == outcome(document, link, params)


SCHEMA = st.sampled_from([{"type": "string"}, {"type": "array", "items": {}}, {"enum": ["a"]}, {}])
PARAMETERS = st.builds(
    lambda name, location, style, explode, schema: {
        "name": name,
        "in": location,
        "required": location == "path",
        "schema": schema,
        **({"style": style} if style else {}),
        **({} if explode is None else {"explode": explode}),
    },
    NAMES,
    st.sampled_from(["query", "header", "cookie"]),
    st.sampled_from(["", "", "form", "simple", "pipeDelimited", "deepObject"]),
    st.none() | st.booleans(),
    SCHEMA,
)
OPERATIONS = st.fixed_dictionaries(
    {"parameters": st.lists(PARAMETERS, max_size=3)},
    optional={
        "operationId": NAMES,
        "tags": st.lists(NAMES, max_size=2),
        "requestBody": st.fixed_dictionaries(
            {
                "content": st.dictionaries(
                    st.sampled_from(["application/json", "multipart/form-data", "text/plain"]),
                    st.just({"schema": {"properties": {"a": {}, "b": {"type": "string"}}}}),
                    min_size=1,
                ),
                "required": st.booleans(),
            }
        ),
        "security": st.lists(st.dictionaries(st.sampled_from(["k", "b"]), st.just([])), max_size=2),
        "servers": st.just(
            [{"url": "https://b.example/{v}", "variables": {"v": {"default": "1"}}}]
        ),
        "deprecated": st.booleans(),
    },
)
DESCRIPTIONS = st.fixed_dictionaries(
    {
        "openapi": st.just("3.1.1"),
        "info": st.just({"title": "t", "version": "1"}),
        "paths": st.dictionaries(
            st.lists(NAMES | st.just("{id}"), max_size=2).map(lambda parts: "/" + "/".join(parts)),
            st.dictionaries(st.sampled_from(["get", "post", "delete"]), OPERATIONS, max_size=2),
            max_size=3,
        ),
    },
    optional={
        "components": st.just(
            {
                "securitySchemes": {
                    "k": {"type": "apiKey", "in": "header", "name": "X-K"},
                    "b": {"type": "http", "scheme": "bearer"},
                }
            }
        ),
        "servers": st.just([{"url": "https://a.example/v1/"}]),
    },
)


@settings(deadline=None, max_examples=60)
@given(DESCRIPTIONS, st.sampled_from(VERSIONS))
def test_generated_descriptions_come_back_whole(description, version):
    codec = OpenAPICodec()
    document = codec.decode(json.dumps(description), base_url="https://h.example/openapi.json")
    operations = sum(len(item) for item in description["paths"].values())
    assert len(links(document)) == operations
    after = again(document, version)
    assert links(after) == links(document)
    for path, link in links(document).items():
        assert (after.get_in(path).deprecated, after.get_in(path).tags) == (
            link.deprecated,
            link.tags,
        )
        assert after.get_in(path).operation_id.startswith(link.operation_id)


def test_bodies_of_every_media_type_come_back():
    fields = (Field("a", True, "form"), Field("body", False, "body"))
    link = Link(
        "https://a.example/x",
        "post",
        "application/json",
        path="/x",
        fields=fields,
        bodies=[Body("application/json", fields, True), Body("text/plain", fields[1:], True)],
    )
    (after,) = links(again(Document("https://a.example/", content={"x": link}), "3.1")).values()
    assert [body.media_type for body in after.bodies] == ["application/json", "text/plain"]
    assert [field.required for field in after.fields] == [True, False]
