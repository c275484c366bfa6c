"""Corrections of the theme's HTML, for screen readers, keyboards and phones."""

import re
from html import escape, unescape
from itertools import cycle
from pathlib import Path

#: What the theme writes, and what stands in its place.
CORRECTIONS = {
    # ARIA wants the level of a heading that is no heading element.
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    # Landmarks of one kind need names.
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Contents">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
}

#: The page of the search has no heading before the script writes one.
SEARCH = '<div id="search-results"></div>'

TABLE = re.compile(r'<table class="docutils.*?</table>', re.DOTALL)
HEAD = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")

#: Narrower tables fit on a phone.
STACKED_COLUMNS = 3

#: A table that CSS lays out as blocks is none to screen readers without these.
ROLES = {"<table ": "table", "<thead>": "rowgroup", "<tbody>": "rowgroup", "<tr ": "row"}


def corrected(text: str) -> str:
    for old, new in CORRECTIONS.items():
        text = text.replace(old, new)
    text = TABLE.sub(lambda found: labelled(found[0]), text)
    return text.replace(SEARCH, f'<h1 class="visually-hidden">Search</h1>\n{SEARCH}')


def labelled(table: str) -> str:
    """Give each cell of a wide table the name of its column, which phones show beside it."""
    names = [unescape(TAG.sub("", head)).strip() for head in HEAD.findall(table)]
    if len(names) < STACKED_COLUMNS:
        return table
    labels = cycle(names)
    table = table.replace('class="docutils', 'class="stacks docutils', 1)
    table = re.sub(
        "<td\\b", lambda _: f'<td role="cell" data-label="{escape(next(labels))}"', table
    )
    table = re.sub("<th\\b", '<th role="columnheader"', table)
    for start, role in ROLES.items():
        table = table.replace(start, f'{start[:-1]} role="{role}"{start[-1]}')
    return table


def polish(site: Path) -> None:
    """Correct all pages below a folder. Raises LookupError if the theme writes something else."""
    seen = set()
    for page in site.rglob("*.html"):
        text = page.read_text()
        seen |= {old for old in CORRECTIONS if old in text}
        page.write_text(corrected(text))
    if missing := CORRECTIONS.keys() - seen:
        raise LookupError(f"no page has {', '.join(sorted(missing))}")
