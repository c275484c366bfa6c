"""``python tools/matrix.py [pytest arguments]``: run all tests on the oldest and newest versions.

The oldest is Django 5.2 on Python 3.11, pinned by ``constraints.txt``. The newest is the Django of
``constraints-newest.txt`` on the newest Python of this machine. Each has its own environment,
``.venv-matrix-oldest`` and ``.venv-matrix-newest``, recreated if its pins or its Python change.
The tests of the server then run on the newest once more in each state, or in those alone that the
environment variable ``STATES`` names: in states of databases, what uses PostgreSQL.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from os import environ
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
NAMES = ("document", "server", "client", "codecs", "contract")
PACKAGES = [REPOSITORY / "packages" / name for name in NAMES]
#: Packages for Django REST framework, which they would install.
ECOSYSTEM = REPOSITORY / "requirements-ecosystem.txt"
PYENV = Path.home() / ".pyenv" / "versions"

#: What environment variables switch off, or on: nothing visible may change.
SWITCHED = {
    "no-shortcuts": {"LINTEL_SHORTCUTS": "off"},
    "no-orm-shortcuts": {"LINTEL_ORM_SHORTCUTS": "off"},
    "plain": {
        "LINTEL_COMPILE_SERIALIZERS": "never",
        "LINTEL_READ_FROM_ROWS": "never",
        "LINTEL_GENERATED_CHAINS": "off",
        "LINTEL_CLASS_TAGS": "off",
    },
    "serving": {"LINTEL_SERVING": "on"},
}
#: What stands between Django and PostgreSQL, as packages/server/tests/database_states.py makes it.
#: PgBouncer in statement mode takes no transactions, in which tests run: test_database_states.py
#: has what works there, and a replica that is late.
DATABASE = ("pgbouncer-transaction", "pool", "server-side-binding", "schema", "row-security")
STATES = {**SWITCHED, **{name: {"LINTEL_DATABASE_STATE": name} for name in DATABASE}}

#: Minor versions of Python 3 that Django 6 runs on, the newest first.
NEWEST = range(20, 11, -1)
OLDEST = 11


@dataclass(frozen=True, slots=True)
class Cell:
    """One environment of the matrix."""

    name: str
    python: Path
    pins: Path

    @property
    def folder(self) -> Path:
        return REPOSITORY / f".venv-matrix-{self.name}"

    @property
    def interpreter(self) -> Path:
        return self.folder / "bin" / "python"

    def prepare(self) -> None:
        """Install the pinned packages and those of this repository, unless that is done."""
        ready = self.folder / ".ready"
        wanted = "\n".join([str(self.python), *NAMES, self.pins.read_text(), ECOSYSTEM.read_text()])
        if ready.exists() and ready.read_text() == wanted:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run([self.python, "-m", "venv", self.folder], check=True)
        pip = [self.interpreter, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([*pip, "-r", self.pins], check=True)
        subprocess.run([*pip, "--no-deps", "-r", ECOSYSTEM], check=True)
        editable = [part for package in PACKAGES for part in ("-e", package)]
        subprocess.run([*pip, "--no-build-isolation", "--no-deps", *editable], check=True)
        ready.write_text(wanted)

    def run(self, arguments: list[str], **state: str) -> int:
        """Run the tests; return the status of pytest."""
        report = "import django, sys; print('Django', django.__version__, 'on Python', sys.version)"
        subprocess.run([self.interpreter, "-c", report], check=True)
        command = [self.interpreter, "-m", "pytest", *arguments]
        found = subprocess.run(command, cwd=REPOSITORY, env={**environ, **state}, check=False)
        return found.returncode


def find_python(minor: int) -> Path | None:
    """Return a working Python 3 of this minor version, on PATH or among those of pyenv."""
    name = f"python3.{minor}"
    found = [shutil.which(name), *PYENV.glob(f"3.{minor}.*/bin/{name}")]
    for candidate in found:
        # pyenv has shims for versions that are not selected, too.
        if candidate and _works(candidate):
            return Path(candidate)
    return None


def _works(python: str | Path) -> bool:
    command = [python, "-c", "import ensurepip, sqlite3"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def cells() -> list[Cell]:
    """Return both environments. Raises SystemExit if a Python is missing."""
    oldest = find_python(OLDEST)
    newest = next((found for minor in NEWEST if (found := find_python(minor))), None)
    if oldest is None or newest is None:
        raise SystemExit(
            f"the matrix needs Python 3.{OLDEST} and 3.{NEWEST[-1]} or newer with their venv "
            f"modules, on PATH or in {PYENV}"
        )
    return [
        Cell("oldest", oldest, REPOSITORY / "constraints.txt"),
        Cell("newest", newest, REPOSITORY / "constraints-newest.txt"),
    ]


def chosen(told: str) -> dict[str, dict[str, str]]:
    """The states of these names; all if there is none. Raises SystemExit for an unknown one."""
    names = told.split() or list(STATES)
    unknown = [name for name in names if name not in STATES]
    if unknown:
        raise SystemExit(f"no such state: {', '.join(unknown)}; there are {', '.join(STATES)}")
    return {name: STATES[name] for name in names}


def main() -> int:
    """Run everything, or with STATES in the environment the tests of the server in these alone."""
    told = environ.get("STATES", "")
    states, (oldest, newest), statuses = chosen(told), cells(), []
    for cell in [newest] if told.strip() else [oldest, newest]:
        print(f"== {cell.name}: {cell.python}, {cell.pins.name}", flush=True)
        cell.prepare()
        statuses += [] if told.strip() else [cell.run(sys.argv[1:])]
    for name, state in states.items():
        print(f"== newest: {name}, {state}", flush=True)
        statuses.append(newest.run([*sys.argv[1:], "packages/server/tests"], **state))
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
