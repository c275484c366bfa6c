"""The comparison of descriptions: an example for each kind of change, in both directions."""

import copy
import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_contract import RULES, Change, Document, DocumentError, Level, compare
from lintel_contract.places import Place

GONE = object()


def description(**members: Any) -> dict[str, Any]:
    """A service with one operation; ``members`` replace parts of it."""
    operation = {
        "operationId": "createThing",
        "tags": ["things"],
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "q", "in": "query", "schema": {"type": "string"}},
        ],
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": {
            "200": {
                "description": "",
                "headers": {"X-Count": {"schema": {"type": "integer"}}},
                "content": {"application/json": {"schema": {"type": "object"}}},
                "links": {"again": {"operationId": "createThing"}},
            },
            "404": {"description": ""},
        },
        "security": [{"token": []}],
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://a.example"}],
        "paths": {"/things/{id}/": {"post": operation}},
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "basic": {"type": "http", "scheme": "basic"},
                "oauth": {
                    "type": "oauth2",
                    "flows": {"password": {"tokenUrl": "/token", "scopes": {"r": "", "w": ""}}},
                },
            }
        },
        **members,
    }


def changed(edits: dict[str, Any], start: Any = None) -> dict[str, Any]:
    """A copy of a description with values set at paths such as ``op/tags``; GONE removes."""
    document = copy.deepcopy(start or description())
    for path, value in edits.items():
        keys = path_of(path)
        target: Any = document
        for key in keys[:-1]:
            target = target.setdefault(key, {}) if isinstance(target, dict) else target[key]
        if value is GONE:
            del target[keys[-1]]
        elif keys[-1] == "+":
            target.append(value)
        else:
            target[keys[-1]] = value
    return document


def path_of(path: str) -> list[Any]:
    keys: list[Any] = path.split("/")
    if keys[0] == "op":
        keys[:1] = ["paths", "/things/{id}/", "post"]
    return [int(key) if key.isdigit() and len(key) < 3 else key.replace("|", "/") for key in keys]


def found(old: Any, new: Any, **options: Any) -> list[Change]:
    return compare(Document(old, "old"), Document(new, "new"), **options)


def codes(changes: list[Change]) -> set[tuple[str, str]]:
    return {(change.code, change.level.word) for change in changes}


JSON = "application|json"
SENT = f"op/requestBody/content/{JSON}/schema"
RECEIVED = f"op/responses/200/content/{JSON}/schema"

#: Edits of the old and of the new description, and the change between them.
OPERATIONS: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    ({}, {"paths/|new|": {"get": {"responses": {}}}}, "operation-added", "harmless"),
    ({"paths/|gone|": {"get": {"responses": {}}}}, {}, "operation-removed", "breaking"),
    (
        {"paths/|gone|": {"get": {"deprecated": True, "responses": {}}}},
        {},
        "deprecated-operation-removed",
        "risky",
    ),
    (
        {"paths/|gone|": {"get": {"x-sunset": "2026-05-01", "responses": {}}}},
        {},
        "operation-removed-after-sunset",
        "harmless",
    ),
    (
        {"paths/|gone|": {"get": {"x-sunset": "2026-07-01", "responses": {}}}},
        {},
        "operation-removed-before-sunset",
        "breaking",
    ),
    ({}, {"op/deprecated": True}, "operation-deprecated", "harmless"),
    ({"op/deprecated": True}, {}, "operation-undeprecated", "harmless"),
    ({}, {"op/x-sunset": "2027-01-01"}, "sunset-added", "harmless"),
    ({"op/x-sunset": "2027-01-01"}, {}, "sunset-removed", "harmless"),
    (
        {"op/x-sunset": "2027-01-02"},
        {"op/x-sunset": "2027-01-01"},
        "sunset-earlier",
        "risky",
    ),
    (
        {"op/x-sunset": "2027-01-01"},
        {"op/x-sunset": "2027-01-02"},
        "sunset-later",
        "harmless",
    ),
    ({"op/operationId": GONE}, {}, "operation-id-added", "harmless"),
    ({}, {"op/operationId": GONE}, "operation-id-removed", "risky"),
    ({}, {"op/operationId": "makeThing"}, "operation-id-changed", "risky"),
    ({}, {"op/tags": ["things", "more"]}, "tag-added", "harmless"),
    ({}, {"op/tags": []}, "tag-removed", "risky"),
    ({}, {"servers": [{"url": "https://b.example"}]}, "server-removed", "risky"),
    ({}, {"servers/+": {"url": "https://b.example"}}, "server-added", "harmless"),
    ({}, {"op/servers": [{"url": "https://b.example"}]}, "server-added", "harmless"),
    ({"components/schemas/A": {}}, {}, "component-removed", "risky"),
    ({}, {"op/security": []}, "security-removed", "harmless"),
    ({"op/security": []}, {}, "security-added", "breaking"),
    ({"op/security/+": {}}, {}, "anonymous-refused", "breaking"),
    ({}, {"op/security/+": {}}, "anonymous-allowed", "harmless"),
    ({}, {"op/security/+": {"basic": []}}, "security-alternative-added", "harmless"),
    ({"op/security/+": {"basic": []}}, {}, "security-alternative-removed", "breaking"),
    (
        {"op/security": [{"oauth": ["r"]}]},
        {"op/security": [{"oauth": ["r", "w"]}]},
        "security-scope-added",
        "breaking",
    ),
    (
        {"op/security": [{"oauth": ["r", "w"]}]},
        {"op/security": [{"oauth": ["r"]}]},
        "security-scope-removed",
        "harmless",
    ),
    (
        {},
        {
            "op/security": [{"bearer": []}],
            "components/securitySchemes/bearer": {"type": "http", "scheme": "Bearer"},
        },
        "security-scheme-renamed",
        "risky",
    ),
    (
        {"op/security": [{"oauth": []}]},
        {
            "op/security": [{"oauth": []}],
            "components/securitySchemes/oauth/flows/password/tokenUrl": "/elsewhere",
        },
        "security-scheme-changed",
        "risky",
    ),
    (
        {},
        {"op/parameters/+": {"name": "n", "in": "query", "schema": {}}},
        "parameter-added",
        "harmless",
    ),
    (
        {},
        {"op/parameters/+": {"name": "n", "in": "query", "required": True, "schema": {}}},
        "required-parameter-added",
        "breaking",
    ),
    ({}, {"op/parameters/1": GONE}, "parameter-removed", "breaking"),
    (
        {"op/parameters/1/deprecated": True},
        {"op/parameters/1": GONE},
        "deprecated-parameter-removed",
        "risky",
    ),
    ({}, {"op/parameters/1/in": "header"}, "parameter-moved", "breaking"),
    ({}, {"op/parameters/1/required": True}, "parameter-became-required", "breaking"),
    ({"op/parameters/1/required": True}, {}, "parameter-became-optional", "harmless"),
    ({}, {"op/parameters/1/deprecated": True}, "parameter-deprecated", "harmless"),
    ({}, {"op/parameters/1/style": "pipeDelimited"}, "parameter-style-changed", "breaking"),
    (
        {"op/parameters/1/schema": {"type": "array"}},
        {"op/parameters/1/schema": {"type": "array"}, "op/parameters/1/explode": False},
        "parameter-style-changed",
        "breaking",
    ),
    ({}, {"op/parameters/1/allowEmptyValue": True}, "empty-value-allowed", "harmless"),
    ({"op/parameters/1/allowEmptyValue": True}, {}, "empty-value-refused", "breaking"),
    ({"op/requestBody": GONE}, {}, "body-added", "harmless"),
    (
        {"op/requestBody": GONE},
        {"op/requestBody/required": True},
        "required-body-added",
        "breaking",
    ),
    ({}, {"op/requestBody": GONE}, "body-removed", "breaking"),
    ({}, {"op/requestBody/required": True}, "body-became-required", "breaking"),
    ({"op/requestBody/required": True}, {}, "body-became-optional", "harmless"),
    ({}, {"op/requestBody/content/text|csv": {}}, "media-type-added", "harmless"),
    ({"op/requestBody/content/text|csv": {}}, {}, "media-type-removed", "breaking"),
    ({"op/responses/200/content/text|csv": {}}, {}, "media-type-removed", "breaking"),
    (
        {},
        {f"op/requestBody/content/{JSON}/encoding": {"a": {"contentType": "text/csv"}}},
        "encoding-changed",
        "risky",
    ),
    ({}, {"op/responses/201": {"description": ""}}, "success-added", "risky"),
    ({"op/responses/201": {"description": ""}}, {}, "success-removed", "breaking"),
    ({}, {"op/responses/409": {"description": ""}}, "error-added", "harmless"),
    ({}, {"op/responses/404": GONE}, "error-removed", "risky"),
    ({}, {"op/responses/200/headers/ETag": {"schema": {}}}, "header-added", "harmless"),
    ({}, {"op/responses/200/headers": {}}, "header-removed", "risky"),
    (
        {"op/responses/200/headers/X-Count/required": True},
        {"op/responses/200/headers": {}},
        "required-header-removed",
        "breaking",
    ),
    (
        {},
        {"op/responses/200/headers/X-Count/required": True},
        "header-became-required",
        "harmless",
    ),
    (
        {"op/responses/200/headers/X-Count/required": True},
        {},
        "header-became-optional",
        "breaking",
    ),
    ({}, {"op/responses/200/links/more": {}}, "link-added", "harmless"),
    ({}, {"op/responses/200/links": {}}, "link-removed", "risky"),
    ({}, {"op/responses/200/links/again": {"operationId": "x"}}, "link-changed", "risky"),
]

ANY = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {"type": "object", "additionalProperties": False}
REFERENCES = [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}]


def tagged(**members: Any) -> dict[str, Any]:
    return {"oneOf": REFERENCES, "discriminator": {"propertyName": "kind", **members}}


#: An old and a new schema, the change between them, its level when sent and when received.
SCHEMAS: list[tuple[Any, Any, str, str, str]] = [
    ({"type": "object"}, ANY, "property-added", "harmless", "harmless"),
    (
        {"type": "object"},
        {**ANY, "required": ["a"]},
        "required-property-added",
        "breaking",
        "harmless",
    ),
    (CLOSED, {**CLOSED, **ANY}, "property-added-to-closed", "harmless", "risky"),
    (ANY, {"type": "object"}, "property-removed", "breaking", "breaking"),
    (
        {"type": "object", "properties": {"a": {"deprecated": True}}},
        {"type": "object"},
        "deprecated-property-removed",
        "risky",
        "risky",
    ),
    (ANY, {**ANY, "required": ["a"]}, "property-became-required", "breaking", "harmless"),
    ({**ANY, "required": ["a"]}, ANY, "property-became-optional", "harmless", "breaking"),
    (
        {"type": "object"},
        {"type": "object", "required": ["z"]},
        "property-became-required",
        "breaking",
        "harmless",
    ),
    ({"type": "object"}, CLOSED, "further-properties-refused", "breaking", "harmless"),
    (CLOSED, {"type": "object"}, "further-properties-allowed", "harmless", "risky"),
    (
        {"type": "string"},
        {"type": "string", "deprecated": True},
        "deprecated",
        "harmless",
        "harmless",
    ),
    (
        {"default": 1, "type": "integer"},
        {"default": 2, "type": "integer"},
        "default-changed",
        "risky",
        "harmless",
    ),
    (
        {"type": "integer"},
        {"default": None, "type": "integer"},
        "default-added",
        "risky",
        "harmless",
    ),
    (
        {"default": 1, "type": "integer"},
        {"type": "integer"},
        "default-removed",
        "risky",
        "harmless",
    ),
    ({"type": "string"}, {"type": "integer"}, "type-changed", "breaking", "breaking"),
    ({"type": "number"}, {"type": "integer"}, "type-narrowed", "breaking", "harmless"),
    ({"type": "integer"}, {"type": "number"}, "type-widened", "harmless", "breaking"),
    ({"type": "string"}, {"type": ["string", "integer"]}, "type-widened", "harmless", "breaking"),
    ({"type": ["string", "null"]}, {"type": "string"}, "null-refused", "breaking", "harmless"),
    ({"type": "string"}, {"type": ["string", "null"]}, "null-allowed", "harmless", "breaking"),
    (
        {"$ref": "#/components/schemas/A"},
        {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]},
        "null-allowed",
        "harmless",
        "breaking",
    ),
    (
        {"type": "string", "format": "date"},
        {"type": "string", "format": "date-time"},
        "format-changed",
        "breaking",
        "breaking",
    ),
    (
        {"type": "string"},
        {"type": "string", "format": "uuid"},
        "format-added",
        "breaking",
        "harmless",
    ),
    (
        {"type": "string", "format": "uuid"},
        {"type": "string"},
        "format-removed",
        "harmless",
        "risky",
    ),
    (
        {"type": "string", "format": "uri"},
        {"type": "string", "format": "uri-reference"},
        "format-widened",
        "harmless",
        "risky",
    ),
    (
        {"type": "string", "format": "uri-reference"},
        {"type": "string", "format": "uri"},
        "format-narrowed",
        "breaking",
        "harmless",
    ),
    (
        {"type": "string"},
        {"type": "string", "enum": ["a"]},
        "choices-added",
        "breaking",
        "harmless",
    ),
    ({"type": "string", "const": "a"}, {"type": "string"}, "choices-removed", "harmless", "risky"),
    ({"enum": ["a"]}, {"enum": ["a", "b"]}, "choice-added", "harmless", "risky"),
    ({"enum": ["a", "b"]}, {"enum": ["a"]}, "choice-removed", "breaking", "harmless"),
    (
        {"type": "integer", "minimum": 1},
        {"type": "integer", "minimum": 2},
        "bound-narrowed",
        "breaking",
        "harmless",
    ),
    (
        {"type": "integer", "maximum": 1},
        {"type": "integer", "maximum": 2},
        "bound-widened",
        "harmless",
        "risky",
    ),
    (
        {"type": "integer", "maximum": 1},
        {"type": "integer", "exclusiveMaximum": 1},
        "bound-narrowed",
        "breaking",
        "harmless",
    ),
    ({"type": "string"}, {"type": "string", "maxLength": 5}, "bound-added", "breaking", "harmless"),
    ({"type": "string", "minLength": 1}, {"type": "string"}, "bound-removed", "harmless", "risky"),
    (
        {"type": "array", "minItems": 2},
        {"type": "array", "minItems": 1},
        "bound-widened",
        "harmless",
        "risky",
    ),
    (
        {"type": "integer", "multipleOf": 2},
        {"type": "integer", "multipleOf": 4},
        "bound-narrowed",
        "breaking",
        "harmless",
    ),
    (
        {"type": "integer", "multipleOf": 4},
        {"type": "integer", "multipleOf": 2},
        "bound-widened",
        "harmless",
        "risky",
    ),
    (
        {"type": "integer", "multipleOf": 3},
        {"type": "integer", "multipleOf": 2},
        "multiple-changed",
        "breaking",
        "risky",
    ),
    (
        {"type": "string", "pattern": "a"},
        {"type": "string", "pattern": "b"},
        "pattern-changed",
        "risky",
        "risky",
    ),
    (
        {"type": "string"},
        {"type": "string", "pattern": "b"},
        "pattern-added",
        "breaking",
        "harmless",
    ),
    (
        {"type": "string", "pattern": "a"},
        {"type": "string"},
        "pattern-removed",
        "harmless",
        "risky",
    ),
    (
        {"type": "array"},
        {"type": "array", "uniqueItems": True},
        "uniqueness-added",
        "breaking",
        "harmless",
    ),
    (
        {"type": "array", "uniqueItems": True},
        {"type": "array"},
        "uniqueness-removed",
        "harmless",
        "risky",
    ),
    (
        {"oneOf": REFERENCES[:2]},
        {"oneOf": [*REFERENCES, {"title": "C", "type": "object"}]},
        "variant-added",
        "harmless",
        "risky",
    ),
    (REFERENCES[0], {"oneOf": REFERENCES}, "variant-added", "harmless", "risky"),
    ({"oneOf": REFERENCES}, REFERENCES[1], "variant-removed", "breaking", "harmless"),
    (
        {"type": "object"},
        {"type": "object", "oneOf": REFERENCES},
        "variants-added",
        "breaking",
        "harmless",
    ),
    (
        {"type": "object", "anyOf": REFERENCES},
        {"type": "object"},
        "variants-removed",
        "harmless",
        "breaking",
    ),
    (
        tagged(),
        {"oneOf": REFERENCES, "discriminator": {"propertyName": "type"}},
        "discriminator-changed",
        "breaking",
        "breaking",
    ),
    (tagged(), tagged(mapping={"x": "A"}), "discriminator-value-added", "harmless", "risky"),
    (tagged(mapping={"x": "A"}), tagged(), "discriminator-value-removed", "breaking", "harmless"),
    (
        {"type": "array"},
        {"type": "array", "items": {"type": "string"}},
        "schema-added",
        "breaking",
        "harmless",
    ),
    (
        {"type": "array", "items": {"type": "string"}},
        {"type": "array"},
        "schema-removed",
        "harmless",
        "breaking",
    ),
    (
        {"type": "string"},
        {"type": "string", "not": {"enum": ["a"]}},
        "keyword-changed",
        "risky",
        "risky",
    ),
    (
        {"type": "array"},
        {"type": "array", "prefixItems": [{}]},
        "keyword-changed",
        "risky",
        "risky",
    ),
    ({"$ref": "other.json#/A"}, {"$ref": "other.json#/B"}, "reference-changed", "risky", "risky"),
]


@pytest.mark.parametrize(("old", "new", "code", "level"), OPERATIONS)
def test_a_change_of_an_operation(old: Any, new: Any, code: str, level: str) -> None:
    changes = found(changed(old), changed(new), today=date(2026, 6, 1))
    assert (code, level) in codes(changes)


@pytest.mark.parametrize(("old", "new", "code", "sent", "received"), SCHEMAS)
def test_a_change_of_a_schema(old: Any, new: Any, code: str, sent: str, received: str) -> None:
    components = {"components/schemas": {"A": ANY, "B": {"type": "object"}}}
    for place, level, direction in ((SENT, sent, "request"), (RECEIVED, received, "response")):
        changes = found(changed({**components, place: old}), changed({**components, place: new}))
        assert codes(changes) == {(code, level)}
        assert {change.direction for change in changes} == {direction}
        assert {change.operations for change in changes} == {("POST /things/{id}/",)}


BOTH = {"A": {"type": "object", "maxProperties": 1}, "B": {"type": "object"}}
NULL, STRING, LIST = {"type": "null"}, {"type": "string"}, {"type": "array"}


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        (REFERENCES[0], [*REFERENCES], {"variant-added"}),
        (REFERENCES[0], [*REFERENCES, NULL], {"variant-added", "null-allowed"}),
        ([REFERENCES[0], NULL], [*REFERENCES, NULL], {"variant-added"}),
        ([REFERENCES[0], NULL], [*REFERENCES], {"variant-added", "null-refused"}),
        ({**STRING, "description": "Words."}, [STRING, LIST], {"variant-added"}),
        ({"type": ["string", "null"]}, [STRING, LIST, NULL], {"variant-added"}),
        ({"type": ["string", "null"]}, [STRING, LIST], {"variant-added", "null-refused"}),
        (STRING, [{"type": ["string", "null"]}, LIST], {"variant-added", "null-allowed"}),
    ],
)
def test_one_schema_that_becomes_several_goes_on_to_fit(old: Any, new: Any, codes: Any) -> None:
    old, new = ({"anyOf": each} if isinstance(each, list) else each for each in (old, new))
    opposite = {
        "variant-added": "variant-removed",
        "null-allowed": "null-refused",
        "null-refused": "null-allowed",
    }
    before, after = (changed({"components/schemas": BOTH, SENT: each}) for each in (old, new))
    there, back = found(before, after), found(after, before)
    assert sorted(each.code for each in there) == sorted(codes)
    assert sorted(each.code for each in back) == sorted(opposite[code] for code in codes)


@pytest.mark.parametrize(
    "old",
    [
        {"nullable": True, "oneOf": [REFERENCES[0], {"$ref": "#/components/schemas/NullEnum"}]},
        {"oneOf": [REFERENCES[0], {"$ref": "#/components/schemas/NullEnum"}]},
        {"oneOf": [REFERENCES[0], NULL]},
    ],
)
def test_a_component_for_null_is_null(old: Any) -> None:
    schemas = {"components/schemas": {**BOTH, "NullEnum": {"enum": [None]}}}
    new = {"anyOf": [REFERENCES[0], NULL]}
    assert found(changed({**schemas, SENT: old}), changed({**schemas, SENT: new})) == []
    (refused,) = found(changed({**schemas, SENT: old}), changed({**schemas, SENT: REFERENCES[0]}))
    assert refused.code == "null-refused"


COLOURS = {"type": "string", "enum": ["red", "green"]}
LISTED = {"$ref": "#/components/schemas/Colour", "description": "Of the door."}
PLAIN = {**COLOURS, "enum": ["red", "green", "", None], "nullable": True}
EITHER = {"anyOf": [LISTED, {"enum": [""]}, NULL]}
NAMED = {"oneOf": [{"const": "red", "title": "Red"}, {"const": "green", "title": "Green"}]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PLAIN, EITHER),
        (COLOURS, NAMED),
        (COLOURS, {"oneOf": [{"enum": ["green"]}, {"enum": ["red"]}]}),
        ({"enum": ["red", None]}, {"anyOf": [{"enum": ["red"]}, NULL]}),
        ({"nullable": True}, {}),
        ({"description": "Anything.", "readOnly": False}, {}),
    ],
)
@pytest.mark.parametrize("place", [SENT, RECEIVED])
def test_alternatives_that_only_list_values_are_their_values(
    old: Any, new: Any, place: str
) -> None:
    schemas = {"components/schemas/Colour": COLOURS}
    before, after = (changed({**schemas, place: each}) for each in (old, new))
    assert found(before, after) == []
    assert found(after, before) == []


def test_values_that_come_and_go_in_alternatives_are_named() -> None:
    fewer = {"oneOf": [{"const": "red"}, {"const": "blue"}]}
    before, after = changed({SENT: NAMED}), changed({SENT: fewer})
    codes = [(each.code, each.level.word) for each in found(before, after)]
    assert sorted(codes) == [("choice-added", "harmless"), ("choice-removed", "breaking")]
    # One that is more than a list of values stays an alternative.
    more = {"oneOf": [*NAMED["oneOf"], {"type": "string", "maxLength": 3}]}
    assert {each.code for each in found(before, changed({SENT: more}))} >= {"variants-added"}


def test_nobody_sends_null_in_a_parameter() -> None:
    nullable = {"type": "array", "items": {"type": ["integer", "null"]}}
    plain = {"type": "array", "items": {"type": "integer"}}
    old = changed({"op/parameters/1/schema": nullable, SENT: nullable})
    new = changed({"op/parameters/1/schema": plain, SENT: nullable})
    assert found(old, new) == found(new, old) == []
    (refused,) = found(old, changed({"op/parameters/1/schema": plain, SENT: plain}))
    assert refused.code == "null-refused"
    assert refused.new.startswith("/paths/~1things~1{id}~1/post/requestBody/")


def test_every_rule_has_a_pair() -> None:
    tried = {row[2] for row in (*OPERATIONS, *SCHEMAS)}
    assert RULES.keys() - tried == {"path-parameter-renamed"}


def test_a_renamed_path_parameter_is_the_same_path() -> None:
    new = changed({"op/parameters/0/name": "pk"})
    new["paths"] = {"/things/{pk}/": new["paths"]["/things/{id}/"]}
    changes = found(description(), new)
    assert codes(changes) == {("path-parameter-renamed", "risky")}


def test_nothing_changed() -> None:
    assert found(description(), description()) == []


def test_a_change_of_a_shared_schema_names_its_place_once_and_all_operations() -> None:
    reference = {"$ref": "#/components/schemas/A"}
    edits = {RECEIVED: {"type": "array", "items": reference}}
    old = changed({**edits, "components/schemas/A": ANY})
    old["paths"]["/other/"] = {"get": old["paths"]["/things/{id}/"]["post"]}
    new = copy.deepcopy(old)
    del new["components"]["schemas"]["A"]["properties"]["a"]
    (change,) = found(old, new)
    assert change.operations == ("GET /other/", "POST /things/{id}/")
    assert change.old == "/components/schemas/A/properties/a"
    assert change.level is Level.BREAKING


def test_what_is_read_only_is_not_sent_and_what_is_write_only_not_received() -> None:
    properties = {"r": {"readOnly": True}, "w": {"writeOnly": True, "type": "string"}}
    full = {"type": "object", "properties": properties}
    for place, gone in ((SENT, "w"), (RECEIVED, "r")):
        (change,) = found(changed({place: full}), changed({place: {"type": "object"}}))
        assert change.message == f"the property {gone} is gone"


def test_in_webhooks_and_callbacks_the_service_sends() -> None:
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    hook = {"post": {"requestBody": body, "responses": {}}}
    called = {"op/callbacks": {"done": {"{$request.body#/url}": hook}}}
    for edits in ({"webhooks": {"thing": hook}}, called):
        old = changed(edits)
        new = json.loads(json.dumps(old).replace('{"type": "object"}', json.dumps(ANY)))
        for document in (old, new):
            document["paths"]["/things/{id}/"]["post"]["requestBody"] = {}
            document["paths"]["/things/{id}/"]["post"]["responses"] = {}
        (change,) = found(new, old)
        assert (change.direction, change.level) == ("response", Level.BREAKING)
        assert change.operations[0].startswith(
            ("webhook POST thing", "callback done of POST /things")
        )


OLD_DIALECT = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "nullable": True},
        "one": {"type": "string", "enum": ["x"]},
        "ref": {"allOf": [{"$ref": "#/components/schemas/A"}], "nullable": True},
    },
}
NEW_DIALECT = {
    "type": "object",
    "properties": {
        "n": {"type": ["integer", "null"], "exclusiveMinimum": 0},
        "one": {"const": "x"},
        "ref": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]},
    },
}


def test_a_new_version_of_openapi_alone_is_no_change() -> None:
    shared = {"components/schemas/A": ANY}
    old = changed({SENT: OLD_DIALECT, RECEIVED: OLD_DIALECT, "openapi": "3.0.3", **shared})
    for version in ("3.1.0", "3.2.0"):
        new = changed({SENT: NEW_DIALECT, RECEIVED: NEW_DIALECT, "openapi": version, **shared})
        assert found(old, new) == []
        assert found(new, old) == []


SWAGGER = {
    "swagger": "2.0",
    "host": "a.example",
    "basePath": "/api",
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "definitions": {"Thing": {"type": "object", "properties": {"a": {"type": "string"}}}},
    "securityDefinitions": {"basic": {"type": "basic"}},
    "security": [{"basic": []}],
    "paths": {
        "/things/": {
            "get": {
                "parameters": [
                    {"name": "ids", "in": "query", "type": "array", "items": {"type": "integer"}}
                ],
                "responses": {200: {"description": "", "schema": {"$ref": "#/definitions/Thing"}}},
            },
            "post": {
                "parameters": [
                    {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Thing"}}
                ],
                "responses": {},
            },
            "put": {
                "consumes": ["multipart/form-data"],
                "parameters": [{"name": "f", "in": "formData", "type": "file", "required": True}],
                "responses": {},
            },
        }
    },
}

SUCCESSOR = {
    "openapi": "3.0.3",
    "servers": [{"url": "https://a.example/api"}],
    "components": {
        "schemas": {"Thing": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "securitySchemes": {"basicAuth": {"type": "http", "scheme": "basic"}},
    },
    "security": [{"basicAuth": []}],
    "paths": {
        "/things/": {
            "get": {
                "parameters": [
                    {
                        "name": "ids",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "integer"}},
                    }
                ],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                        }
                    }
                },
            },
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                    }
                },
                "responses": {},
            },
            "put": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "required": ["f"],
                                "properties": {"f": {"type": "string", "format": "binary"}},
                            }
                        }
                    },
                },
                "responses": {},
            },
        }
    },
}


def test_swagger_reads_like_its_successors() -> None:
    old = json.loads(json.dumps(SWAGGER))
    assert codes(found(old, SUCCESSOR)) == {("security-scheme-renamed", "risky")}
    new = copy.deepcopy(old)
    new["paths"]["/things/"]["get"]["parameters"][0]["collectionFormat"] = "multi"
    del new["definitions"]["Thing"]["properties"]["a"]
    assert codes(found(old, new)) == {
        ("parameter-style-changed", "breaking"),
        ("property-removed", "breaking"),
    }


def test_ranges_cover_what_they_hold() -> None:
    old = changed({"op/responses/2XX": {"description": ""}, "op/responses/200": GONE})
    new = changed({"op/responses/200": {"description": ""}})
    assert found(old, new) == []
    assert found(new, old) == []
    wide = changed({"op/requestBody/content": {"*/*": {"schema": {"type": "object"}}}})
    assert codes(found(description(), wide)) == set()


def test_operations_of_openapi_3_2() -> None:
    item = {"query": {"responses": {}}, "additionalOperations": {"COPY": {"responses": {}}}}
    old = description(openapi="3.2.0", paths={"/a": item})
    new = description(openapi="3.2.0", paths={})
    assert {change.operations for change in found(old, new)} == {("QUERY /a",), ("COPY /a",)}
    earlier = {"x-additionalOperations": {"QUERY": {"responses": {}}}}
    old = description(openapi="3.1.0", paths={"/a": earlier})
    assert {change.operations for change in found(old, new)} == {("QUERY /a",)}
    stream = f"op/responses/200/content/{JSON}/itemSchema"
    changes = found(changed({stream: {"type": "string"}}), changed({stream: {"type": "integer"}}))
    assert codes(changes) == {("type-changed", "breaking")}


def test_circles_end() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/A"}}}
    endless = {"$ref": "#/components/schemas/B"}
    shared = {"components/schemas": {"A": tree, "B": endless}}
    old = changed({SENT: {"$ref": "#/components/schemas/A"}, RECEIVED: endless, **shared})
    assert found(old, copy.deepcopy(old)) == []
    old["components"]["schemas"]["A"]["allOf"] = [{"$ref": "#/components/schemas/A"}]
    assert found(old, copy.deepcopy(old)) == []


def test_many_ways_to_many_places_are_refused_in_time() -> None:
    names = [f"S{number}" for number in range(300)]
    every = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    schemas = {
        name: {"properties": {f"{name}{n}": each for n, each in enumerate(every)}} for name in names
    }
    document = changed({"components/schemas": schemas, SENT: every[0]})
    with pytest.raises(DocumentError, match="too long to compare"):
        found(document, copy.deepcopy(document), most_steps=50_000)


@pytest.mark.parametrize("content", [None, [], {}, {"openapi": "4.0"}, {"swagger": "1.2"}, "x", 3])
def test_what_is_no_description_is_refused(content: Any) -> None:
    with pytest.raises(DocumentError, match="the old one is not a description in OpenAPI"):
        Document(content, "the old one")


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    here = [prefix] if prefix else []
    if isinstance(value, dict):
        return here + [each for key in value for each in paths(value[key], (*prefix, key))]
    if isinstance(value, list):
        return here + [
            each for key in range(len(value)) for each in paths(value[key], (*prefix, key))
        ]
    return here


PLACES = [each for each in paths(description()) if each[0] != "openapi"]
WRONG = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.lists(st.none() | st.text() | st.integers(), max_size=2),
    st.dictionaries(st.text(), st.none() | st.text(), max_size=2),
    st.sampled_from([{"$ref": "#"}, {"$ref": "#/paths"}, {"$ref": "#/x/~"}, {"$ref": 3}]),
)


def _has_item(items: list[Any], key: Any) -> bool:
    return isinstance(key, int) and key < len(items)


@given(st.lists(st.tuples(st.sampled_from(PLACES), WRONG), min_size=1, max_size=3))
def test_a_malformed_description_is_compared_as_far_as_it_goes(edits: Any) -> None:
    wrong = description()
    for path, value in edits:
        target: Any = wrong
        for key in path[:-1]:
            missing = not isinstance(target, dict | list) or (
                isinstance(target, dict) and key not in target
            )
            if missing or (isinstance(target, list) and not _has_item(target, key)):
                break
            target = target[key]
        else:
            if isinstance(target, dict):
                target[path[-1]] = value
    old, new = Document(description()), Document(wrong)
    for pair in ((old, new), (new, old), (new, new)):
        assert all(isinstance(change.message, str) for change in compare(*pair))


def test_pointers_are_escaped() -> None:
    place = Place("", {"a/b": {"m~n": [1]}})
    assert place.at("a/b", "m~n", 0) == Place("/a~1b/m~0n/0", 1)
    document = Document({"openapi": "3.1.0", "a/b": {"m~n": [1]}})
    assert document.find("/a~1b/m~0n/0") == Place("/a~1b/m~0n/0", 1)
    assert document.find("/a%20b") is None
