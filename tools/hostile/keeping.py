"""Failing inputs, kept as files that ``tests/test_hostile_input.py`` answers again."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from hostile.inputs import Sent
from hostile.rounds import TOOLS

KEPT = TOOLS.parent / "tests" / "data" / "hostile"
Fault = tuple[str, str]


def replayed(kept: Path, package: str = "lintel") -> list[Fault]:
    """What is wrong with each answer to a kept input, "" for nothing, and its traceback."""
    run = subprocess.run(
        [sys.executable, "-m", "hostile.worker", package, "--replay", str(kept)],
        env={**os.environ, "PYTHONPATH": str(TOOLS)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if run.returncode:
        return [("no answer", run.stderr[-2000:])]
    return [(wrong, fault) for wrong, fault in json.loads(run.stdout)]


def keep(kind: str, before: list[Sent], last: Sent, folder: Path = KEPT) -> Path:
    """Write the request that failed; with those before it, if it does not fail alone."""
    alone = written(kind, [last], folder)
    if any(wrong for wrong, _ in replayed(alone)):
        return alone
    alone.unlink()
    return written(kind, [*before, last], folder)


def written(kind: str, requests: list[Sent], folder: Path) -> Path:
    told = json.dumps({"kind": kind, "requests": [sent.dumped() for sent in requests]}, indent=1)
    words = "".join(letter if letter.isalnum() else "-" for letter in kind.lower())
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{words}-{hashlib.sha256(told.encode()).hexdigest()[:10]}.json"
    place.write_text(told + "\n")
    return place
