"""Every pinned version has been reviewed, and a newer one is told."""

import datetime
import tomllib
from pathlib import Path

import dependencies
import pytest


def test_each_pin_is_reviewed() -> None:
    told = tomllib.loads(dependencies.REVIEW.read_text())
    assert dependencies.complaints(dependencies.pins(), told["packages"]) == []
    assert told["reviewed"] <= datetime.datetime.now(tz=datetime.UTC).date()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in dependencies.PINS:
        (tmp_path / name).write_text("")
    (tmp_path / "constraints.txt").write_text(
        "# pins\nB_a.c[x]==1.2 ; python_version < '4'\nd==2\n"
    )
    (tmp_path / "constraints-newest.txt").write_text("b-a-c==1.3\nd==2\n")
    return tmp_path


def test_pins_are_read_by_their_normalized_names(folder: Path) -> None:
    assert dependencies.pins(folder) == {"b-a-c": ["1.2", "1.3"], "d": ["2"]}


def test_a_pin_without_a_review_and_a_review_without_a_pin_are_told(folder: Path) -> None:
    reviews = {"b-a-c": {"versions": ["1.2"]}, "gone": {"versions": ["1"]}}
    assert dependencies.complaints(dependencies.pins(folder), reviews) == [
        "b-a-c 1.3 has no review",
        "d 2 has no review",
        "gone is reviewed, but not pinned",
    ]


def test_a_new_review_keeps_what_is_known(folder: Path) -> None:
    known = {"versions": ["2"], "last": "3", "advisories": ["CVE-1-1"], "remark": "held back"}
    reviews = {"d": known, "gone": {"versions": ["1"], "last": "1"}}
    today = datetime.date(2030, 1, 2)
    told = tomllib.loads(dependencies.written(dependencies.pins(folder), reviews, today))
    assert told["reviewed"] == today
    assert told["packages"] == {
        "b-a-c": {"versions": ["1.2", "1.3"], "last": "1.3", "advisories": []},
        "d": known,
    }
    assert dependencies.complaints(dependencies.pins(folder), told["packages"]) == []
