"""``python tools/compare_surface.py PYTHON``: the parts around views, beside another package.

Calls filters, paginators, routers, format suffixes, versioning schemes and test clients with usual
and with hostile input, once with lintel and once with the ``rest_framework`` that the interpreter
PYTHON finds, as a black box. Prints what differs. Where the other side ends in an error that is
none of the API (a 500), ours counts as right.

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

#: Errors that clients are told of; all others are a 500.
TOLD = ("ValidationError", "NotFound", "PermissionDenied", "NotAuthenticated", "NotAcceptable")

#: What differs on purpose (docs/differences.md): the label of a call, or what the other side says.
DELIBERATE = re.compile(
    r"^order .*(name,-name|id,id)"
    r"|^search \['\$name'\] .*(\(a\+\)\+b|aaaaaa)"
    r"|The default basic root view"
)


def main() -> int:
    """Compare, or answer as one of the two sides."""
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
    """What one side says to every call, by the label of the call."""
    command = [str(python), "-W", "ignore", __file__, "--answer", package]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def differs(label: str, their: str, our: str) -> bool:
    is_fault = their.startswith("!") and not their.startswith(tuple(f"!{name}" for name in TOLD))
    is_deliberate = DELIBERATE.search(label) or DELIBERATE.search(their)
    return their != our and not is_fault and not is_deliberate


def answer(package: str) -> None:
    """Write what the package says to every call, a line of JSON each."""
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
