"""Fields and serializers treat recorded input as recorded."""

import pytest
from contract_replay import runner, versions
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("field_cases"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("field_cases"), ids=lambda case: case.id)
def test_field(case: Case) -> None:
    if reason := versions.other_words(case):
        pytest.skip(reason)
    result = runner.check_anywhere(runner.suite("field_cases"), case)
    assert not result.failed, result.told()
