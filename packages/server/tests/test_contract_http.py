"""The sample project responds to recorded requests as recorded."""

import pytest
from contract_replay import runner, versions
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("http_cases"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("http_cases"), ids=lambda case: case.id)
def test_exchange(case: Case) -> None:
    if reason := versions.other_words(case):
        pytest.skip(reason)
    result = runner.check_anywhere(runner.suite("http_cases"), case)
    assert not result.failed, result.told()
