"""Groups of cases that are not built yet: a list that only shrinks."""

import functools
import json
from collections import Counter
from pathlib import Path

from contract_replay import runner, target

Group = tuple[str, str]


def path() -> Path:
    return target.current.facts / "pending.json"


@functools.cache
def groups() -> frozenset[Group]:
    """Pending groups as pairs of file and group."""
    if not path().exists():
        return frozenset()
    recorded: dict[str, list[str]] = json.loads(path().read_text())
    return frozenset((name, group) for name, names in recorded.items() for group in names)


def write(chosen: set[Group]) -> None:
    """Replace the list; remove the file if it is empty."""
    table: dict[str, list[str]] = {}
    for name, group in sorted(chosen):
        table.setdefault(name, []).append(group)
    if table:
        path().write_text(json.dumps(table, indent=1) + "\n")
    else:
        path().unlink(missing_ok=True)


def of_facts() -> set[Group]:
    """Pending groups of cases; others are fields that property tests leave out."""
    return {each for each in groups() if each[0] in runner.MODULES}


def unbuilt() -> set[Group]:
    """Return every group of every file with a case that fails now."""
    found: Counter[Group] = Counter()
    for name in runner.MODULES:
        for result in runner.check_all(runner.suite(name), runner.cases(name)):
            if result.failed:
                found[name, result.case.group] += 1
    return set(found)


def passes(name: str, group: str) -> bool:
    """Return whether every case of a group passes, stopping at the first failure."""
    kind = runner.suite(name)
    chosen = [case for case in runner.cases(name) if case.group == group]
    return not any(runner.check_anywhere(kind, case).failed for case in chosen)
