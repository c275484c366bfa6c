"""Routers make the recorded URL patterns."""

import pytest
from contract_replay import runner
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("router_cases"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("router_cases"), ids=lambda case: case.id)
def test_router(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("router_cases"), case)
    assert not result.failed, result.told()
