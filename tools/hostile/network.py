"""``python -m hostile.network``: send bytes to real servers, with both packages behind each.

Prints what each server answered, and ends with 1 if lintel left an exception behind one of them, or
no longer answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hostile import wires
from hostile.keeping import KEPT
from hostile.rounds import TOOLS

SERVERS = {
    "granian, WSGI": "granian --interface wsgi --host 127.0.0.1 --port {} hostile.served:wsgi",
    "granian, ASGI": "granian --interface asginl --host 127.0.0.1 --port {} hostile.served:asgi",
    "uvicorn": "uvicorn --no-access-log --host 127.0.0.1 --port {} hostile.served:asgi",
    "hypercorn": "hypercorn --bind 127.0.0.1:{} hostile.served:asgi",
    "gunicorn": "gunicorn --threads 4 --bind 127.0.0.1:{} hostile.served:wsgi",
}
#: Seconds that a connection waits for an answer or its next part.
PATIENCE = 2.0
AT_ONCE = 16
PROBE = b"GET /echo/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SILENCE = 0
GROUPS = ("answered", "refused", "silent", "broken")
#: Follows each exception in the file of faults.
END = "\n\n"


@dataclass(slots=True)
class Served:
    """A server with one package: its port, and where its exceptions are."""

    port: int
    faults: Path
    statuses: Counter[int] = field(default_factory=Counter)

    def cell(self) -> str:
        """Answered, refused, closed or waited, and 500."""
        groups: Counter[str] = Counter()
        for status, count in self.statuses.items():
            groups[group_of(status)] += count
        told = ", ".join(
            f"{groups[name]:,}" for name in ("answered", "refused", "silent", "broken")
        )
        return f"{told}; {self.faults.read_text().count(END)}"


def group_of(status: int) -> str:
    # 501 and 505 refuse a transfer encoding and a version (RFC 9112, 6.1; RFC 9110, 15.6.6).
    if status == SILENCE:
        return "silent"
    if status < 400:
        return "answered"
    return "refused" if status < 500 or status in (501, 505) else "broken"


@contextmanager
def serving(name: str, package: str, folder: Path) -> Iterator[Served]:
    """Run a server in the block."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    place = folder / f"{package}.sqlite3"
    faults = folder / f"{package}.faults"
    environment = {
        **os.environ,
        "PYTHONPATH": str(TOOLS),
        "FUZZED": package,
        "FUZZ_DATABASE": str(place),
        "FUZZ_FAULTS": str(faults),
        "DJANGO_SETTINGS_MODULE": "hostile.settings",
    }
    faults.write_text("")
    subprocess.run([sys.executable, "-m", "hostile.served"], env=environment, check=True)
    program, *arguments = SERVERS[name].format(port).split()
    command = [sys.executable, str(Path(sys.executable).with_name(program)), *arguments]
    with (folder / f"{package}.log").open("w") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        try:
            wait(process, port)
            yield Served(port, faults)
        finally:
            process.terminate()
            process.wait(timeout=60)


def wait(process: subprocess.Popen[bytes], port: int) -> None:
    ends = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < ends:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise RuntimeError(f"{process.args!r} did not start")


async def exchanged(port: int, content: bytes) -> int:
    """The status of the first answer on a connection; 0 without one."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return SILENCE
    try:
        writer.write(content)
        line = await asyncio.wait_for(reader.readline(), PATIENCE)
        while line.startswith(b"HTTP/1.1 1"):
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            line = await asyncio.wait_for(reader.readline(), PATIENCE)
        return int(line.split()[1])
    except (TimeoutError, OSError, asyncio.IncompleteReadError, IndexError, ValueError):
        return SILENCE
    finally:
        writer.close()


async def sent(server: Served, contents: list[bytes]) -> list[int]:
    """Send to a server, some connections at once; return the statuses."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(content: bytes) -> int:
        async with gate:
            return await exchanged(server.port, content)

    found = await asyncio.gather(*map(one, contents))
    server.statuses.update(found)
    return found


async def tried(name: str, ours: Served, theirs: Served, seed: int, ends: float) -> list[str]:
    """Send until the time has come; return what failed on lintel.

    A server's own 500, without an exception of the application, is in the table alone.
    """
    for first in range(0, 10**9, 100):
        contents = [wires.made(seed, first + number) for number in range(100)]
        await asyncio.gather(sent(ours, contents), sent(theirs, contents))
        if told := ours.faults.read_text():
            return [told, *[str(place) for place in await kept(name, ours, contents)]]
        if not await answers(ours):
            return [f"no answer after request {first + 100}"]
        if time.monotonic() > ends:
            break
    return []


async def answers(server: Served) -> bool:
    """Whether a usual request is answered, at the latest when those before it are."""
    for _ in range(10):
        if await exchanged(server.port, PROBE) == 200:
            return True
    return False


async def kept(name: str, server: Served, contents: list[bytes]) -> list[Path]:
    """Keep what leaves an exception when it is sent alone."""
    folder = KEPT / "wires"
    found = []
    for content in contents:
        before = server.faults.stat().st_size
        await exchanged(server.port, content)
        if server.faults.stat().st_size > before:
            folder.mkdir(parents=True, exist_ok=True)
            place = folder / f"{random.getrandbits(32):08x}.json"
            told = {"server": name, "bytes": content.decode("latin-1")}
            place.write_text(json.dumps(told) + "\n")
            found.append(place)
    return found


def main() -> int:
    command = argparse.ArgumentParser(prog="hostile.network", description=__doc__)
    command.add_argument("--seconds", type=float, default=300)
    command.add_argument("--seed", type=int, default=random.randrange(2**32))
    command.add_argument("--server", action="append", choices=list(SERVERS))
    options = command.parse_args()
    names = options.server or list(SERVERS)
    print(f"seed {options.seed}", flush=True)
    print("| server | connections | lintel: answered, refused, silent, 500; exceptions ", end="")
    print("| Django REST framework |\n| --- | --- | --- | --- |", flush=True)
    seconds = options.seconds / len(names)
    failed = [fault for name in names for fault in row(name, options.seed, seconds)]
    print("\n".join(failed))
    return 1 if failed else 0


def row(name: str, seed: int, seconds: float) -> list[str]:
    with (
        tempfile.TemporaryDirectory() as place,
        serving(name, "lintel", Path(place)) as ours,
        serving(name, "rest_framework", Path(place)) as theirs,
    ):
        ends = time.monotonic() + seconds
        failed = asyncio.run(tried(name, ours, theirs, seed, ends))
        asked = sum(ours.statuses.values())
        print(f"| {name} | {asked:,} | {ours.cell()} | {theirs.cell()} |", flush=True)
    return [f"{name}: {fault}" for fault in failed]


if __name__ == "__main__":
    sys.exit(main())
