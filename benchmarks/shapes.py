"""``python -m benchmarks shapes``: pages of 50 books in the ways in which real projects write them.

CPU time of whole requests through Django's WSGI handler, on PostgreSQL, in one process for each
framework; both show the same JSON before anything is measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from benchmarks.contenders import REPOSITORY, Contender, Worker, peers_python, working
from benchmarks.databases import OPTIONS, Databases, running_postgresql
from benchmarks.measuring import Measurement, measure
from benchmarks.requests import create_database, request
from benchmarks.services import SOURCES

ROWS = 500
DRF = "DRF 3.18.3"
ROUNDS = 7


def main(arguments: Sequence[str] = ()) -> str:
    python = peers_python()
    contenders = [Contender("lintel", python, "lintel"), Contender(DRF, python, "rest_framework")]
    os.environ["PYTHONPATH"] = os.pathsep.join(str(REPOSITORY / each) for each in SOURCES)
    with running_postgresql(OPTIONS) as server:
        os.environ.update(Databases(server).environment)
        with working("benchmarks.shapes", contenders) as workers:
            names = same_shapes(workers)
            names = list(arguments) or names
            return table([measure(workers, name, ROUNDS) for name in names])


def same_shapes(workers: Sequence[Worker]) -> list[str]:
    """Return the names of all shapes. Raises SystemExit if the contenders show different JSON."""
    names = list(workers[0].ask(scenario="names", runs=1, value=True)["value"])
    for name in names:
        found = {w.ask(scenario=name, runs=1, value=True)["value"] for w in workers}
        if len(found) > 1:
            raise SystemExit(f"{name}: different answers {[one[:2000] for one in found]}")
    return names


def table(measurements: Sequence[Measurement]) -> str:
    lines = [
        "| page of 50 | DRF [µs] | lintel [µs] | DRF : lintel |",
        "| --- | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {one.scenario} | {one.seconds[DRF] * 1e6:,.0f} | {one.seconds['lintel'] * 1e6:,.0f} "
        f"| {one.ratio(DRF, 'lintel'):.2f} |"
        for one in measurements
    ]
    return "\n".join(lines)


def scenarios(framework: str) -> dict[str, Callable[[], object]]:
    """In the worker: set the project up and return one function per shape."""
    os.environ["BENCHMARK_FRAMEWORK"] = framework
    os.environ["BENCHMARK_URLS"] = "benchmarks.project.shapes"
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
    from django.conf import settings  # the environment decides which settings these are

    settings.INSTALLED_APPS += [framework]
    settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"] = [f"{framework}.renderers.JSONRenderer"]
    from django.core.wsgi import get_wsgi_application

    handler = get_wsgi_application()
    from django.core.management import call_command

    from benchmarks.project.models import load, load_books

    create_database()
    call_command("migrate", run_syncdb=True, verbosity=0)
    load(1)
    load_books(ROWS)
    from benchmarks.project.shapes import SHAPES

    def ask(number: int) -> Callable[[], object]:
        return lambda: request(handler, "GET", f"/{number}/").decode()

    found: dict[str, Callable[[], object]] = {name: ask(n) for n, name in enumerate(SHAPES)}
    return found | {"names": lambda: list(SHAPES)}
