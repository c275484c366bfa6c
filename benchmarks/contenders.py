"""Contenders: processes that run the same scenario, each with its own packages.

A contender is ``python -m benchmarks.worker SUITE FRAMEWORK`` in the environment that holds its
packages. The parent asks for one batch at a time, so that batches of all contenders alternate and
noise of the machine affects all alike.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PEERS = REPOSITORY / "benchmarks" / "peers.txt"
PEERS_ENVIRONMENT = REPOSITORY / ".venv-peers"


@dataclass(frozen=True, slots=True)
class Contender:
    """``name`` in tables, the interpreter that has its packages, the framework that it imports."""

    name: str
    python: Path
    framework: str


@dataclass(frozen=True, slots=True)
class Worker:
    """A running contender, with which lines of JSON are exchanged."""

    contender: Contender
    process: subprocess.Popen[str]

    def ask(self, **question: object) -> dict[str, object]:
        """Send a question and return the answer."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("a worker is spoken to through its pipes")
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.contender.name} ended with {self.process.wait()}")
        return json.loads(answer)


def peers_python() -> Path:
    """Return the interpreter of the peers' environment, created if missing or outdated."""
    ready = PEERS_ENVIRONMENT / ".ready"
    python = PEERS_ENVIRONMENT / "bin" / "python"
    wanted = PEERS.read_text()
    if not ready.exists() or ready.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", str(PEERS_ENVIRONMENT)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "-r", str(PEERS)]
        subprocess.run([*install, "--disable-pip-version-check"], check=True)
        ready.write_text(wanted)
    return python


@contextmanager
def working(suite: str, contenders: Sequence[Contender]) -> Iterator[list[Worker]]:
    """Start all contenders of a suite; end them afterwards."""
    workers = [Worker(contender, _start(suite, contender)) for contender in contenders]
    try:
        yield workers
    finally:
        for worker in workers:
            if worker.process.stdin is not None:
                worker.process.stdin.close()
            worker.process.wait(timeout=30)


def _start(suite: str, contender: Contender) -> subprocess.Popen[str]:
    command = [str(contender.python), "-m", "benchmarks.worker", suite, contender.framework]
    return subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
