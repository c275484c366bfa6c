import pytest

from lintel_client.lookup import find_link
from lintel_client.responses import NO_CONTENT
from lintel_client.transforms import apply_transform
from lintel_document import Document, Link


def library(action="put", transform=""):
    note = Document(
        "http://x.org/1/", "Old", content={"edit": Link("/1/", action, transform=transform)}
    )
    return Document("http://x.org/", "All", content={"notes": [note, "other"], "n": {"one": note}})


NEW = Document("http://x.org/1/", "New")
KEYS = ["notes", 0, "edit"]


def applied(document, keys, result):
    return apply_transform(document, find_link(document, keys), result)


@pytest.mark.parametrize("action", ["put", "patch", "delete", "PUT"])
def test_changing_methods_replace_the_embedded_document(action):
    document = library(action)
    changed = applied(document, KEYS, NEW)
    assert changed["notes"] == [NEW, "other"]
    assert changed.url == document.url
    assert document["notes"][0].title == "Old"
    assert applied(document, ["n", "one", "edit"], NEW)["n"] == {"one": NEW}


def test_no_content_removes_it():
    changed = applied(library("delete"), KEYS, NO_CONTENT)
    assert changed["notes"] == ["other"]
    assert changed["n"]["one"].title == "Old"


@pytest.mark.parametrize("action", ["get", "post", ""])
def test_other_methods_stand_for_themselves(action):
    assert applied(library(action), KEYS, NEW) is NEW
    assert applied(library(action), KEYS, NO_CONTENT) is None


def test_a_transform_decides_over_the_method():
    assert applied(library("put", "new"), KEYS, NEW) is NEW
    assert applied(library("post", "inplace"), KEYS, NEW)["notes"][0] is NEW


def test_data_stands_for_itself():
    assert applied(library("put"), KEYS, {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("transform", ["", "inplace"])
def test_the_outermost_document_is_not_changed(transform):
    document = Document(
        "http://x.org/", content={"a": {"go": Link("/", "delete", transform=transform)}}
    )
    assert applied(document, ["a", "go"], NO_CONTENT) is None
    assert applied(document, ["a", "go"], NEW) is NEW
