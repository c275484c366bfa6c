"""Credentials from the environment, a command and the keyring."""

import json
import sys

import pytest

from lintel_client.cli.state import State
from lintel_document import Document, Link, SecurityScheme

CALL = ("action", "snippets", "list")


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
    assert "install lintel-client[keyring]" in outcome.errors


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


@pytest.fixture
def described(service, folder):
    """An API whose operations ask for keys in a query, a header, or a name and password."""
    schemes = {
        "app": SecurityScheme("app", "apiKey", "query", "appid"),
        "id": SecurityScheme("id", "apiKey", "header", "X-Plain"),
        "who": SecurityScheme("who", "http", scheme="basic"),
    }
    url = service.url("/s/")
    links = {
        "both": Link(url, security=({"app": (), "id": ()},)),
        "either": Link(url, security=({"app": ()}, {"who": ()})),
        "none": Link(url, security=()),
    }
    service.answer("/s/", {})
    State().visit(Document(service.url(), content=links, security_schemes=schemes))


def test_security_schemes_say_where_credentials_go(lintel, service, described):
    host = f"127.0.0.1:{service.port}"
    lintel("credentials", "add", host, "s3cret", "--security", "app")
    lintel("both")
    assert service.last.path == "/s/"
    lintel("either")
    assert service.last.path == "/s/?appid=s3cret"
    lintel("credentials", "add", host, "s3cret", "--security", "id")
    lintel("both")
    assert service.last.path == "/s/?appid=s3cret"
    assert service.last.headers["x-plain"] == "s3cret"
    lintel("none")
    assert service.last.path == "/s/"
    outcome = lintel("both", "--dry-run", "--debug")
    assert "appid=***" in outcome.output
    assert "s3cret" not in outcome.output + outcome.errors
    assert "s3cret" not in lintel("both", "--debug", "-v").errors
    assert "s3cret" not in lintel("credentials", "show").output
    assert "app: s3cret" in lintel("credentials", "show", "--reveal").output
    assert lintel("credentials", "remove", host).status == 0
    lintel("both")
    assert service.last.path == "/s/"


def test_keys_of_schemes_stay_on_their_host(lintel, service, described):
    lintel("credentials", "add", "localhost", "s3cret", "--security", "app")
    lintel("either")
    assert service.last.path == "/s/"


def test_a_name_and_a_password_for_a_scheme(lintel, service, described):
    lintel("credentials", "add", "127.0.0.1", "ada:s3cret", "--security", "who")
    lintel("either")
    assert service.last.headers["authorization"] == "Basic YWRhOnMzY3JldA=="


class TestWarning:
    """What a call says whose description asks for credentials that nobody stored."""

    def test_it_names_what_is_asked_for(self, lintel, service, described):
        outcome = lintel("action", "either")
        assert outcome.status == 0
        assert "this operation asks for credentials (app or who)" in outcome.errors
        assert "none are stored for 127.0.0.1" in outcome.errors

    def test_no_auth_silences_it(self, lintel, service, described):
        lintel("credentials", "add", f"127.0.0.1:{service.port}", "Token s3cret")
        outcome = lintel("action", "either", "--no-auth")
        assert "Warning" not in outcome.errors
        assert "authorization" not in service.last.headers

    @pytest.mark.parametrize("name", ["none", "open"])
    def test_operations_that_ask_for_nothing(self, lintel, service, described, name):
        links = {"open": Link(service.url("/"), security=({}, {"app": ()}))}
        if name == "open":
            State().visit(Document(service.url(), content=links))
        assert "Warning" not in lintel("action", name).errors

    def test_a_header_of_the_call_is_enough(self, lintel, service, described):
        outcome = lintel("action", "either", "-H", "Authorization: Basic eDp5")
        assert "Warning" not in outcome.errors

    def test_stored_credentials_are_enough(self, lintel, service, described):
        lintel("credentials", "add", f"127.0.0.1:{service.port}", "ada:s3cret", "--security", "who")
        assert "Warning" not in lintel("action", "either").errors
