"""Requests per second under a real server: granian, one process, loopback.

All contenders are served at the same time and queried in turn, by a client in another process. This
script writes the table and the picture in ``docs/benchmarks.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import options, postgresql
from benchmarks.clients import Client, asking
from benchmarks.contenders import REPOSITORY, Contender, peers_python
from benchmarks.measuring import show
from benchmarks.requests import NEW_ARTICLE

ROUNDS = 11
SECONDS_OF_A_BATCH = 0.5
SECONDS_TO_START = 30
PAGE = REPOSITORY / "docs" / "benchmarks.md"
PICTURE = REPOSITORY / "docs" / "benchmarks-servers.svg"
MARKED = re.compile(r"(?<=<!-- servers -->\n).*(?=<!-- end of servers -->)", re.DOTALL)

#: Scenario → method, path, body. Create comes last: its rows must not make the list longer.
SCENARIOS = {
    "empty view": ("GET", "/empty/", ""),
    "one row": ("GET", "/articles/50/", ""),
    "list of 100": ("GET", "/articles/", ""),
    "create": ("POST", "/articles/", json.dumps(NEW_ARTICLE)),
}


@dataclass(frozen=True, slots=True)
class Served:
    """A contender that answers on a port."""

    name: str
    port: int


def seconds(client: Client, server: Served, scenario: str, requests: int) -> float:
    """Return the seconds for this many requests to one server."""
    method, path, body = SCENARIOS[scenario]
    task = {"port": server.port, "method": method, "path": path, "body": body}
    return client.ask(**task, requests=requests)["seconds"]


def main(arguments: Sequence[str] = ()) -> str:
    """Measure on the database of the options; return the table. By default that is SQLite."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks servers")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--processes", type=int, default=1, help="of each server")
    options.add_choices(parser, "workloads")
    selected = parser.parse_args(arguments)
    if selected.database == "postgresql":
        return postgresql.main(selected)
    if len(arguments) > arguments.count("--database") * 2:
        parser.error("the other options are for --database postgresql")
    return on_sqlite()


def on_sqlite() -> str:
    """Measure all contenders, write the page and the picture; return the table."""
    here, peers = Path(sys.executable), peers_python()
    contenders = [
        Contender("lintel", here, "lintel"),
        Contender("django-modern-rest", peers, "dmr"),
        Contender("django-ninja", peers, "ninja"),
        Contender("DRF 3.18.3", peers, "rest_framework"),
        Contender("by hand", here, "plain"),
    ]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [stack.enter_context(served(each, folder)) for each in contenders]
        client = stack.enter_context(asking())
        found = {name: rates(client, servers, name) for name in SCENARIOS}
    text = table(found)
    PICTURE.write_text(picture(found))
    PAGE.write_text(MARKED.sub(f"{text}\n", PAGE.read_text()))
    return text


@contextmanager
def served(contender: Contender, folder: Path) -> Iterator[Served]:
    """The contender behind granian with one worker and one thread, until the end of the block."""
    port = free_port()
    options = ["--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port), "--no-ws"]
    options += ["--workers", "1", "--blocking-threads", "1", "--no-log"]
    environment = {
        **os.environ,
        "BENCHMARK_FRAMEWORK": contender.framework,
        "BENCHMARK_DATABASE": str(folder / f"{contender.framework}.sqlite3"),
        "PYTHONHASHSEED": "0",
    }
    command = [str(contender.python), "-m", "granian", *options, "benchmarks.served:application"]
    process = subprocess.Popen(command, cwd=REPOSITORY, env=environment)
    try:
        wait_for(process, port, contender.name)
        yield Served(contender.name, port)
    finally:
        process.terminate()
        process.wait(timeout=20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(process: subprocess.Popen[bytes], port: int, name: str) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the server of {name} does not answer")


def rates(client: Client, servers: Sequence[Served], scenario: str) -> dict[str, float]:
    """Requests per second, the median over all rounds, by contender."""
    sizes = {each.name: batch_size(client, each, scenario) for each in servers}
    found: dict[str, list[float]] = {name: [] for name in sizes}
    for number in range(ROUNDS):
        show(f"{scenario}: round {number + 1} of {ROUNDS}")
        for each in list(servers)[:: 1 if number % 2 else -1]:
            spent = seconds(client, each, scenario, sizes[each.name])
            found[each.name].append(sizes[each.name] / spent)
    show("")
    return {name: statistics.median(each) for name, each in found.items()}


def batch_size(client: Client, server: Served, scenario: str) -> int:
    """Warm up, then return the number of requests that take about SECONDS_OF_A_BATCH."""
    seconds(client, server, scenario, 200)
    return max(20, round(200 * SECONDS_OF_A_BATCH / seconds(client, server, scenario, 200)))


def table(found: dict[str, dict[str, float]]) -> str:
    """Return Markdown: requests per second, and lintel's multiple of each."""
    names = list(next(iter(found.values())))
    lines = [["requests per second", *names], ["---", *["---:"] * len(names)]]
    for scenario, by_name in found.items():
        own = by_name["lintel"]
        cells = [
            f"{rate:,.0f}" if rate == own else f"{rate:,.0f} ({own / rate:.2f})"
            for rate in by_name.values()
        ]
        lines.append([scenario, *cells])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


BAR, GAP, LEFT, WIDTH = 16, 14, 150, 640
COLOURS = ("#0b6e4f", "#8d99ae", "#8d99ae", "#8d99ae", "#d6d9e0")


def picture(found: dict[str, dict[str, float]]) -> str:
    """Bars in SVG: each scenario has its own scale, the fastest contender fills the width."""
    parts: list[str] = []
    top = 10
    for scenario, by_name in found.items():
        parts.append(f'<text x="0" y="{top + 12}" font-weight="bold">{scenario}</text>')
        top += 20
        fastest = max(by_name.values())
        for colour, (name, rate) in zip(COLOURS, by_name.items(), strict=True):
            parts += bar(name, rate, rate / fastest, colour, top)
            top += BAR + 3
        top += GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#222">'
        "<title>Requests per second by scenario and framework; longer is better</title>"
        f'<rect width="{WIDTH}" height="{top}" fill="#fff"/>'
    )
    return "\n".join([head, *parts, "</svg>\n"])


def bar(name: str, rate: float, share: float, colour: str, top: int) -> list[str]:
    length = round(share * (WIDTH - LEFT - 70))
    return [
        f'<text x="{LEFT - 8}" y="{top + 12}" text-anchor="end">{name}</text>',
        f'<rect x="{LEFT}" y="{top}" width="{length}" height="{BAR}" fill="{colour}"/>',
        f'<text x="{LEFT + length + 6}" y="{top + 12}">{rate:,.0f}</text>',
    ]


if __name__ == "__main__":
    print(main(sys.argv[1:]))
