"""The same stack with the bookshop of the benchmarks, served by lintel and by its peers.

nginx, PgBouncer, PostgreSQL and Redis are those of the example service; the peers do not have that,
so all serve the bookshop (``benchmarks/project/bookshop``), on granian and with the same packages.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from benchmarks.checks import place
from benchmarks.services import OURS, PEERS, SERVING, SOURCES, Service
from benchmarks.workloads import ARTICLES, NEIGHBOURS, WORKLOADS, Workload
from production import hosts, stack, traffic
from production.parts import accept
from production.stack import REPOSITORY, Options, Stack

#: Those that run on granian, as the example service does: others would compare servers as well.
NAMES = ("lintel (serving, WSGI)", "DRF", "django-ninja")
SERVICES = tuple(each for each in (*OURS, *SERVING, *PEERS) if each.name in NAMES)
#: A quarter of the requests each.
ROWS = ("one row", "page of 100", "filtered page of 20", "create")
MIXED = tuple(each for each in WORKLOADS if each.name in ROWS)

Answers = dict[str, tuple[int, object]]


class Readers(traffic.Traffic):
    """Clients of the bookshop."""

    def take(self, client: httpx2.Client, turn: int) -> None:
        each = MIXED[turn % len(MIXED)]
        own = {"content": each.body, "headers": {"Content-Type": "application/json"}}
        self.ask(client, each.method, each.path, **(own if each.body else {}))


@contextmanager
def bookshop(options: Options) -> Iterator[Stack]:
    """The stack without a service: with the tables and rows of the bookshop, and one host."""
    with stack.prepared(options) as made:
        stack.start_redis(made)
        stack.start_postgresql(made)
        fill(made)
        stack.start_pgbouncer(made)
        made.hosts.append(hosts.made("host1", made.folder / "host1", apart=False))
        made.wait()
        yield made


def environment(made: Stack, folder: Path, port: int) -> dict[str, str]:
    """Where the packages are, and the database: libpq reads the port itself."""
    paths = [REPOSITORY, *(REPOSITORY / each for each in SOURCES)]
    return {
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "BENCHMARK_POSTGRESQL": f"{folder},{made.user}",
        "BENCHMARK_DATABASE": "service",
        "PGPORT": str(port),
    }


def fill(made: Stack) -> None:
    own = environment(made, made.postgresql_folder, 5432)
    command = [sys.executable, "-m", "benchmarks.filling"]
    subprocess.run(command, env={**os.environ, **own}, check=True)


@contextmanager
def served(made: Stack, service: Service, python: Path) -> Iterator[None]:
    """Run a contender behind nginx; what it has written is removed at the end."""
    host, options = made.hosts[0], made.options
    command = [python, "-m", "granian", "--interface", "wsgi", "--no-ws", "--no-log"]
    command += ["--uds", host.socket, "--uds-permissions", "666"]
    command += ["--workers", options.processes, "--blocking-threads", options.threads]
    own = environment(made, made.folder / "pgbouncer", 6432)
    own |= service.environment(options.processes)

    def answers() -> bool:
        with made.client_of(host) as client:
            return accept(host.socket) and client.get("/empty/").status_code == 200

    name = stack.server_name(host)
    given = {"answers": answers, "environment": own, "socket": host.socket}
    server = made.add(name, [*command, service.application], **given)
    server.wait_until_it_answers()
    if "nginx" not in made.parts:
        stack.start_nginx(made, "/empty/")
        made.wait()
    yield
    server.stop()
    with made.database() as connection:
        connection.execute("DELETE FROM project_article WHERE id > %s", [ARTICLES])


def answers_of(made: Stack) -> Answers:
    """What a contender answers to each request once."""
    with made.client() as client:
        return {each.name: answer(client, each) for each in (*NEIGHBOURS, *MIXED)}


def answer(client: httpx2.Client, each: Workload) -> tuple[int, object]:
    sent = {"Content-Type": "application/json"} if each.body else {}
    found = client.request(each.method, each.path, content=each.body or None, headers=sent)
    return found.status_code, json.loads(found.content)


def compare(name: str, expected: Answers, found: Answers) -> None:
    """Raise RuntimeError unless a contender answers the same as the first one."""
    for each, (status, body) in expected.items():
        if found[each] != (status, body):
            where = place(body, found[each][1])
            raise RuntimeError(f"{name} answers {found[each][0]} {where} to {each}")


def contenders(options: Options, python: Path) -> Iterator[tuple[str, Stack]]:
    """The stack with each contender in turn, after its answers were compared."""
    expected: Answers = {}
    with bookshop(options) as made:
        for service in SERVICES:
            with served(made, service, python):
                found = answers_of(made)
                expected = expected or found
                compare(service.name, expected, found)
                yield service.name, made
