"""What should be gone soon after the last request: transactions, locks, files, dead parts."""

from __future__ import annotations

import time
from pathlib import Path

import psycopg

from production.stack import Stack

SECONDS_TO_GO = 5

#: Where the service, nginx and PostgreSQL keep files while they work on something.
PASSING = ("temporary", "nginx-bodies", "nginx-answers", "*/data/base/pgsql_tmp")

#: Of those who are connected to the service's database; each number is 0 when nobody asks.
OTHERS = "datname = 'service' AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
ACTIVITY = "SELECT count(*) FROM pg_stat_activity"
QUESTIONS = {
    "open transactions": f"{ACTIVITY} WHERE xact_start IS NOT NULL AND {OTHERS}",
    "locks": f"{ACTIVITY} JOIN pg_locks USING (pid) WHERE {OTHERS}",
}


def files(stack: Stack) -> set[Path]:
    """Uploads, and what is there only for the time of a request."""
    folders = [stack.folder / "uploads"]
    folders += [found for pattern in PASSING for found in stack.folder.glob(pattern)]
    return {path for folder in folders for path in folder.rglob("*") if path.is_file()}


def left(stack: Stack, before: set[Path]) -> list[str]:
    """What is still there after five seconds, beside the files that were there before."""
    deadline = time.monotonic() + SECONDS_TO_GO
    while (found := found_now(stack, before)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def found_now(stack: Stack, before: set[Path]) -> list[str]:
    found = [f"{path.relative_to(stack.folder)}" for path in sorted(files(stack) - before)]
    with stack.database() as connection:
        counts = {name: counted(connection, question) for name, question in QUESTIONS.items()}
    found += [f"{count} {name}" for name, count in counts.items() if count]
    dead = [part.name for part in stack.parts.values() if not part.runs]
    return found + [f"{name} has ended" for name in dead]


def counted(connection: psycopg.Connection, question: str) -> int:
    (count,) = connection.execute(question).fetchone() or (0,)
    return int(count)
