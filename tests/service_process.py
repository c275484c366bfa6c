"""A real server process of the example service, and the installed command line beside it."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

REPOSITORY = Path(__file__).resolve().parents[1]
SERVICE = REPOSITORY / "examples" / "service"
LINTEL = Path(sys.executable).with_name("lintel")
PASSWORD = "correct horse battery staple"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one run of the command line."""

    status: int
    output: str
    errors: str

    def json(self) -> object:
        return json.loads(self.output)


@dataclass(frozen=True, slots=True)
class Service:
    """One running service: its address and its database file."""

    address: str
    database: Path

    @property
    def url(self) -> str:
        return f"http://{self.address}/"

    def rows(self) -> list[tuple[int, str]]:
        """Return key and code of all snippets, read directly from the database."""
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT id, code FROM snippets_snippet").fetchall()


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The executable ``lintel`` with a configuration directory of its own."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, stdin: str | None = None) -> Outcome:
        environment = {**os.environ, **self.environment, "LINTEL_CONFIG_DIR": str(self.folder)}
        run = subprocess.run(
            [str(LINTEL), *arguments],
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return Outcome(run.returncode, run.stdout, run.stderr)


def manage(database: Path, *arguments: str) -> str:
    """Run the service's ``manage.py``; return what it printed."""
    run = subprocess.run(
        [sys.executable, str(SERVICE / "manage.py"), *arguments],
        env=environment(database),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def environment(database: Path, **more: str) -> dict[str, str]:
    """Return the environment of a service process, without pytest's own Django settings."""
    wanted = {"SERVICE_DATABASE": str(database), "DJANGO_SETTINGS_MODULE": "service.settings"}
    return {**os.environ, **wanted, **more}


def recording(file: Path) -> dict[str, str]:
    """Return additional variables for a process of recorded_service."""
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"SERVICE_EXCHANGES": str(file), "PYTHONPATH": os.pathsep.join(paths)}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def server_command(address: str, application: str) -> list[str]:
    host, port = address.split(":")
    place = ["--host", host, "--port", port, "--working-dir", str(SERVICE)]
    granian = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"]
    return [*granian, *place, f"{application}:application"]


def wait_until_answers(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            break
        try:
            httpx2.get(f"http://{address}/", timeout=5)
        except httpx2.TransportError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the service does not answer:\n{log.read_text()}")


@contextmanager
def running_service(folder: Path, exchanges: Path | None = None) -> Iterator[Service]:
    """Run the service with 1,000 sample snippets, on a free loopback port.

    ``exchanges`` is the file for the findings if the service checks its exchanges.
    """
    application = "service.wsgi" if exchanges is None else "recorded_service"
    more = {} if exchanges is None else recording(exchanges)
    database = folder / "service.sqlite3"
    manage(database, "migrate", "--verbosity=0")
    manage(database, "loadsample", f"--password={PASSWORD}")
    address = f"127.0.0.1:{free_port()}"
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(
            server_command(address, application),
            env=environment(database, **more),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_until_answers(process, address, folder / "server.log")
            yield Service(address, database)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)
