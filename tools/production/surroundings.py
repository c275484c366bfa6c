"""Faults of disks: full for rows, full for uploads."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from production import traffic
from production.parts import unprivileged_user
from production.stack import Stack

PICTURE = b"\x89PNG\r\n\x1a\n" + b"0" * 300_000


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A disk of this size in place of a folder, which only root may have. Raises RuntimeError."""
    size = f"size={kilobytes}k,mode=0777"
    mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder]
    run = subprocess.run(mount, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"a small disk needs root: {run.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@contextmanager
def full_of_rows(stack: Stack) -> Iterator[None]:
    """The disk of the bookings' table has no room for another page."""
    folder, user = stack.folder / "small", unprivileged_user()
    folder.mkdir()
    with small_disk(folder, 4096), stack.database() as connection:
        place = folder / "tablespace"
        place.mkdir()
        os.chown(place, user.pw_uid, user.pw_gid)
        connection.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
        # Pages that take few rows, so that a new one is needed soon.
        connection.execute("ALTER TABLE rides_booking SET (fillfactor = 10)")
        connection.execute("ALTER TABLE rides_booking SET TABLESPACE small")
        fill(folder / "filler")
        yield
        (folder / "filler").unlink()
        connection.execute("ALTER TABLE rides_booking SET TABLESPACE pg_default")
        connection.execute("ALTER TABLE rides_booking RESET (fillfactor)")
        connection.execute("DROP TABLESPACE small")
    folder.rmdir()


def fill(path: Path) -> None:
    """Write until the disk is full."""
    with path.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(b"0" * 4096)
            except OSError:
                return


@contextmanager
def full_of_uploads(stack: Stack) -> Iterator[Counter[str]]:
    """The disk of uploads has no room for the pictures that two clients send."""
    seen: Counter[str] = Counter()
    stopped = threading.Event()
    token = traffic.token_of(stack)
    senders = [threading.Thread(target=send, args=(stack, token, stopped, seen)) for _ in range(2)]
    with small_disk(stack.folder / "uploads", 200):
        for sender in senders:
            sender.start()
        yield seen
        stopped.set()
        for sender in senders:
            sender.join()
        torn = [path.name for path in (stack.folder / "uploads").rglob("*") if path.is_file()]
    if torn:
        raise RuntimeError(f"torn files are left: {', '.join(torn)}")


def send(stack: Stack, token: str, stopped: threading.Event, seen: Counter[str]) -> None:
    with stack.client(headers={"Authorization": f"Token {token}"}) as client:
        while not stopped.is_set():
            files = {"photo": ("bike.png", PICTURE, "image/png")}
            answer = client.post("/rides/bikes/1/reports/", data={"text": "flat"}, files=files)
            seen[f"{answer.status_code} for an upload"] += 1
            time.sleep(0.2)
