"""JSON Hyper-Schema, in the drafts that are in use."""

import json
import random
import time
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel_client.building import build_request
from lintel_client.errors import LinkLookupError
from lintel_codecs.hyperschema import HyperSchemaCodec
from lintel_document import Document, Link, ParseError


def decode(schema, **options) -> Document:
    return HyperSchemaCodec().decode(json.dumps(schema).encode(), **options)


def links_of(node) -> list[Link]:
    found = []
    for value in node.values():
        found += [value] if isinstance(value, Link) else links_of(value)
    return found


def pointer_variable(pointer: str) -> str:
    return "{(" + quote(pointer, safe="") + ")}"


def platform(resources: int = 61, links: int = 5) -> dict:
    """A schema like those that Heroku publishes: references, pointers, shared relations."""
    schema = {
        "$schema": "http://interagent.github.io/interagent-hyper-schema",
        "id": "platform-api",
        "title": "Platform API",
        "definitions": {},
        "properties": {},
        "links": [{"href": "https://api.platform.example", "rel": "self"}],
    }
    for number in range(resources):
        name = f"thing-{number}"
        identity = pointer_variable(f"#/definitions/{name}/definitions/identity")
        schema["definitions"][name] = {
            "id": f"schemata/{name}",
            "definitions": {
                "id": {"type": "string", "description": "unique identifier"},
                "name": {"type": "string", "description": "unique name"},
                "identity": {"anyOf": [{"$ref": f"/schemata/{name}#/definitions/id"}]},
            },
            "links": [
                {
                    "title": f"List {at}" if at % 2 else "Create",
                    "rel": "instances" if at % 2 else "create",
                    "method": "GET" if at % 2 else "POST",
                    "href": f"/{name}s/{identity}/part{at}",
                    "schema": {
                        "properties": {"name": {"$ref": f"/schemata/{name}#/definitions/name"}},
                        "required": ["name"],
                    },
                }
                for at in range(links)
            ],
        }
        schema["properties"][name] = {"$ref": f"#/definitions/{name}"}
    return schema


def test_pointers_become_names_and_the_request_is_right():
    document = decode(platform())
    link = document["thing-0"]["create"]
    assert link.url == "https://api.platform.example/thing-0s/{thing-0_identity}/part0"
    request = build_request(link, {"thing-0_identity": "a/b c", "name": "new"})
    assert request.method == "POST"
    assert request.url == "https://api.platform.example/thing-0s/a%2Fb%20c/part0"
    assert request.body == b'{"name":"new"}'
    (identity, name) = link.fields
    assert (identity.required, identity.location) == (True, "path")
    assert (name.required, name.location, name.description) == (True, "form", "unique name")
    assert name.schema.type_name == "string"


def test_no_link_is_lost_where_relations_are_shared():
    document = decode(platform(61, 5))
    assert len(links_of(document)) == 61 * 5 + 1
    assert list(document["thing-0"]) == [
        "create",
        "create_post_thing_0s_thing_0_identity_part2",
        "create_post_thing_0s_thing_0_identity_part4",
        "instances",
        "instances_list_3",
    ]
    assert document["read"] == Link("https://api.platform.example", "get")
    assert document.issues == ()


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_keys_do_not_depend_on_the_order_of_the_file(seed):
    schema = platform(2, 7)
    expected = decode(schema)
    shuffler = random.Random(seed)
    for definition in schema["definitions"].values():
        shuffler.shuffle(definition["links"])
    assert decode(schema) == expected


def test_get_takes_its_schema_in_the_query_and_other_bodies_stay_whole():
    links = [
        {"rel": "find", "href": "/x", "schema": {"properties": {"q": {"type": "string"}}}},
        {"rel": "bulk", "href": "/x", "method": "PUT", "schema": {"type": "array"}},
        {"rel": "map", "href": "/x", "method": "PATCH", "schema": {"type": ["object"]}},
        {"rel": "send", "href": "/x", "method": "POST", "encType": "multipart/form-data"},
    ]
    document = decode({"links": links}, base_url="https://a.example/schema")
    assert build_request(document["find"], {"q": "é"}).url == "https://a.example/x?q=%C3%A9"
    assert build_request(document["bulk"], {"data": [1]}).body == b"[1]"
    assert build_request(document["map"], {"data": {"a": None}}).body == b'{"a":null}'
    assert document["bulk"].fields[0].required
    assert document["send"].encoding == "multipart/form-data"


def test_later_drafts():
    schema = {
        "$schema": "https://json-schema.org/draft/2019-09/hyper-schema",
        "$id": "https://schemas.example/thing",
        "base": "https://api.example/v1/",
        "properties": {"id": {"type": "integer", "description": "Number", "readOnly": True}},
        "links": [
            {
                "rel": "self",
                "href": "things/{id}{?expand}",
                "templateRequired": ["id", "expand"],
                "templatePointers": {"id": "/id"},
                "hrefSchema": {"properties": {"expand": {"enum": ["all", "none"]}}},
                "headerSchema": {"properties": {"Prefer": {"type": "string"}}},
                "targetSchema": {
                    "properties": {
                        "id": {"type": "integer", "readOnly": True},
                        "name": {"type": "string"},
                    }
                },
                "targetHints": {"allow": ["GET", "PUT", "DELETE"]},
            },
            {
                "rel": ["collection", "up"],
                "href": "things",
                "anchor": "#",
                "targetMediaType": "application/vnd.things+json",
                "submissionMediaType": "application/x-www-form-urlencoded",
                "submissionSchema": {"properties": {"name": {}}, "required": ["name"]},
            },
        ],
    }
    document = decode(schema, base_url="https://elsewhere.example/schema")
    assert list(document) == ["read", "update", "destroy", "collection"]
    read = build_request(document["read"], {"id": 7, "expand": "all", "Prefer": "wait=1"})
    assert read.url == "https://api.example/v1/things/7?expand=all"
    assert read.headers["Prefer"] == "wait=1"
    assert [field.name for field in document["read"].fields if field.required] == ["id", "expand"]
    assert document["read"].fields[0].description == "Number"
    assert document["read"].fields[1].schema.enum == ("all", "none")
    update = build_request(document["update"], {"id": 7, "expand": "all", "name": "n"})
    assert (update.method, update.body) == ("PUT", b'{"name":"n"}')
    posted = build_request(document["collection"], {"name": "a b"})
    assert (posted.method, posted.body) == ("POST", b"name=a+b")
    assert document["collection"].accept == ("application/vnd.things+json",)
    (answer,) = document["read"].answers
    assert set(answer.content["application/json"].properties) == {"id", "name"}


@pytest.mark.parametrize(
    ("schema", "base_url", "expected"),
    [
        ({}, "https://a.example/s", "https://a.example/x"),
        ({"base": "/v1/"}, "https://a.example/s", "https://a.example/v1/x"),
        ({"base": "v1/"}, "https://a.example/s", "https://a.example/v1/x"),
        ({"base": "https://b.example/v1/"}, "https://a.example/s", "https://b.example/v1/x"),
        ({"$id": "https://b.example/s#"}, "", "https://b.example/x"),
        ({"id": "https://b.example/s"}, "https://a.example/s", "https://a.example/x"),
        ({"id": "s"}, "", "x"),
    ],
)
def test_what_urls_resolve_against(schema, base_url, expected):
    document = decode({**schema, "links": [{"rel": "x", "href": "x"}]}, base_url=base_url)
    assert document["x"].url == expected


def test_variables_in_parentheses():
    hrefs = {
        "/a/{(a%20b)}": "/a/{a_b}",
        "/a/{($)}": "/a/{self}",
        "/a/{(%65mpty)}": "/a/{empty}",
        "/a/{()}": "/a/{empty}",
        "/a/{+(%23%2Fp%2Fq)*}": "/a/{+p_q*}",
        "/{p_q}/{(%23%2Fp%2Fq)}": "/{p_q}/{p_q_2}",
        "/{(%23%2Fdefinitions%2Fp)}/{(%23%2Fproperties%2Fp)}": "/{p}/{p_2}",
        "/{(%23%2Fp)}/{(%23%2Fp)}": "/{p}/{p}",
        "/{(%23)}": "/{value}",
        "/(a)/{id}": "/(a)/{id}",
        "/b/{(#/definitions/app/definitions/id)}": "/b/{app_id}",
        "/c/{#/definitions/app/definitions/id}": "/c/{app_id}",
        "/d/{%23%2Fdefinitions%2Fapp%2Fdefinitions%2Fid}": "/d/{app_id}",
        "/e{#section}": "/e{#section}",
    }
    schema = {"links": [{"rel": f"r{at}", "href": href} for at, href in enumerate(hrefs)]}
    document = decode(schema)
    assert [link.url for link in document.values()] == list(hrefs.values())
    assert document.issues == ()


def test_links_are_found_wherever_schemas_stand():
    link = {"rel": "x", "href": "/x"}
    schema = {
        "$defs": {"a": {"links": [link]}, "b": {"items": {"links": [link]}}},
        "properties": {
            "links": {"type": "array"},
            "c": {"allOf": [{"properties": {"d": {"links": [link]}}}]},
        },
        "examples": [{"links": [link]}],
    }
    document = decode(schema)
    assert {group: list(links) for group, links in document.items()} == {
        "a": ["x"],
        "b": ["x"],
        "c_d": ["x"],
    }


def test_a_group_and_a_link_of_one_name_are_both_there():
    schema = {
        "links": [{"rel": "app", "href": "/"}],
        "definitions": {"app": {"links": [{"rel": "self", "href": "/app"}]}},
    }
    document = decode(schema)
    assert document["app"]["read"].url == "/app"
    assert document["app_2"].url == "/"


@pytest.mark.parametrize(
    ("links", "place"),
    [
        ([None], "#/links/0"),
        ([{"rel": "x"}], "#/links/0/href"),
        ([{"rel": "x", "href": 3}], "#/links/0/href"),
        ([{"href": "/x"}], "#/links/0/rel"),
        ([{"rel": 7, "href": "/x"}], "#/links/0/rel"),
        ([{"rel": "x", "href": "/{a b}"}], "#/links/0/href"),
        ([{"rel": "x", "href": "/{a"}], "#/links/0/href"),
        ([{"rel": "x", "href": "/", "method": "G E T"}], "#/links/0/method"),
        ([{"rel": "x", "href": "/", "schema": {"$ref": "other.json#/a"}}], "#/links/0/schema"),
        ("all", "#/links"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(links, place):
    schema = {"links": links, "definitions": {"a": {"links": [{"rel": "ok", "href": "/ok"}]}}}
    document = decode(schema)
    assert document["a"]["ok"].url == "/ok"
    assert place in [issue.place for issue in document.issues]
    with pytest.raises(ParseError, match=place.replace("$", r"\$")):
        decode(schema, strict=True)


@pytest.mark.parametrize("content", [b"", b"[]", b'"x"', b"{", b'{"links":' * 100_000, b"\xff"])
def test_what_is_no_object_is_a_parse_error(content):
    with pytest.raises(ParseError):
        HyperSchemaCodec().decode(content)


def test_what_is_nested_too_deeply_is_left_out():
    deep = b'{"items":' * 10_000 + b"{}" + b"}" * 10_000
    content = b'{"links": [{"rel": "x", "href": "/x"}], "definitions": {"a": %b}}' % deep
    document = HyperSchemaCodec().decode(content)
    assert document["x"].url == "/x"
    assert "left out" in document.issues[0].message


def test_a_schema_is_recognized_by_what_it_says_of_itself():
    codec = HyperSchemaCodec()
    for uri in (
        "http://json-schema.org/draft-04/hyper-schema#",
        "https://json-schema.org/draft/2019-09/hyper-schema",
        "http://interagent.github.io/interagent-hyper-schema",
    ):
        assert codec.recognizes(json.dumps({"$schema": uri}, indent=2).encode())
    for uri in ("http://json-schema.org/draft-04/schema#", "https://a.example"):
        assert not codec.recognizes(json.dumps({"$schema": uri, "links": []}).encode())


def test_references_that_lead_in_a_circle():
    schema = {
        "definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}},
        "properties": {"p": {"$ref": "#/definitions/a"}, "me": {"$ref": "#"}},
        "links": [
            {"rel": "x", "href": "/x", "method": "POST", "schema": {"$ref": "#/definitions/a"}}
        ],
    }
    document = decode(schema, base_url="http://a.example/")
    with pytest.raises(LinkLookupError, match="More than 32 references lead to one another"):
        build_request(document["x"])
    assert [issue.place for issue in document.issues] == ["#/links/0/schema"]


@pytest.mark.parametrize("reference", ["#/definitions/gone", "other.json", "#/definitions/far"])
def test_a_link_whose_body_is_not_there_is_not_called(reference):
    schema = {
        "definitions": {"far": {"$ref": "#/definitions/gone"}},
        "links": [
            {"rel": "x", "href": "/x", "method": "POST", "schema": {"$ref": reference}},
            {"rel": "y", "href": "/y", "method": "POST", "targetSchema": {"$ref": reference}},
        ],
    }
    document = decode(schema, base_url="http://a.example/")
    with pytest.raises(LinkLookupError, match="leads to no schema in this document"):
        build_request(document["x"])
    assert build_request(document["y"]).url == "http://a.example/y"


@pytest.mark.parametrize(
    "schema",
    [
        {"links": [{"rel": "x", "href": "/{a"}] * 20_000},
        {"links": [{"rel": "x", "href": "/" + "{" * 200_000}]},
        {
            "definitions": {"big": {"properties": {f"p{at}": {} for at in range(3_000)}}},
            "links": [
                {
                    "rel": f"r{at}",
                    "href": "/{p1}",
                    "method": "POST",
                    "schema": {"$ref": "#/definitions/big"},
                }
                for at in range(3_000)
            ],
        },
        {"links": [{"rel": "x", "href": "/" + "{(%23)}{(%23%2F)}" * 20_000}]},
        {
            "links": [
                {"rel": "x", "href": "/" + "".join(f"{{(%23p%2F{a}.)}}" for a in "ab" * 9_000)}
            ]
        },
    ],
    ids=["same", "braces", "fields", "parentheses", "names"],
)
def test_hostile_schemas_take_bounded_time_and_memory(schema):
    content = json.dumps(schema).encode()
    start = time.process_time()
    document = HyperSchemaCodec().decode(content)
    assert time.process_time() - start < 10
    assert sum(len(link.fields) for link in links_of(document)) <= 200_000
    assert len(document.issues) <= 1_001


KEYWORDS = """links rel href method schema $ref properties definitions id $id base targetSchema
    hrefSchema targetHints allow required a"""
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYWORDS.split()),
            inner | st.sampled_from(["#", "#/definitions/a", "/{a}", "{(%23)}", "self", "get"]),
            max_size=5,
        )
    ),
    max_leaves=30,
)


@given(value=JSON_VALUES)
@settings(max_examples=300, deadline=None)
def test_any_json_is_read_or_refused(value):
    try:
        document = decode(value, base_url="https://a.example/")
    except ParseError:
        assert not isinstance(value, dict)
    else:
        assert all(isinstance(link, Link) for link in links_of(document))
