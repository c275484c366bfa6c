"""A separate process for cases whose settings must be in place before the package is imported.

Reads an order (target, settings, suite, ids) from standard input and writes the failures to
standard output, both as JSON.
"""

import json
import sys
from pathlib import Path
from typing import Any

from contract_replay import runner, target


def main() -> None:
    order = json.load(sys.stdin)
    package, settings_key, project, facts = order["target"]
    target.use(target.Target(package, settings_key, Path(project), Path(facts)))
    target.start(order["boot"])
    json.dump(failures(order["suite"], set(order["ids"])), sys.stdout)


def failures(name: str, ids: set[str]) -> dict[str, Any]:
    """Return the differences in each case of the order, by id."""
    kind = runner.suite(name)
    return {
        case.id: runner.check(kind, case).failed for case in runner.cases(name) if case.id in ids
    }


if __name__ == "__main__":
    main()
