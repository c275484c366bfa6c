"""The code on the documentation page of the example service runs as printed."""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx2
import pytest
from service_process import LINTEL, PASSWORD, Service

from lintel.renderers.samples import COMMANDS, OPTIONS
from lintel_client.cli.actions import action
from lintel_client.cli.program import PLACES

SAMPLE = re.compile(r'<pre[^>]*data-(sample|intro)="(\w+)"[^>]*>(.*?)</pre>', re.S)

#: The user that this operation is asked for is made up.
REFUSED = ["token-create"]


@pytest.fixture(scope="module")
def page(service: Service) -> str:
    return httpx2.get(f"{service.url}docs/", headers={"Accept": "text/html"}).text


@pytest.fixture
def environment(service: Service, tmp_path: Path) -> dict[str, str]:
    answer = httpx2.post(f"{service.url}token/", data={"username": "ada", "password": PASSWORD})
    return {
        **os.environ,
        "API_TOKEN": answer.json()["token"],
        "LINTEL_CONFIG_DIR": str(tmp_path / "configuration"),
        "PATH": f"{LINTEL.parent}:{os.environ['PATH']}",
    }


@pytest.fixture(autouse=True)
def rows_as_before(service: Service) -> Iterator[None]:
    """Undo the changes of samples, because other tests use the service, too."""
    with sqlite3.connect(service.database) as connection:
        (row,) = connection.execute("SELECT * FROM snippets_snippet WHERE id = 1").fetchall()
    before = kept(service)
    yield
    made = [(key,) for key in kept(service).keys() - before.keys()]
    with sqlite3.connect(service.database) as connection:
        connection.executemany("DELETE FROM snippets_snippet WHERE id = ?", made)
        places = ", ".join("?" * len(row))
        connection.execute(f"INSERT OR REPLACE INTO snippets_snippet VALUES ({places})", row)


def samples(page: str, kind: str, language: str) -> list[str]:
    """Return the code of a language; samples that delete come last."""
    parts = re.split(r'<article id="([^"]*)"', page)
    found = {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    names = sorted(found, key=lambda name: name.endswith("destroy"))
    return [
        unescape(code)
        for name in names
        if name not in REFUSED
        for each, known, code in SAMPLE.findall(found[name])
        if (each, known) == (kind, language)
    ]


def run(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def kept(service: Service) -> dict[int, str]:
    return dict(service.rows())


def test_every_operation_has_code_in_every_language(page: str) -> None:
    counts = {len(samples(page, "sample", name)) for name in ("shell", "curl", "python")}
    assert counts == {page.count("<article") - len(REFUSED)}


def test_python(page: str, service: Service, environment: dict[str, str]) -> None:
    (start,) = samples(page, "intro", "python")
    before = kept(service)
    code = "\n\n".join([start, *samples(page, "sample", "python")])
    run([sys.executable, "-W", "error", "-c", code], environment)
    after = kept(service)
    assert before.keys() - after.keys() == {1}
    assert [after[key] for key in after.keys() - before.keys()] == ["AB12"]


def test_curl(page: str, service: Service, environment: dict[str, str]) -> None:
    before = kept(service)
    strict = 'curl() { command curl -sS --fail-with-body -o /dev/null "$@"; }'
    script = "\n".join(["set -e", strict, *samples(page, "sample", "curl")])
    run(["bash", "-c", script], environment)
    after = kept(service)
    assert before.keys() - after.keys() == {1}
    assert len(after) == len(before)


def test_shell(page: str, service: Service, environment: dict[str, str]) -> None:
    (start,) = samples(page, "intro", "shell")
    about, *rest = start.splitlines()
    assert about == "# The command lintel is part of the package lintel-client"
    calls = samples(page, "sample", "shell")
    # Each call starts an interpreter, so those that change rows are chosen.
    calls = [each for each in calls if re.search("create|partial_update|destroy", each)]
    assert len(calls) == 3
    before = kept(service)
    run(["bash", "-c", "\n".join(["set -e", *rest, *calls])], environment)
    after = kept(service)
    assert before.keys() - after.keys() == {1}
    assert len(after) == len(before)


def test_commands_and_options_of_the_executable_are_known() -> None:
    options = {name for each in action.params for name in each.opts if name.startswith("--")}
    assert PLACES.keys() == COMMANDS
    assert {name[2:].replace("-", "_") for name in options} <= OPTIONS
