"""``python tools/changed_tests.py``: the test files of what has changed, one in each line.

Changed is what differs from the commit at which this branch left ``origin/main`` (without one, from
the last commit but one), and what is not committed. The tests of ``lintel/a/b.py`` are
``test_a_b.py`` and ``test_a.py``. Modules that no test file mirrors are named on standard error.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def main() -> int:
    changed = sorted(path for path in changes() if (REPOSITORY / path).exists())
    alone = [str(path) for path in changed if is_module(path) and not list(tests_of(path))]
    if alone:
        print("No test file mirrors these, run those that you know:", *alone, file=sys.stderr)
    print(*selected(changed), sep="\n")
    return 0


def is_module(path: Path) -> bool:
    """Whether a file is a module of a package of this repository."""
    return path.parts[:1] == ("packages",) and path.parts[2:3] == ("src",) and path.suffix == ".py"


def changes() -> set[Path]:
    """The files that differ from the start of this branch, or are new."""
    start = _git("merge-base", "HEAD", "origin/main") or _git("rev-parse", "HEAD~1")
    names = _git("diff", "--name-only", *start) + _git("ls-files", "-o", "--exclude-standard")
    return {Path(name) for name in names}


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def selected(changed: Iterable[Path]) -> list[str]:
    """The changed test files, and those that mirror a changed module."""
    tests = {path for path in changed if path.name.startswith("test_") and path.suffix == ".py"}
    return sorted(str(path) for path in tests.union(*map(tests_of, changed)))


def tests_of(path: Path) -> Iterator[Path]:
    """The test files of a module, from its own to those of the package that it is in."""
    if not is_module(path):
        return
    names = [part for part in path.with_suffix("").parts[4:] if part != "__init__"]
    for length in range(len(names), 0, -1):
        test = Path(*path.parts[:2], "tests", f"test_{'_'.join(names[:length])}.py")
        if (REPOSITORY / test).exists():
            yield test


if __name__ == "__main__":
    sys.exit(main())
