"""OpenAPI to documents: names, fields, bodies, servers, security, responses."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Body, Document, Example, Link, Pagination, ParseError, Tag


def decoded(**parts: Any) -> Document:
    return OpenAPICodec().decode(json.dumps({"openapi": "3.1.1", "info": {}, **parts}).encode())


def operation(base_url: str = "", **parts: Any) -> Link:
    description = {
        "openapi": "3.1.1",
        "info": {},
        "paths": {"/x": {"post": {"operationId": "op", **parts}}},
    }
    return OpenAPICodec().decode(json.dumps(description), base_url=base_url)["op"]


def old(operation: dict[str, Any], **parts: Any) -> Link:
    description = {"swagger": "2.0", "info": {}, "paths": {"/x": {"post": operation}}, **parts}
    return OpenAPICodec().decode(json.dumps(description), base_url="https://a.example/s.json")[
        "post /x"
    ]


def body(schema: Any, media_type: str = "application/json", **parts: Any) -> Link:
    return operation(requestBody={"content": {media_type: {"schema": schema}}, **parts})


OBJECT = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "id": {"type": "integer", "readOnly": True}},
    "required": ["title"],
}


def test_what_the_document_says_of_itself():
    document = decoded(
        info={"title": "Pets", "version": "3", "description": "All of them"}, paths={}
    )
    assert (document.title, document.version, document.description) == (
        "Pets",
        "3",
        "All of them",
    )


def test_properties_of_a_body_are_fields_beside_the_whole():
    link = body(OBJECT, required=True)
    assert [(f.name, f.location, f.required) for f in link.fields] == [
        ("title", "form", True),
        ("body", "body", False),
    ]
    assert link.bodies == (Body("application/json", link.fields, True),)


def test_fields_of_an_optional_body_are_optional():
    assert not any(field.required for field in body(OBJECT).fields)


def test_a_body_that_is_no_object_is_one_field():
    link = body({"type": "array"}, required=True)
    assert [(f.name, f.required) for f in link.fields] == [("body", True)]


def test_the_whole_body_takes_a_name_of_its_own():
    schema = {"type": "object", "properties": {"body": {"type": "string"}}}
    assert [field.name for field in body(schema).fields] == ["body", "whole_body"]


def test_json_comes_first_then_forms():
    content = {"text/plain": {}, "multipart/form-data": {}, "application/vnd.a+json": {}}
    link = operation(requestBody={"content": content})
    assert [each.media_type for each in link.bodies] == [
        "application/vnd.a+json",
        "multipart/form-data",
        "text/plain",
    ]
    assert link.encoding == "application/vnd.a+json"


def test_parameters_of_an_operation_replace_those_of_its_path():
    item = {
        "parameters": [
            {"name": "q", "in": "query", "description": "shared"},
            {"name": "h", "in": "header"},
        ],
        "get": {"parameters": [{"name": "q", "in": "query", "description": "own"}]},
    }
    fields = decoded(paths={"/x": item})["get /x"].fields
    assert [(field.name, field.description) for field in fields] == [("q", "own"), ("h", None)]


def test_variables_without_a_parameter_are_required_fields():
    (field,) = decoded(paths={"/x/{id}": {"get": {}}})["get /x/{id}"].fields
    assert (field.name, field.location, field.required) == ("id", "path", True)


def test_nothing_that_is_wrong_stops_the_rest():
    document = decoded(
        servers="none",
        security=3,
        components={"securitySchemes": {"a": {}}},
        paths={
            "/x": {
                "parameters": {"a": 1},
                "get": {
                    "parameters": [
                        7,
                        {"in": "query"},
                        {"name": "n", "in": "moon"},
                        {"name": "p", "in": "path"},
                        {"name": "ok", "in": "query", "style": "matrix"},
                        {"name": "ok", "in": "query"},
                    ],
                    "requestBody": {"content": 3},
                    "responses": [],
                    "security": [3, {"b": []}],
                },
                "post": 3,
            },
            "/y": 5,
        },
    )
    assert set(document) == {"get /x", "post /x"}
    assert [field.name for field in document["get /x"].fields] == ["ok"]
    assert [issue.place for issue in document.issues] == [
        "#/components/securitySchemes/a",
        "#/security",
        "#/servers",
        "#/paths/~1x/get/parameters/0",
        "#/paths/~1x/get/parameters/1",
        "#/paths/~1x/get/parameters/2",
        "#/paths/~1x/get/parameters/5",
        "#/paths/~1x/parameters",
        "#/paths/~1x/get/parameters/3",
        "#/paths/~1x/get/parameters/4",
        "#/paths/~1x/get/requestBody/content",
        "#/paths/~1x/get/responses",
        "#/paths/~1x/get/security/0",
        "#/paths/~1x/get/security/1",
        "#/paths/~1x/post",
        "#/paths/~1y",
    ]


def test_strict_reading_raises_the_first_issue():
    with pytest.raises(ParseError, match=r"#/paths/~1x: /x: A path must be an object, not a list"):
        OpenAPICodec().decode(b'{"openapi": "3.0.0", "paths": {"/x": []}}', strict=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "no openapi or swagger version"),
        (b'{"swagger": "1.2"}', "version 1.2 is not read"),
        (b'{"openapi": ', "Malformed JSON at line 1"),
        (b"a: [", "Malformed YAML: .* at line 2"),
        (b"\xff\xfe\xff", "not valid utf-16"),
        (b"", "no openapi"),
    ],
)
def test_what_is_no_description_is_an_error(content, message):
    with pytest.raises(ParseError, match=message):
        OpenAPICodec().decode(content)


def test_servers_of_an_operation_win_over_those_of_its_path():
    document = decoded(
        servers=[{"url": "https://a.example"}],
        paths={
            "/x": {
                "servers": [{"url": "https://b.example"}],
                "get": {"servers": [{"url": "https://c.example"}]},
                "put": {},
            },
            "/y": {"get": {}},
        },
    )
    urls = [document[key].url for key in ("get /x", "put /x", "get /y")]
    assert urls == ["https://c.example/x", "https://b.example/x", "https://a.example/y"]


def test_a_server_that_is_a_variable_resolves_when_it_is_known():
    variables = {"base": {"default": "/api"}}
    link = operation(
        "https://h.example/d.json", servers=[{"url": "{base}/v1", "variables": variables}]
    )
    assert link.url == "https://h.example/api/v1/x"
    assert link.at_server(variables={"base": "https://o.example"}).url == "https://o.example/v1/x"


def test_security_of_2_0_is_that_of_3():
    document = OpenAPICodec().decode(
        json.dumps(
            {
                "swagger": "2.0",
                "paths": {},
                "securityDefinitions": {
                    "b": {"type": "basic"},
                    "o": {"type": "oauth2", "flow": "accessCode", "tokenUrl": "https://t/"},
                },
            }
        )
    )
    assert (document.security_schemes["b"].type, document.security_schemes["b"].scheme) == (
        "http",
        "basic",
    )
    assert document.security_schemes["o"].flows == {"authorizationCode": {"tokenUrl": "https://t/"}}


@pytest.mark.parametrize(
    ("collection", "style", "explode"),
    [
        ("csv", "form", False),
        ("ssv", "spaceDelimited", False),
        ("tsv", "tabDelimited", False),
        ("pipes", "pipeDelimited", False),
        ("multi", "form", True),
    ],
)
def test_collections_of_2_0_are_styles(collection, style, explode):
    raw = {"name": "c", "in": "query", "type": "array", "collectionFormat": collection}
    (field,) = old({"parameters": [raw]}).fields
    assert (field.style, field.explode) == (style, explode)


def test_forms_of_2_0_are_bodies():
    link = old(
        {
            "consumes": ["application/x-www-form-urlencoded"],
            "parameters": [
                {"name": "f", "in": "formData", "type": "file", "required": True},
                {"name": "n", "in": "formData", "type": "integer", "description": "How many"},
            ],
        }
    )
    assert link.encoding == "multipart/form-data"
    assert [(f.name, f.location, f.required) for f in link.fields[:2]] == [
        ("f", "form", True),
        ("n", "form", False),
    ]
    assert link.fields[0].schema.format == "binary"


def test_consumes_and_produces_of_2_0():
    raw = {"name": "pet", "in": "body", "schema": OBJECT, "required": True}
    responses = {"200": {"description": "", "schema": {"type": "string"}}}
    link = old(
        {"parameters": [raw], "responses": responses},
        consumes=["application/xml", "application/json"],
        produces=["application/xml"],
    )
    assert [each.media_type for each in link.bodies] == ["application/json", "application/xml"]
    assert link.accept == ("application/xml",)
    assert link.answers[0].content["application/xml"].type_name == "string"


def test_answers_and_links_between_operations():
    link = operation(
        responses={
            "201": {
                "description": "Made",
                "headers": {"X-Id": {"schema": {"type": "integer"}}},
                "content": {"application/json": {"schema": OBJECT}},
                "links": {
                    "one": {"operationId": "get", "parameters": {"id": "$response.body#/id"}}
                },
            },
            "4XX": {"description": "Wrong", "content": {"application/problem+json": {}}},
        }
    )
    assert link.accept == ("application/json",)
    assert [answer.status for answer in link.answers] == ["201", "4XX"]
    assert link.answers[0].headers[0].name == "X-Id"
    (follow,) = link.links
    assert (follow.operation_id, follow.parameters) == ("get", {"id": "$response.body#/id"})


def test_pages_are_told_by_their_names():
    schema = {"properties": {"count": {}, "next": {"type": "string"}, "results": {}}}
    document = decoded(
        paths={
            "/x": {
                "get": {
                    "parameters": [{"name": "page", "in": "query"}],
                    "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
                }
            }
        }
    )
    hint = Pagination("link", "page", "", "results", "next", "count")
    assert document["get /x"].pagination == hint


def test_new_methods_and_locations_of_3_2():
    document = decoded(
        openapi="3.2.0",
        paths={
            "/x": {
                "query": {"operationId": "q"},
                "additionalOperations": {"PURGE": {"operationId": "p"}},
                "get": {
                    "operationId": "g",
                    "parameters": [
                        {"name": "q", "in": "querystring", "content": {"application/json": {}}}
                    ],
                },
            }
        },
    )
    assert (document["q"].action, document["p"].action) == ("query", "purge")
    assert document["g"].fields[0].location == "querystring"


def test_yaml_has_the_types_of_json():
    content = b"""
openapi: 3.0.3
info: {title: no, version: 2024-01-01}
paths:
  /x:
    get:
      operationId: on
      parameters: [{name: d, in: query, schema: {type: string, enum: [yes, no, 12:30, 1_000]}}]
      responses: {200: {description: ok}, default: {$ref: '#/components/responses/e'}}
components: {responses: {e: {description: wrong}}}
"""
    document = OpenAPICodec().decode(content)
    assert (document.title, document.version) == ("no", "2024-01-01")
    link = document["on"]
    assert link.fields[0].schema.enum == ("yes", "no", "12:30", "1_000")
    assert [answer.status for answer in link.answers] == ["200", "default"]


def test_yaml_and_json_read_the_same():
    case = json.loads(
        (Path(__file__).parents[3] / "tests" / "data" / "client_cases.json").read_text()
    )["cases"][0]["doc"]
    as_yaml = OpenAPICodec().decode(yaml.safe_dump(case).encode())
    assert as_yaml == OpenAPICodec().decode(json.dumps(case).encode())


def test_headers_that_frame_the_message_are_left_out_with_an_issue() -> None:
    parameters = [{"name": "Content-Length", "in": "header", "required": True}]
    paths = {"/a": {"put": {"operationId": "a", "parameters": parameters}}}
    document = OpenAPICodec().decode(json.dumps({"openapi": "3.1.1", "paths": paths}).encode())
    assert document["a"].fields == ()
    assert [(issue.name, issue.place) for issue in document.issues] == [
        ("Content-Length", "#/paths/~1a/put/parameters/0")
    ]


def test_a_server_variable_without_a_default_takes_the_first_legal_value() -> None:
    server = {"url": "https://{at}.example", "variables": {"at": {"enum": ["eu", "us"]}}}
    tree = {"openapi": "3.1.1", "servers": [server], "paths": {"/a": {"get": {}}}}
    document = OpenAPICodec().decode(json.dumps(tree).encode())
    assert document["get /a"].url == "https://eu.example/a"


def test_a_media_type_without_a_name_is_json_where_it_is_alone() -> None:
    content = {"": {"schema": {"type": "object", "properties": {"a": {}}}}}
    link = operation(requestBody={"content": content})
    assert [(body.media_type, body.fields[0].name) for body in link.bodies] == [
        ("application/json", "a")
    ]
    both = operation(requestBody={"content": {**content, "text/plain": {}}})
    assert [body.media_type for body in both.bodies] == ["text/plain"]


def test_examples_keep_their_names():
    shown = {
        "components": {"examples": {"last": {"value": 9, "summary": "The last"}}},
        "paths": {
            "/x": {
                "get": {
                    "parameters": [
                        {
                            "name": "page",
                            "in": "query",
                            "examples": {
                                "first": {"value": 1, "description": "d"},
                                "last": {"$ref": "#/components/examples/last"},
                                "far": {"externalValue": "https://a.example/e.json"},
                                "gone": {"$ref": "#/components/examples/gone"},
                            },
                        },
                        {"name": "q", "in": "query", "example": "cats"},
                    ],
                    "responses": {
                        "200": {
                            "content": {
                                "application/json": {"examples": {"one": {"value": {"id": 1}}}},
                                "text/plain": {"example": "hello"},
                            }
                        }
                    },
                }
            }
        },
    }
    document = decoded(**shown)
    page, query = document["get /x"].fields
    assert page.example == 1
    assert page.examples == (
        Example("first", 1, description="d"),
        Example("last", 9, "The last"),
        Example("far", url="https://a.example/e.json"),
    )
    assert (query.example, query.examples) == ("cats", ())
    (answer,) = document["get /x"].answers
    assert answer.examples == {
        "application/json": (Example("one", {"id": 1}),),
        "text/plain": (Example("", "hello"),),
    }
    (issue,) = document.issues
    assert (issue.place, issue.name) == ("#/paths/~1x/get/parameters/0/examples/gone", "gone")


def test_examples_of_answers_in_2_0():
    responses = {"200": {"description": "", "examples": {"application/json": [1]}}}
    old = {"swagger": "2.0", "paths": {"/x": {"get": {"responses": responses}}}}
    (answer,) = OpenAPICodec().decode(json.dumps(old).encode())["get /x"].answers
    assert answer.examples == {"application/json": (Example("", [1]),)}


def test_tags_say_what_they_are():
    tag = {"name": "cats", "description": "All cats", "externalDocs": {"url": "https://c.example/"}}
    document = decoded(tags=[tag, {"description": "none"}, 3], paths={})
    assert document.tags == (Tag("cats", description="All cats", url="https://c.example/"),)
    assert [issue.place for issue in document.issues] == ["#/tags/1", "#/tags/2"]


def test_calls_that_the_api_makes_are_listed():
    operation = {"operationId": "watch", "callbacks": {"changed": {"{$url}": {"post": {}}}}}
    description = {"paths": {"/x": {"get": operation}}, "webhooks": {"sold": {"post": {}}}}
    issues = decoded(**description).issues
    assert [(issue.place, issue.name) for issue in issues] == [
        ("#/paths/~1x/get/callbacks/changed", "changed"),
        ("#/webhooks/sold", "sold"),
    ]


def test_references_in_schemas_that_lead_nowhere_are_issues():
    schema = {
        "properties": {
            "far": {"$ref": "other.json#/Far"},
            "gone": {"items": {"$ref": "#/components/schemas/Gone"}},
            "again": {"$ref": "other.json#/Far"},
            "default": {"$ref": "#/components/schemas/Lost"},
            "shown": {"example": {"$ref": "no reference"}, "x-note": {"$ref": "no reference"}},
            "$ref": {"type": "string"},
        }
    }
    operation = {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}
    document = decoded(paths={"/x": {"get": operation}})
    nothing = "The reference #/components/schemas/{} leads to nothing: no 'components' there"
    above = "#/paths/~1x/get/responses/200/content/application~1json/schema/properties"
    assert {issue.place.removeprefix(above): issue.message for issue in document.issues} == {
        "/far": "The reference to other.json is not followed: no loader is given",
        "/gone/items": nothing.format("Gone"),
        "/default": nothing.format("Lost"),
    }
    with pytest.raises(ParseError, match="not followed"):
        OpenAPICodec().decode(
            json.dumps({"openapi": "3.1.0", "paths": {"/x": {"get": operation}}}), strict=True
        )


def test_files_that_take_too_long_together_are_left_out():
    whole = {"openapi": "3.1.0", "paths": {f"/{at}": {"$ref": f"{at}.json"} for at in range(5)}}
    asked = []

    def slow(url):
        asked.append(url)
        time.sleep(0.05)
        return b'{"get": {}}'

    document = OpenAPICodec().decode(
        json.dumps(whole).encode(), base_url="https://h.example/o.json", loader=slow, seconds=0.01
    )
    assert len(asked) == 1
    assert "took more than 0.01 seconds" in document.issues[0].message


def test_files_that_schemas_lead_to_are_read_with_a_loader():
    files = {
        "https://h.example/a.json": b'{"A": {"$ref": "b.json#/B"}}',
        "https://h.example/b.json": b'{"B": {"items": {"$ref": "#/Gone"}}}',
    }
    schema = {"$ref": "a.json#/A"}
    whole = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": {"X": schema}}}
    document = OpenAPICodec().decode(
        json.dumps(whole), base_url="https://h.example/o.json", loader=files.__getitem__
    )
    (issue,) = document.issues
    assert issue.place == "https://h.example/b.json#/B/items"
    assert "leads to nothing" in issue.message


def test_an_operation_without_its_parts_says_so():
    document = decoded(
        paths={
            "/x": {
                "post": {"requestBody": {"$ref": "#/gone"}, "responses": {"200": {"$ref": "#/a"}}},
                "put": {"$ref": "x.yaml"},
                "patch": None,
                "get": {"responses": {"200": {"$ref": "#/a"}}},
            }
        }
    )
    problems = {key: link.problem for key, link in document.items()}
    assert "leads to nothing" in problems["post /x"]
    assert "no loader is given" in problems["put /x"]
    assert (problems["get /x"], problems["patch /x"]) == ("", "")


def test_the_items_of_streams():
    event = {"type": "object", "properties": {"data": {"type": "string"}}}
    link = decoded(
        components={"schemas": {"Event": event}},
        paths={
            "/x": {
                "get": {
                    "operationId": "op",
                    "responses": {
                        "200": {
                            "content": {
                                "text/event-stream": {
                                    "itemSchema": {"$ref": "#/components/schemas/Event"}
                                },
                                "application/json": {"schema": {"type": "array"}},
                            }
                        },
                        "400": {"content": {"application/jsonl": {"itemSchema": {}}}},
                    },
                }
            }
        },
    )["op"]
    assert list(link.item_schemas) == ["text/event-stream"]
    assert list(link.item_schemas["text/event-stream"].properties) == ["data"]
