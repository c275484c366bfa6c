"""``tools/house.py`` counts in the server as it stands, and fails if a number exceeds its limit."""

import json
import sys
from pathlib import Path

import house
import pytest


@pytest.fixture
def limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the limit of one number, which is all that is counted."""
    path = tmp_path / "house.toml"
    path.write_text('[numbers]\nlines = { title = "lines", wanted = 5, limit = 10 }\n')
    monkeypatch.setattr(house, "LIMITS", path)
    return path


def run(monkeypatch: pytest.MonkeyPatch, lines: int, *options: str) -> int:
    monkeypatch.setattr(house, "measured", lambda plan: {"lines": lines})
    monkeypatch.setattr(sys, "argv", ["house.py", *options])
    return house.main()


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize(("lines", "status"), [(9, 0), (10, 0), (11, 1)])
def test_a_number_over_its_limit_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: int, status: int
) -> None:
    assert run(monkeypatch, lines) == status
    row = capsys.readouterr().out.splitlines()[1].split()
    assert row == ["lines", str(lines), "10", "5", *["too", "much"] * status]


@pytest.mark.usefixtures("limits")
def test_the_record_is_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, 9, "--json")
    assert json.loads(capsys.readouterr().out) == {"lines": 9}


@pytest.mark.parametrize(("lines", "limit"), [(7, 7), (12, 10)])
def test_limits_are_only_ever_lowered(
    limits: Path, monkeypatch: pytest.MonkeyPatch, lines: int, limit: int
) -> None:
    run(monkeypatch, lines, "--tighten")
    assert f"limit = {limit} " in limits.read_text()


@pytest.mark.parametrize(
    "name", ["is_ours", "_is_plain", "reaches_django", "has_plain_methods", "slices_plainly"]
)
def test_predicates_are_known_by_their_names(name: str) -> None:
    assert house.PREDICATE.fullmatch(name)


@pytest.mark.parametrize("name", ["is_valid", "has_permission", "plain_text", "owner", "is_empty"])
def test_other_questions_are_no_predicates_of_shortcuts(name: str) -> None:
    assert not house.PREDICATE.fullmatch(name)
