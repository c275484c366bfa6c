"""Tables and picture of the PostgreSQL benchmark, and their place in ``docs/benchmarks.md``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import product
from typing import TYPE_CHECKING

from benchmarks.contenders import REPOSITORY
from benchmarks.rounds import Sample

if TYPE_CHECKING:
    from benchmarks.postgresql import Measured

PAGE = REPOSITORY / "docs" / "benchmarks.md"
PICTURE = REPOSITORY / "docs" / "benchmarks-postgresql.svg"
BASE = "raw Django"


def tables(found: Measured) -> str:
    """Return Markdown: CPU time, rates with latencies, starts and memory."""
    parts = [
        found.surroundings,
        "CPU time of the server per request in µs (in parentheses: times that of the raw view)",
        cpu_table(found),
        "Requests per second · median / 99th percentile of latency in ms",
        rate_table(found),
        "Start and memory",
        start_table(found),
    ]
    return "\n\n".join(parts)


def write(found: Measured, text: str, processes: int) -> None:
    """Put the tables between the marks of the page, and draw the picture."""
    if processes == 1:
        PICTURE.write_text(picture(found.samples, framework_names(found)))
        text = f"![CPU time per request by workload and contender]({PICTURE.name})\n\n{text}"
    insert(mark_of(processes), text)


def mark_of(processes: int) -> str:
    return "postgresql" if processes == 1 else f"postgresql, {processes} processes"


def check_marks(mark: str) -> None:
    """Raise ValueError if the page has no place for what a run is going to find."""
    content = PAGE.read_text()
    if f"<!-- {mark} -->\n" not in content or f"<!-- end of {mark} -->" not in content:
        raise ValueError(f"{PAGE} has no marks for {mark}")


def insert(mark: str, text: str) -> None:
    """Replace what is between two marks of the page. Raises ValueError without marks."""
    check_marks(mark)
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    marked = re.compile(f"(?<={re.escape(begin)}).*(?={re.escape(end)})", re.DOTALL)
    PAGE.write_text(marked.sub(lambda _: f"{text}\n", PAGE.read_text()))


def framework_names(found: Measured) -> set[str]:
    return {each.name for each in found.services if each.is_framework}


def cpu_table(found: Measured) -> str:
    names = framework_names(found)

    def cell(samples: Mapping[str, Sample], name: str) -> str:
        spent = samples[name].cpu
        best = min((samples[each].cpu for each in samples if each in names), default=0.0)
        text = f"**{spent:,.0f}**" if spent == best else f"{spent:,.0f}"
        return f"{text} ({spent / samples[BASE].cpu:.2f})" if BASE in samples else text

    return by_contender(found, cell)


def rate_table(found: Measured) -> str:
    def cell(samples: Mapping[str, Sample], name: str) -> str:
        one = samples[name]
        return f"{one.rate:,.0f} · {one.p50:.1f} / {one.p99:.1f}"

    return by_contender(found, cell)


def by_contender(found: Measured, cell: Callable[[Mapping[str, Sample], str], str]) -> str:
    head = ["contender", *found.samples]
    lines = [
        [each.name, *(cell(samples, each.name) for samples in found.samples.values())]
        for each in found.services
    ]
    return markdown(head, lines)


def start_table(found: Measured) -> str:
    head = ["contender", "server", "CPU seconds to the first answer", "MiB after the run (PSS)"]
    lines = []
    for each in found.services:
        start = found.starts[each.name]
        lines.append([each.name, each.server_name, f"{start.cpu:.2f}", f"{start.memory:.0f}"])
    return markdown(head, lines)


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ruler, *lines))


COLUMNS, PANEL, LEFT, BAR, GAP = 3, 330, 150, 11, 4
OURS, THEIRS, BY_HAND = "#0b6e4f", "#8d99ae", "#d6d9e0"


def picture(samples: Mapping[str, Mapping[str, Sample]], frameworks: set[str]) -> str:
    """Bars in SVG: a panel for each workload, with a scale of its own, the quickest at the top."""
    panels = [panel(name, found, frameworks) for name, found in samples.items()]
    height = 40 + max(len(found) for found in samples.values()) * (BAR + GAP)
    parts = [
        f'<g transform="translate({across * PANEL} {down * height})">{each}</g>'
        for each, (down, across) in zip(
            panels, product(range(len(panels)), range(COLUMNS)), strict=False
        )
    ]
    width, tall = COLUMNS * PANEL, -(-len(panels) // COLUMNS) * height
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall}" role="img" '
        'font-family="sans-serif" font-size="11" fill="#222">'
        "<title>CPU time per request by workload and contender; shorter is better</title>"
        f'<rect width="{width}" height="{tall}" fill="#fff"/>'
    )
    return "\n".join([head, *parts, "</svg>\n"])


def panel(workload: str, found: Mapping[str, Sample], frameworks: set[str]) -> str:
    parts = [f'<text x="{LEFT}" y="16" font-weight="bold">{escape(workload)}</text>']
    slowest = max(each.cpu for each in found.values())
    ranked = sorted(found.items(), key=lambda item: item[1].cpu)
    for number, (name, sample) in enumerate(ranked):
        colour = OURS if name.startswith("lintel") else THEIRS if name in frameworks else BY_HAND
        parts += bar(name, sample.cpu, sample.cpu / slowest, colour, 24 + number * (BAR + GAP))
    return "".join(parts)


def bar(name: str, spent: float, share: float, colour: str, top: int) -> list[str]:
    length = max(1, round(share * (PANEL - LEFT - 60)))
    return [
        f'<text x="{LEFT - 6}" y="{top + 9}" text-anchor="end">{escape(name)}</text>',
        f'<rect x="{LEFT}" y="{top}" width="{length}" height="{BAR}" fill="{colour}"/>',
        f'<text x="{LEFT + length + 5}" y="{top + 9}">{spent:,.0f}</text>',
    ]
