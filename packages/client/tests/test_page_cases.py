"""The lists of tests/data/page_cases.json, which every client reads to the end or warns about."""

import json
import warnings
from pathlib import Path

import pytest

from lintel_client import Client, IncompleteList
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Document, Field, Link
from lintel_document.operations import Pagination

DATA = Path(__file__).parents[3] / "tests" / "data"
CASES = json.loads((DATA / "page_cases.json").read_text())["cases"]


def document_of(case, url):
    if "operation" in case:
        tree = {"openapi": "3.1.0", "paths": {"/l": {"get": case["operation"]}}}
        return OpenAPICodec().decode(json.dumps(tree).encode(), base_url=url), "get /l"
    fields = [Field(name, location="query") for name in case["fields"]]
    return Document(url, content={"list": Link("/l", fields=fields)}), "list"


def put(service, pages):
    for path, page in pages.items():
        whole = page if isinstance(page, dict) and "$body" in page else {"$body": page}
        headers = {name: text for name, text in whole.items() if name != "$body"}
        service.answer(path, whole["$body"], **headers)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(service, case):
    put(service, case["pages"])
    document, key = document_of(case, service.url())
    asked = Pagination(**case["pagination"]) if "pagination" in case else None
    with Client() as client, warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        items = list(client.pages(document, key, case["params"], pagination=asked))
    assert json.loads(json.dumps(items)) == case["items"]
    assert [each.category for each in found] == [IncompleteList] * case["warns"]
    assert [seen.path for seen in service.seen] == list(case["pages"])
