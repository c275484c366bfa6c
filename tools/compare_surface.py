"""``python tools/compare_surface.py PYTHON``: compare the parts around views with another package.

Calls filters, paginators, routers, format suffixes, versioning schemes and test clients with usual
and with hostile input, once with lintel and once with the ``rest_framework`` that the interpreter
PYTHON finds, as a black box. Prints the differences. If the other side raises an error that is
not of the API (a 500), ours counts as right.

    python -m venv /tmp/other
    /tmp/other/bin/pip install djangorestframework==3.18.3 Django==5.2.19 PyYAML inflection
    python tools/compare_surface.py /tmp/other/bin/python
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

#: Errors reported to clients; all others are a 500.
TOLD = ("ValidationError", "NotFound", "PermissionDenied", "NotAuthenticated", "NotAcceptable")

#: Intended differences (docs/differences.md): the label of a call, or the other side's result.
DELIBERATE = re.compile(
    r"^order .*(name,-name|id,id)"
    r"|^search \['\$name'\] .*(\(a\+\)\+b|aaaaaa)"
    r"|The default basic root view"
)


def main() -> int:
    """Compare, or act as one of the two sides."""
    if sys.argv[1:2] == ["--answer"]:
        answer(sys.argv[2])
        return 0
    command = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    command.add_argument("python", type=Path, help="interpreter that has djangorestframework")
    options = command.parse_args()
    theirs = answers(options.python, "rest_framework")
    ours = answers(Path(sys.executable), "lintel")
    differing = [label for label in theirs if differs(label, theirs[label], ours.get(label, ""))]
    for label in differing:
        print(f"{label}\n    {theirs[label][:400]}\n    {ours.get(label, '')[:400]}")
    print(f"{len(theirs)} calls, {len(differing)} differ")
    return 1 if differing else 0


def answers(python: Path, package: str) -> dict[str, str]:
    """Return one side's results of all calls, by label of the call."""
    command = [str(python), "-W", "ignore", __file__, "--answer", package]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def differs(label: str, their: str, our: str) -> bool:
    is_fault = their.startswith("!") and not their.startswith(tuple(f"!{name}" for name in TOLD))
    is_deliberate = DELIBERATE.search(label) or DELIBERATE.search(their)
    return their != our and not is_fault and not is_deliberate


def answer(package: str) -> None:
    """Write the package's results of all calls, one line of JSON each."""
    sys.path.insert(0, str(HERE))
    attacks = import_module("surface_attacks")
    attacks.prepare(package)
    for label, call in attacks.calls():
        print(json.dumps([label, outcome(call, package)]))


def outcome(call: Callable[[], Any], package: str) -> str:
    try:
        text = repr(call())
    except Exception as error:
        text = f"!{type(error).__name__}: {error}"
    return re.sub(r" at 0x[0-9a-f]+", "", text).replace(f"{package}.", "")


if __name__ == "__main__":
    sys.exit(main())
