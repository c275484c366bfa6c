"""``tools/services.py`` finds the programs that tests start, and names missing ones."""

import subprocess
import sys
from pathlib import Path

import pytest
import services

SCRIPT = Path(services.__file__)


def test_nothing_is_missing() -> None:
    run = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_missing_programs_are_named_with_their_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Without apt-get on the path nothing can be installed, whoever runs the tests.
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(services, "POSTGRESQL", tmp_path)
    monkeypatch.setattr(services, "DAEMONS", tmp_path)
    packages = "redis-server postgresql pgbouncer nginx-light openssl faketime chromium nodejs npm"
    packages += " curl systemd fish zsh"
    assert services.main() == (
        "the tests need redis-server, initdb, postgres, pgbouncer, nginx, openssl, faketime, "
        "chromium, node, npm, curl, systemd-analyze, fish, zsh; "
        f"install {packages} (Debian: apt-get install {packages})"
    )
    with pytest.raises(RuntimeError, match="need initdb, postgres; install postgresql"):
        services.program("initdb")


def test_newest_postgresql_of_debian_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for version in ("9.6", "15", "local"):
        folder = tmp_path / version / "bin"
        folder.mkdir(parents=True)
        (folder / "initdb").touch()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(services, "POSTGRESQL", tmp_path)
    assert services.program("initdb") == tmp_path / "15" / "bin" / "initdb"
