"""Clocks that are wrong, in the processes of a server, by libfaketime."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx2
from services import SERVICES

from production import traffic
from production.parts import Part
from production.stack import Stack, server_of

#: The library for programs with threads, in Debian's package.
FAKETIME = "libfaketimeMT.so.1"
FOLDERS = ("/usr/lib/*/faketime", "/usr/lib/faketime", "/usr/lib64/faketime")

#: Seconds for which a clock stays wrong.
WRONG = 2.0
#: The longest that a limit may refuse after clocks are right again: its period, and a request.
PERIOD = 65.0
LIMITED = "/rides/bikes/1/unlock/"


def library() -> Path:
    """Return the library. Raises RuntimeError that says what to install."""
    for pattern in FOLDERS:
        for found in Path("/").glob(f"{pattern[1:]}/{FAKETIME}"):
            return found
    (package,) = (each.package for each in SERVICES if "faketime" in each.programs)
    told = f"install {package} (Debian: apt-get install {package})"
    raise RuntimeError(f"a clock that is set while a program runs needs {FAKETIME}; {told}")


def environment(clock: Path) -> dict[str, str]:
    """What makes a program read its time of day from a file, anew each time it asks.

    What measures durations stays right, as where a daemon sets the clock.
    """
    return {
        "LD_PRELOAD": str(library()),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def put(clock: Path, seconds: int) -> None:
    """Let a clock be so many seconds early (late: less than 0)."""
    new = clock.with_suffix(".new")
    new.write_text(f"{seconds:+d}\n")
    new.replace(clock)


def settable(part: Part, clock: Path) -> Callable[[int], None]:
    """Restart a server so that its clock can be set, unless it can, and return what sets it."""
    own = environment(clock)
    if not own.items() <= part.environment.items():
        put(clock, 0)
        part.environment = {**part.environment, **own}
        part.restart()
    return partial(put, clock)


@contextmanager
def stepped(stack: Stack, hosts: int) -> Iterator[Counter[str]]:
    """The clocks of so many hosts go an hour back, then two forward, and are right at the end.

    Raises RuntimeError if a limit that was reached meanwhile holds for longer than its period.
    """
    seen: Counter[str] = Counter()
    headers = {"Authorization": f"Token {traffic.token_of(stack, 'grace')}"}
    chosen = stack.hosts[-hosts:]
    clocks = [settable(server_of(stack, host), host.folder / "clock") for host in chosen]
    with stack.client(headers=headers) as client:
        for seconds in (-3600, 3600):
            for clock in clocks:
                clock(seconds)
            until_refused(client, seen)
            time.sleep(WRONG)
        for clock in clocks:
            clock(0)
        yield seen
        until_passed(client)


def until_refused(client: httpx2.Client, seen: Counter[str]) -> None:
    """Reach a limit. Raises RuntimeError for an answer that is neither 200 nor 429."""
    while True:
        status = client.post(LIMITED).status_code
        seen[f"{status} of a limit"] += 1
        if status == 429:
            return
        if status != 200:
            raise RuntimeError(f"{LIMITED} was answered by {status}")


def until_passed(client: httpx2.Client) -> None:
    """Wait for the limit to end. Raises RuntimeError if it does not within its period."""
    deadline = time.monotonic() + PERIOD
    while client.post(LIMITED).status_code == 429:
        if time.monotonic() > deadline:
            raise RuntimeError(f"a limit refuses for more than {PERIOD:.0f} s")
        time.sleep(0.5)
