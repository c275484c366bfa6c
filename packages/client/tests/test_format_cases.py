"""The requests of tests/data/format_cases.json, which both languages send or refuse."""

import json
from pathlib import Path
from typing import Any

import pytest

from lintel_client.building import build_request
from lintel_client.errors import LintelError
from lintel_client.lookup import find_link
from lintel_codecs.hal import HALCodec
from lintel_codecs.hyperschema import HyperSchemaCodec
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import CoreJSONCodec, Document

DATA = Path(__file__).parents[3] / "tests" / "data"
CASES = json.loads((DATA / "format_cases.json").read_text())["cases"]
CODECS = {
    codec.format: codec
    for codec in (CoreJSONCodec(), OpenAPICodec(), HALCodec(), HyperSchemaCodec())
}
WRITTEN = ("corejson", "openapi", "hal")


def document(case: dict[str, Any]) -> Document:
    read: Document = CODECS[case["format"]].decode(json.dumps(case["description"]).encode())
    return read


def check(found: Document, case: dict[str, Any]) -> None:
    link, expected = find_link(found, case["keys"]).link, case["expect"]
    if "refuse" in expected:
        with pytest.raises(LintelError, match=expected["refuse"]):
            build_request(link, case["params"])
        return
    request = build_request(link, case["params"])
    assert (request.method, request.url) == (expected["method"], expected["url"])
    body = None if request.body is None else json.loads(request.content)
    assert body == expected.get("json")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    check(document(case), case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize("format", WRITTEN)
def test_case_after_it_was_written(case: dict[str, Any], format: str) -> None:
    again = CODECS[format].decode(CODECS[format].encode(document(case)))
    check(again, case)


def test_a_refused_operation_stays_refused_without_extensions() -> None:
    case = next(case for case in CASES if case["id"] == "refused-in-openapi")
    codec = CoreJSONCodec()
    check(codec.decode(codec.encode(document(case), extensions=False)), case)
