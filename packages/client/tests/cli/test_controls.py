"""No output of a command acts on a terminal, whatever an API says."""

import json

import pytest

from lintel_client.cli.state import State
from lintel_document import Document, Field, Link, schemas

ACTING = "\x9b\x7f\u202e\u2066\u200f\u061c"
TEXT = f"evil{ACTING}text"


@pytest.fixture
def hostile(service, folder):
    """A document whose every text acts on a terminal, and answers that do."""
    choices = schemas.Enum(enum=[TEXT, "ok"], description=TEXT)
    fields = [Field(f"f{TEXT}", location="query"), Field("kind", False, "query", choices)]
    link = Link(service.url("/x/"), "get", title=TEXT, description=TEXT, fields=fields)
    content = {"things": {"list": link, TEXT: link}, TEXT: link}
    document = Document(service.url(), TEXT, TEXT, content=content)
    State().visit(document)
    service.answer("/x/", [{"name": TEXT}])


COMMANDS = [
    ["show"],
    ["describe", "things", "list"],
    ["things", "list", "--help"],
    ["things", "--help"],
    ["--help"],
    ["history", "show"],
    ["things", "list"],
    ["things", "list", "--json"],
    ["things", "list", "--ndjson"],
    ["things", "list", "--table"],
    ["things", "list", "--all"],
    ["things", "list", "--debug"],
    ["things", "list", "--kind", "no"],
    ["things", "list", "--param", f"f{TEXT}x=1"],
    ["things", "lost"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_output_acts_on_the_terminal(lintel, hostile, words):
    outcome = lintel(*words)
    said = outcome.output + outcome.errors
    assert "evil" in said or "lost" in words
    assert not set(ACTING) & set(said)


def test_errors_and_headers_of_an_answer_do_not_act(lintel, hostile, service):
    service.answer("/x/", {"kind": [TEXT]}, status=400, X_Odd="a\x9bb")
    outcome = lintel("things", "list", "--include")
    assert (outcome.status, "evil" in outcome.errors) == (1, True)
    assert not set(ACTING) & set(outcome.errors)


@pytest.mark.parametrize("form", ["--json", "--ndjson"])
def test_json_says_what_the_answer_said(lintel, hostile, form):
    read = json.loads(lintel("things", "list", form).output)
    assert (read if form == "--ndjson" else read[0]) == {"name": TEXT}


def test_a_pipe_gets_raw_answers_and_csv_unchanged(lintel, hostile, service):
    assert ACTING in lintel("things", "list", "--csv").output
    service.answer("/x/", TEXT, content_type="text/plain; charset=utf-8")
    assert lintel("things", "list", "--raw").output == TEXT
    assert lintel("things", "list").output == TEXT


@pytest.mark.parametrize(
    "words", [["things", "list", "--raw"], ["things", "list", "--csv"], ["dump"], ["stubs"]]
)
def test_a_terminal_gets_none_of_it(lintel, hostile, monkeypatch, words):
    monkeypatch.setattr("lintel_client.cli.output.on_terminal", lambda: True)
    monkeypatch.setattr("lintel_client.cli.reading.on_terminal", lambda: True)
    words = [*words, "--format", "corejson"] if words == ["dump"] else words
    outcome = lintel(*words)
    assert (outcome.status, "evil" in outcome.output) == (0, True), outcome.errors
    assert not set(ACTING) & set(outcome.output)
