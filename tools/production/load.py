"""``make load``: how much the stack serves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.contenders import peers_python
from production import bars, pages, peers, traffic
from production.parts import Part
from production.reloads import children
from production.stack import Options, Stack, running, server_of

SECONDS = 10
#: Processes and hosts that are compared.
SHAPES = ((1, 1), (2, 1), (4, 1), (2, 2))
CLIENTS = 8
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Sizes:
    """Of all processes of the servers: CPU time, memory (PSS), threads, open files; connections
    to PostgreSQL and to Redis.
    """

    cpu: float
    kilobytes: int
    threads: int
    files: int
    connections: int


def pids(part: Part) -> Iterator[int]:
    yield part.running.pid
    yield from children(part)


def measured(stack: Stack) -> Sizes:
    found = [pid for host in stack.hosts for pid in pids(server_of(stack, host))]
    with stack.database() as connection:
        statement = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'service'"
        (connections,) = connection.execute(statement).fetchone() or (0,)
    with stack.cache() as client:
        connections += len(client.client_list())
    return Sizes(
        sum(map(cpu_seconds, found)),
        sum(map(proportional_kilobytes, found)),
        sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in found),
        sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in found),
        int(connections),
    )


def cpu_seconds(pid: int) -> float:
    """User and system time; the name in parentheses may contain spaces."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def proportional_kilobytes(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


NUMBERS = ["requests/s", "p50, ms", "p99, ms", "CPU per request, ms", "memory, MB", "failed"]
HEAD = ["processes", "hosts", *NUMBERS]
PEERS_HEAD = ["served by", *NUMBERS]
#: What pictures show.
SHOWN = ("requests/s", "p99, ms", "CPU per request, ms", "memory, MB")

Clients = Callable[[], AbstractContextManager[traffic.Tally]]


def load(processes: int, hosts: int, seconds: float) -> list[str]:
    """One row: so many processes on each of so many hosts."""
    options = Options(hosts=hosts, processes=processes, limits=traffic.UNLIMITED)
    with running(options) as stack:
        token = traffic.token_of(stack)
        flowing = partial(traffic.flowing, stack, token, CLIENTS)
        return [str(processes), str(hosts), *numbers(stack, flowing, seconds)]


def beside_peers(seconds: float, python: Path) -> list[list[str]]:
    """A row for each contender, with two processes on one host."""
    options = Options(processes=2, limits=traffic.UNLIMITED)
    return [
        [name, *numbers(stack, lambda: traffic.asking(peers.Readers(stack), CLIENTS), seconds)]  # noqa: B023  called before the next one
        for name, stack in peers.contenders(options, python)
    ]


def numbers(stack: Stack, flowing: Clients, seconds: float) -> list[str]:
    """What clients and the machine saw, after a second to warm up."""
    with flowing():
        time.sleep(1)
    before, began = measured(stack), time.monotonic()
    with flowing() as tally:
        time.sleep(seconds)
    took, after = time.monotonic() - began, measured(stack)
    cpu = (after.cpu - before.cpu) / max(1, tally.requests) * 1000
    return [
        f"{tally.requests / took:,.0f}",
        *(f"{tally.percentile(share):.1f}" for share in (0.5, 0.99)),
        *(f"{cpu:.2f}", f"{after.kilobytes / 1024:.0f}", f"{tally.failures.total()}"),
    ]


def picture(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Bars for each row: requests per second, the slowest in a hundred, CPU time and memory."""
    names = [name_of(row[: len(head) - len(NUMBERS)]) for row in rows]
    places = {name: head.index(name) for name in SHOWN}
    columns = {
        name: [float(row[place].replace(",", "")) for row in rows] for name, place in places.items()
    }
    return bars.picture(title, names, columns)


def name_of(cells: Sequence[str]) -> str:
    """Of a row, in a picture: a name, or numbers of processes and hosts."""
    if len(cells) == 1:
        return cells[0]
    return f"{cells[0]} x {cells[1]} host{'s' if cells[1] != '1' else ''}"


def main() -> None:
    seconds = float(os.environ.get("SECONDS") or SECONDS)
    python = peers_python()
    shapes = [load(*shape, seconds) for shape in SHAPES]
    compared = beside_peers(seconds, python)
    put("load", "What the stack serves by processes and hosts", HEAD, shapes)
    put("peers", "What the stack serves with a bookshop, by framework", PEERS_HEAD, compared)
    print("\n".join(" | ".join(row) for row in (*shapes, *compared)))


def put(name: str, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a picture and a table into the page."""
    (pages.PAGES / f"{name}.svg").write_text(picture(title, head, rows))
    pages.put("faults.md", name, f"![{title}]({name}.svg)\n\n{pages.table(head, rows)}")


if __name__ == "__main__":
    main()
