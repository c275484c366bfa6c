import json
import re
import sys
from pathlib import Path

import pytest

from lintel_client.cli.state import State
from lintel_document import Document, Field, Link


@pytest.fixture
def item(service, folder):
    """A resource that is read and written at one URL."""
    key = Field("id", True, "path")
    fields = [key, Field("title", True, "form"), Field("code", False, "form")]
    optional = [key, Field("title", False, "form"), Field("code", False, "form")]
    url = service.url("/s/{id}/")
    links = {
        "retrieve": Link(url, "get", fields=[key]),
        "update": Link(url, "put", "application/json", fields=fields),
        "partial_update": Link(url, "patch", "application/json", fields=optional),
    }
    other = {"list": Link(service.url("/s/"), "get")}
    State().visit(Document(service.url(), content={"snippets": links, "other": other}))
    value = {"id": 1, "title": "é", "code": "x", "owner": "ada"}
    service.answer("/s/1/", value, ETag='"v1"')
    return value


@pytest.fixture
def editor(monkeypatch, tmp_path):
    """Make an editor that runs an expression on the text."""

    def _editor(expression):
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys, json\npath = pathlib.Path(sys.argv[1])\n"
            f"text = path.read_text()\npath.write_text({expression})\n"
            "import os; os.utime(path, (1, 2))\n"
        )
        monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
        monkeypatch.delenv("VISUAL", raising=False)

    return _editor


def test_what_was_changed_is_sent_with_its_version(lintel, item, editor, service):
    editor("text.replace('x', 'y')")
    outcome = lintel("edit", "snippets", "update", "--id", "1")
    assert outcome.status == 0, outcome.errors
    assert json.loads(outcome.output) == item
    assert (service.last.method, service.last.path) == ("PUT", "/s/1/")
    assert service.last.headers["if-match"] == '"v1"'
    assert service.last.json() == {"title": "é", "code": "y"}


@pytest.mark.parametrize(
    ("keys", "method", "sent"),
    [
        (["snippets", "retrieve"], "PUT", {"title": "é", "code": "y"}),
        (["snippets", "partial_update"], "PATCH", {"code": "y"}),
    ],
)
def test_the_other_operation_is_found(lintel, item, editor, service, keys, method, sent):
    editor("text.replace('x', 'y')")
    assert lintel("edit", *keys, "-p", "id=1").status == 0
    assert service.last.method == method
    assert service.last.json() == sent


def test_a_weak_version_is_no_condition(lintel, item, editor, service):
    service.answer("/s/1/", item, ETag='W/"v1"')
    editor("text.replace('x', 'y')")
    assert lintel("edit", "snippets", "update", "--id", "1").status == 0
    assert "if-match" not in service.last.headers


def test_nothing_changed_sends_nothing(lintel, item, editor, service):
    editor("json.dumps(json.loads(text))")
    outcome = lintel("edit", "snippets", "update", "--id", "1")
    assert outcome.status == 0
    assert "Nothing was changed" in outcome.errors
    assert service.last.method == "GET"


@pytest.mark.parametrize("text", ["{", "[1]"])
def test_work_is_kept_when_it_cannot_be_sent(lintel, item, editor, service, text):
    editor(repr(text))
    outcome = lintel("edit", "snippets", "update", "--id", "1")
    assert outcome.status == 2
    kept = Path(re.search(r"saved in (\S+)", outcome.errors)[1])
    assert kept.read_text() == text
    assert kept.stat().st_mode & 0o077 == 0
    kept.unlink()
    assert service.last.method == "GET"


def test_work_is_kept_when_it_is_refused(lintel, item, editor, service):
    editor("'{\"odd\": 1}'")
    outcome = lintel("edit", "snippets", "update", "--id", "1")
    assert outcome.status == 2
    assert "odd: Unknown parameter" in outcome.errors
    Path(re.search(r"saved in (\S+)", outcome.errors)[1]).unlink()


def test_what_cannot_be_edited(lintel, item, editor, service):
    outcome = lintel("edit", "other", "list")
    assert outcome.status == 2
    assert "No operation changes" in outcome.errors
    service.answer("/s/1/", [1])
    assert "no object" in lintel("edit", "snippets", "update", "--id", "1").errors


def test_what_names_the_resource_stays_out_of_the_body(lintel, editor, service, folder):
    tenant, name = Field("tenant", False, "query"), Field("name", False, "form")
    fields = [tenant, name, Field("tenant", False, "form")]
    url = service.url("/s/")
    links = {
        "retrieve": Link(url, "get", fields=[tenant]),
        "partial_update": Link(url, "patch", "application/json", fields=fields),
    }
    State().visit(Document(service.url(), content={"s": links}))
    service.answer("/s/", {"name": "x", "tenant": "b"})
    editor("text.replace('x', 'y')")
    assert lintel("edit", "s", "partial_update", "-p", "tenant=a").status == 0
    assert (service.last.path, service.last.json()) == ("/s/?tenant=a", {"name": "y"})
