"""Corrections of the theme's HTML, for screen readers and keyboards."""

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


def corrected(text: str) -> str:
    for old, new in CORRECTIONS.items():
        text = text.replace(old, new)
    return text.replace(SEARCH, f'<h1 class="visually-hidden">Search</h1>\n{SEARCH}')


def polish(site: Path) -> None:
    """Correct all pages below a folder. Raises LookupError if the theme writes something else."""
    seen = set()
    for page in site.rglob("*.html"):
        text = page.read_text()
        seen |= {old for old in CORRECTIONS if old in text}
        page.write_text(corrected(text))
    if missing := CORRECTIONS.keys() - seen:
        raise LookupError(f"no page has {', '.join(sorted(missing))}")
