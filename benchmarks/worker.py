"""One contender: reads questions from standard input, runs batches, returns CPU seconds."""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module


def main(suite: str, framework: str) -> None:
    """``suite`` names a module with ``scenarios(framework) -> {name: function}``."""
    scenarios: dict[str, Callable[[], object]] = import_module(suite).scenarios(framework)
    for line in sys.stdin:
        question = json.loads(line)
        run = scenarios[question["scenario"]]
        seconds = batch(run, question["runs"])
        answer = {"seconds": seconds, **({"value": run()} if question.get("value") else {})}
        print(json.dumps(answer), flush=True)


def batch(run: Callable[[], object], runs: int) -> float:
    """CPU seconds of this process for ``runs`` calls; the garbage collector stays on."""
    gc.collect()
    started = time.process_time()
    for _ in range(runs):
        run()
    return time.process_time() - started


if __name__ == "__main__":
    main(*sys.argv[1:])
