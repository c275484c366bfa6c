"""Application hosts: network namespaces where the kernel allows, else only folders of their own.

A host has a name, a network with nothing but its own loopback, and memory segments of its own. It
reaches PostgreSQL and Redis, and nginx reaches it, through sockets in the file system, so nothing
but these can be what hosts share.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SHARED_NOTHING = ("--net", "--uts", "--ipc")
WAITS = 'hostname "$1" && ip link set lo up && echo ready && exec sleep infinity'


@dataclass
class Host:
    """A place for processes: its name, its folder, and the process that holds its namespaces."""

    name: str
    folder: Path
    holder: subprocess.Popen[str] | None = None

    @property
    def socket(self) -> Path:
        """Where nginx finds its server."""
        return self.folder / "service.sock"

    @property
    def drain_file(self) -> Path:
        return self.folder / "draining"

    @property
    def prefix(self) -> list[str]:
        """What a command needs in front of it to run there."""
        if self.holder is None:
            return []
        return ["nsenter", *SHARED_NOTHING, "--target", str(self.holder.pid), "--"]

    def close(self) -> None:
        if self.holder is not None:
            self.holder.kill()
            self.holder.communicate()


def made(name: str, folder: Path, apart: bool) -> Host:
    """Return a new host, with namespaces if it is to be apart and the kernel allows."""
    folder.mkdir(mode=0o755)
    return Host(name, folder, _holder(name) if apart else None)


def _holder(name: str) -> subprocess.Popen[str] | None:
    """Return a process in new namespaces, which end with it; None if that is not allowed."""
    if not all(map(shutil.which, ("unshare", "nsenter", "ip", "setpriv"))):
        return None
    command = ["setpriv", "--pdeathsig", "KILL", "unshare", *SHARED_NOTHING]
    process = subprocess.Popen(
        [*command, "sh", "-c", WAITS, "sh", name],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        process_group=0,
    )
    if process.stdout is not None and process.stdout.readline() == "ready\n":
        return process
    process.kill()
    process.communicate()
    return None
