"""Rounds of requests to both packages, each in a process of its own, which may hang or die."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hostile.inputs import SHARED
from hostile.worker import Answer

TOOLS = Path(__file__).resolve().parents[1]
BATCH = 100
#: The most seconds of a batch, whose requests each have a limit of CPU time.
DEADLINE = 120.0


@dataclass(slots=True)
class Tally:
    """What one package answered to one kind of input."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: int = 0

    def add(self, answer: Answer) -> None:
        self.statuses[answer.status // 100] += 1
        self.slowest = max(self.slowest, answer.milliseconds)
        self.largest = max(self.largest, answer.kilobytes)


class Worker:
    """A process that answers batches for one package, begun again when it ends."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "hostile.worker", self.package],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TOOLS)},
        )

    def ask(self, kind: str, seed: int, first: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([kind, seed, first, BATCH]) + "\n")
        self.process.stdin.flush()

    def answers(self) -> list[Answer] | None:
        """The answers to what was asked; None if the process hung or died, which is a fault."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return [Answer(*each) for each in json.loads(line)]
        self.end()
        self.process = self._started()
        return None

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def workers() -> Iterator[dict[str, Worker]]:
    """A process for each package."""
    found = {package: Worker(package) for package in ("lintel", "rest_framework")}
    try:
        yield found
    finally:
        for worker in found.values():
            worker.end()


@dataclass(slots=True)
class Round:
    """A batch, and the answers of each package that has such views; None of one that hung."""

    kind: str
    first: int
    answers: dict[str, list[Answer] | None]


def run(sides: dict[str, Worker], kind: str, seed: int, first: int) -> Round:
    """Ask both packages at once."""
    asked = {name: side for name, side in sides.items() if kind in SHARED or name == "lintel"}
    for side in asked.values():
        side.ask(kind, seed, first)
    return Round(kind, first, {name: side.answers() for name, side in asked.items()})
