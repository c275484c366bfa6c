"""``make reloads``: requests during reloads and restarts of hosts, of which none may fail."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from production import pages, traffic
from production.hosts import Host
from production.parts import Part
from production.stack import Options, Stack, running, server_of
from production.traffic import Tally

REQUESTS = 10_000
RELOADS = 20
RESTARTS = 10
SECONDS = 60


def children(part: Part) -> set[int]:
    """The processes that the server has started."""
    pid = part.running.pid
    return {int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def reload(stack: Stack, host: Host) -> None:
    """New processes in place of all old ones, which answer. Raises RuntimeError otherwise."""
    part = server_of(stack, host)
    before = children(part)
    part.send(signal.SIGHUP)
    deadline = time.monotonic() + SECONDS
    while before & children(part) or len(children(part)) < len(before):
        if time.monotonic() > deadline:
            raise RuntimeError(f"{part.name} did not reload:\n{part.last_lines()}")
        time.sleep(0.05)
    part.wait_until_it_answers()


def restart(stack: Stack, host: Host) -> None:
    """Stop the server gently and start it again, as a new version would."""
    server_of(stack, host).restart()


def during(
    stack: Stack, token: str, work: Callable[[Stack, Host], None], times: int, requests: int
) -> Tally:
    """Do it to the hosts in turn while clients ask, and let them ask so many requests in all."""
    with traffic.flowing(stack, token, clients=4) as tally:
        for number in range(times):
            work(stack, stack.hosts[number % len(stack.hosts)])
        while tally.requests < requests:
            time.sleep(0.1)
    return tally


def row(title: str, stack: Stack, tally: Tally) -> list[str]:
    latencies = f"{tally.percentile(0.5):.0f} / {tally.percentile(0.99):.0f}"
    books = traffic.checked(stack, tally)
    failures = ", ".join(f"{count} x {name}" for name, count in tally.failures.items()) or "0"
    return [title, f"{tally.requests:,}", failures, str(books), latencies, f"{tally.slowest:.1f}"]


HEAD = ["during", "requests", "failed", "writes", "p50 / p99, ms", "longest, s"]


def measured(reloads: int, restarts: int, requests: int) -> list[list[str]]:
    options = Options(hosts=2, processes=2, trips=200, snippets=20, limits=traffic.UNLIMITED)
    with running(options) as stack:
        token = traffic.token_of(stack)
        rows = []
        for title, work, times, least in (
            (f"{reloads} reloads (SIGHUP), two hosts in turn", reload, reloads, requests),
            (f"{restarts} restarts (SIGTERM, start), two hosts in turn", restart, restarts, 0),
        ):
            tally = during(stack, token, work, times, least)
            rows.append(row(title, stack, tally))
            print(" | ".join(rows[-1]), flush=True)
        return rows


def main() -> None:
    requests = int(os.environ.get("REQUESTS") or REQUESTS)
    reloads = int(os.environ.get("RELOADS") or RELOADS)
    rows = measured(reloads, RESTARTS, requests)
    pages.put("faults.md", "reloads", pages.table(HEAD, rows))
    if any(each[2] != "0" for each in rows):
        sys.exit("requests have failed")


if __name__ == "__main__":
    main()
