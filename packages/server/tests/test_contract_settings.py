"""Every setting exists with its default."""

import pytest
from contract_replay import runner
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("settings"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("settings"), ids=lambda case: case.id)
def test_setting(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("settings"), case)
    assert not result.failed, result.told()
