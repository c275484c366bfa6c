"""Pages of long lists: the cost of a paginator beyond its queries, and the cost of depth."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from math import log10
from pathlib import Path
from typing import Any

from benchmarks.contenders import REPOSITORY, Contender, Worker, working
from benchmarks.depths import ROWS
from benchmarks.measuring import measure, show

PAGE = REPOSITORY / "docs" / "benchmarks.md"
PICTURE = REPOSITORY / "docs" / "benchmarks-lists.svg"
MARKED = re.compile(r"(?<=<!-- lists -->\n).*(?=<!-- end of lists -->)", re.DOTALL)

DATABASES = ("sqlite", "postgresql")
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}

#: Microseconds of a bare Django view on the machine that budgets are meant for.
BARE_VIEW = 50

#: Style → the view without a paginator that makes the same queries.
FLOORS = {
    "page number": "counted by hand",
    "limit and offset": "counted by hand",
    "cursor": "sought by hand",
}
PAIRS = 101
RUNS = 20


def main() -> str:
    """Measure both; write the picture and tables into the documentation page."""
    found = {f"{style}, {NAMES[name]}": times for name in DATABASES for style, times in at(name)}
    PICTURE.write_text(picture(found))
    text = f"{overheads()}\n\n{depths(found)}\n"
    PAGE.write_text(MARKED.sub(lambda _: text, PAGE.read_text()))
    return text


def at(vendor: str) -> list[tuple[str, list[float]]]:
    """Milliseconds by style and depth on one database."""
    show(f"a million rows in {NAMES[vendor]}")
    command = [sys.executable, "-m", "benchmarks.depths", vendor]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    show("")
    return list(json.loads(done.stdout).items())


def overheads() -> str:
    """Return Markdown: CPU time of a page, and what remains without its queries."""
    kinds = [Contender(name, Path(sys.executable), name) for name in ("bare view", "pages")]
    with working("benchmarks.lists", kinds) as workers:
        bare = measure(workers[:1], "bare view").seconds["bare view"]
        rows = [(style, *beside(workers[1], style, floor)) for style, floor in FLOORS.items()]
    lines = [["page of 100", "request [µs]", "beyond its queries [µs]", f"bare view = {BARE_VIEW}"]]
    lines.append(["---", "---:", "---:", "---:"])
    for style, seconds, extra in rows:
        scaled = extra * BARE_VIEW / (bare * 1e6)
        cells = [f"{seconds * 1e6:,.0f}", f"{extra * 1e6:.0f}", f"{scaled * 1e6:.0f}"]
        lines.append([style, *cells])
    return markdown(lines)


def beside(worker: Worker, style: str, floor: str) -> tuple[float, float]:
    """Return CPU seconds of a page, and the median of its overhead over the bare view.

    Both run in one process, alternating, so that disturbances affect both.
    """
    pairs: list[tuple[float, float]] = []
    for number in range(PAIRS):
        show(f"{style}: {number + 1} of {PAIRS}")
        order = (style, floor) if number % 2 else (floor, style)
        found = {name: float(worker.ask(scenario=name, runs=RUNS)["seconds"]) for name in order}
        pairs.append((found[style] / RUNS, found[floor] / RUNS))
    show("")
    page = statistics.median(one for one, _ in pairs)
    return page, statistics.median(one - other for one, other in pairs)


def depths(found: dict[str, list[float]]) -> str:
    """Markdown: milliseconds of the first and the last page."""
    lines = [[f"page of 100 of {ROWS:,}", "first [ms]", "middle [ms]", "last [ms]", "last : first"]]
    lines.append(["---", "---:", "---:", "---:", "---:"])
    for name, times in found.items():
        cells = [f"{times[0]:.2f}", f"{times[len(times) // 2]:.2f}", f"{times[-1]:.2f}"]
        lines.append([name, *cells, f"{times[-1] / times[0]:.2f}"])
    return markdown(lines)


def markdown(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 50, 190, 20, 40
COLOURS = ("#0b6e4f", "#8d99ae", "#55a630", "#c1666b")
GRID = (1, 10, 100, 1000)


def picture(found: dict[str, list[float]]) -> str:
    """Lines in SVG: depth to the right, milliseconds upwards, each line of the grid ten times."""
    highest = max(max(times) for times in found.values())
    top = next(each for each in GRID if each > highest or each == GRID[-1])

    def place(step: int, steps: int, milliseconds: float) -> tuple[float, float]:
        share = max(0.0, _logarithm(milliseconds)) / _logarithm(top)
        across = LEFT + step * (WIDTH - LEFT - RIGHT) / steps
        return across, HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    parts = [_grid(each, place(0, 1, each)[1]) for each in GRID if each <= top]
    for colour, (name, times) in zip(COLOURS, found.items(), strict=True):
        points = [place(step, len(times) - 1, each) for step, each in enumerate(times)]
        parts += _line(name, points, colour)
    parts.append(
        f'<text x="{LEFT}" y="{HEIGHT - 12}">first page</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end">row {ROWS:,}</text>'
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#222">'
        "<title>Milliseconds of a page by its depth in the list; lower is better</title>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    )
    return "\n".join([head, *parts, "</svg>\n"])


def _logarithm(milliseconds: float) -> float:
    return log10(max(milliseconds, 0.1)) + 1


def _grid(milliseconds: float, height: float) -> str:
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{height:.1f}" y2="{height:.1f}" '
        'stroke="#d6d9e0"/>'
        f'<text x="{LEFT - 6}" y="{height + 4:.1f}" text-anchor="end">{milliseconds} ms</text>'
    )


def _line(name: str, points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    path = " ".join(f"{across:.1f},{height:.1f}" for across, height in points)
    across, height = points[-1]
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        f'<text x="{across + 8:.1f}" y="{height + 4:.1f}" fill="{colour}">{name}</text>',
    ]


def scenarios(framework: str) -> dict[str, Callable[[], object]]:
    """In the worker: views over a thousand rows in memory, asked for their second page."""
    from benchmarks import requests
    from benchmarks.depths import prepare

    if framework == "bare view":
        handler = requests.prepare("plain")
        return {"bare view": lambda: requests.request(handler, "GET", "/empty/")}
    prepare({"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"})
    from benchmarks.project import events

    events.load(1000)
    views = {
        "page number": (events.ByNumber, "page=2"),
        "limit and offset": (events.ByOffset, "offset=100"),
        "cursor": (events.ByCursor, events.cursor_at(100)),
        "counted by hand": (events.CountedByHand, "page=2"),
        "sought by hand": (events.SoughtByHand, events.cursor_at(100)),
    }
    return {name: asking(view, query) for name, (view, query) in views.items()}


def asking(view: Any, query: str) -> Callable[[], object]:
    """Return a function that sends a request through the view, until the content is complete."""
    from django.test import RequestFactory

    function, factory = view.as_view(), RequestFactory()
    return lambda: function(factory.get(f"/events/?{query}")).render()


if __name__ == "__main__":
    print(main())
