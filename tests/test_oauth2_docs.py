"""Every example of docs/oauth2.md runs with a real server, and prints what is shown."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import authorization_server
import pytest
from authorization_server import browser
from service_process import LINTEL, REPOSITORY
from test_command_line_docs import COMMAND, check_command

PAGE = (REPOSITORY / "docs" / "oauth2.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
CONSOLES = re.findall(r"^```console\n(.*?)^```", PAGE, re.S | re.M)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.+)$", re.M)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    with authorization_server.running(tmp_path_factory.mktemp("authorization")) as known:
        yield known


def filled(text: str, server: dict[str, Any]) -> str:
    """Replace the names of an example by those of the server."""
    names = {
        "https://auth.example.org": f"{server['url']}/o",
        "https://api.example.org": server["url"],
        "api.example.org": server["url"].removeprefix("http://"),
        "my-client": server["program"],
        "my-secret": server["secret"],
        "my-app": server["browser"],
        "my-device": server["device"],
    }
    for name, value in names.items():
        text = text.replace(name, value)
    return text


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "BROWSER": f"{sys.executable} {Path(browser.__file__)} %s",
        "LINTEL_CONFIG_DIR": str(tmp_path / "configuration"),
        "PATH": f"{LINTEL.parent}:{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
    }


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(
    server: dict[str, Any], number: int, tmp_path: Path, environment: dict[str, str]
) -> None:
    program = [sys.executable, "-c", filled(EXAMPLES[number], server)]
    lines = []
    with subprocess.Popen(
        program, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout or ():
            lines.append(line.strip())
            code = re.search(r"and enter (\w+)", line)
            if code:
                browser.enter(server["url"], code[1])
    assert process.returncode == 0
    expected = PRINTED.findall(EXAMPLES[number])
    assert expected
    assert set(expected) <= set(lines)


@pytest.mark.parametrize("number", range(len(CONSOLES)))
def test_a_session_runs(
    server: dict[str, Any], number: int, tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "secret.txt").write_text(f"{server['secret']}\n")
    for command, expected in COMMAND.findall(CONSOLES[number]):
        told = filled(command, server), filled(expected, server)
        check_command(*told, tmp_path, environment)
