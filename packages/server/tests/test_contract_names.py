"""Every public name exists, with its signature and values."""

import os
import subprocess
import sys
from pathlib import Path

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


#: Modules of applications and middleware import these when Django has loaded no application yet.
EARLY = """
    authentication compat decorators exceptions fields filters generics metadata mixins
    negotiation pagination parsers permissions relations renderers request response reverse
    routers schemas serializers settings status test throttling urlpatterns validators
    versioning views viewsets utils.field_mapping utils.model_meta
"""


@pytest.mark.parametrize("configured", [True, False])
def test_modules_are_imported_before_applications(configured: bool) -> None:
    imports = [f"import lintel.{module}" for module in EARLY.split()]
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "server_settings"}
    if not configured:
        del environ["DJANGO_SETTINGS_MODULE"]
    # Each first: what one of them imports must not save another.
    for first in (0, *range(1, len(imports), 12)):
        script = "; ".join(imports[first:] + imports[:first])
        command = [sys.executable, "-c", script]
        subprocess.run(command, env=environ, cwd=Path(__file__).parent, check=True)
