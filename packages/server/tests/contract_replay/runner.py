"""Runs cases of any suite, the deliberate differences taken into account."""

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

from contract_replay import target
from contract_replay.cases import Case, Result, Suite, differences, read

MODULES = {
    "field_cases": "fields",
}


def suite(name: str) -> Suite:
    """The suite of a file; only its own modules are imported."""
    return importlib.import_module(f"contract_replay.{MODULES[name]}").SUITE


def cases(name: str) -> list[Case]:
    """Every case of a file."""
    return suite(name).load(target.current.facts)


def deliberate() -> dict[str, Any]:
    """Deliberate differences: case id to the row that explains it and the outcome of ours."""
    path = target.current.facts / "differences.json"
    return read(path) if path.exists() else {}


def wanted(kind: Suite, case: Case) -> Any:
    """The outcome a case has to have: the recorded one, or ours where that is deliberate."""
    differing = deliberate().get(case.id)
    return differing["expected"] if differing else kind.expected(case)


def check(kind: Suite, case: Case) -> Result:
    """Run one case in this process."""
    try:
        got = kind.play(case)
    except Exception as error:
        return Result(case, [f"not run: {type(error).__name__}: {error}"])
    expected = wanted(kind, case)
    if not differences(kind.relax(expected), kind.relax(got)):
        return Result(case, [])
    return Result(case, differences(expected, got))


def check_all(kind: Suite, chosen: Iterable[Case]) -> Iterator[Result]:
    """Run cases one after the other, those with settings for the start in own processes."""
    for case in chosen:
        yield check(kind, case)
