"""Batches of requests to contenders in turn: CPU time of the server, rate and latencies."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from benchmarks.clients import Client
from benchmarks.measuring import show
from benchmarks.processes import cpu_seconds
from benchmarks.services import Running
from benchmarks.workloads import Workload


@dataclass(frozen=True, slots=True)
class Sample:
    """What one request took: microseconds of the server's CPU, requests a second, latencies in ms.

    A contender's sample is the median of those of its batches, number by number.
    """

    cpu: float
    rate: float
    p50: float
    p99: float


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure."""

    rounds: int = 7
    seconds: float = 0.5


def measure(
    client: Client, servers: Sequence[Running], workload: Workload, plan: Plan
) -> dict[str, Sample]:
    """Return the median by contender; the order of a round is that of the one before, reversed."""
    sizes = [batch_size(client, each, workload, plan.seconds) for each in servers]
    turns = list(zip(servers, sizes, strict=True))
    found: dict[str, list[Sample]] = {each.service.name: [] for each in servers}
    for number in range(plan.rounds):
        for server, size in turns[:: 1 if number % 2 else -1]:
            name = server.service.name
            show(f"{workload.name}: round {number + 1} of {plan.rounds}, {name}")
            found[name].append(batch(client, server, workload, size))
    show("")
    return {name: median(samples) for name, samples in found.items()}


def median(samples: Sequence[Sample]) -> Sample:
    return Sample(*map(statistics.median, zip(*map(astuple, samples), strict=True)))


def batch(client: Client, server: Running, workload: Workload, requests: int) -> Sample:
    """Send an exact number of requests: none is charged to the server and not counted."""
    before = cpu_seconds(server.pid)
    answer = send(client, server, workload, requests)
    spent = cpu_seconds(server.pid) - before
    return Sample(
        cpu=spent / requests * 1e6,
        rate=requests / answer["seconds"],
        p50=answer["p50"] * 1e3,
        p99=answer["p99"] * 1e3,
    )


def batch_size(client: Client, server: Running, workload: Workload, seconds: float) -> int:
    """Warm up, then return the number of requests that take about so many seconds."""
    fewest = requests = 2 * workload.connections
    send(client, server, workload, fewest)  # first requests import, compile and connect
    while True:
        spent = send(client, server, workload, requests)["seconds"]
        if spent > seconds / 5:
            return max(fewest, round(requests * seconds / spent))
        requests *= 3


def send(client: Client, server: Running, workload: Workload, requests: int) -> dict[str, float]:
    return client.ask(
        port=server.port,
        method=workload.method,
        path=workload.path,
        body=workload.body,
        headers=dict(workload.headers),
        requests=requests,
        connections=workload.connections,
    )
