"""``make soak``: the load of ``make load`` for an hour, and what is left of it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from production import leftovers, pages, traffic
from production.load import CLIENTS, Sizes, measured
from production.stack import Options, Stack, running

#: What may grow after the first quarter: memory by a share, the rest by what comes and goes.
MEMORY_SHARE = 0.10
SLACK = {"threads": 8, "files": 32, "connections": 4}


@dataclass(frozen=True)
class Plan:
    """How long, by how many clients, how many requests per second at most (0: no limit)."""

    seconds: float = 3600
    clients: int = CLIENTS
    rate: float = 0.0
    samples: int = 12

    def __str__(self) -> str:
        rate = f", at most {self.rate:g} requests per second" if self.rate else ""
        clients = f"{self.clients} client{'s' if self.clients > 1 else ''}"
        return f"2 hosts, 2 processes on each, {clients}{rate}"


@dataclass
class Outcome:
    """A row and sizes for each sample, the books of the writes, and what is left at the end."""

    rows: list[list[str]] = field(default_factory=list)
    sizes: list[Sizes] = field(default_factory=list)
    books: traffic.Books = field(default_factory=lambda: traffic.Books(0, 0, 0))
    left: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """What was not as promised."""
        found = grown(self.sizes) + [f"{name} left" for name in self.left]
        found += [f"{row[2]} failed" for row in self.rows[-1:] if row[2] != "0"]
        lost = self.books.lost or self.books.twice
        return found + ([f"writes: {self.books}"] if lost else [])


HEAD = ["after, s", "requests", "failed", "p99, ms", "memory, MB", "threads", "files"]
HEAD += ["connections"]


def soak(stack: Stack, plan: Plan) -> Outcome:
    """Samples in equal distances while clients ask, and a look around after they have gone."""
    outcome, before, began, since = Outcome(), leftovers.files(stack), time.monotonic(), 0
    with traffic.flowing(stack, traffic.token_of(stack), plan.clients, plan.rate) as tally:
        for number in range(1, plan.samples + 1):
            after = plan.seconds * number / plan.samples
            time.sleep(max(0.0, began + after - time.monotonic()))
            outcome.sizes.append(measured(stack))
            outcome.rows.append(row(after, tally, since, outcome.sizes[-1]))
            since = len(tally.seconds)
            print(" | ".join(outcome.rows[-1]), flush=True)
    outcome.books = traffic.checked(stack, tally)
    outcome.left = leftovers.left(stack, before)
    return outcome


def row(after: float, tally: traffic.Tally, since: int, size: Sizes) -> list[str]:
    """Counts since the beginning; the latency is that of the requests since the last sample."""
    latency = f"{tally.percentile(0.99, since):.0f}"
    counts = [f"{tally.requests:,}", str(tally.failures.total()), latency]
    counts += [f"{size.kilobytes / 1024:.0f}", str(size.threads), str(size.files)]
    return [f"{after:.0f}", *counts, str(size.connections)]


def grown(sizes: Sequence[Sizes]) -> list[str]:
    """What is larger at the end than after the first quarter, beyond noise."""
    early, late = sizes[len(sizes) // 4], sizes[-1]
    found = []
    if late.kilobytes > early.kilobytes * (1 + MEMORY_SHARE):
        found.append(f"memory from {early.kilobytes} to {late.kilobytes} kB")
    for name, limit in SLACK.items():
        before, after = getattr(early, name), getattr(late, name)
        if after > before + limit:
            found.append(f"{name} from {before} to {after}")
    return found


def text(plan: Plan, outcome: Outcome) -> str:
    left = ", ".join(outcome.left) or "nothing (no open transaction, lock or temporary file)"
    end = f"{plan}. Writes: {outcome.books}. Left at the end: {left}."
    return f"{pages.table(HEAD, outcome.rows)}\n\n{end}"


def chosen() -> Plan:
    """The plan of the environment."""
    seconds, clients, rate = (os.environ.get(name) for name in ("SECONDS", "CLIENTS", "RATE"))
    return Plan(float(seconds or 3600), int(clients or CLIENTS), float(rate or 0))


def main() -> None:
    plan = chosen()
    options = Options(hosts=2, processes=2, trips=20_000, limits=traffic.UNLIMITED)
    with running(options) as stack:
        outcome = soak(stack, plan)
    pages.put("faults.md", "soak", text(plan, outcome))
    sys.exit(f"not as promised: {'; '.join(outcome.wrong)}" if outcome.wrong else 0)


if __name__ == "__main__":
    main()
