"""OpenAPI descriptions are the recorded ones."""

import pytest
from contract_replay import runner
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("openapi_cases"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("openapi_cases"), ids=lambda case: case.id)
def test_openapi(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("openapi_cases"), case)
    assert not result.failed, result.told()
