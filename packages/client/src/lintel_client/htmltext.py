"""The text of HTML pages, which servers send as errors."""

import html
import re

from lintel_document.controls import printable

__all__ = ["html_text"]

#: The most that is read of a page, and that is returned, in characters.
LONGEST_PAGE, LONGEST_TEXT = 50_000, 1_000

_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
# Elements whose content is not text for readers.
_HIDDEN = frozenset({"noscript", "script", "style", "svg", "template", "textarea", "title"})
# Of these, no text is read twice: a page may consist of what looks like the beginning of one.
_TAG = re.compile(
    r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>|<!--.*?(?:-->|\Z)|<!(?!--)[^<>]*>", re.DOTALL
)


def html_text(page: str) -> str:
    """Return the title of a page and its visible text, on one line."""
    page = page[:LONGEST_PAGE]
    title = _TITLE.search(page)
    name = _one_line(title[1]) if title else ""
    text = _one_line(" ".join(_visible(page)))
    found = text if text.startswith(name) else f"{name}: {text}" if text else name
    return found if len(found) <= LONGEST_TEXT else f"{found[:LONGEST_TEXT]}…"


def _visible(page: str) -> list[str]:
    found, start, hidden = [], 0, ""
    for tag in _TAG.finditer(page):
        if not hidden:
            found.append(page[start : tag.start()])
        start = tag.end()
        name = (tag[2] or "").lower()
        if not hidden and name in _HIDDEN and not tag[1]:
            hidden = name
        elif name == hidden and tag[1]:
            hidden = ""
    return [*found, "" if hidden else page[start:]]


def _one_line(text: str) -> str:
    return printable(" ".join(html.unescape(text).split()))
