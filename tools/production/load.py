"""``make load``: how much the stack serves."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from production import bars, pages, traffic
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


LOAD_HEAD = [
    *(
        "processes",
        "hosts",
        "requests/s",
        "p50, ms",
        "p99, ms",
        "CPU per request, ms",
        "memory, MB",
    ),
    "failed",
]


def load(processes: int, hosts: int, seconds: float) -> list[str]:
    """One row: so many processes on each of so many hosts, after a second to warm up."""
    options = Options(hosts=hosts, processes=processes, limits=traffic.UNLIMITED)
    with running(options) as stack:
        token = traffic.token_of(stack)
        with traffic.flowing(stack, token, CLIENTS):
            time.sleep(1)
        before, began = measured(stack), time.monotonic()
        with traffic.flowing(stack, token, CLIENTS) as tally:
            time.sleep(seconds)
        took, after = time.monotonic() - began, measured(stack)
    cpu = (after.cpu - before.cpu) / max(1, tally.requests) * 1000
    return [
        *(str(processes), str(hosts), f"{tally.requests / took:,.0f}"),
        *(f"{tally.percentile(share):.1f}" for share in (0.5, 0.99)),
        *(f"{cpu:.2f}", f"{after.kilobytes / 1024:.0f}", f"{tally.failures.total()}"),
    ]


def picture(rows: Sequence[Sequence[str]]) -> str:
    """Bars for each shape: requests per second, the slowest in a hundred, CPU time and memory."""
    names = [f"{row[0]} x {row[1]} host{'s' if row[1] != '1' else ''}" for row in rows]
    columns = {
        LOAD_HEAD[place]: [float(row[place].replace(",", "")) for row in rows]
        for place in (2, 4, 5, 6)
    }
    return bars.picture("What the stack serves by processes and hosts", names, columns)


def main() -> None:
    seconds = float(os.environ.get("SECONDS") or 0)
    rows = [load(*shape, seconds or SECONDS) for shape in SHAPES]
    (pages.PAGES / "load.svg").write_text(picture(rows))
    shown = "![Requests per second, latency, CPU time and memory](load.svg)"
    pages.put("faults.md", "load", f"{shown}\n\n{pages.table(LOAD_HEAD, rows)}")
    print("\n".join(" | ".join(row) for row in rows))


if __name__ == "__main__":
    main()
