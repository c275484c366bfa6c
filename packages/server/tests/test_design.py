"""The style sheets: pages are readable in every colour scheme, size and direction."""

import gzip
import re
from itertools import product
from pathlib import Path

import pytest

import lintel

STATIC = Path(lintel.__file__).parent / "static" / "rest_framework"
DOCS = Path(lintel.__file__).parents[4] / "docs"
SHEETS = [
    STATIC / "css" / "design.css",
    STATIC / "css" / "default.css",
    STATIC / "docs" / "css" / "docs.css",
]
GROUNDS = ["page", "panel", "raised"]
TEXTS = ["ink", "quiet", "accent", "good", "warn", "danger", "key", "string", "number", "word"]
LARGEST = 20_000

#: What has no place in a page that may be read from right to left.
PHYSICAL = re.compile(
    r"(?<![\w-])(?:left|right|(?:margin|padding|border)-(?:left|right)|text-align:\s*(?:left|right))"
    r"\s*[:;]"
)


def tokens(scheme: str) -> dict[str, str]:
    """The colours of one scheme by name."""
    place = ("light", "dark").index(scheme)
    pairs = re.findall(
        r"--([\w-]+): var\(--light, (#\w{6})\) var\(--dark, (#\w{6})\);", SHEETS[0].read_text()
    )
    return {name: colours[place] for name, *colours in pairs}


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_the_standard_says():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_edges_stand_out(scheme):
    colours = tokens(scheme)
    pairs = {**dict.fromkeys(product(TEXTS, GROUNDS), 4.5), ("on-accent", "accent"): 4.5}
    pairs |= {("edge", ground): 3 for ground in GROUNDS}
    for name in ("accent", "good", "warn", "danger"):
        pairs |= {(name, f"{name}-soft"): 4.5, ("ink", f"{name}-soft"): 4.5}
    found = {(a, b): contrast(colours[a], colours[b]) for a, b in pairs}
    assert {pair: ratio for pair, ratio in found.items() if ratio < pairs[pair]} == {}


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_sheets_are_small_and_ask_no_other_host(sheet):
    text = sheet.read_text()
    assert len(gzip.compress(text.encode())) < LARGEST
    assert re.findall(r"url\((?!\"[\w./-]+\")|//|data:", text) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_sheets_name_no_left_or_right(sheet):
    assert PHYSICAL.findall(sheet.read_text()) == []


def test_every_picture_is_shown_and_all_are_small():
    shown = re.findall(r"\]\((pictures/[^)]*)\)", (DOCS / "pictures.md").read_text())
    taken = {f"pictures/{each.name}": each.stat().st_size for each in (DOCS / "pictures").iterdir()}
    assert sorted(shown) == sorted(taken)
    assert sum(taken.values()) < 2_000_000


def test_every_token_that_is_used_is_defined():
    text = "".join(sheet.read_text() for sheet in SHEETS)
    used = set(re.findall(r"var\((--[\w-]+)", text))
    assert used - set(re.findall(r"(--[\w-]+):", text)) == set()
