"""A name of reading never writes: the keys that codecs make, in every order of a description."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel_codecs.hal import HALCodec
from lintel_codecs.hyperschema import HyperSchemaCodec
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Document, Link
from lintel_document.methods import is_safe, reads_safe

DATA = Path(__file__).parents[3] / "tests" / "data"
CASES = json.loads((DATA / "safe_keys.json").read_text())["cases"]
REQUESTS = [
    case["doc"]
    for name in ("client_cases.json", "neighbour_cases.json")
    for case in json.loads((DATA / name).read_text())["cases"]
]
CODECS = {"openapi": OpenAPICodec, "hal": HALCodec, "jsonhyperschema": HyperSchemaCodec}
RELATIONS = ["self", "list", "order", "x:get", "getAll", "", "read_2", "instances", "delete_list"]
METHODS = ["GET", "HEAD", "QUERY", "POST", "PUT", "PATCH", "DELETE", "PURGE"]


def read(format: str, description: Any) -> Document:
    return CODECS[format]().decode(json.dumps(description).encode())


def links(node: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Link]]:
    for key, value in node.items():
        if isinstance(value, Link):
            yield (*above, key), value
        elif hasattr(value, "items"):
            yield from links(value, (*above, key))


def shuffled(value: Any, shuffler: random.Random) -> Any:
    """Return a description in which everything that has no order has another one."""
    if isinstance(value, dict):
        members = [(key, shuffled(inner, shuffler)) for key, inner in value.items()]
        return dict(shuffler.sample(members, len(members)))
    if isinstance(value, list):
        items = [shuffled(item, shuffler) for item in value]
        same = all(isinstance(item, str) for item in items)
        return items if same else shuffler.sample(items, len(items))
    return value


def check_names(document: Document) -> None:
    for keys, link in links(document):
        if not is_safe(link.action) and not reads_safe(link.operation_id):
            assert not reads_safe(keys[-1]), (keys, link)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.parametrize("seed", range(6))
def test_keys_are_the_same_in_every_language_and_order(case, seed):
    description = (
        shuffled(case["description"], random.Random(seed)) if seed else case["description"]
    )
    found = {
        " ".join(keys): f"{link.action} {link.url}"
        for keys, link in links(read(case["format"], description))
    }
    assert found == case["keys"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_keys_stay_the_same_when_they_are_written(case):
    codec = OpenAPICodec()
    again = codec.decode(codec.encode(read(case["format"], case["description"])))
    found = {" ".join(keys): f"{link.action} {link.url}" for keys, link in links(again)}
    assert found == case["keys"]


@pytest.mark.parametrize("seed", range(3))
def test_no_write_of_the_descriptions_of_the_tests_has_a_name_of_reading(seed):
    shuffler = random.Random(seed)
    for description in REQUESTS:
        check_names(read("openapi", shuffled(description, shuffler)))


LINKS = st.lists(
    st.fixed_dictionaries(
        {
            "rel": st.sampled_from(RELATIONS),
            "method": st.sampled_from(METHODS),
            "href": st.sampled_from(["https://a.example/x", "https://a.example/x/{id}"]),
            "title": st.sampled_from(["", "List", "Cancel", "Info"]),
        }
    ),
    max_size=8,
)


@given(described=LINKS, seed=st.integers(0, 1000))
@settings(max_examples=200, deadline=None)
def test_no_relation_makes_a_write_look_like_reading(described, seed):
    document = read("jsonhyperschema", {"links": described})
    check_names(document)
    again = read("jsonhyperschema", shuffled({"links": described}, random.Random(seed)))
    assert again == document
    reading = [link for link in described if link["rel"] == "self" and is_safe(link["method"])]
    assert not reading or is_safe(document["read"].action)
