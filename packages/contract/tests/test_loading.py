"""Where descriptions are loaded from, and the command that compares them."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from lintel_contract import FORMATS, DocumentError, compare, load, loading, parse
from lintel_contract.command import main

OPERATION = {"responses": {"200": {"description": ""}}}
OLD = {"openapi": "3.1.0", "paths": {"/a": {"get": OPERATION}, "/b": {"get": OPERATION}}}
NEW = {"openapi": "3.1.0", "paths": {"/a": {"get": OPERATION}, "/c": {"get": OPERATION}}}
YAML = """
openapi: 3.1.0
paths:
  /a:
    get: &same
      responses: {200: {description: ""}}
  /b:
    get: *same
x-day: 2026-01-01
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with both descriptions, which is the current one."""
    (tmp_path / "old.json").write_text(json.dumps(OLD))
    (tmp_path / "new.yml").write_text(yaml.safe_dump(NEW))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def repository(files: Path) -> Path:
    """A repository whose first revision holds the old description as schema.yml."""

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=files, check=True, capture_output=True)

    git("init", "-q")
    (files / "schema.yml").write_text(YAML)
    git("add", "schema.yml")
    git("commit", "-qm", "first")
    git("tag", "v1.2")
    (files / "schema.yml").write_text(json.dumps(NEW))
    git("commit", "-qam", "second")
    return files


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        place = self.path.partition("?")[0]
        if place == "/moved":
            self.send_response(302)
            self.send_header("Location", "/old.json")
        elif place == "/away":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
        else:
            self.send_response(200 if place == "/old.json" else 404)
        self.end_headers()
        self.wfile.write(json.dumps(OLD).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


@pytest.fixture
def address() -> Iterator[str]:
    """A server on loopback that has the old description."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_json_and_yaml_hold_the_same(files: Path) -> None:
    (files / "old.yml").write_text(YAML)
    document = load("old.yml")
    assert document.root.value == {**OLD, "x-day": "2026-01-01"}
    assert compare(load("old.json"), document) == []


def test_git_revisions(repository: Path) -> None:
    assert load("v1.2:schema.yml").root.value["paths"] == OLD["paths"]
    assert load("HEAD~1:schema.yml").root.value["paths"] == OLD["paths"]
    assert load("HEAD:schema.yml").root.value == NEW


@pytest.mark.parametrize("source", ["v9:schema.yml", "HEAD:other.yml", "-x:y", "--help:y"])
def test_unknown_revisions(source: str, repository: Path) -> None:
    with pytest.raises(DocumentError, match=r"git does not know|is not a git revision"):
        load(source)


def test_addresses(address: str) -> None:
    assert load(f"{address}/old.json").root.value == OLD
    assert load(f"{address}/moved").root.value == OLD


@pytest.mark.parametrize(("path", "reason"), [("/gone?key=1234", "status 404"), ("/away", "http")])
def test_addresses_that_fail_are_named_without_secrets(
    address: str, path: str, reason: str
) -> None:
    with pytest.raises(DocumentError, match=reason) as caught:
        load(address.replace("http://", "http://user:s3cret@") + path)
    assert "s3cret" not in str(caught.value)
    assert "1234" not in str(caught.value)


def test_a_missing_file_says_what_a_source_may_be(files: Path) -> None:
    with pytest.raises(DocumentError, match=r"no file other\.json.*HEAD~3:schema\.yml"):
        load("other.json")


def laughs(depth: int) -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, depth)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe", "neither JSON nor YAML"),
        (b"{", "neither JSON"),
        (b"a: [", "neither JSON nor YAML"),
        (b'{"a":' * 20_000, "neither JSON"),
        (b"[" * 5_000 + b"]" * 5_000, "neither JSON nor YAML|too large"),
        (b'{"a":' * 400 + b"1" + b"}" * 400, "too large"),
        (laughs(9), "too large"),
        (b"a: &a [*a]", "too large"),
        (b"!!python/object/apply:os.system ['true']", "neither JSON nor YAML"),
        (b"? [a]\n: 1", "neither JSON nor YAML"),
    ],
)  # fmt: skip
def test_hostile_text_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        parse(content, "it")


def test_a_large_file_is_refused(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_BYTES", 100)
    with pytest.raises(DocumentError, match="larger than"):
        load("old.json")


Report = Callable[..., str]


@pytest.fixture
def report(files: Path, capsys: pytest.CaptureFixture[str]) -> Report:
    """A function that runs the command in the folder, and returns what it prints."""

    def report(*arguments: str, status: int = 0) -> str:
        assert main(arguments) == status
        printed = capsys.readouterr()
        assert bool(printed.err) is bool(status)
        return printed.err or printed.out

    return report


def test_the_text_names_level_operation_change_and_place(report: Report) -> None:
    assert report("old.json", "new.yml").splitlines() == [
        "breaking  GET /b",
        "          request: the operation is gone [operation-removed]",
        "          at #/paths/~1b/get (old)",
        "harmless  GET /c",
        "          request: the operation is new [operation-added]",
        "          at #/paths/~1c/get",
        "1 breaking, 0 risky, 1 harmless",
    ]
    assert report("old.json", "old.json") == "No changes.\n"


def test_json_holds_all_that_is_known(report: Report) -> None:
    found = json.loads(report("old.json", "new.yml", "--format", "json"))
    assert found["counts"] == {"breaking": 1, "risky": 0, "harmless": 1}
    assert found["changes"][0] == {
        "level": "breaking",
        "code": "operation-removed",
        "message": "the operation is gone",
        "direction": "request",
        "operations": ["GET /b"],
        "old": "/paths/~1b/get",
        "new": None,
    }


def test_markdown_goes_to_a_file(files: Path, report: Report) -> None:
    assert report("old.json", "new.yml", "--format", "markdown", "--file", "report.md") == ""
    text = (files / "report.md").read_text()
    assert "### Breaking" in text
    assert "| GET /b | request: the operation is gone | #/paths/~1b/get (old) |" in text


def test_breaking_changes_end_with_status_1_when_asked(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["old.json", "new.yml", "--breaking"]) == 1
    printed = capsys.readouterr()
    assert "1 breaking, 0 risky, 1 harmless" in printed.out
    assert printed.err == "1 breaking change.\n"
    assert main(["old.json", "old.json", "--breaking"]) == 0


def test_what_cannot_be_read_ends_with_status_2(report: Report) -> None:
    assert "no file missing.json" in report("old.json", "missing.json", status=2)


def test_the_module_is_a_program(files: Path) -> None:
    command = [sys.executable, "-m", "lintel_contract", "old.json", "new.yml", "--breaking"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (1, "1 breaking change.\n")
    assert "breaking  GET /b\n" in ended.stdout


@pytest.mark.parametrize("format", FORMATS)
def test_names_of_a_peer_are_only_text(format: str) -> None:
    path = "/\x1b[31m|<script>`\n# x"
    hostile = {"openapi": "3.1.0", "paths": {path: {"get": OPERATION}}}
    old, new = parse(json.dumps(OLD).encode(), "old"), parse(json.dumps(hostile).encode(), "new")
    text = FORMATS[format](compare(loading.Document(old), loading.Document(new)))
    assert "\x1b" not in text
    assert "\n# x" not in text
    assert format != "markdown" or "<script>" not in text
