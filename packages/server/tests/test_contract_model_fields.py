"""Model serializers build the recorded fields."""

import pytest
from contract_replay import runner
from contract_replay.cases import Case

pytestmark = [
    pytest.mark.contract("model_fields"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("model_fields"), ids=lambda case: case.id)
def test_model_field(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("model_fields"), case)
    assert not result.failed, result.told()
