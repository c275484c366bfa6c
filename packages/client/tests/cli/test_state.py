import json

import pytest

from lintel_client.cli.failures import Failure
from lintel_client.cli.state import MAX_HISTORY, History, Page, State
from lintel_document import Document


@pytest.fixture
def state(folder):
    return State()


def mode(path):
    return path.stat().st_mode & 0o777


def test_the_folder_and_its_files_are_private(state, folder):
    state.visit(Document("http://x.org/", "T"))
    state.save_credentials({"x.org": "a"})
    state.save_headers({"x.org": {"A": "b"}})
    state.save_bookmarks({"a": "b"})
    assert mode(folder) == 0o700
    names = {path.name: mode(path) for path in folder.iterdir()}
    assert names == dict.fromkeys(
        [
            "document.json",
            "operations.jsonl",
            "history.json",
            "credentials.json",
            "headers.json",
            "bookmarks.json",
        ],
        0o600,
    )


def test_a_file_that_was_open_to_others_becomes_private(state, folder):
    folder.mkdir(parents=True)
    (folder / "credentials.json").write_text("{}")
    (folder / "credentials.json").chmod(0o644)
    state.save_credentials({"x.org": "a"})
    assert mode(folder / "credentials.json") == 0o600


def test_everything_comes_back(state):
    document = Document("http://x.org/", "Τίτλος", content={"a": [1]})
    state.visit(document)
    assert state.document() == document
    assert state.history().pages == (Page("http://x.org/", "Τίτλος"),)
    state.save_credentials({"x.org": "ä"})
    assert state.credentials() == {"x.org": "ä"}
    state.save_headers({"x.org": {"A": "b"}})
    assert state.headers() == {"x.org": {"A": "b"}}
    state.save_bookmarks({"n": "http://x.org/"})
    assert state.bookmarks() == {"n": "http://x.org/"}


def test_nothing_is_there_at_first(state, folder):
    assert state.credentials() == state.headers() == state.bookmarks() == {}
    assert state.history() == History()
    with pytest.raises(Failure, match="lintel get URL"):
        state.document()
    assert not folder.exists()


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '{"x.org": 5}', "[" * 100_000, "\xff"])
def test_damaged_files_are_named(state, folder, content):
    folder.mkdir(parents=True)
    for name in ("credentials", "bookmarks"):
        (folder / f"{name}.json").write_text(content, encoding="latin-1")
        with pytest.raises(Failure, match=rf"{name}.json is damaged: remove it"):
            getattr(state, name)()


@pytest.mark.parametrize("content", ['{"x.org": "text"}', '{"x.org": {"A": 1}}'])
def test_damaged_headers(state, folder, content):
    folder.mkdir(parents=True)
    (folder / "headers.json").write_text(content)
    with pytest.raises(Failure, match="damaged"):
        state.headers()


@pytest.mark.parametrize(
    "content",
    ['{"pages": [5], "index": 0}', '{"pages": 5, "index": 0}', '{"pages": [], "index": "x"}'],
)
def test_a_damaged_history(state, folder, content):
    folder.mkdir(parents=True)
    (folder / "history.json").write_text(content)
    with pytest.raises(Failure, match="damaged"):
        state.history()


@pytest.mark.parametrize("content", ["[]", "{", '{"_type": "error"}'])
def test_a_damaged_document(state, folder, content):
    folder.mkdir(parents=True)
    (folder / "document.json").write_text(content)
    with pytest.raises(Failure, match="damaged"):
        state.document()


def test_a_file_in_place_of_the_folder_stays(state, folder):
    folder.parent.mkdir(parents=True)
    folder.write_text("precious")
    for use in (state.document, state.clear, lambda: state.save_bookmarks({})):
        with pytest.raises(Failure, match="is not a folder"):
            use()
    assert folder.read_text() == "precious"


def test_a_file_above_the_folder_stays(state, folder):
    folder.parent.write_text("precious")
    with pytest.raises(Failure, match="is not a folder"):
        state.save_bookmarks({})
    assert folder.parent.read_text() == "precious"


def test_a_failed_write_leaves_the_old_content(state, folder, monkeypatch):
    state.save_bookmarks({"a": "1"})

    def refuse(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        state.save_bookmarks({"b": "2"})
    assert [path.name for path in folder.iterdir()] == ["bookmarks.json"]
    assert json.loads((folder / "bookmarks.json").read_text()) == {"a": "1"}


def test_clear_removes_all_that_is_remembered(state, folder):
    state.visit(Document("http://x.org/"))
    state.save_credentials({"x.org": "a"})
    (folder / "mine.txt").write_text("kept")
    state.clear()
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


A, B, C = Page("a", "A"), Page("b", "B"), Page("c", "C")


def test_history_keeps_the_newest_first():
    history = History().visited(A).visited(B)
    assert history == History((B, A), 0)


def test_a_reload_only_renames():
    assert History((B, A), 0).visited(Page("b", "New")) == History((Page("b", "New"), A), 0)


def test_a_visit_drops_what_lay_ahead():
    assert History((C, B, A), 1).visited(Page("d", "D")) == History((Page("d", "D"), B, A), 0)


def test_history_is_limited():
    history = History()
    for number in range(MAX_HISTORY + 5):
        history = history.visited(Page(str(number), ""))
    assert len(history.pages) == MAX_HISTORY == 20
    assert history.pages[0].url == "24"


def test_steps_keep_the_pages():
    renamed = Page("a", "New")
    assert History((B, A), 0).moved(1, renamed) == History((B, renamed), 1)


def test_a_document_without_a_url_is_not_history(state):
    state.visit(Document(title="T"))
    assert state.history() == History()


def test_the_default_folder_is_the_user_s(monkeypatch, tmp_path):
    monkeypatch.delenv("LINTEL_CONFIG_DIR", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert State().folder == tmp_path / "lintel"
