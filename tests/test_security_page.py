"""Each promise on the page about security has tests; each advisory has one, or a reason why not."""

import re
import tomllib

from service_process import REPOSITORY

PAGE = REPOSITORY / "docs" / "security.md"
TESTS: dict[str, str] = tomllib.loads(
    (REPOSITORY / "tests" / "data" / "advisories.toml").read_text()
)
PROMISES: dict[str, list[str]] = tomllib.loads(
    (REPOSITORY / "tests" / "data" / "promises.toml").read_text()
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


def promises() -> list[str]:
    """The sentences of both lists of promises, and what each attacker must not be able to do."""
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", PAGE.read_text()).replace("`", "")
    lists = re.findall(
        r"^## What the \w+ promises?$\n(.+?)(?=^## )", text, re.MULTILINE | re.DOTALL
    )
    bullets = [" ".join(bullet.split()) for part in lists for bullet in part.split("\n* ")]
    told = [re.sub(r"^(\* )?\*\*.+?\*\* ", "", bullet).removeprefix("* ") for bullet in bullets]
    cells = re.findall(r"^\| \*\*.+ \| (.+) \|$", text, re.MULTILINE)
    sentences = [each for part in told if part for each in re.split(r"(?<=\.) (?=[A-Z])", part)]
    return [*(clause for cell in cells for clause in cell.split("; ")), *sentences]


def test_each_promise_has_tests() -> None:
    assert len(promises()) > 35
    assert set(promises()) == set(PROMISES)
    assert all(PROMISES.values())


def test_the_tests_of_promises_and_advisories_exist() -> None:
    for place in [*TESTS.values(), *(place for places in PROMISES.values() for place in places)]:
        file, _, name = place.partition("::")
        definition = f"def {name}(" if file.endswith(".py") else name
        assert name, place
        assert definition in (REPOSITORY / file).read_text(), place


def test_an_advisory_stands_in_one_row() -> None:
    names = [name for row in ROW.findall(PAGE.read_text()) for name in row[0].split(", ")]
    assert len(names) == len(set(names))
