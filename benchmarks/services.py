"""The contenders on PostgreSQL: what each one runs on, how its server is started and ended."""

from __future__ import annotations

import http.client
import importlib.util
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from benchmarks.contenders import REPOSITORY
from benchmarks.databases import Databases
from benchmarks.processes import cpu_seconds
from benchmarks.workloads import CONNECTIONS

SECONDS_TO_START = 60
SECONDS_TO_END = 20
SHOP = "benchmarks.project.bookshop"
SOURCES = ("packages/document/src", "packages/server/src")

#: Port and number of processes → the command behind ``python -m``.
Server = Callable[[int, int, str], list[str]]


def granian(port: int, processes: int, application: str) -> list[str]:
    """WSGI, with one thread a process: a second one only waits for the first."""
    options = ["--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port), "--no-ws"]
    options += ["--workers", str(processes), "--blocking-threads", "1", "--no-log"]
    return ["granian", *options, application]


def uvicorn(port: int, processes: int, application: str) -> list[str]:
    """ASGI on uvloop and httptools, which it takes where they are installed."""
    options = ["--host", "127.0.0.1", "--port", str(port), "--workers", str(processes)]
    options += ["--log-level", "warning", "--no-access-log", "--lifespan", "auto"]
    return ["uvicorn", *options, application]


def runbolt(port: int, processes: int, application: str) -> list[str]:
    """The server of django-bolt, which takes the place of the others."""
    options = ["--host", "127.0.0.1", "--port", str(port), "--processes", str(processes)]
    return ["django", "runbolt", "--settings", application, "--no-admin", *options]


WSGI = "django.core.wsgi.get_wsgi_application"
ASGI = "django.core.asgi.get_asgi_application"


@dataclass(frozen=True, slots=True)
class Service:
    """A contender. ``module`` holds its addresses; ``entry`` makes a Django application of them."""

    name: str
    server: Server
    module: str
    entry: str = ""
    framework: str = ""
    is_dropin: bool = False
    #: Runs without the packages of peers.
    is_ours: bool = False
    checks_bodies: bool = True
    #: Frameworks are ranked; what is written by hand is shown beside them.
    is_framework: bool = True
    #: Where ``module`` is.
    package: str = SHOP

    def environment(self, processes: int) -> dict[str, str]:
        found = {"BENCHMARK_URLS": f"{self.package}.{self.module}"}
        if self.entry:
            found["BENCHMARK_ENTRY"] = self.entry
        if self.framework:
            found["BENCHMARK_FRAMEWORK"] = self.framework
        if self.is_dropin:
            found["BENCHMARK_DROPIN"] = "1"
        if self.server is not granian:
            found["BENCHMARK_POOL"] = str(CONNECTIONS // processes)
        return found

    @property
    def server_name(self) -> str:
        return self.server.__name__

    @property
    def application(self) -> str:
        if self.server is runbolt:
            return f"{self.package}.{self.module}"
        if self.entry:
            return f"{SHOP}.application:application"
        return f"{self.package}.{self.module}:application"


OURS = (
    Service("lintel", granian, "framework", WSGI, "lintel", is_ours=True),
    Service("lintel, async views", uvicorn, "asynchronous", ASGI, "lintel"),
    Service("lintel as drop-in", granian, "framework", WSGI, "rest_framework", is_dropin=True),
)
#: With the entry points of lintel.serving, where there are any.
SERVING = (
    Service(
        "lintel (serving, WSGI)",
        granian,
        "framework",
        "lintel.serving.get_wsgi_application",
        "lintel",
        is_ours=True,
    ),
    Service(
        "lintel (serving, ASGI)",
        uvicorn,
        "asynchronous",
        "lintel.serving.get_asgi_application",
        "lintel",
    ),
)
BY_HAND = (
    Service(
        "raw Django",
        granian,
        "by_hand",
        WSGI,
        is_ours=True,
        checks_bodies=False,
        is_framework=False,
    ),
    Service(
        "Starlette, asyncpg",
        uvicorn,
        "with_starlette",
        checks_bodies=False,
        is_framework=False,
    ),
)
PEERS = (
    Service("django-modern-rest", granian, "with_modern", WSGI),
    Service("django-ninja", granian, "with_ninja", WSGI),
    Service("django-bolt", runbolt, "bolt_settings"),
    Service("DRF", granian, "framework", WSGI, "rest_framework"),
    Service("FastAPI", uvicorn, "with_fastapi"),
    Service("Litestar", uvicorn, "with_litestar"),
)


def available() -> list[Service]:
    """Return the contenders that can run, in the order of the tables."""
    return [*OURS, *(SERVING if has_serving() else ()), *PEERS, *BY_HAND]


def has_serving() -> bool:
    """Return whether lintel has entry points of its own for servers."""
    return importlib.util.find_spec("lintel.serving") is not None


@dataclass(slots=True)
class Running:
    """A contender that answers on a port. ``first_cpu``: seconds until it did for the first time"""

    service: Service
    port: int
    pid: int
    first_cpu: float = field(default=0.0)

    def ask(self, method: str, path: str, body: str, headers: dict[str, str]) -> tuple[int, bytes]:
        """Return status and body of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        # The same host for all: links in bodies contain it.
        sent = {"Host": "127.0.0.1", "Accept": "application/json", **headers}
        if body:
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, path, body or None, sent)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


@contextmanager
def running(
    service: Service,
    python: Path,
    databases: Databases,
    processes: int,
    cores: Sequence[int] | None = None,
) -> Iterator[Running]:
    """Start a contender on these cores with a database of its own; end it afterwards."""
    port = free_port()
    name = f"{service.module}-{port}"
    environment = {
        **os.environ,
        **databases.environment,
        **service.environment(processes),
        "BENCHMARK_DATABASE": databases.copy(name),
        "PYTHONPATH": os.pathsep.join(str(REPOSITORY / each) for each in SOURCES),
        "PYTHONHASHSEED": "0",
    }
    command = [str(python), "-m", *service.server(port, processes, service.application)]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: keep_to(cores),
        )
        try:
            found = Running(service, port, process.pid)
            wait_for(process, found, log)
            yield found
        finally:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def keep_to(cores: Sequence[int] | None) -> None:
    if cores:
        os.sched_setaffinity(0, cores)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(process: subprocess.Popen[bytes], found: Running, log: IO[bytes]) -> None:
    """Wait for the first answer. Raises RuntimeError, with what was logged, if there is none."""
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            status, body = found.ask("GET", "/empty/", "", {})
        except (OSError, http.client.HTTPException):
            time.sleep(0.02)
            continue
        if status != 200:
            raise RuntimeError(f"{found.service.name}: {status} {body[:500]!r}\n{logged(log)}")
        found.first_cpu = cpu_seconds(found.pid)
        return
    raise RuntimeError(f"{found.service.name} does not answer:\n{logged(log)}")


def logged(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read().decode(errors="replace")[-2000:]
