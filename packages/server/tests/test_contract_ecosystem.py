"""Everything that third-party packages rely on exists."""

from importlib import import_module
from typing import Any

import pytest
from contract_replay import runner
from contract_replay.cases import Case

from lintel.schemas.generators import _PATH_PARAMETER_COMPONENT_RE

pytestmark = [
    pytest.mark.contract("ecosystem"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows"),
]


@pytest.mark.parametrize("case", runner.cases("ecosystem"), ids=lambda case: case.id)
def test_name_used_by_packages(case: Case) -> None:
    result = runner.check_anywhere(runner.suite("ecosystem"), case)
    assert not result.failed, result.told()


#: What packages import from modules of this API although its home is in Django or in Python.
BORROWED = {
    "fields": "DjangoValidationError ObjectDoesNotExist MinLengthValidator timezone copy _",
    "filters": "force_str",
    "generics": "QuerySet",
    "pagination": "DjangoPaginator InvalidPage b64encode force_str _",
    "relations": "Manager ObjectDoesNotExist QuerySet smart_str _",
    "renderers": "ImproperlyConfigured SafeString forms loader",
    "serializers": "DjangoValidationError FieldDoesNotExist ImproperlyConfigured models _",
    "test": "DjangoClient override_settings testcases",
    "versioning": "_MediaType",
    "views": "csrf_exempt",
    "viewsets": "csrf_exempt",
}


@pytest.mark.parametrize(("module", "names"), BORROWED.items())
def test_names_that_packages_borrow(module: str, names: str) -> None:
    found = vars(import_module(f"lintel.{module}"))
    assert not set(names.split()) - set(found)


def test_all_names_of_serializers_are_borrowed_at_once() -> None:
    names: dict[str, Any] = {}
    exec("from lintel.serializers import *", names)
    assert {"DjangoValidationError", "ModelSerializer", "models"} <= set(names)
    assert "_" not in names


def test_paths_are_simplified_with_the_expression_for_parameters() -> None:
    assert _PATH_PARAMETER_COMPONENT_RE.sub(r"{\g<parameter>}", "a/<int:pk>/<b>") == "a/{pk}/{b}"
