"""A real authorization server, django-oauth-toolkit, with a small API beside it, on loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]


@contextmanager
def running(folder: Path) -> Iterator[dict[str, Any]]:
    """Run the server with a database in a folder; yield its URL, its clients and their secret."""
    log = (folder / "server.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "authorization_server.serve"],
        cwd=TESTS,
        env={
            **os.environ,
            "AUTHORIZATION_FOLDER": str(folder),
            "DJANGO_SETTINGS_MODULE": "authorization_server.settings",
            "PYTHONPATH": str(TESTS),
        },
        stdout=subprocess.PIPE,
        stderr=log,
    )
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()
        log.close()
