"""``tools/changed_tests.py`` maps changed modules to the files that test them."""

from pathlib import Path

import changed_tests
import pytest

SERVER = Path("packages/server")


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("fields/dates.py", ["test_fields_dates.py"]),
        ("throttling/limits.py", ["test_throttling_limits.py", "test_throttling.py"]),
        ("throttling/__init__.py", ["test_throttling.py"]),
        ("schemas/openapi/generator.py", ["test_schemas_openapi.py"]),
        ("iso8601.py", ["test_iso8601.py"]),
        ("static/page.js", []),
        ("nowhere.py", []),
    ],
)
def test_a_module_has_its_tests_and_those_of_its_package(module: str, tests: list[str]) -> None:
    found = changed_tests.tests_of(SERVER / "src" / "lintel" / module)
    assert list(found) == [SERVER / "tests" / name for name in tests]


def test_modules_of_the_client_have_tests_too() -> None:
    module = Path("packages/client/src/lintel_client/retries.py")
    tests = list(changed_tests.tests_of(module))
    assert tests == [Path("packages/client/tests/test_retries.py")]


def test_changed_tests_run_themselves_and_once() -> None:
    test = SERVER / "tests" / "test_iso8601.py"
    changed = [test, SERVER / "src" / "lintel" / "iso8601.py", Path("README.md")]
    assert changed_tests.selected(changed) == [str(test)]
