"""Descriptions that are revalidated: neither sent nor read again if they are unchanged."""

import json
import stat

import certifi
import pytest

from lintel_document import CoreJSONCodec, Document, Link


def answer(service, title, **headers):
    document = Document(service.url(), title, content={"things": {"list": Link("/t/")}})
    service.answer("/", document, **headers)


def unchanged(service, tag):
    service.answer("/", status=304, content_type="", ETag=tag)


@pytest.fixture
def readings(monkeypatch):
    """The bodies that are read as descriptions."""
    seen = []
    decode = CoreJSONCodec.decode

    def _decode(self, content, **options):
        seen.append(content)
        return decode(self, content, **options)

    monkeypatch.setattr(CoreJSONCodec, "decode", _decode)
    return seen


@pytest.fixture
def loaded(service, lintel):
    answer(service, "One", ETag='"1"')
    assert lintel("get", service.url()).status == 0
    return service


@pytest.mark.parametrize("command", ["get", "reload"])
def test_an_unchanged_description_is_not_read(loaded, lintel, folder, readings, command):
    unchanged(loaded, '"1"')
    before = (folder / "document.json").stat().st_mtime_ns
    arguments = (command, loaded.url()) if command == "get" else (command,)
    outcome = lintel(*arguments)
    assert outcome.status == 0
    assert "One" in outcome.output
    assert loaded.last.headers["if-none-match"] == '"1"'
    assert readings == []
    assert (folder / "document.json").stat().st_mtime_ns == before
    assert lintel("show", "things").status == 0


def test_the_same_answer_without_a_304_is_not_read_either(loaded, lintel, readings):
    assert lintel("reload").status == 0
    assert readings == []


def test_a_changed_description_is_read(loaded, lintel, readings):
    answer(loaded, "Two", ETag='"2"')
    assert "Two" in lintel("reload").output
    assert len(readings) == 1
    unchanged(loaded, '"2"')
    assert "Two" in lintel("reload").output
    assert len(readings) == 1


def test_fresh_descriptions_need_no_request(service, lintel):
    answer(service, "One", Cache_Control="max-age=60")
    for _ in range(2):
        assert lintel("get", service.url()).status == 0
    assert len(service.seen) == 1
    assert lintel("get", service.url(), "--header", "Cache-Control: no-cache").status == 0
    assert len(service.seen) == 2


def test_reload_asks_the_server_even_for_a_fresh_description(service, lintel):
    answer(service, "One", Cache_Control="max-age=60")
    lintel("get", service.url())
    answer(service, "Two", Cache_Control="max-age=60")
    assert "Two" in lintel("reload").output
    assert "Two" in lintel("get", service.url()).output
    assert len(service.seen) == 2


def test_another_document_in_between_is_not_taken_for_it(loaded, lintel, tmp_path, readings):
    path = tmp_path / "other.json"
    path.write_bytes(CoreJSONCodec().encode(Document("http://x.org/", "Other")))
    assert lintel("load", str(path)).status == 0
    readings.clear()
    unchanged(loaded, '"1"')
    assert "One" in lintel("get", loaded.url()).output
    assert len(readings) == 1
    assert "One" in lintel("show").output


def test_another_process_may_load_its_own_at_the_same_time(service, lintel, folder):
    for path, title in (("/a/", "Ours"), ("/b/", "Theirs")):
        content = {"things": {"list": Link("/t/")}}
        service.answer(path, Document(service.url(path), title, content=content))
    lintel("get", service.url("/a/"))
    ours = json.loads((folder / "source.json").read_text())
    lintel("get", service.url("/b/"))
    theirs = json.loads((folder / "source.json").read_text())
    # The other process has written its document before this one noted what its own was read from.
    mixed = {**ours, "document": theirs["document"]}
    (folder / "source.json").write_text(json.dumps(mixed))
    for path, title in (("/a/", "Ours"), ("/b/", "Theirs"), ("/a/", "Ours")):
        assert title in lintel("get", service.url(path)).output


def test_other_users_have_their_own(loaded, lintel):
    lintel("credentials", "add", "127.0.0.1", "Token a")
    assert lintel("reload").status == 0
    assert "if-none-match" not in loaded.last.headers
    assert lintel("reload", "--no-auth").status == 0
    assert loaded.last.headers["if-none-match"] == '"1"'


def test_operations_are_not_cached(loaded, lintel):
    loaded.answer("/t/", [1], Cache_Control="max-age=60", ETag='"t"')
    for _ in range(2):
        assert lintel("things", "list").status == 0
        assert "if-none-match" not in loaded.last.headers
    assert [each.path for each in loaded.seen] == ["/", "/t/", "/t/"]


def test_files_are_private_and_cleared(loaded, lintel, folder):
    files = [each for each in (folder / "cache").rglob("*") if each.is_file()]
    assert files
    assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
    assert lintel("clear").status == 0
    assert not (folder / "cache").exists()


@pytest.mark.parametrize("option", ["--insecure", "--ca"])
def test_later_calls_do_not_get_what_others_trusted(service, lintel, folder, option):
    answer(service, "One", ETag='"1"')
    given = [option] if option == "--insecure" else [option, certifi.where()]
    assert lintel("get", service.url(), *given).status == 0
    assert not (folder / "cache").exists()


def test_a_cache_that_cannot_be_used_is_left_out(service, lintel, folder):
    folder.mkdir(parents=True)
    (folder / "cache").touch()
    answer(service, "One", ETag='"1"')
    for _ in range(2):
        assert lintel("get", service.url()).status == 0
