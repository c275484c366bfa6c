import json

import pytest

from lintel_client.cli.state import State
from lintel_document import Document


@pytest.fixture
def broken(lintel):
    """Run lintel doctor; returns what is broken by the name of the check."""

    def _broken():
        outcome = lintel("doctor")
        rows = json.loads(outcome.output)
        found = {row["check"]: row["details"] for row in rows if row["state"] != "ok"}
        assert outcome.status == (1 if found else 0)
        return found

    return _broken


def test_nothing_yet(broken, folder):
    assert broken() == {}


def test_all_is_well(broken, lintel, snippets):
    lintel("credentials", "add", "127.0.0.1", "Token a")
    lintel("headers", "add", "127.0.0.1", "X-Key", "a")
    assert broken() == {}


def test_files_that_others_can_read(broken, snippets, folder):
    path = folder / "document.json"
    path.chmod(0o644)
    folder.chmod(0o755)
    assert broken() == {
        str(folder): f"others can use it; run: chmod 700 {folder}",
        str(path): f"others can use it; run: chmod 600 {path}",
    }


def test_files_that_are_damaged(broken, snippets, folder):
    names = ("history", "credentials", "schemes", "headers", "bookmarks")
    for name in names:
        (folder / f"{name}.json").write_text("{")
        (folder / f"{name}.json").chmod(0o600)
    found = broken()
    assert found.keys() >= {f"{name}.json" for name in names}
    (folder / "document.json").write_text("{")
    assert "damaged" in broken()["document.json"]


def test_a_file_in_place_of_the_folder(broken, folder):
    folder.parent.mkdir(parents=True)
    folder.write_text("precious")
    assert "is not a folder" in broken()[str(folder)]


def test_credentials_that_are_not_there(broken, lintel, snippets, folder):
    lintel("credentials", "add", "a.org", "--from-env", "NOWHERE_AT_ALL")
    lintel("credentials", "add", "b.org", "--from-command", "/nowhere")
    found = broken()
    assert "$NOWHERE_AT_ALL, which is not set" in found["credentials for a.org"]
    assert "/nowhere" in found["credentials for b.org"]


def test_credentials_of_a_security_scheme_that_are_not_there(broken, lintel, snippets, folder):
    State().save_schemes({"a.org": {"key": {"environment": "NOWHERE_AT_ALL"}, "other": "a"}})
    assert list(broken()) == ["credentials of key for a.org"]
    State().save_schemes({"a.org": {"key": 5}})
    assert "damaged" in broken()["schemes.json"]


def test_values_that_are_not_valid(broken, lintel, snippets, folder):
    State().save_credentials({"http://x": "a"})
    State().save_headers({"x.org": {"X Y": "a"}})
    assert broken().keys() >= {"credentials for http://x", "header X Y for x.org"}


def test_a_service_that_does_not_answer(broken, folder):
    State().visit(Document("http://127.0.0.1:1/", "T"))
    assert "failed" in broken()["service http://127.0.0.1:1/"]


def test_a_service_that_refuses(broken, snippets, service):
    service.answer("/", {"detail": "Expired."}, status=401)
    assert "lintel login" in broken()[f"service {service.url()}"]
    service.answer("/", {"detail": "Gone."}, status=404)
    assert "404" in broken()[f"service {service.url()}"]
    service.answer("/", b"{", content_type="application/coreapi+json")
    assert "Malformed" in broken()[f"service {service.url()}"]
