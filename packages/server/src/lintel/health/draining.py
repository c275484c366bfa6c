"""Saying that a service is about to stop, before it stops.

A file says it, to all processes of a host: while it exists, ``ready`` answers 503, so that a load
balancer sends no further requests, and everything else is served as before.
"""

import os
from pathlib import Path

from lintel.settings import api_settings

#: Names the file where HEALTH_DRAIN_FILE does not; `python -m lintel serve --drain` sets it.
VARIABLE = "LINTEL_DRAIN_FILE"


def drain_file() -> Path | None:
    """The file of HEALTH_DRAIN_FILE or of the environment; None if neither names one."""
    name = api_settings.HEALTH_DRAIN_FILE or os.environ.get(VARIABLE)
    return Path(name) if name else None


def is_draining() -> bool:
    path = drain_file()
    return path is not None and path.exists()


def begin_draining() -> None:
    """Let ``ready`` answer 503 from now on. Raises RuntimeError if no file is named for it."""
    path = drain_file()
    if path is None:
        raise RuntimeError(f"name a file in HEALTH_DRAIN_FILE or in {VARIABLE}")
    path.touch()


def end_draining() -> None:
    """Take that back, also what a process left that ended without doing so."""
    path = drain_file()
    if path is not None:
        path.unlink(missing_ok=True)
