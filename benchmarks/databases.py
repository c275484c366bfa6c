"""A PostgreSQL server for the contenders, with the same rows for each in a database of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.contenders import REPOSITORY

TEMPLATE = "bookshop"

#: What the tests' server has is enough for tests. Everything fits into memory here, and each of a
#: dozen contenders holds connections for all requests at a time.
OPTIONS = {"max_connections": "600", "shared_buffers": "256MB", "max_wal_size": "4GB"}


@dataclass(frozen=True, slots=True)
class Databases:
    """A running server, and how to get a database in it."""

    server: Any

    @property
    def environment(self) -> dict[str, str]:
        """What leads the settings of the benchmark's project to the server."""
        return {"BENCHMARK_POSTGRESQL": f"{self.server.folder},{self.server.user}"}

    def copy(self, name: str) -> str:
        """Make a database with the rows of the template; return its name."""
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{TEMPLATE}"')
        return name

    def fill(self, module: str) -> None:
        """Make the template, and run a module that fills it."""
        self._execute(f'CREATE DATABASE "{TEMPLATE}"')
        environment = {**os.environ, **self.environment, "BENCHMARK_DATABASE": TEMPLATE}
        command = [sys.executable, "-m", module]
        subprocess.run(command, cwd=REPOSITORY, env=environment, check=True)

    def _execute(self, statement: str) -> None:
        with self.server.connect() as connection:
            connection.execute(statement)


@contextmanager
def running_databases(module: str, options: Mapping[str, str] = OPTIONS) -> Iterator[Databases]:
    """Run a server whose template is filled by a module; its data is deleted at the end."""
    with running_postgresql(options) as server:
        databases = Databases(server)
        databases.fill(module)
        yield databases


def running_postgresql(options: Mapping[str, str]) -> Any:
    """Return the context manager of the tests, which know how to start a server."""
    for folder in ("packages/server/tests", "tools"):
        if str(Path(REPOSITORY, folder)) not in sys.path:
            sys.path.append(str(Path(REPOSITORY, folder)))
    from servers import running_postgresql

    return running_postgresql(**options)
