"""Each advisory on the page about security has a test, or a reason why it does not apply."""

import re
import tomllib

from service_process import REPOSITORY

PAGE = REPOSITORY / "docs" / "security.md"
TESTS: dict[str, str] = tomllib.loads(
    (REPOSITORY / "tests" / "data" / "advisories.toml").read_text()
)
ROW = re.compile(r"^\| ((?:CVE-\d+-\d+(?:, )?)+) \| .+ \| (.+) \|$", re.MULTILINE)


def advisories() -> dict[str, str]:
    """What the page says of each advisory."""
    rows = ROW.findall(PAGE.read_text())
    return {name: told for names, told in rows for name in names.split(", ")}


def test_each_advisory_has_a_test_or_a_reason() -> None:
    told = advisories()
    assert len(told) > 50
    tested = {name for name, text in told.items() if not text.startswith("Not applicable: ")}
    assert tested == set(TESTS)


def test_the_tests_of_advisories_exist() -> None:
    for place in TESTS.values():
        file, _, name = place.partition("::")
        definition = f"def {name}(" if file.endswith(".py") else name
        assert definition in (REPOSITORY / file).read_text(), place


def test_an_advisory_stands_in_one_row() -> None:
    names = [name for row in ROW.findall(PAGE.read_text()) for name in row[0].split(", ")]
    assert len(names) == len(set(names))
