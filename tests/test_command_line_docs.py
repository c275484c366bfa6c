"""Every task of docs/command-line.md runs against the example service and prints what is shown."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from service_process import LINTEL, PASSWORD, REPOSITORY, Service, running_service

PAGE = (REPOSITORY / "docs" / "command-line.md").read_text()
TASKS = PAGE.partition("\n## Tasks\n")[2].partition("\n## ")[0]
PARTS = re.findall(r"^### (.+?)$.*?^```console\n(.*?)^```", TASKS, re.S | re.M)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def pattern(expected: str) -> str:
    """A regular expression of a text in which "..." stands for anything."""
    return ".*?".join(map(re.escape, expected.rstrip().split("..."))) + r"\s*\Z"


def check_command(command: str, expected: str, folder: Path, environment: dict[str, str]) -> None:
    """Run a command of a page, and compare what it prints."""
    run = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert re.match(pattern(expected), run.stdout, re.S), (command, run.stdout)
    assert run.returncode == 0, command


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that only this page uses, because its examples contain keys of rows."""
    with running_service(tmp_path_factory.mktemp("demo")) as service:
        yield service


@pytest.mark.xdist_group("tasks")
@pytest.mark.parametrize("console", [part for _, part in PARTS], ids=[title for title, _ in PARTS])
def test_a_task_runs(console: str, tmp_path: Path, demo: Service) -> None:
    (tmp_path / "password.txt").write_text(f"{PASSWORD}\n")
    environment = {
        **os.environ,
        "LINTEL_CONFIG_DIR": str(tmp_path / "configuration"),
        "PATH": f"{LINTEL.parent}:{os.environ['PATH']}",
    }
    for command, expected in COMMAND.findall(console):
        told = command.replace("127.0.0.1:8000", demo.address)
        wanted = expected.replace("127.0.0.1:8000", demo.address)
        check_command(told, wanted, tmp_path, environment)


def test_there_are_tasks() -> None:
    assert len(PARTS) >= 5
    assert all(COMMAND.findall(console) for _, console in PARTS)
