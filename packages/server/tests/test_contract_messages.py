"""Messages and codes are the recorded ones."""

import pytest
from contract_replay import runner
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("messages"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("messages"), ids=lambda case: case.id)
def test_message(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("messages"), case)
    assert not result.failed, result.told()
