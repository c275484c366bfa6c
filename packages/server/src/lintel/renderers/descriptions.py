"""Descriptions on pages that show texts of many authors: safe Markdown."""

import re
from html import unescape

from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe

from lintel.compat import is_installed, markdown_without_html

#: What is searched for in HTML from a Markdown engine.
_ANCHOR = re.compile(r'<(h[1-6]) id="[^"]*"')
_TARGET = re.compile(r' (href|src)="([^"]*)"')
_IMAGE = re.compile(r"<img [^>]*>")

_SCHEMES = ("http:", "https:", "mailto:")


def described(text: str) -> SafeString:
    """Return Markdown without raw HTML, script URLs, foreign images, anchors; else paragraphs."""
    if not is_installed("markdown"):
        return mark_safe(linebreaks(text, autoescape=True))  # noqa: S308 -- escaped
    html = _ANCHOR.sub(r"<\1", markdown_without_html(text))
    # The engine writes only its own tags, with attributes in double quotes.
    return mark_safe(_TARGET.sub(_safe_target, _IMAGE.sub(_linked_image, html)))  # noqa: S308


def scheme_of(address: str) -> str:
    seen = re.sub(r"[\x00-\x20]", "", unescape(address)).lower()
    match = re.match(r"[a-z][a-z0-9+.-]*:", seen)
    return match.group() if match else ""


def _safe_target(match: re.Match[str]) -> str:
    return match.group() if scheme_of(match[2]) in ("", *_SCHEMES) else f' {match[1]}="#"'


def _names_host(address: str) -> bool:
    """Return whether a URL without a scheme names a host; browsers read ``\\`` as a slash."""
    return re.sub(r"[\x00-\x20]", "", unescape(address)).replace("\\", "/").startswith("//")


def _linked_image(match: re.Match[str]) -> str:
    values = dict(re.findall(r' (src|alt)="([^"]*)"', match.group()))
    address = values.get("src", "")
    if not scheme_of(address) and not _names_host(address):
        return match.group()
    return f'<a href="{address}">{values.get("alt") or address}</a>'
