import json

import pytest

from lintel_client.cli.index import DOCUMENT, OPERATIONS, Index, Operation, Parameter, stamp_of
from lintel_client.cli.indexing import index_lines
from lintel_client.cli.state import State
from lintel_document import CoreJSONCodec, Document, Field, Link, schemas


@pytest.fixture
def document():
    fields = [
        Field("id", True, "path", schemas.Integer(description="  A\n number.\n\nMore.")),
        Field("é", False, "query", schemas.Enum(enum=["a", 1])),
    ]
    link = Link("http://x.org/{id}/{other}", "get", fields=fields, description="Reads.\n\nMore.")
    inner = Document("http://x.org/inner", content={"go": Link("http://x.org/go")})
    content = {"é": {"read": link, "n": 1}, "inner": inner, "list": [{"go": Link("/")}], "no": {}}
    return Document("http://x.org/", "T", content=content)


@pytest.fixture
def state(folder, document):
    made = State()
    made.visit(document)
    return made


def test_operations_are_found_by_keys(state):
    index = Index.read(state.folder)
    assert index.fresh
    assert list(index.tree) == ["é", "inner", "list"]
    assert isinstance(index.find(["é"]), dict)
    assert index.find(["no"]) is None
    assert index.find(["é", "read", "more"]) is None
    operation = index.find(["é", "read"])
    assert operation.summary == "Reads."
    assert operation.parameters() == [
        Parameter("id", True, "path", "integer", description="A number."),
        Parameter("é", False, "query", "enum", choices=("a", 1)),
        Parameter("other", True, "path"),
    ]


def test_one_operation_is_a_document_of_its_own(state, document):
    alone = state.document_of(["é", "read"])
    assert alone == document.clone({"é": {"read": document["é"]["read"]}})


@pytest.mark.parametrize("keys", [["inner", "go"], ["list", "0", "go"], ["é"], ["nothing"]])
def test_all_else_takes_the_whole_document(state, keys):
    assert state.document_of(keys) == state.document()


def test_an_index_of_another_document_is_not_used(state, folder):
    other = Document(content={"fresh": Link("/")})
    (folder / DOCUMENT).write_bytes(CoreJSONCodec().encode(other))
    assert Index.read(folder).tree == {}
    assert isinstance(state.index().find(["fresh"]), Operation)


@pytest.mark.parametrize("content", [b"", b"[]\n", b"{}\n", b"\xff\n", b'{"stamp": 1}'])
def test_a_damaged_index_is_made_anew(state, folder, content):
    (folder / OPERATIONS).write_bytes(content)
    assert Index.read(folder).tree == {}
    assert state.index().fresh


def test_a_file_that_changed_meanwhile_has_no_parameters(state, folder):
    operation = Index.read(folder).find(["é", "read"])
    (folder / OPERATIONS).write_bytes(b"{}\n[1]")
    assert operation.parameters() == []
    (folder / OPERATIONS).unlink()
    assert operation.parameters() == []
    assert operation.document() == b""


def test_every_line_is_json(state, document, folder):
    lines = index_lines(document, folder / DOCUMENT).splitlines()
    assert json.loads(lines[0])["stamp"] == stamp_of(folder / DOCUMENT)
    assert all(json.loads(line) for line in lines if line not in (b"[]", b""))


def notes(**summaries):
    links = {
        "list": Link("/notes/{?search}", "get", description="Notes of a user.\n\nMore."),
        "retrieve": Link("http://x.org/notes/{id}/", description="Notes of a user."),
        "create": Link("/notes/", "post", description="Notes of a user."),
        "pin": Link("/notes/{id}/pin/", "post", description="Pins a note."),
    }
    links |= {name: Link("/", description=text) for name, text in summaries.items()}
    return Document("http://x.org/", "T", content={"notes": links})


def summaries(folder, document):
    made = State()
    made.visit(document)
    index = Index.read(made.folder)
    found = index.find(["notes"])
    return {key: index.entry(each).summary for key, each in found.items()}, index.about


def test_what_all_operations_say_is_about_their_group(folder, lintel, service):
    said, about = summaries(folder, notes())
    assert said == {
        "list": "GET /notes/",
        "retrieve": "GET /notes/{id}/",
        "create": "POST /notes/",
        "pin": "Pins a note.",
    }
    assert about == {"notes": "Notes of a user."}
    shown = " ".join(lintel("notes", "--help").output.split())
    assert "Operations of notes. Notes of a user." in shown
    assert "create POST /notes/" in shown


def test_what_two_operations_say_stays_theirs(folder):
    said, about = summaries(folder, notes(list="All notes."))
    assert (said["list"], said["retrieve"], about) == ("All notes.", "Notes of a user.", {})


def test_operations_without_texts_stay_without(folder):
    said, _ = summaries(folder, notes(list="", retrieve="", create=""))
    assert [said[name] for name in ("list", "retrieve", "create")] == ["", "", ""]


def test_an_address_that_is_none_is_shown_as_it_is(folder):
    links = {name: Link("http://[x/", description="Odd.") for name in "abc"}
    said, _ = summaries(folder, Document("http://x.org/", content={"notes": links}))
    assert said["a"] == "GET http://[x/"
