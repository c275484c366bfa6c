"""Credentials from the environment, a command and the keyring."""

import json
import sys

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

CALL = ("action", "snippets", "list")


@pytest.fixture
def ring():
    """A keyring in memory, in place of that of the system."""

    class Ring(KeyringBackend):
        priority = 1
        secrets = {}

        def get_password(self, service, username):
            return self.secrets.get((service, username))

        def set_password(self, service, username, password):
            self.secrets[service, username] = password

        def delete_password(self, service, username):
            if (service, username) not in self.secrets:
                raise PasswordDeleteError
            del self.secrets[service, username]

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    yield Ring.secrets
    keyring.set_keyring(before)


def test_from_the_environment(lintel, snippets, service, monkeypatch, folder):
    lintel("credentials", "add", "127.0.0.1", "--scheme", "Bearer", "--from-env", "API_TOKEN")
    monkeypatch.setenv("API_TOKEN", "s3cret")
    assert lintel(*CALL).status == 0
    assert service.last.headers["authorization"] == "Bearer s3cret"
    assert "s3cret" not in (folder / "credentials.json").read_text()
    monkeypatch.delenv("API_TOKEN")
    outcome = lintel(*CALL)
    assert outcome.status == 2
    assert "$API_TOKEN, which is not set" in outcome.errors


def test_from_a_command(lintel, snippets, service, tmp_path):
    script = tmp_path / "secret.py"
    script.write_text("print('ada:s3cret')\nprint('url: x')")
    command = f"{sys.executable} {script}"
    lintel("credentials", "add", "127.0.0.1", "--auth", "basic", "--from-command", command)
    assert lintel(*CALL).status == 0
    assert service.last.headers["authorization"] == "Basic YWRhOnMzY3JldA=="
    shown = lintel("credentials", "show", "--reveal").output
    assert json.loads(shown)[0]["credentials"] == f"from command: {command}"
    script.write_text("print('s3cret'); raise SystemExit(7)")
    outcome = lintel(*CALL)
    assert outcome.status == 2
    assert "it ended with status 7" in outcome.errors
    assert "s3cret" not in outcome.errors


@pytest.mark.parametrize("command", ["/nowhere/at/all", "'", ""])
def test_a_command_that_cannot_run(lintel, snippets, command):
    lintel("credentials", "add", "127.0.0.1", "--from-command", command)
    outcome = lintel(*CALL)
    assert outcome.status == 2
    assert "credentials for 127.0.0.1" in outcome.errors


def test_only_the_source_that_counts_is_asked(lintel, snippets, service):
    lintel("credentials", "add", "*", "--from-command", "/nowhere")
    lintel("credentials", "add", "localhost", "--from-command", "/nowhere")
    lintel("credentials", "add", "127.0.0.1", "Token a")
    assert lintel(*CALL).status == 0
    assert service.last.headers["authorization"] == "Token a"


def test_from_the_keyring(lintel, snippets, service, ring, folder):
    assert lintel("credentials", "add", "127.0.0.1", "Token s3cret", "--keyring").status == 0
    assert "s3cret" not in (folder / "credentials.json").read_text()
    assert lintel(*CALL).status == 0
    assert service.last.headers["authorization"] == "Token s3cret"
    lintel("bookmarks", "add", "mine")
    lintel("-b", "mine", "credentials", "add", "127.0.0.1", "Token other", "--keyring")
    assert len(ring) == 2
    assert lintel("credentials", "remove", "127.0.0.1").status == 0
    assert list(ring.values()) == ["Token other"]
    ring.clear()
    assert "holds no secret" in lintel("-b", "mine", *CALL).errors


def test_the_keyring_is_an_extra(lintel, snippets, monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    monkeypatch.delitem(sys.modules, "lintel_client.cli.keyrings", raising=False)
    outcome = lintel("credentials", "add", "127.0.0.1", "Token a", "--keyring")
    assert outcome.status == 2
    assert "pip install 'lintel-client[keyring]'" in outcome.errors


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["Token a", "--from-env", "A"],
        ["--from-env", "A", "--from-command", "b"],
        ["--keyring"],
        ["--from-env", "A", "--keyring"],
    ],
)
def test_there_is_one_source(lintel, arguments):
    assert lintel("credentials", "add", "x.org", *arguments).status == 2
