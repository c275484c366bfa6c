"""The installed executable, as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXECUTABLE = Path(sys.executable).with_name("lintel")


@pytest.fixture
def run(folder):
    def _run(*arguments, **options):
        return subprocess.run([EXECUTABLE, *arguments], capture_output=True, timeout=60, **options)

    return _run


def test_version(run):
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"lintel 0.1.0\n", b"")


def test_asking_for_the_version_loads_neither_http_nor_tables():
    script = (
        "import sys\n"
        "from lintel_client.cli import main\n"
        "sys.argv = ['lintel', '--version']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = ('httpx2', 'rich', 'lintel_document.document')\n"
        "print([name for name in heavy if name in sys.modules])\n"
        "print(sorted(name for name in sys.modules if name.startswith('lintel_client.')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    *_, heavy, own = done.stdout.splitlines()
    assert heavy == "[]", done.stderr
    parts = ["cli", "cli.entry", "cli.later", "cli.program", "version"]
    assert own == repr([f"lintel_client.{part}" for part in parts])


def test_a_call_loads_only_what_it_needs(snippets, service):
    service.answer("/s/", {"results": []})
    script = (
        "import sys\n"
        "from lintel_client.cli import main\n"
        "sys.argv = ['lintel', 'snippets', 'list']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*[name for name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert json.loads(done.stdout) == {"results": []}, done.stderr
    loaded = set(done.stderr.split())
    others = ("bodies", "display", "follow", "indexing", "programs", "reading", "references")
    heavy = {"asyncio", "rich", "yaml", "lintel_codecs.openapi.whole"}
    assert "lintel_client.transports" in loaded
    assert not loaded & {*heavy, *(f"lintel_client.cli.{name}" for name in others)}


@pytest.mark.parametrize("library", ["click", "rich"])
def test_a_missing_library_names_the_extra(library):
    script = (
        "import sys\n"
        f"sys.modules[{library!r}] = None\n"
        "sys.argv = ['lintel', 'codecs', 'show']\n"
        "from lintel_client.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "lintel-client[cli]" in done.stderr
    assert library in done.stderr
    assert "Traceback" not in done.stderr


def test_text_survives_to_the_byte(run, snippets, service, tmp_path):
    content = "Καλημέρα\r\n\ttab \N{SNOWMAN}\n\n".encode()
    path = tmp_path / "code.txt"
    path.write_bytes(content)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    service.answer("/s/", content, content_type="text/plain; charset=utf-8")
    done = run("action", "snippets", "create", "--string", f"code=@{path}", env=environment)
    assert done.returncode == 0, done.stderr
    assert service.last.json()["code"].encode() == content
    assert done.stdout == content
    service.answer("/s/", {"code": content.decode()})
    done = run("action", "snippets", "list", env=environment)
    assert json.loads(done.stdout)["code"].encode() == content
    assert "Καλημέρα".encode() in done.stdout


def test_arguments_that_are_no_text_are_refused(run, snippets):
    done = run("action", "snippets", "create", b"--string", b"code=\xff")
    assert done.returncode == 2
    assert b"not valid UTF-8" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_reader_that_has_enough_ends_it_quietly(snippets, service):
    service.answer("/s/", "x" * 1_000_000, content_type="text/plain")
    command = f"'{EXECUTABLE}' action snippets list | head -c 10"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60)
    assert done.stdout == b"x" * 10
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_errors_of_the_network_go_to_standard_error(run):
    done = run("get", "http://127.0.0.1:1/")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(b"Error: The request to http://127.0.0.1:1 failed")
