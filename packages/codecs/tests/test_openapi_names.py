"""Keys of operations: what both languages derive from tags, ids and paths."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Document, Link

CASES = json.loads((Path(__file__).parents[3] / "tests/data/operation_keys.json").read_text())[
    "cases"
]


def read(operations: list[Any], described: list[str]) -> Document:
    paths: dict[str, Any] = {}
    for method, path, identifier, tags, _ in operations:
        paths.setdefault(path, {})[method] = {"operationId": identifier, "tags": tags}
    tags = [{"name": name} for name in described]
    whole = {"openapi": "3.1.1", "info": {}, "tags": tags, "paths": paths}
    return OpenAPICodec().decode(json.dumps(whole).encode())


def keys_by_place(node: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[Any, list[str]]]:
    for key, value in node.items():
        if isinstance(value, Link):
            yield (value.action, value.path), [*above, key]
        else:
            yield from keys_by_place(value, (*above, key))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_operations_have_the_same_keys_in_every_language_and_order(case):
    operations, described = case["operations"], case.get("described", [])
    expected = {(method, path): keys for method, path, _, _, keys in operations}
    assert dict(keys_by_place(read(operations, described))) == expected
    assert dict(keys_by_place(read(operations[::-1], described))) == expected


@pytest.mark.parametrize("version", ["3.1", "3.0", "2.0"])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_operations_keep_their_keys_when_they_are_written(case, version):
    document = read(case["operations"], case.get("described", []))
    again = OpenAPICodec().decode(OpenAPICodec().encode(document, version=version))
    assert dict(keys_by_place(again)) == dict(keys_by_place(document))


def test_an_operation_keeps_its_keys_when_another_comes_outside_of_the_prefix():
    loans = ["get", "/api/loans/", "listLoans", ["api"], None]
    health = ["get", "/health", "health", ["health"], None]
    alone = dict(keys_by_place(read([loans], [])))
    assert alone.items() <= dict(keys_by_place(read([loans, health], []))).items()
