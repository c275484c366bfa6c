"""Every public name is there, with its signature and values."""

import pytest
from contract_replay import runner
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("names"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("names"), ids=lambda case: case.id)
def test_name(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("names"), case)
    assert not result.failed, result.told()
