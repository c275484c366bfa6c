"""``python -m benchmarks servers --database postgresql``: frameworks as services run them.

All contenders are served at the same time, each with its own copy of one PostgreSQL database. What
they answer and refuse is compared; then they are asked in turn. A complete run writes the tables
and the picture of ``docs/benchmarks.md``; a selection is only printed.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import checks, options, page, rounds
from benchmarks.clients import Client, asking
from benchmarks.contenders import peers_python
from benchmarks.cores import divided
from benchmarks.databases import Databases, running_databases
from benchmarks.measuring import show
from benchmarks.processes import memory
from benchmarks.rounds import Sample
from benchmarks.services import Running, Service, available, running
from benchmarks.workloads import WORKLOADS, Workload


@dataclass(frozen=True, slots=True)
class Start:
    """What a contender took before and after the run: seconds of CPU, MiB of memory."""

    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run found: samples by workload and contender, starts by contender."""

    samples: Mapping[str, Mapping[str, Sample]]
    starts: Mapping[str, Start]
    services: Sequence[Service]
    #: What the machine and the programs were.
    surroundings: str


def main(selected: argparse.Namespace) -> str:
    """Measure, write the page unless only a part was selected, and return the tables."""
    services = options.chosen(available(), selected.contenders)
    workloads = options.chosen(WORKLOADS, selected.rows)
    plan = options.plan_of(selected)
    is_complete = not options.is_selection(selected)
    if is_complete:
        page.check_marks(page.mark_of(selected.processes))
    found = run(services, workloads, plan, selected.processes)
    text = page.tables(found)
    if is_complete:
        page.write(found, text, selected.processes)
    return text


def run(
    services: Sequence[Service],
    workloads: Sequence[Workload],
    plan: rounds.Plan,
    processes: int = 1,
) -> Measured:
    """Serve, compare and measure. Raises DifferentError if contenders answer differently."""
    before = surroundings()
    with served(services, processes) as (servers, client):
        show("comparing answers")
        checks.compare(servers, workloads)
        samples = {each.name: rounds.measure(client, servers, each, plan) for each in workloads}
        starts = {each.service.name: Start(each.first_cpu, memory(each.pid)) for each in servers}
    return Measured(samples, starts, services, before)


@contextmanager
def served(
    services: Sequence[Service], processes: int, filling: str = "benchmarks.filling"
) -> Iterator[tuple[list[Running], Client]]:
    """Run all contenders and the client, each side on cores of its own."""
    python = interpreter(services)
    with ExitStack() as stack:
        cores = stack.enter_context(divided(processes))
        show("filling PostgreSQL")
        databases = stack.enter_context(running_databases(filling))
        servers = [
            stack.enter_context(starting(each, python, databases, processes, cores))
            for each in services
        ]
        yield servers, stack.enter_context(asking())


@contextmanager
def starting(
    service: Service,
    python: Path,
    databases: Databases,
    processes: int,
    cores: Sequence[int],
) -> Iterator[Running]:
    show(f"starting {service.name}")
    with running(service, python, databases, processes, cores) as server:
        yield server


def interpreter(services: Sequence[Service]) -> Path:
    """Return the peers' interpreter, so that all have the same versions; this one without peers."""
    if all(each.is_ours for each in services):
        return Path(sys.executable)
    show("installing the packages of benchmarks/peers.txt")
    return peers_python()


def surroundings() -> str:
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    python = platform.python_version()
    text = f"CPython {python}, {cores} cores, load average before the run {load:.1f}"
    if load > cores / 4:
        text += " (**other programs were running: these numbers are rough**)"
    return f"{text}."
