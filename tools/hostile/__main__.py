"""``python -m hostile [--seconds N] [--seed N]``: send hostile requests to both packages.

Prints what each answered to each kind of input, and keeps what failed on lintel in
``tests/data/hostile``. The exit status is 1 if something failed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator

from hostile.inputs import KINDS, made
from hostile.keeping import keep
from hostile.rounds import BATCH, Round, Tally, run, workers

Tallies = dict[str, dict[str, Tally]]


def main() -> int:
    options = parser().parse_args()
    print(f"seed {options.seed}", flush=True)
    tallies: Tallies = defaultdict(lambda: defaultdict(Tally))
    failures: dict[str, str] = {}
    ends = time.monotonic() + options.seconds
    with workers() as sides:
        for kind, first in Turns(options.kind or list(KINDS), options.inputs).batches(ends):
            found = run(sides, kind, options.seed, first)
            count(found, tallies)
            note(found, options.seed, failures)
    print("\n".join(table(tallies)))
    for fault, place in failures.items():
        print(f"\n{place}\n{fault}")
    asked = sum(sum(tally["lintel"].statuses.values()) for tally in tallies.values())
    print(f"{asked:,} requests, {len(failures)} kinds of failures, seed {options.seed}")
    return 1 if failures else 0


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(prog="hostile", description=__doc__)
    command.add_argument("--seconds", type=float, default=300)
    command.add_argument("--inputs", type=int, default=10**9, help="the most of each kind")
    command.add_argument("--seed", type=int, default=random.randrange(2**32))
    command.add_argument("--kind", action="append", choices=list(KINDS))
    return command


class Turns:
    """Which kind has its turn: the one that has had the least time, so that cheap ones get more."""

    def __init__(self, kinds: list[str], inputs: int) -> None:
        self.inputs = inputs
        self.spent = dict.fromkeys(kinds, 0.0)
        self.firsts = dict.fromkeys(kinds, 0)

    def batches(self, ends: float) -> Iterator[tuple[str, int]]:
        """The kind and the first number of each batch."""
        while self.spent and time.monotonic() < ends:
            kind = min(self.spent, key=lambda name: self.spent[name])
            began = time.monotonic()
            yield kind, self.firsts[kind]
            self.spent[kind] += time.monotonic() - began
            self.firsts[kind] += BATCH
            if self.firsts[kind] >= self.inputs:
                del self.spent[kind]


def count(found: Round, tallies: Tallies) -> None:
    for package, answers in found.answers.items():
        for answer in answers or ():
            tallies[found.kind][package].add(answer)


def note(found: Round, seed: int, failures: dict[str, str]) -> None:
    """Keep each new failure of lintel, by the end of its traceback."""
    answers = found.answers["lintel"]
    requests = [made(found.kind, seed, found.first + number) for number in range(BATCH)]
    if answers is None:
        failures[f"{found.kind}: no answers"] = str(keep(found.kind, requests[:-1], requests[-1]))
        return
    for number, answer in enumerate(answers):
        fault = answer.fault or f"{found.kind}: {answer.wrong.split()[0]}" if answer.wrong else ""
        if fault and fault not in failures:
            failures[fault] = str(keep(found.kind, requests[:number], requests[number]))


HEAD = "| input | requests | {} | slowest, ms | {} | slowest, ms |"
PACKAGES = {"lintel": "lintel", "rest_framework": "Django REST framework"}


def table(tallies: Tallies) -> list[str]:
    """What each package answered, as rows of Markdown: 2xx and 3xx, 4xx, 5xx."""
    sides = [f"{name}: answered, refused, 500" for name in PACKAGES.values()]
    lines = [HEAD.format(*sides), "| --- | --- | --- | --- | --- | --- |"]
    for kind, found in tallies.items():
        cells = [cell for package in PACKAGES for cell in cells_of(found.get(package))]
        asked = sum(found["lintel"].statuses.values())
        lines.append(f"| {kind} | {asked:,} | {' | '.join(cells)} |")
    return lines


def cells_of(tally: Tally | None) -> list[str]:
    if tally is None:
        return ["", ""]
    answered = sum(tally.statuses[group] for group in (1, 2, 3))
    broken = tally.statuses[5] + tally.statuses[0]
    told = f"{answered:,}, {tally.statuses[4]:,}, **{broken:,}**"
    return [told.replace("**0**", "0"), f"{tally.slowest:,.0f}"]


if __name__ == "__main__":
    sys.exit(main())
