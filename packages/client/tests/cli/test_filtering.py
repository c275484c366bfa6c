"""Expressions of JMESPath on results: of calls, of all pages, and of streams."""

import json
import sys

import pytest

from lintel_document import Document, Field, Link

ROWS = [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]
CALL = ("snippets", "list")


@pytest.fixture
def rows(snippets, service):
    second = [{"id": 3, "title": "c"}]
    service.answer("/s/", {"count": 3, "next": service.url("/p2/"), "results": ROWS})
    service.answer("/p2/", {"count": 3, "next": None, "results": second})
    return ROWS + second


@pytest.mark.parametrize(
    ("expression", "output"),
    [
        ("results[?id > `1`].title | [0]", "b\n"),
        ("length(results)", "2\n"),
        (
            "results[].{n: id}",
            '[\n    {\n        "n": 1\n    },\n    {\n        "n": 2\n    }\n]\n',
        ),
        ("missing", ""),
    ],
)
def test_answers(lintel, rows, expression, output):
    assert lintel(*CALL, "--filter", expression).output == output
    assert lintel(*CALL, "--jmespath", expression).output == output


def test_forms_and_parts_come_after_it(lintel, rows, tmp_path):
    found = ("--filter", "results[?id==`2`]")
    assert lintel(*CALL, *found, "--csv").output == "id,title\n2,b\n"
    assert lintel(*CALL, *found, "--ndjson", "--select", "title").output == '"b"\n'
    file = tmp_path / "out.json"
    assert lintel(*CALL, *found, "-o", str(file)).status == 0
    assert json.loads(file.read_text()) == [{"id": 2, "title": "b"}]


def test_all_pages_are_one_list(lintel, rows):
    assert lintel(*CALL, "--all", "--filter", "length(@)").output == "3\n"
    found = lintel(*CALL, "--all", "--filter", "[?id>=`2`]", "--csv").output
    assert found == "id,title\n2,b\n3,c\n"


def test_items_of_streams_without_a_result_are_left_out(lintel, snippets, service):
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)
    service.answer("/s/", lines, content_type="application/x-ndjson")
    outcome = lintel(*CALL, "--stream", "--filter", "[@][?id==`2`] | [0].title")
    assert outcome.output == '"b"\n'


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("results[", "character 9: the expression ends too early\n  results[\n          ^"),
        ("a..b", "character 3: '.' is not expected here\n  a..b\n    ^"),
        ("a ~ b", "character 3:"),
        ("", "--filter"),
        ("nothing(@)", "nothing"),
        ("abs(results)", "abs"),
        ("[" * 3000 + "]" * 3000, "--filter"),
    ],
)
def test_mistakes_are_wrong_usage(lintel, rows, expression, message):
    outcome = lintel(*CALL, "--filter", expression)
    assert outcome.status == 2
    assert message in outcome.errors


def test_mistakes_in_writing_send_nothing(lintel, rows, service):
    before = len(service.seen)
    assert lintel(*CALL, "--filter", "a..b").status == 2
    assert lintel(*CALL, "--filter", "a", "--raw").status == 2
    assert len(service.seen) == before


def test_a_parameter_of_that_name_keeps_its_option(lintel, service):
    links = {"things": {"list": Link("/t/", fields=[Field("filter", location="query")])}}
    service.answer("/", Document(service.url(), "Things", content=links))
    service.answer("/t/", ROWS)
    assert lintel("get", service.url()).status == 0
    assert lintel("things", "list", "--filter", "new", "--jmespath", "[].id | [1]").output == "2\n"
    assert service.last.path == "/t/?filter=new"


def test_a_missing_library_names_the_extra(lintel, snippets, monkeypatch):
    monkeypatch.setitem(sys.modules, "jmespath", None)
    monkeypatch.delitem(sys.modules, "lintel_client.cli.filtering", raising=False)
    done = lintel("snippets", "list", "--filter", "results")
    assert (done.status, "install lintel-client[cli]" in done.errors) == (2, True)
