"""Describing 500 endpoints over 200 models: a cold generator in a fresh process, and the next run.

Then the cost of serving from a schema view that keeps its documents, and their memory.

Two OpenAPI 3.0 documents by the incumbent and by drf-spectacular; by lintel the incumbent's
form, and the full description in 3.1.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contenders import Contender, peers_python, working
from benchmarks.measuring import Measurement, measure, show, table

ROUNDS = 5
BARE, KEPT, MEMORY = "a bare view", "a kept document", "memory"
OWN = "a kept document of what the caller may call"
JSON = "application/vnd.oai.openapi+json"
COLD, WARM = "cold", "the next one"
FULL = "lintel, 3.1"
OTHERS = ("lintel, 3.0.2", "DRF 3.18.3", "drf-spectacular")


def main() -> str:
    """Measure all contenders; returns the table."""
    here, peers = Path(sys.executable), peers_python()
    contenders = [
        Contender(FULL, here, "lintel 3.1"),
        Contender(OTHERS[0], here, "lintel 3.0.2"),
        Contender(OTHERS[1], peers, "rest_framework"),
        Contender(OTHERS[2], peers, "drf_spectacular"),
    ]
    found: dict[str, dict[str, list[float]]] = {COLD: {}, WARM: {}}
    for number in range(ROUNDS):
        show(f"schema: round {number + 1} of {ROUNDS}")
        with working("benchmarks.schema", contenders) as workers:
            for scenario in (COLD, WARM):
                for worker in workers:
                    answer = worker.ask(scenario="document", runs=1)
                    times = found[scenario].setdefault(worker.contender.name, [])
                    times.append(float(str(answer["seconds"])))
    show("")
    made = table(
        [
            Measurement(name, {each: statistics.median(runs) for each, runs in by_name.items()})
            for name, by_name in found.items()
        ],
        FULL,
        OTHERS,
    )
    return f"{made}\n\n{served(contenders[0])}"


def served(contender: Contender) -> str:
    """Measure a kept document: CPU compared with a bare view, and memory with its bytes."""
    with working("benchmarks.schema", [contender]) as workers:
        names = (BARE, KEPT, OWN)
        bare, kept, own = (measure(workers, name).seconds[FULL] for name in names)
        (worker,) = workers
        memory = float(str(worker.ask(scenario=MEMORY, runs=0, value=True)["value"]))
    lines = [
        "| a kept document | |",
        "| --- | ---: |",
        f"| CPU of a request : a bare view | {kept / bare:.2f} ({kept * 1e6:,.1f} µs) |",
        f"| the same of what the caller may call : a bare view | {own / bare:.2f} |",
        f"| memory : bytes of the document | {memory:.2f} |",
    ]
    return "\n".join(lines)


def scenarios(framework: str) -> dict[str, Callable[[], object]]:
    """In the worker: set the project up and return the functions that make the document."""
    warnings.simplefilter("ignore")
    package, _, version = framework.partition(" ")
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
    os.environ["BENCHMARK_FRAMEWORK"] = "lintel" if package == "lintel" else "rest_framework"
    import django
    from django.conf import settings  # the environment decides which settings these are

    settings.INSTALLED_APPS += [os.environ["BENCHMARK_FRAMEWORK"]]
    settings.ROOT_URLCONF = "benchmarks.project.many"
    settings.REST_FRAMEWORK = {}
    if version:
        settings.REST_FRAMEWORK["OPENAPI_VERSION"] = version
    if package == "drf_spectacular":
        settings.REST_FRAMEWORK["DEFAULT_SCHEMA_CLASS"] = "drf_spectacular.openapi.AutoSchema"
    django.setup()
    return {"document": document_of(package), **(serving() if package == "lintel" else {})}


def serving() -> dict[str, Callable[[], object]]:
    """Return requests to a view that keeps its documents, and to one that returns a short text."""
    from lintel.response import Response
    from lintel.schemas import get_schema_view
    from lintel.test import APIRequestFactory
    from lintel.views import APIView

    class Bare(APIView):
        def get(self, request: Any) -> Response:
            return Response({"title": "x"})

    request = APIRequestFactory().get
    bare, kept = Bare.as_view(), get_schema_view(title="API", public=True, keeps_documents=True)
    own = get_schema_view(title="API", keeps_documents=True)
    return {
        OWN: lambda: own(request("/", HTTP_ACCEPT=JSON)),
        BARE: lambda: bare(request("/")).render(),
        KEPT: lambda: kept(request("/", HTTP_ACCEPT=JSON)),
        MEMORY: lambda: memory_of(lambda: kept(request("/", HTTP_ACCEPT=JSON)).content),
    }


def memory_of(serve: Callable[[], bytes]) -> float:
    """Return the memory that remains after making a document, and the document's size."""
    from django.conf import settings
    from django.test.utils import override_settings

    size = len(serve())
    gc.collect()
    tracemalloc.start()
    with override_settings(
        REST_FRAMEWORK=dict(settings.REST_FRAMEWORK)
    ):  # all documents are dropped
        serve()
        gc.collect()
        stays, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return stays / size


def document_of(package: str) -> Callable[[], object]:
    """What makes the document of a package, with all endpoints."""
    from importlib import import_module

    import_module("benchmarks.project.many")
    if package == "drf_spectacular":
        generator = import_module("drf_spectacular.generators").SchemaGenerator
    else:
        generator = import_module(f"{package}.schemas.openapi").SchemaGenerator
    return lambda: checked(generator().get_schema(request=None, public=True))


def checked(document: dict[str, object]) -> dict[str, object]:
    """The document, if it has all endpoints."""
    paths = document["paths"]
    if not isinstance(paths, dict) or len(paths) != 500:
        raise RuntimeError("a document without its endpoints measures nothing")
    return document
