"""``python -m lintel doctor``: try out the move of a project from Django REST framework.

Starts the project as it is, then in this process with ``dropin.enable()``: its settings, its apps
and its system checks, and every name of ``rest_framework`` that the project and its packages
import. Nothing is changed, and the project needs no preparation.
"""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lintel import dropin, pinned
from lintel.doctor.advice import finding_of_connections, finding_of_next_steps
from lintel.doctor.findings import BROKEN, GOOD, OPEN, Finding, report_of
from lintel.doctor.lists import finding_of_lists
from lintel.doctor.names import files_of_project, findings_of_names
from lintel.doctor.settings_files import finding_of_enabling, finding_of_urls, named_settings
from lintel.doctor.sources import findings_of_sources
from lintel.doctor.starting import (
    finding_with_lintel,
    finding_without_lintel,
    findings_of_checks,
    start_without_lintel,
)

DESCRIPTION = (
    "Try out the move of a project from Django REST framework, and change nothing. The project is "
    "started as it is, then with dropin.enable(): its settings, its apps, its system checks, and "
    "every name of rest_framework that the project and its packages import."
)


def examine(folder: Path, settings: str) -> Iterator[Finding]:
    """Check the project in ``folder`` with the module of settings of that name."""
    outcome = start_without_lintel(folder)
    before = finding_without_lintel(outcome)
    yield before
    if before.mark == BROKEN:
        return
    dropin.enable()
    start = finding_with_lintel()
    yield start
    if start.mark == BROKEN:
        return
    files = list(files_of_project(folder))
    if empty := finding_of_urls(settings, folder, files):
        yield empty
        return
    yield finding_of_enabling(settings, folder, files)
    if finding := pinned.compare(folder):
        yield Finding(GOOD if finding.is_kept else OPEN, "versions", finding.text, finding.details)
    yield from findings_of_names(files)
    checks = list(findings_of_checks(outcome.get("checks", ())))
    yield from checks
    if any(check.topic == "start" for check in checks):
        return
    yield from findings_of_sources(folder, files)
    yield from filter(None, [finding_of_lists(), finding_of_connections(), finding_of_next_steps()])


def _closing(findings: Iterable[Finding]) -> str:
    is_open = any(finding.topic == "settings" and finding.mark == OPEN for finding in findings)
    return f"Run your tests{' with dropin.enable() in the settings' if is_open else ''}."


def use_settings(parser: ArgumentParser, given: str | None) -> str:
    """Name the settings for Django, and let it find the project in the current folder."""
    chosen = given or os.environ.get("DJANGO_SETTINGS_MODULE") or named_settings(Path("manage.py"))
    if not chosen:
        parser.error(
            "no settings given, and no manage.py here names them: use --settings project.settings"
        )
    os.environ["DJANGO_SETTINGS_MODULE"] = chosen
    sys.path.insert(0, str(Path.cwd()))
    return chosen


def main(arguments: Sequence[str]) -> int:
    """Print the report; return 1 if something is broken, as an exit status."""
    parser = ArgumentParser(prog="python -m lintel doctor", description=DESCRIPTION)
    parser.add_argument("--settings", help="default: DJANGO_SETTINGS_MODULE, or those of manage.py")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args(arguments)
    settings = use_settings(parser, options.settings)
    findings = []
    for finding in examine(Path.cwd(), settings):
        findings.append(finding)
        if not options.json:
            print(finding)
    is_broken = any(finding.mark == BROKEN for finding in findings)
    if options.json:
        print(json.dumps({"settings": settings, **report_of(findings)}, indent=2))
    elif not is_broken:
        print(f"\nNo obstacles found. {_closing(findings)}")
    return int(is_broken)
