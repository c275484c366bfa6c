"""Exchanges that depart from their description in every way that an exchange can reveal."""

import json
from typing import Any

import pytest

from lintel_contract import DocumentError
from lintel_contract.testing.conformance import Departure, Description, departures
from lintel_contract.testing.dialects import READ_ONLY, WRITE_ONLY, as_json_schema
from lintel_contract.testing.exchanges import Exchange

THING = {
    "type": "object",
    "required": ["id", "name", "secret"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "maxLength": 3},
        "secret": {"type": "string", "writeOnly": True},
        "parent": {"$ref": "#/components/schemas/Thing", "nullable": True},
        "size": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "nullable": True},
    },
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "components": {"schemas": {"Thing": THING}},
    "paths": {
        "/things/": {
            "get": {
                "parameters": [
                    {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}},
                    {
                        "name": "ids",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "integer"}},
                    },
                ],
                "responses": {
                    "200": {
                        "headers": {
                            "X-Count": {"required": True, "schema": {"type": "integer"}},
                        },
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Thing"},
                                }
                            }
                        },
                    },
                    "4XX": {"description": ""},
                },
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                    },
                },
                "responses": {"204": {"description": ""}, "400": {"description": ""}},
            },
        },
        "/things/{id}/": {"get": {"responses": {"200": {"description": ""}}}},
        "/things/mine/": {"get": {"responses": {"200": {"description": ""}}}},
    },
}

LISTED = {"id": 1, "name": "a", "size": None}


def exchange(method: str = "GET", **changes: Any) -> Exchange:
    """A list of things that departs in nothing."""
    values: dict[str, Any] = {
        "method": method,
        "path": "/things/",
        "query": "",
        "request_headers": {"content-type": "application/json"},
        "request_body": b"",
        "status": 200,
        "response_headers": {"content-type": "application/json; charset=utf-8", "x-count": "1"},
        "response_body": json.dumps([LISTED]).encode(),
    }
    return Exchange(**{**values, **changes})


def posted(body: Any, **changes: Any) -> Exchange:
    changes = {"status": 204, "response_body": b"", "response_headers": {}, **changes}
    return exchange("POST", request_body=json.dumps(body).encode(), **changes)


def found(made: Exchange) -> list[tuple[str, str]]:
    description = Description(DOCUMENT)
    operation = description.find(made.method, made.path)
    assert operation is not None
    return [(each.kind, each.detail) for each in departures(description, operation, made)]


def of(rows: Any) -> bytes:
    return json.dumps(rows).encode()


BODY = "200 application/json "
NULLABLE = 'anyOf [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"…'


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (exchange(), []),
        (exchange("HEAD", response_body=b""), []),
        (exchange(query="page=2&ids=1,2"), []),
        (exchange(response_body=None), []),
        (exchange(status=404, response_body=b"", response_headers={}), []),
        (exchange(status=302), [("status", "302")]),
        (exchange(response_body=b""), [("body", "200: missing")]),
        (exchange(response_body=b"["), [("body", f"{BODY[:-1]}: not JSON")]),
        (
            exchange(response_headers={"content-type": "text/csv", "x-count": "1"}),
            [("media-type", "200 text/csv")],
        ),
        (
            exchange(response_headers={"content-type": "application/json"}),
            [("header", "200 X-Count: missing")],
        ),
        (
            exchange(response_headers={"content-type": "application/json", "x-count": "x"}),
            [("header", '200 X-Count /: type "integer"')],
        ),
        (exchange(response_body=of([{"id": 1}])), [("body", f'{BODY}/*: required \'name\'')]),
        (
            exchange(response_body=of([{**LISTED, "id": "x"}, {**LISTED, "id": None}])),
            [("body", f'{BODY}/*/id: type "integer"')],
        ),
        (
            exchange(response_body=of([{**LISTED, "size": 0}])),
            [("body", f"{BODY}/*/size: {NULLABLE}")],
        ),
        (exchange(query="page=0"), [("parameter", "page /: minimum 1")]),
        (exchange(query="page=x"), [("parameter", 'page /: type "integer"')]),
        (exchange(query="ids=1,x"), [("parameter", 'ids /*: type "integer"')]),
        (exchange(query="other=1"), [("parameter", "other: not described")]),
        (exchange(query="other=1&page=x", status=400, response_body=b""), []),
        (posted({"name": "a", "secret": "s"}), []),
        (
            posted({"name": "long", "secret": "s"}),
            [("request-body", "application/json /name: maxLength 3")],
        ),
        (posted({"name": "long"}, status=400), []),
        (posted({"name": "a"}), [("request-body", "application/json /: required 'secret'")]),
        (
            exchange("POST", status=204, response_body=b""),
            [("request-body", "required, accepted without")],
        ),
        (
            exchange("POST", status=204, response_body=b"", request_body=b"--BoUnDaRy--\r\n"),
            [("request-body", "required, accepted without")],
        ),
        (
            posted({}, request_headers={"content-type": "text/csv"}),
            [("request-media-type", "text/csv")],
        ),
    ],
)  # fmt: skip
def test_departures(made: Exchange, expected: Any) -> None:
    assert found(made) == expected


def test_the_operation_is_that_of_the_route_or_the_plainest_path() -> None:
    description = Description(DOCUMENT)
    found = {path: description.find("GET", path) for path in ("/things/1/", "/things/mine/", "/x")}
    labels = [each and each.label for each in found.values()]
    assert labels == ["GET /things/{id}/", "GET /things/mine/", None]
    by_route = description.find("HEAD", "/things/mine/", "/things/{pk}/")
    assert by_route is not None
    assert by_route.label == "GET /things/{id}/"


def test_dialects() -> None:
    schema = as_json_schema(DOCUMENT, READ_ONLY)["components"]["schemas"]["Thing"]
    assert schema["required"] == ["name", "secret"]
    assert schema["properties"]["parent"] == {"$ref": "#/components/schemas/Thing"}
    assert as_json_schema({"a": THING}, WRITE_ONLY)["a"]["required"] == ["id", "name"]
    tricky = {
        "openapi": "3.0.3",
        "s": {"properties": {"nullable": {"default": {"nullable": True}}}},
    }
    assert as_json_schema(tricky, READ_ONLY) == tricky


def test_a_schema_of_another_kind_is_refused() -> None:
    with pytest.raises(DocumentError, match="not a description in OpenAPI"):
        Description({"openapi": "1.0"})


def test_departures_are_values() -> None:
    assert Departure("GET /a", "status", "404") == Departure("GET /a", "status", "404")
