"""Run the test suites of third-party packages, first on djangorestframework, then on lintel.

    python tools/ecosystem.py                     all suites
    python tools/ecosystem.py django-filter       one of them
    python tools/ecosystem.py --again             the first half anew as well

Two environments with the same pins (``ecosystem.txt``) are made under ``.cache/ecosystem``: one
with djangorestframework, one with lintel in its place. The suites come from the packages' source
distributions and run unchanged. Whatever passes on the first and not on the second is told, and
makes the exit status 1. Reports of every run stay beside the sources.
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
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent
ROOT = HERE.parent
PINS = HERE / "ecosystem.txt"
REAL = "djangorestframework==3.18.3"
OURS = (ROOT / "packages" / "document", ROOT / "packages" / "server")
HOOK = "from lintel import dropin\n\ndropin.enable()\n"
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


@dataclass(frozen=True, slots=True)
class Suite:
    """A package and how its tests are run from the root of its source distribution."""

    name: str
    tests: tuple[str, ...] = ("tests",)
    settings: str = ""
    entries: tuple[str, ...] = (".",)
    arguments: tuple[str, ...] = ()
    environ: tuple[tuple[str, str], ...] = ()


SUITES = (
    Suite("drf-spectacular", arguments=("--allow-skip-extra-system-req",)),
    Suite("django-filter", settings="tests.settings"),
    Suite("djangorestframework-simplejwt"),
    Suite("djangorestframework-jsonapi", ("tests", "example"), "example.settings.test"),
    Suite(
        "drf-extensions",
        ("tests_app/tests",),
        "ecosystem_settings.extensions",
        (".", "tests_app"),
        ("-o", "python_files=test*.py"),
    ),
    Suite(
        "drf-nested-routers",
        settings="ecosystem_settings.nested",
        entries=(".", str(HERE / "ecosystem_settings" / "nested_helpers")),
        arguments=("--import-mode=importlib", "-o", "consider_namespace_packages=true"),
    ),
    Suite(
        "dj-rest-auth",
        ("dj_rest_auth/tests",),
        "dj_rest_auth.tests.settings",
        (".", "dj_rest_auth"),
    ),
    Suite("django-rest-knox", settings="ecosystem_settings.tokens"),
    Suite("drf-standardized-errors", settings="tests.settings"),
    Suite(
        "drf-yasg",
        settings="testproj.settings.local",
        entries=("src", "testproj", "tests"),
        environ=(("DJANGO_SECRET_KEY", "not secret: a test"),),
    ),
    Suite("djangorestframework-api-key"),
    Suite("djangorestframework-guardian", settings="tests.settings", entries=(".", "src")),
    Suite(
        "djangorestframework-csv",
        ("rest_framework_csv/tests.py",),
        "ecosystem_settings.plain",
    ),
    Suite("drf-excel", settings="tests.settings"),
    Suite("drf-flex-fields", settings="ecosystem_settings.flex"),
    Suite(
        "djangorestframework-dataclasses",
        settings="ecosystem_settings.plain",
        # Its syntax is that of Python 3.12.
        arguments=("--ignore=tests/test_py312.py",) if sys.version_info < (3, 12) else (),
    ),
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcomes of one suite in both environments."""

    suite: Suite
    version: str
    real: dict[str, str]
    ours: dict[str, str]

    @property
    def lost(self) -> list[str]:
        """Tests that pass on djangorestframework and do not on lintel."""
        return [test for test in passed(self.real) if self.ours.get(test) != "passed"]

    def row(self) -> str:
        cells = (self.suite.name, self.version, told(self.real), told(self.ours), len(self.lost))
        return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main() -> int:
    """Run what the command line asks for; 1 when lintel loses a test."""
    options = read_options()
    suites = [suite for suite in SUITES if suite.name in options.packages]
    real, ours = environments(options.work)
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
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.packages = options.packages or names
    if unknown := sorted(set(options.packages) - set(names)):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(names)}")
    return options


def environments(work: Path) -> tuple[Path, Path]:
    """The interpreters with djangorestframework and with lintel, made on first use."""
    hook = work / "hook"
    hook.mkdir(parents=True, exist_ok=True)
    (hook / "sitecustomize.py").write_text(HOOK)
    # The suites without a configuration of their own would find the one of this repository.
    (work / "pytest.ini").write_text("[pytest]\n")
    real = environment(work / "djangorestframework", ["--no-deps", REAL])
    editable = [argument for package in OURS for argument in ("--editable", str(package))]
    ours = environment(work / "lintel", ["-c", str(ROOT / "constraints.txt"), *editable])
    return real, ours


def environment(place: Path, last: list[str]) -> Path:
    """The interpreter of an environment that holds the pins and what ``last`` installs."""
    python = place / "bin" / "python"
    ready = place / ".ready"
    if not ready.exists() or ready.stat().st_mtime < PINS.stat().st_mtime:
        venv.create(place, with_pip=True, clear=True)
        run([python, *PIP, "install", "--no-deps", "-r", PINS])
        run([python, *PIP, "install", *last])
        ready.touch()
    return python


def compare(suite: Suite, real: Path, ours: Path, options: argparse.Namespace) -> Comparison:
    version = pinned(suite.name)
    source = unpacked(suite.name, version, real, options.work)
    report = options.work / "reports" / f"{suite.name}-{version}"
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
    """Run the tests; the report and, beside it, the output tell what happened."""
    entries = [*first, *(source / entry for entry in suite.entries), HERE]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, entries))}
    environ |= {"PYTHONDONTWRITEBYTECODE": "1", **dict(suite.environ)}
    environ |= {"DJANGO_SETTINGS_MODULE": suite.settings} if suite.settings else {}
    command = [python, "-m", "pytest", *suite.tests, "-q", "-p", "no:cacheprovider"]
    command += [*suite.arguments, f"--junitxml={report}", "-o", "addopts="]
    command += ["-o", "junit_family=xunit2", "--tb=short" if first else "--tb=no"]
    command += [f"--rootdir={source}"]
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
