"""The tables beside the facts: deliberate differences, exemptions, and pending groups."""

from pathlib import Path

import pytest
from contract_replay import names, pending, runner

DOCUMENT = Path(__file__).parents[3] / "docs" / "differences.md"
MOST = 0.012
"""The part of a file's cases that may differ on purpose."""


@pytest.fixture(scope="module")
def files() -> dict[str, set[str]]:
    return {name: {case.id for case in runner.cases(name)} for name in runner.MODULES}


def test_every_difference_is_a_known_case(files: dict[str, set[str]]) -> None:
    known = set().union(*files.values())
    assert [case for case in runner.deliberate() if case not in known] == []


def test_every_difference_has_a_row_in_the_document() -> None:
    text = DOCUMENT.read_text()
    rows = {each["row"] for each in runner.deliberate().values()}
    assert [row for row in rows if f'<a id="{row}"></a>' not in text] == []


@pytest.mark.parametrize("name", runner.MODULES)
def test_differences_are_few(name: str, files: dict[str, set[str]]) -> None:
    differing = files[name] & set(runner.deliberate())
    assert len(differing) <= MOST * len(files[name])


def test_every_exemption_is_a_known_name_with_a_reason(files: dict[str, set[str]]) -> None:
    table = names.exemptions()
    assert [name for name in table if name not in files["names"]] == []
    assert [name for name, each in table.items() if not each["reason"]] == []


def test_pending_groups_exist() -> None:
    known = {(name, case.group) for name in runner.MODULES for case in runner.cases(name)}
    assert pending.of_facts() <= known


@pytest.mark.django_db
@pytest.mark.usefixtures("fixture_rows")
def test_pending_groups_are_not_finished() -> None:
    """If this fails: ``python -m contract_replay --shrink-pending`` takes them off the list."""
    assert [group for group in sorted(pending.of_facts()) if pending.passes(*group)] == []
