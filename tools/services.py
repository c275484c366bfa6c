"""``python tools/services.py``: find the programs that the tests start, or install them.

As root on Debian and its derivatives, missing programs are installed with apt-get. Elsewhere the
packages to install are named, and the exit status is 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

#: Where Debian installs the programs of each PostgreSQL version, outside of PATH.
POSTGRESQL = Path("/usr/lib/postgresql")
#: Where it installs daemons, which only root has on PATH.
DAEMONS = Path("/usr/sbin")

MISSING = "the tests need {programs}; install {packages} (Debian: apt-get install {packages})"


@dataclass(frozen=True, slots=True)
class Service:
    """Programs that come together in one package of Debian."""

    package: str
    programs: tuple[str, ...]

    def missing(self) -> list[str]:
        return [name for name in self.programs if find_program(name) is None]


SERVICES = (
    Service("redis-server", ("redis-server",)),
    Service("postgresql", ("initdb", "postgres")),
    Service("pgbouncer", ("pgbouncer",)),
    Service("nginx-light", ("nginx",)),
    Service("openssl", ("openssl",)),
    Service("faketime", ("faketime",)),
    Service("chromium", ("chromium",)),
    Service("nodejs", ("node",)),
    Service("npm", ("npm",)),
    Service("curl", ("curl",)),
    Service("systemd", ("systemd-analyze",)),
    Service("fish", ("fish",)),
    Service("zsh", ("zsh",)),
)


def find_program(name: str) -> Path | None:
    """Return the program on PATH or among Debian's daemons, or that of its newest PostgreSQL."""
    found = shutil.which(name)
    if found:
        return Path(found)
    if (DAEMONS / name).exists():
        return DAEMONS / name
    versions = sorted(POSTGRESQL.glob("*/bin"), key=_version, reverse=True)
    return next((each / name for each in versions if (each / name).exists()), None)


def _version(folder: Path) -> float:
    try:
        return float(folder.parent.name)
    except ValueError:
        return 0.0


def program(name: str) -> Path:
    """Return the program. Raises RuntimeError that says what to install."""
    found = find_program(name)
    if found is None:
        raise RuntimeError(message([each for each in SERVICES if name in each.programs]))
    return found


def message(services: list[Service]) -> str:
    """Return what is missing and how to get it."""
    programs = ", ".join(name for each in services for name in each.missing())
    return MISSING.format(programs=programs, packages=" ".join(each.package for each in services))


def install(packages: list[str]) -> None:
    """Install Debian packages, quietly. Their daemons are not started."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    options = ["-qq", "-y", "--no-install-recommends"]
    for command in (["update", "-qq"], ["install", *options, *packages]):
        subprocess.run(
            ["apt-get", *command], env=environment, check=True, stdout=subprocess.DEVNULL
        )


def main() -> str | None:
    """Return what to tell the user; None if nothing is missing."""
    wanted = [service for service in SERVICES if service.missing()]
    if wanted and os.geteuid() == 0 and shutil.which("apt-get"):
        names = [service.package for service in wanted]
        print(f"installing {', '.join(names)}", flush=True)
        try:
            install(names)
        except subprocess.CalledProcessError as error:
            return f"apt-get ended with {error.returncode}: {message(wanted)}"
        wanted = [service for service in SERVICES if service.missing()]
    return message(wanted) if wanted else None


if __name__ == "__main__":
    sys.exit(main())
