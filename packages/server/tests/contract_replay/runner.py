"""Runs cases of any suite, with deliberate differences taken into account."""

import dataclasses
import functools
import importlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from contract_replay import target
from contract_replay.cases import Case, Result, Suite, differences, read

MODULES = {
    "field_cases": "fields",
    "http_cases": "http",
    "router_cases": "routers",
    "model_fields": "model_fields",
    "openapi_cases": "openapi",
    "corejson_cases": "native",
    "messages": "messages",
    "settings": "settings",
    "names": "names",
    "ecosystem": "ecosystem",
}


def suite(name: str) -> Suite:
    """Return the suite of a file, importing only its own modules."""
    return importlib.import_module(f"contract_replay.{MODULES[name]}").SUITE


@functools.cache
def cases(name: str) -> list[Case]:
    """Every case of a file."""
    return suite(name).load(target.current.facts)


def deliberate() -> dict[str, Any]:
    """Return deliberate differences: case id → the row that explains it and our outcome."""
    path = target.current.table("differences.json")
    return read(path) if path else {}


def wanted(kind: Suite, case: Case) -> Any:
    """Return the required outcome of a case: the recorded one, or ours if deliberate."""
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


def check_anywhere(kind: Suite, case: Case) -> Result:
    """Run one case, in a process with its own settings if needed."""
    return check_together(kind.name, case.boot)[case.id] if case.boot else check(kind, case)


@functools.cache
def check_together(name: str, boot: str) -> dict[str, Result]:
    """Return results of all cases of a file that share startup settings, by id."""
    together = [case for case in cases(name) if case.boot == boot]
    return {result.case.id: result for result in check_apart(suite(name), boot, together)}


def check_all(kind: Suite, chosen: Iterable[Case]) -> Iterator[Result]:
    """Run cases one after the other, those with startup settings in separate processes."""
    waiting: dict[str, list[Case]] = {}
    for case in chosen:
        if case.boot:
            waiting.setdefault(case.boot, []).append(case)
        else:
            yield check(kind, case)
    for boot, together in waiting.items():
        yield from check_apart(kind, boot, together)


def check_apart(kind: Suite, boot: str, together: list[Case]) -> list[Result]:
    """Run cases in a separate process that starts with the given package settings."""
    order = {
        "target": [str(part) for part in dataclasses.astuple(target.current)],
        "boot": json.loads(boot),
        "suite": kind.name,
        "ids": [case.id for case in together],
    }
    done = subprocess.run(
        [sys.executable, "-m", "contract_replay.worker"],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        cwd=target.TESTS,
        check=False,
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return [Result(case, [f"not run: {reason}"]) for case in together]
    failed = json.loads(done.stdout)
    return [Result(case, failed[case.id]) for case in together]
