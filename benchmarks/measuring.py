"""Interleaved measuring and the tables of ratios."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.contenders import Worker

ROUNDS = 15
SECONDS_OF_A_BATCH = 0.15


@dataclass(frozen=True, slots=True)
class Measurement:
    """CPU seconds of one run of a scenario, the median over all rounds, by contender."""

    scenario: str
    seconds: dict[str, float]

    def ratio(self, name: str, to: str) -> float:
        return self.seconds[name] / self.seconds[to]


def measure(workers: Sequence[Worker], scenario: str, rounds: int = ROUNDS) -> Measurement:
    """Alternate batches of all contenders; the size of a batch depends on the slowest run."""
    sizes = {worker.contender.name: batch_size(worker, scenario) for worker in workers}
    found: dict[str, list[float]] = {name: [] for name in sizes}
    for number in range(rounds):
        show(f"{scenario}: round {number + 1} of {rounds}")
        # Every second round is reversed, so that nobody is always first after a pause.
        for worker in list(workers)[:: 1 if number % 2 else -1]:
            name = worker.contender.name
            answer = worker.ask(scenario=scenario, runs=sizes[name])
            found[name].append(float(answer["seconds"]) / sizes[name])
    show("")
    return Measurement(scenario, {name: statistics.median(runs) for name, runs in found.items()})


def batch_size(worker: Worker, scenario: str) -> int:
    """Warm up, then return the number of runs that take about SECONDS_OF_A_BATCH."""
    worker.ask(scenario=scenario, runs=5)  # first requests import and compile
    runs = 1
    while True:
        seconds = float(worker.ask(scenario=scenario, runs=runs)["seconds"])
        if seconds > SECONDS_OF_A_BATCH / 4 or runs >= 65536:
            return max(1, round(runs * SECONDS_OF_A_BATCH / max(seconds, 1e-9)))
        runs *= 4


def show(text: str) -> None:
    """Show progress on a terminal; nothing if the output is redirected."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def table(measurements: Sequence[Measurement], base: str, others: Sequence[str]) -> str:
    """Return Markdown: the time of ``base``, and how many times as long the others take."""
    head = ["scenario", f"{base} [µs]", *(f"{other} : {base}" for other in others)]
    rows = [
        [
            one.scenario,
            f"{one.seconds[base] * 1e6:,.1f}",
            *(f"{one.ratio(other, base):.2f}" for other in others),
        ]
        for one in measurements
    ]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
