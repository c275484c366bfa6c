"""Which cores the contenders get: their own, so that the client and the database do not disturb."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def divided(processes: int) -> Iterator[Sequence[int]]:
    """Keep this process, and what it starts, off the cores that are yielded for contenders.

    Nothing is divided, and nothing yielded, where there are too few cores.
    """
    everything = sorted(os.sched_getaffinity(0))
    if len(everything) <= processes:
        yield []
        return
    os.sched_setaffinity(0, everything[processes:])
    try:
        yield everything[:processes]
    finally:
        os.sched_setaffinity(0, everything)
