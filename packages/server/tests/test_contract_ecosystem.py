"""What third-party packages rely on is there."""

import pytest
from contract_replay import runner
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("ecosystem"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("ecosystem"), ids=lambda case: case.id)
def test_name_used_by_packages(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("ecosystem"), case)
    assert not result.failed, result.told()
