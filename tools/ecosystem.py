"""Run the test suites of third-party packages, first on djangorestframework, then on lintel.

    python tools/ecosystem.py                     all suites
    python tools/ecosystem.py django-filter       one of them
    python tools/ecosystem.py --again             run the first half again as well
    python3.13 tools/ecosystem.py --django 6.1    on other versions of Django and of Python

Two environments with the same pins (``ecosystem.txt``) are created in ``.cache/ecosystem``: one
with djangorestframework, one with lintel instead. The suites come from the packages' source
distributions and run unchanged. Tests that pass on the first and not on the second are reported,
and make the exit status 1. Reports of every run stay beside the sources.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import venv
from collections import Counter
from collections.abc import Iterable
from ctypes import CDLL
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ecosystem_suites import SUITES, Suite

HERE = Path(__file__).parent
ROOT = HERE.parent
PINS = HERE / "ecosystem.txt"
REAL = "djangorestframework==3.18.3"
OURS = (ROOT / "packages" / "document", ROOT / "packages" / "server")
HOOK = "from lintel import dropin\n\ndropin.enable()\n"
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcomes of one suite in both environments."""

    suite: Suite
    version: str
    real: dict[str, str]
    ours: dict[str, str]

    @property
    def lost(self) -> list[str]:
        """Return the tests that pass on djangorestframework but not on lintel."""
        return [test for test in passed(self.real) if self.ours.get(test) != "passed"]

    def row(self) -> str:
        cells = (self.suite.name, self.version, told(self.real), told(self.ours), len(self.lost))
        return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main() -> int:
    """Run what the command line asks for; return 1 if lintel loses a test."""
    options = read_options()
    suites = [suite for suite in SUITES if suite.name in options.packages and is_possible(suite)]
    real, ours = environments(options)
    comparisons = [compare(suite, real, ours, options) for suite in suites]
    print("| package | version | djangorestframework | lintel | lost |\n|---|---|---|---|---|")
    for comparison in comparisons:
        print(comparison.row())
    for comparison in comparisons:
        for test in comparison.lost:
            print(f"lost: {comparison.suite.name}: {test}")
    return 1 if any(comparison.lost for comparison in comparisons) else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run third-party test suites on lintel.")
    names = [suite.name for suite in SUITES]
    parser.add_argument("packages", nargs="*", metavar="package", help=", ".join(names))
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "ecosystem")
    parser.add_argument("--again", action="store_true", help="also on djangorestframework")
    parser.add_argument("--django", metavar="VERSION", help="in place of the one in the pins")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.packages = options.packages or names
    if unknown := sorted(set(options.packages) - set(names)):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(names)}")
    return options


def is_possible(suite: Suite) -> bool:
    """Return whether the libraries exist that a suite needs beside its packages."""
    for library in suite.libraries:
        try:
            CDLL(library)
        except OSError:
            print(f"{suite.name} is left out: it needs {library}", file=sys.stderr)
            return False
    return True


def environments(options: argparse.Namespace) -> tuple[Path, Path]:
    """The interpreters with djangorestframework and with lintel, made on first use."""
    hook = options.work / "hook"
    hook.mkdir(parents=True, exist_ok=True)
    (hook / "sitecustomize.py").write_text(HOOK)
    # Suites without their own configuration would find that of this repository.
    (options.work / "pytest.ini").write_text("[pytest]\n")
    django = [f"Django~={options.django}.0"] if options.django else []
    editable = [argument for package in OURS for argument in ("--editable", str(package))]
    real = environment(options.work / f"djangorestframework{label(options)}", [REAL, *django])
    ours = environment(options.work / f"lintel{label(options)}", [*editable, *django])
    return real, ours


def label(options: argparse.Namespace) -> str:
    """What tells versions that the command line asks for from those of the pins."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"-django{options.django}-python{python}" if options.django else ""


def environment(place: Path, last: list[str]) -> Path:
    """The interpreter of an environment that holds the pins and what ``last`` installs."""
    python = place / "bin" / "python"
    ready = place / ".ready"
    if not ready.exists() or ready.stat().st_mtime < PINS.stat().st_mtime:
        venv.create(place, with_pip=True, clear=True)
        run([python, *PIP, "install", "--no-deps", "-r", PINS])
        run([python, *PIP, "install", "--no-deps", *last])
        ready.touch()
    return python


def compare(suite: Suite, real: Path, ours: Path, options: argparse.Namespace) -> Comparison:
    version = suite.version or pinned(suite.name)
    source = unpacked(suite.name, version, real, options.work)
    report = options.work / "reports" / f"{suite.name}-{version}{label(options)}"
    report.parent.mkdir(exist_ok=True)
    before = report.with_name(f"{report.name}.djangorestframework.xml")
    if options.again or not before.exists():
        run_suite(suite, source, real, before, [])
    after = report.with_name(f"{report.name}.lintel.xml")
    run_suite(suite, source, ours, after, [options.work / "hook"])
    return Comparison(suite, version, outcomes(before), outcomes(after))


def pinned(name: str) -> str:
    """The version of a package in the pins."""
    for line in PINS.read_text().splitlines():
        package, _, version = line.partition("==")
        if package.lower().replace("_", "-") == name:
            return version
    raise SystemExit(f"{PINS.name} has no pin of {name}: add one")


def unpacked(name: str, version: str, python: Path, work: Path) -> Path:
    """The directory of a source distribution, downloaded on first use."""
    place = work / "sources" / f"{name}-{version}"
    if not place.exists():
        archives = work / "archives" / name
        download = ["download", "--no-deps", "--no-binary", name, "-d", archives]
        run([python, *PIP, *download, f"{name}=={version}"])
        with tarfile.open(next(archives.glob(f"*{version}.tar.gz"))) as archive:
            archive.extractall(place, filter="data")
    return next(place.iterdir())


def run_suite(suite: Suite, source: Path, python: Path, report: Path, first: list[Path]) -> None:
    """Run the tests; the report and, beside it, the output show what happened."""
    entries = [*first, *(source / entry for entry in suite.entries), HERE]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, entries))}
    environ |= {"PYTHONDONTWRITEBYTECODE": "1", **dict(suite.environ)}
    environ |= {"DJANGO_SETTINGS_MODULE": suite.settings} if suite.settings else {}
    command = [python, "-m", "pytest", *suite.tests, "-q", "-p", "no:cacheprovider"]
    command += [*suite.arguments, f"--junitxml={report}", "-o", "addopts="]
    command += ["-o", "junit_family=xunit2", "--tb=short" if first else "--tb=no"]
    command += [f"--rootdir={source}", "--continue-on-collection-errors"]
    command += ["-o", "asyncio_default_fixture_loop_scope=function"]
    print(f"{suite.name} in {python.parent.parent.name}", file=sys.stderr)
    report.unlink(missing_ok=True)
    with report.with_suffix(".log").open("w") as log:
        subprocess.run(command, cwd=source, env=environ, stdout=log, stderr=log, check=False)
    if not report.exists():
        raise SystemExit(f"{suite.name} did not run at all: {log.name} tells why")


def outcomes(report: Path) -> dict[str, str]:
    """Each test of a report and how it went: passed, skipped, failed."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        found[name] = outcome({child.tag for child in case}, found.get(name, "passed"))
    return found


def outcome(marks: set[str], before: str) -> str:
    if marks & {"failure", "error"} or before == "failed":
        return "failed"
    return "skipped" if "skipped" in marks else before


def passed(results: dict[str, str]) -> Iterable[str]:
    return (test for test, result in results.items() if result == "passed")


def told(results: dict[str, str]) -> str:
    counts = Counter(results.values())
    kinds = ("passed", "failed", "skipped")
    return ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])


def run(command: list[object]) -> None:
    subprocess.run([str(part) for part in command], check=True)


if __name__ == "__main__":
    sys.exit(main())
