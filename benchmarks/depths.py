"""``python -m benchmarks.depths sqlite|postgresql``: milliseconds of pages at growing depths.

Runs in a separate process, beside the database, and prints JSON: style → milliseconds by depth.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.contenders import REPOSITORY

ROWS = 1_000_000
PAGE_SIZE = 100
STEPS = 10
ROUNDS = 25

#: Rows created by the database itself: sending a million of them from Django would take minutes.
FILLING = {
    "sqlite": """
        INSERT INTO project_event (name, created)
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {last})
        SELECT 'event ' || i, strftime('%Y-%m-%d %H:%M:%S', 1767225600 + i / 100, 'unixepoch')
        FROM n
    """,
    "postgresql": """
        INSERT INTO project_event (name, created)
        SELECT 'event ' || i, timestamptz '2026-01-01 00:00:00+00' + (i / 100) * interval '1 second'
        FROM generate_series(0, {last}) AS i
    """,
}


def main(vendor: str) -> None:
    """Fill the database and measure."""
    with database(vendor) as entry:
        prepare(entry)
        fill(vendor)
        print(json.dumps(measured()))


@contextmanager
def database(vendor: str) -> Iterator[dict[str, Any]]:
    """Yield an entry for DATABASES: a file, or a server for the duration of the block."""
    if vendor == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            name = str(Path(folder) / "events")
            yield {"ENGINE": "django.db.backends.sqlite3", "NAME": name}
        return
    sys.path += [str(REPOSITORY / "packages" / "server" / "tests"), str(REPOSITORY / "tools")]
    from servers import running_postgresql  # the tests know how to start one

    with running_postgresql() as server:
        yield server.settings


def prepare(entry: dict[str, Any]) -> None:
    """Start Django on the database."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
    import django
    from django.conf import settings  # the environment decides which settings these are

    settings.DATABASES = {"default": entry}
    settings.INSTALLED_APPS.append("lintel")
    settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"] = ["lintel.renderers.JSONRenderer"]
    django.setup()


def fill(vendor: str) -> None:
    """Create the tables, the rows, and the planner's statistics."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", run_syncdb=True, verbosity=0)
    with connection.cursor() as cursor:
        # Without parameters, because the date format is full of percent signs.
        cursor.execute(FILLING[vendor].format(last=ROWS - 1), None)
        cursor.execute("VACUUM" if vendor == "sqlite" else "VACUUM ANALYZE")
        cursor.execute("ANALYZE")


def measured() -> dict[str, list[float]]:
    """Return the shortest wall time of a whole request by style and depth; all take turns."""
    requests = asked()
    found: dict[str, list[list[float]]] = {
        style: [[] for _ in places] for style, places in requests.items()
    }
    for _ in range(ROUNDS):
        for style, places in requests.items():
            for times, ask in zip(found[style], places, strict=True):
                started = time.perf_counter()
                ask()
                times.append((time.perf_counter() - started) * 1000)
    return {style: [min(times) for times in places] for style, places in found.items()}


def asked() -> dict[str, list[Any]]:
    """Return, for each style, functions that request a page at growing depths."""
    from django.test import RequestFactory

    from benchmarks.project.events import ByCursor, ByOffset, cursor_at

    factory = RequestFactory()
    depths = [step * (ROWS - PAGE_SIZE) // STEPS for step in range(STEPS + 1)]

    def page(view: Any, query: str) -> Any:
        function = view.as_view()

        def ask() -> None:
            response = function(factory.get(f"/events/?{query}")).render()
            if len(response.data["results"]) != PAGE_SIZE:
                raise RuntimeError(f"{query}: {response.status_code} {response.content[:200]!r}")

        return ask

    return {
        "cursor": [page(ByCursor, cursor_at(depth)) for depth in depths],
        "limit and offset": [page(ByOffset, f"offset={depth}") for depth in depths],
    }


if __name__ == "__main__":
    main(sys.argv[1])
