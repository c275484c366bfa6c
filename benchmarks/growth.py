"""``python -m benchmarks growth``: what more rows, fields and routes cost, on PostgreSQL.

Contenders are served, compared and measured as in ``benchmarks.postgresql``. Depth in a long list
is measured by ``python -m benchmarks lists``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from benchmarks import checks, options, page, rounds
from benchmarks.measuring import show
from benchmarks.postgresql import served, surroundings
from benchmarks.project.growth.shape import FEW, FIELDS, MANY, ROWS
from benchmarks.rounds import Sample
from benchmarks.services import Service, available
from benchmarks.workloads import Workload

PACKAGE = "benchmarks.project.growth"
#: Modules of the bookshop that have a counterpart here.
MODULES = (
    "framework",
    "by_hand",
    "with_modern",
    "with_ninja",
    "with_fastapi",
    "with_litestar",
    "with_starlette",
)
FIELDS_OF_ROWS, ROWS_OF_FIELDS = 20, 100
#: Fewer connections where one request is work for a second.
CONNECTIONS_BY_ROWS = {10: 16, 100: 16, 1000: 4, ROWS: 2}

BY_ROWS = tuple(
    Workload(f"{rows:,} rows", f"/wide/{FIELDS_OF_ROWS}/?limit={rows}", connections=connections)
    for rows, connections in CONNECTIONS_BY_ROWS.items()
)
BY_FIELDS = tuple(
    Workload(f"{fields} fields", f"/wide/{fields}/?limit={ROWS_OF_FIELDS}") for fields in FIELDS
)
BY_ROUTES = (
    Workload(f"last of {FEW} routes", f"/few-{FEW - 1}/"),
    Workload(f"last of {MANY:,} routes", f"/many-{MANY - 1}/"),
)
TABLES = {
    f"By rows, {FIELDS_OF_ROWS} fields each": BY_ROWS,
    f"By fields, {ROWS_OF_FIELDS} rows each": BY_FIELDS,
    "By routes that are tried before": BY_ROUTES,
}
WORKLOADS = (*BY_ROWS, *BY_FIELDS, *BY_ROUTES)


def main(arguments: Sequence[str] = ()) -> str:
    """Measure, write the page unless only a part was selected, and return the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks growth")
    options.add_choices(parser, "workloads")
    selected = parser.parse_args(arguments)
    services = options.chosen(contenders(), selected.contenders)
    workloads = options.chosen(WORKLOADS, selected.rows)
    is_complete = not options.is_selection(selected)
    if is_complete:
        page.check_marks("growth")
    text = tables(services, workloads, options.plan_of(selected))
    if is_complete:
        page.insert("growth", text)
    return text


def contenders() -> list[Service]:
    """Return those with a counterpart here; the drop-in is lintel, and measured as such."""
    return [
        replace(each, package=PACKAGE)
        for each in available()
        if each.module in MODULES and not each.is_dropin
    ]


def tables(services: Sequence[Service], workloads: Sequence[Workload], plan: rounds.Plan) -> str:
    """Serve, compare and measure; return Markdown: CPU time, and what one more of each takes."""
    before = surroundings()
    samples: dict[str, dict[str, Sample]] = {}
    with served(services, 1, f"{PACKAGE}.filling") as (servers, client):
        show("comparing answers")
        checks.compare_answers(servers, workloads)
        for each in workloads:
            samples[each.name] = rounds.measure(client, servers, each, plan)
    parts = [before, "CPU time of the server per request in µs"]
    for title, group in TABLES.items():
        chosen = [each.name for each in group if each.name in samples]
        if chosen:
            parts += [f"{title}:", table(services, {name: samples[name] for name in chosen})]
    return "\n\n".join(parts)


def table(services: Sequence[Service], samples: dict[str, dict[str, Sample]]) -> str:
    lines = [
        [each.name, *(f"{found[each.name].cpu:,.0f}" for found in samples.values())]
        for each in services
    ]
    return page.markdown(["contender", *samples], lines)
