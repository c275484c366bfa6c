"""Bookmarks as profiles: lintel -b NAME."""

import json

import pytest

from lintel_document import Document, Link


def test_a_bookmark_has_everything_of_its_own(lintel, snippets, service, folder):
    lintel("bookmarks", "add", "mine")
    lintel("credentials", "add", "127.0.0.1", "Token base")
    lintel("-b", "mine", "credentials", "add", "127.0.0.1", "Token mine")
    lintel("-b", "mine", "headers", "add", "127.0.0.1", "X-Key", "mine")
    assert lintel("-b", "mine", "snippets", "list", "--page", "2").status == 0
    assert service.last.headers["authorization"] == "Token mine"
    assert service.last.headers["x-key"] == "mine"
    lintel("snippets", "list")
    assert service.last.headers["authorization"] == "Token base"
    assert "x-key" not in service.last.headers


def test_documents_and_histories_are_apart(lintel, snippets, service):
    service.answer("/other/", Document(service.url("/other/"), "Other", content={"a": Link("/")}))
    assert lintel("--bookmark", "new", "get", service.url("/other/")).status == 0
    assert lintel("show").output.startswith("<Snippets ")
    assert lintel("-b", "new", "show").output.startswith("<Other ")
    assert len(json.loads(lintel("history", "show").output)) == 1
    listed = json.loads(lintel("bookmarks", "show").output)
    assert listed == [{"name": "new", "url": service.url("/other/")}]


def test_a_bookmark_of_an_older_version_says_how_to_begin(lintel, folder):
    folder.mkdir(parents=True)
    (folder / "bookmarks.json").write_text('{"old": "http://x.org/"}')
    outcome = lintel("-b", "old", "show")
    assert outcome.status == 2
    assert "lintel -b old get http://x.org/" in outcome.errors
    assert "lintel -b none get URL" in lintel("-b", "none", "show").errors


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../../up", ".hidden", "é ü", "%2E", "-x"])
def test_any_name_is_a_folder_below_ours(lintel, snippets, folder, name):
    assert lintel("bookmarks", "add", "--", name).status == 0
    assert lintel(f"--bookmark={name}", "show").output.startswith("<Snippets ")
    (made,) = (folder / "profiles").iterdir()
    assert made.is_dir()
    assert not made.name.startswith(".")
    assert made.stat().st_mode & 0o077 == 0
    assert (folder / "profiles").stat().st_mode & 0o077 == 0


def test_names_do_not_meet(lintel, snippets, folder):
    for name in ("..", "%2E.", "a/b", "a%2Fb", "A", "a"):
        lintel("bookmarks", "add", name)
    assert len(list((folder / "profiles").iterdir())) == 6


def test_removing_a_bookmark_removes_its_secrets(lintel, snippets, folder):
    lintel("bookmarks", "add", "mine")
    lintel("-b", "mine", "credentials", "add", "x.org", "Token a")
    assert lintel("bookmarks", "remove", "mine").status == 0
    assert list((folder / "profiles").iterdir()) == []


def test_clear(lintel, snippets, folder):
    for name in ("one", "two"):
        lintel("bookmarks", "add", name)
    assert lintel("-b", "one", "clear").status == 0
    assert len(list((folder / "profiles").iterdir())) == 1
    assert lintel("show").status == 0
    assert lintel("clear").status == 0
    assert list(folder.iterdir()) == []
