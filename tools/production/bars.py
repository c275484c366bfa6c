"""Pictures of tables: a panel for each column of numbers, a bar for each row."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

PANEL, LEFT, BAR, GAP = 300, 110, 14, 6
COLOUR = "#0b6e4f"


def picture(title: str, names: Sequence[str], columns: dict[str, Sequence[float]]) -> str:
    """Bars in SVG; each panel has a scale of its own."""
    panels = [panel(head, names, values) for head, values in columns.items()]
    width, height = len(panels) * PANEL, 36 + len(names) * (BAR + GAP)
    placed = [
        f'<g transform="translate({place * PANEL} 0)">{each}</g>'
        for place, each in enumerate(panels)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="sans-serif" font-size="11" fill="#222">'
        f'<title>{escape(title)}</title><rect width="{width}" height="{height}" fill="#fff"/>'
    )
    return "\n".join([head, *placed, "</svg>\n"])


def panel(head: str, names: Sequence[str], values: Sequence[float]) -> str:
    largest = max(*values, 1e-9)
    parts = [f'<text x="{LEFT}" y="16" font-weight="bold">{escape(head)}</text>']
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        top, length = 26 + number * (BAR + GAP), round(value / largest * (PANEL - LEFT - 70))
        parts += [
            f'<text x="{LEFT - 6}" y="{top + 11}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{LEFT}" y="{top}" width="{max(1, length)}" height="{BAR}" fill="{COLOUR}"/>',
            f'<text x="{LEFT + max(1, length) + 5}" y="{top + 11}">{value:,g}</text>',
        ]
    return "".join(parts)
