"""Forms of results, parts of them, and the items of all pages."""

import csv
import io
import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client.cli.results import rows_of, selected, write_items
from lintel_document.controls import escaped_json

ITEM = {
    "id": 1,
    "owner": {"name": "ada", "tags": ["a", "b"]},
    "a.b": 2,
    "list": [{"x": 1}, {"x": 2}],
}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["id"], 1),
        (["owner.name"], "ada"),
        (["owner.tags.1"], "b"),
        (["owner.tags.9"], None),
        (["a.b"], 2),
        (["list.x"], [1, 2]),
        (["list.1.x"], 2),
        (["none"], None),
        (["id.deeper"], None),
        (["id", "owner.name"], {"id": 1, "owner.name": "ada"}),
    ],
)
def test_parts(paths, expected):
    assert selected(ITEM, paths) == expected
    assert selected([ITEM, ITEM], paths) == [expected, expected]


@pytest.mark.parametrize(
    ("result", "rows"),
    [
        ([1, 2], [1, 2]),
        ({"count": 2, "results": [{"a": 1}]}, [{"a": 1}]),
        ({"a": 1}, [{"a": 1}]),
        ("text", ["text"]),
        (None, []),
    ],
)
def test_rows(result, rows):
    assert list(rows_of(result)) == rows


def written(items, form, *paths):
    chunks = []
    write_items(iter(items), form, chunks.append, paths)
    return b"".join(chunks).decode()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=5))
def test_items_make_the_same_json_as_the_list(items):
    whole = escaped_json(json.dumps(items, ensure_ascii=False, indent=4))
    assert written(items, "json") == whole + "\n"
    assert [json.loads(line) for line in written(items, "ndjson").split("\n")[:-1]] == items


@given(st.lists(st.fixed_dictionaries({"a": st.text(), "b": st.integers()}), min_size=1))
def test_csv_comes_back(items):
    read = list(csv.DictReader(io.StringIO(written(items, "csv"), newline="")))
    assert [(row["a"], row["b"]) for row in read] == [(row["a"], str(row["b"])) for row in items]


def test_csv_has_the_columns_of_the_first_item(capsys):
    items = [{"a": None, "b": {"x": [1]}}, {"b": True, "c": 1}]
    assert written(items, "csv") == 'a,b\n,"{""x"": [1]}"\n,true\n'
    assert "not among the columns: c" in capsys.readouterr().err
    assert written(items, "csv", "c", "b.x") == "c,b.x\n,[1]\n1,\n"
    assert written([1, "a"], "csv") == "value\n1\na\n"


def test_tables_are_aligned():
    items = [{"id": 1, "title": "a\x1b[2Jb"}, {"id": 100, "more": "x\ny"}]
    assert written(items, "table") == ("id   title   more\n1    a\ufffd[2Jb\n100          x y\n")


@pytest.fixture
def pages(snippets, service):
    """Three pages of five items, as an envelope; each page is a path of its own."""
    rows = [{"id": number, "title": f"t{number}"} for number in range(1, 6)]
    service.answer("/s/", {"count": 5, "next": service.url("/p2/"), "results": rows[:2]})
    service.answer("/p2/", {"count": 5, "next": service.url("/p3/"), "results": rows[2:4]})
    service.answer("/p3/", {"count": 5, "next": None, "results": rows[4:]})
    return rows


CALL = ("snippets", "list", "--all")


def test_all_pages(lintel, pages, tmp_path):
    assert json.loads(lintel(*CALL).output) == pages
    assert lintel(*CALL, "--ndjson").output.count("\n") == 5
    assert lintel(*CALL, "--select", "id", "--ndjson").output == "1\n2\n3\n4\n5\n"
    assert lintel(*CALL, "--select", "id, title", "--csv").output.startswith("id,title\n1,t1\n")
    path = tmp_path / "out.json"
    outcome = lintel(*CALL, "-o", str(path))
    assert (outcome.output, outcome.errors) == ("", "")
    assert json.loads(path.read_text()) == pages


def test_one_page_has_the_same_forms(lintel, pages):
    assert lintel("snippets", "list", "--csv").output == "id,title\n1,t1\n2,t2\n"
    assert lintel("snippets", "list", "--select", "results.id").output == "[\n    1,\n    2\n]\n"
    assert json.loads(lintel("snippets", "list", "--json", "--select", "count").output) == 5
    assert lintel("snippets", "list", "--table", "--select", "title").output == "value\nt1\nt2\n"


def test_parts_of_items_that_a_page_lacks_are_explained(lintel, pages):
    outcome = lintel("snippets", "list", "--select", "title")
    assert outcome.status == 0
    assert "For parts of its items, add --all." in outcome.errors
    for paths in ("count", "next,title", "other"):
        assert lintel("snippets", "list", "--select", paths).errors == ""
    assert lintel("snippets", "list", "--all", "--select", "title").errors == ""


def test_items_are_printed_before_a_page_fails(lintel, pages, service):
    service.answer("/p2/", {"detail": "No."}, status=500)
    outcome = lintel(*CALL, "--ndjson")
    assert outcome.status == 1
    assert outcome.output.count("\n") == 2
    assert "detail: No." in outcome.errors


def test_raw_answers(lintel, snippets, service, tmp_path):
    service.answer("/s/", b'{"a":  1}', content_type="application/json")
    assert lintel("snippets", "list", "--raw").output == '{"a":  1}'
    service.answer("/s/", b"{no json", content_type="application/json")
    assert lintel("snippets", "list", "--raw").output == "{no json"
    service.answer("/s/", b'{"detail":"No."}', status=403)
    outcome = lintel("snippets", "list", "--raw", "-o", str(tmp_path / "out"))
    assert outcome.status == 1
    assert (tmp_path / "out").read_bytes() == b'{"detail":"No."}'
    assert lintel("snippets", "list", "--raw", "--all").status == 2
    assert lintel("snippets", "list", "--raw", "--select", "a").status == 2


def test_raw_answers_end_with_the_error_of_a_redirect(lintel, snippets, service):
    service.redirect("/s/", "/s/")
    outcome = lintel("snippets", "list", "--raw")
    assert outcome.status == 3
    assert "redirects" in outcome.errors


def test_bodies(lintel, snippets, service, tmp_path):
    body = {"code": "x", "language": "el"}
    path = tmp_path / "body.json"
    path.write_text(json.dumps(body))
    call = ("snippets", "create", "--body")
    assert lintel(*call, "-", stdin=json.dumps(body)).status == 0
    assert service.last.json() == body
    assert lintel(*call, f"@{path}", "--code", "y").status == 0
    assert service.last.json() == {**body, "code": "y"}
    assert lintel("snippets", "put_file", "--body", f"@{path}").status == 0
    assert service.last.body == path.read_bytes()
    for wrong in ("[1]", "{", "@/nowhere", '{"odd": 1}'):
        assert lintel(*call, wrong).status == 2


@pytest.fixture
def on_terminals(folder):
    """Run the executable with standard error, or both, on a terminal; returns what came there."""

    def _run(*arguments, both):
        ours, theirs = pty.openpty()
        executable = Path(sys.executable).with_name("lintel")
        process = subprocess.Popen(
            [executable, *arguments],
            stdout=theirs if both else subprocess.DEVNULL,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"},
        )
        os.close(theirs)
        shown = b""
        while True:
            try:
                ready = select.select([ours], [], [], 30)[0]
                chunk = os.read(ours, 65536) if ready else b""
            except OSError:
                chunk = b""
            if not chunk:
                break
            shown += chunk
        os.close(ours)
        assert process.wait(30) == 0, shown
        return shown.decode()

    return _run


def test_a_bar_shows_how_far_it_is(pages, on_terminals, tmp_path):
    assert "5/5" in on_terminals(*CALL, both=False)
    assert "5/5" in on_terminals(*CALL, "-o", str(tmp_path / "out"), both=True)
    shown = on_terminals(*CALL, both=True)
    assert "5/5" not in shown
    assert '"title": "t5"' in shown


def test_a_table_on_a_terminal(pages, on_terminals):
    shown = on_terminals("snippets", "list", "--table", both=True)
    assert "┃" in shown
    assert "│ 1 " in shown


@pytest.mark.parametrize(
    "words", [["--json"], ["--ndjson"], ["--csv"], ["--table"], ["--select", "a"]]
)
def test_a_file_has_no_form_as_data(lintel, snippets, service, words):
    service.answer("/s/", b"\x89PNG", content_type="image/png")
    outcome = lintel("snippets", "list", *words)
    assert (outcome.status, outcome.output) == (2, "")
    assert "The response is a file, image/png: use --output to save it, or --raw" in outcome.errors
