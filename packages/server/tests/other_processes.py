"""Projects in processes of their own, and packages in folders of their own, for the tests."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

CACHE = Path(__file__).parents[3] / ".cache" / "packages"


def folder_with(*requirements: str) -> str:
    """A folder with packages, and nothing that they depend on, kept between runs."""
    place = CACHE / requirements[0].replace("==", "-")
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_name(f"{place.name}.{os.getpid()}")
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*install, "--target", str(fresh), *requirements], check=True)
        with suppress(OSError):  # another process was first
            fresh.rename(place)
        assert place.exists()
    return str(place)


def printed_by(package: str, files: Mapping[str, str], script: str, path: list[str]) -> Any:
    """The JSON that a script prints after ``found:``, in a project of these modules.

    Its settings are the module ``set``; the entries of ``path`` are imported from first.
    """
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / package
        project.mkdir()
        for name, text in {"__init__": "", **files}.items():
            (project / f"{name}.py").write_text(textwrap.dedent(text))
        known = filter(None, [os.environ.get("PYTHONPATH")])
        environ = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": f"{package}.set",
            "PYTHONPATH": os.pathsep.join([folder, *path, *known]),
        }
        done = subprocess.run(
            [sys.executable, "-c", script], env=environ, capture_output=True, text=True, timeout=120
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.partition("found:")[2])
