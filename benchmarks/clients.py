"""The client of the server benchmarks, in a process of its own, to which tasks are given."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.contenders import REPOSITORY


@dataclass(frozen=True, slots=True)
class Client:
    """The process that sends requests."""

    process: subprocess.Popen[str]

    def ask(self, **task: object) -> dict[str, float]:
        """Give it a task of ``benchmarks.load`` and return its answer."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the client is spoken to through its pipes")
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the client ended in {task}")
        return json.loads(answer)


@contextmanager
def asking() -> Iterator[Client]:
    """The client, until the end of the block."""
    command = [sys.executable, "-m", "benchmarks.load"]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Client(process)
