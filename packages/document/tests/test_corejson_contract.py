"""Replays the recorded facts of the native format (data/README.md)."""

import json
from pathlib import Path

import pytest

from lintel_document import CoreJSONCodec, Document, Error, Field, Link, ParseError, schemas

pytestmark = pytest.mark.contract

CASES = json.loads((Path(__file__).parent / "data" / "corejson_cases.json").read_text())["cases"]


def cases(kind):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def tree(described):
    """Build the tree that a case describes."""
    if isinstance(described, list):
        return [tree(item) for item in described]
    if not isinstance(described, dict):
        return described
    attributes = {key: value for key, value in described.items() if key != "class"}
    if "class" not in described:
        return {key: tree(value) for key, value in described.items()}
    if described["class"] == "Link":
        return Link(**{**attributes, "fields": [field(item) for item in attributes["fields"]]})
    kind = {"Document": Document, "Error": Error}[described["class"]]
    return kind(**{**attributes, "content": tree(attributes["content"])})


def field(described):
    return Field(**{**described, "schema": described["schema"] and schema(described["schema"])})


def schema(described):
    attributes = {key: value for key, value in described.items() if key != "type"}
    if "items" in attributes:
        attributes["items"] = schema(attributes["items"])
    return getattr(schemas, described["type"])(**attributes)


@pytest.mark.parametrize("case", cases("codec"))
def test_codec(case):
    codec = CoreJSONCodec()
    assert codec.media_type == case["media_type"]
    assert codec.format == case["format"]
    assert codec.get_media_types() == case["accepted_media_types"]


@pytest.mark.parametrize("case", cases("encode"))
def test_encode(case):
    written = CoreJSONCodec().encode(tree(case["given"]))
    assert json.loads(written) == case["output"]


@pytest.mark.parametrize("case", [case for case in cases("decode") if "output" in case.values[0]])
def test_decode(case):
    read = CoreJSONCodec().decode(case["input"].encode(), base_url=case["base_url"])
    expected = tree(case["output"])
    assert type(read) is type(expected)
    assert read == expected
    assert getattr(read, "description", "") == case["output"].get("description", "")


@pytest.mark.parametrize("case", [case for case in cases("decode") if "raises" in case.values[0]])
def test_decode_refuses(case):
    assert case["raises"] == "ParseError"
    with pytest.raises(ParseError):
        CoreJSONCodec().decode(case["input"].encode(), base_url=case["base_url"])
