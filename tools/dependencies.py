"""``python tools/dependencies.py``: hold the pins against their review, ``dependencies.toml``.

Ends with 1 if a pin is newer than its review, has none, or a review is of no pin. If pip-audit is
installed and reaches an advisory database, its findings count as well. ``--write`` makes today's
review of the pins; advisories and remarks of the last one stay: read the release notes and the
advisories of what it prints before you commit it.
"""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
REVIEW = REPOSITORY / "dependencies.toml"
PINS = ("constraints.txt", "constraints-newest.txt", "requirements-fuzz.txt")
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;#]+)", re.MULTILINE)
HEAD = """\
# The review of what constraints.txt, constraints-newest.txt and requirements-fuzz.txt pin, written
# by tools/dependencies.py --write and read by `make lint`. `versions` are those that were reviewed,
# `last` is the last release when they were pinned, and `advisories` are published ones, each fixed
# in these versions; docs/security.md has those of Django, and what each means for lintel.
"""
#: Seconds that pip-audit may take.
PATIENCE = 60

Reviews = dict[str, dict[str, Any]]


def pins(folder: Path = REPOSITORY) -> dict[str, list[str]]:
    """The versions that are pinned, by normalized name."""
    found: dict[str, set[str]] = {}
    for name in PINS:
        for package, version in PIN.findall((folder / name).read_text()):
            found.setdefault(re.sub("[-_.]+", "-", package).lower(), set()).add(version)
    return {package: sorted(versions) for package, versions in sorted(found.items())}


def complaints(pinned: dict[str, list[str]], reviews: Reviews) -> list[str]:
    """What of the pins has no review."""
    found = [f"{name} is reviewed, but not pinned" for name in reviews.keys() - pinned.keys()]
    for name, versions in pinned.items():
        missing = set(versions) - set(reviews.get(name, {}).get("versions", []))
        found += [f"{name} {version} has no review" for version in missing]
    return sorted(found)


def audited() -> list[str]:
    """What pip-audit finds; nothing where it is not installed or reaches no database."""
    beside = Path(sys.executable).parent
    program = shutil.which("pip-audit") or shutil.which("pip-audit", path=beside)
    if program is None:
        return []
    options = ["--requirement", "constraints.txt", "--no-deps", "--disable-pip", "--format", "json"]
    try:
        run = subprocess.run(
            [program, *options, "--progress-spinner", "off"],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        told = json.loads(run.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return []
    return [
        f"{each['name']} {each['version']}: {found['id']}, fixed in {found['fix_versions']}"
        for each in told
        for found in each.get("vulns", [])
    ]


def written(pinned: dict[str, list[str]], reviews: Reviews, today: datetime.date) -> str:
    """The text of a review of these pins; what is known of a package stays."""
    lines = [HEAD, f"reviewed = {today.isoformat()}"]
    for name, versions in pinned.items():
        before = reviews.get(name, {})
        # `make constraints` pins the last release, but for what requirements.in holds back.
        last = before["last"] if before.get("versions") == versions else versions[-1]
        lines += ["", f"[packages.{name}]", f"versions = {json.dumps(versions)}"]
        lines += [f"last = {json.dumps(last)}"]
        lines += [f"advisories = {json.dumps(before.get('advisories', []))}"]
        lines += [f"remark = {json.dumps(before['remark'])}"] if "remark" in before else []
    return "\n".join(lines) + "\n"


def main() -> int:
    pinned = pins()
    told = tomllib.loads(REVIEW.read_text()) if REVIEW.exists() else {}
    reviews: Reviews = told.get("packages", {})
    found = complaints(pinned, reviews)
    if sys.argv[1:] == ["--write"]:
        today = datetime.datetime.now(tz=datetime.UTC).date()
        REVIEW.write_text(written(pinned, reviews, today))
        print("\n".join(found))
        return 0
    found += audited()
    print("\n".join(found) or f"{len(pinned)} dependencies, reviewed on {told['reviewed']}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
