"""The table of deliberate differences: complete rows, and tests that exist."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DOCUMENT = Path(__file__).parents[3] / "docs" / "differences.md"
ANCHOR = re.compile(r'^<a id="([a-z0-9-]+)"></a>\S')


def rows() -> list[list[str]]:
    """The cells of each row: what, why, setting, test, cases."""
    lines = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| <a id=")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def name_of(row: list[str]) -> str:
    found = ANCHOR.match(row[0])
    return found[1] if found else row[0]


@pytest.mark.parametrize("row", rows(), ids=name_of)
def test_rows_say_what_why_how_back_and_where_it_is_held(row: list[str]) -> None:
    assert len(row) in (4, 5)
    assert ANCHOR.match(row[0])
    assert all(row[:4])


@pytest.mark.parametrize("row", rows(), ids=name_of)
def test_the_named_tests_exist(row: list[str]) -> None:
    tests = re.findall(r"`(test_\w+\.py)`", row[3])
    assert tests
    assert [test for test in tests if not (TESTS / test).exists()] == []


def test_anchors_are_unique_and_all_lines_are_rows() -> None:
    anchors = [name_of(row) for row in rows()]
    assert len(anchors) == len(set(anchors))
    assert len(anchors) == DOCUMENT.read_text().count("| <a id=")


def test_pages_link_to_rows_that_exist() -> None:
    anchors = {name_of(row) for row in rows()}
    pages = [*DOCUMENT.parent.rglob("*.md"), *DOCUMENT.parents[1].glob("*.md")]
    links = {
        (str(page), link)
        for page in pages
        for link in re.findall(r"differences\.md#([\w-]+)", page.read_text())
    }
    assert {(page, link) for page, link in links if link not in anchors} == set()
