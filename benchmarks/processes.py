"""CPU time and memory of a process and its descendants, as Linux counts them."""

from __future__ import annotations

import re
import time
from pathlib import Path

PROC = Path("/proc")


def tree(pid: int) -> list[int]:
    """Return the process and its descendants that run now."""
    found = [pid]
    for each in found:
        found += children(each)
    return found


def children(pid: int) -> list[int]:
    try:
        lists = [each.read_text() for each in PROC.glob(f"{pid}/task/*/children")]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(child) for text in lists for child in text.split()]


def cpu_seconds(pid: int) -> float:
    """Return user and system time of the tree in seconds; threads that have ended count too."""
    return sum(time.clock_gettime(cpu_clock(each)) for each in tree(pid))


def cpu_clock(pid: int) -> int:
    """Return the CPU clock of a process: its id in the upper bits (clock_getcpuclockid(3))."""
    return (~pid << 3) | 2


def memory(pid: int) -> float:
    """Return MiB of the tree: PSS, which counts a shared page once in all."""
    return sum(map(proportional_kibibytes, tree(pid))) / 1024


def proportional_kibibytes(pid: int) -> int:
    text = (PROC / str(pid) / "smaps_rollup").read_text()
    found = re.search(r"^Pss:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) if found else 0
