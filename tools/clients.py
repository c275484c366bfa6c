"""``make clients``: random calls of the three clients against a mock server that validates them.

    python tools/clients.py [--seconds 60] [--seed 1] [DESCRIPTION ...]

Starts prism for each description, by default those of the tests, and calls its operations with
the Python client, the command line and the JavaScript client. Prints how many requests the mock
accepted, and every one that it rejected or in which a client differs: the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
# The clients and the mock server are run as the tests run them.
sys.path.insert(0, str(REPOSITORY / "tests"))

from parity.calls import Call, call_of, operations  # noqa: E402  the path has to be known first
from parity.clients import Caller, NodeCaller, PythonCaller, ShellCaller  # noqa: E402
from parity.descriptions import Description, named_descriptions  # noqa: E402
from parity.mock import FAULTS, Judge, MockFailed, mocked, running_judge  # noqa: E402

from lintel_document.links import Link  # noqa: E402

COLUMNS = "{:<44} {:>6} {:>8} {:>8} {:>11} {:>8} {:>7}"


@dataclass
class Tally:
    """What became of the calls of one description."""

    name: str
    calls: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    #: Calls that the mock could not judge or answer, by its error.
    others: Counter[str] = field(default_factory=Counter)
    #: Clients by fault: what was called, and what the mock says about it.
    faults: dict[str, list[str]] = field(default_factory=dict)

    def line(self) -> str:
        """Return the row of the table."""
        clients = [self.accepted[name] for name in ("Python", "shell", "JavaScript")]
        return COLUMNS.format(
            self.name[-44:], self.calls, *clients, self.refused, self.others.total()
        )


@contextmanager
def all_clients() -> Iterator[dict[str, Caller]]:
    """The clients, with a folder of their own for the state of the command line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["LINTEL_CONFIG_DIR"] = str(folder / "lintel")
        python, node = PythonCaller(), NodeCaller(folder)
        yield {"Python": python, "shell": ShellCaller(folder, flags=True), "JavaScript": node}
        node.close()
        python.close()


def tried(
    description: Description, clients: Mapping[str, Caller], random: Random, until: float
) -> Tally:
    """Call operations of a description until a time, each at least once if there is enough."""
    tally = Tally(description.name)
    try:
        _call(tally, description, clients, random, until)
    except MockFailed as error:
        tally.others[str(error)] += 1
    return tally


def _call(
    tally: Tally,
    description: Description,
    clients: Mapping[str, Caller],
    random: Random,
    until: float,
) -> None:
    plain = Description(description.name, description.format, mocked(description.tree))
    with (
        tempfile.TemporaryDirectory() as folder,
        running_judge(json.dumps(plain.tree), Path(folder)) as judge,
    ):
        text = plain.at(judge.url)
        for client in clients.values():
            client.load(plain.format, text, f"{judge.url}/description")
        python = clients["Python"]
        found = list(operations(python.document)) if isinstance(python, PythonCaller) else []
        while found and time.monotonic() < until:
            for keys, link in random.sample(found, len(found)):
                if link.action.lower() != "trace" and time.monotonic() < until:
                    judged(tally, judge, clients, call_of(keys, link, random), link)


def judged(
    tally: Tally, judge: Judge, clients: Mapping[str, Caller], call: Call, link: Link
) -> None:
    """Make one call with each client, and note the verdicts."""
    tally.calls += 1
    requests, kinds = {}, set()
    for name, client in clients.items():
        judge.verdicts.clear()
        outcome = client.call(call)
        requests[name] = [each.comparable() for each in judge.taken()]
        kind, details = judge.verdicts[0] if judge.verdicts else ("refused", outcome)
        kinds.add(kind)
        tally.accepted[name] += kind not in FAULTS and kind != "refused"
        if kind in FAULTS:
            fault = f"{kind} {list(call.keys)} {dict(call.params)}: {details}"
            tally.faults.setdefault(fault, []).append(name)
    tally.refused += kinds == {"refused"}
    tally.others.update(kinds - FAULTS - {"", "refused"})
    if not is_alike(requests, link):
        tally.faults[f"different requests: {list(call.keys)} {requests}"] = list(requests)


def is_alike(requests: dict[str, Any], link: Link) -> bool:
    """Return whether all sent the same. `fetch` sends no body with GET, which Python does."""
    python, *others = requests.values()
    has_body = any(each["body"] for each in python)
    if link.action.lower() in ("get", "head") and has_body:
        others = [each for each in others if each]
    return all(each == python for each in others)


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("descriptions", nargs="*", type=Path)
    given = parser.parse_args()
    descriptions = list(named_descriptions(given.descriptions))
    titles = ("description", "calls", "Python", "shell", "JavaScript", "refused", "mock")
    print(f"seed {given.seed}; accepted by the mock:\n{COLUMNS.format(*titles)}", flush=True)
    tallies = []
    with all_clients() as clients:
        for description in descriptions:
            until = time.monotonic() + given.seconds / len(descriptions)
            tallies.append(tried(description, clients, Random(given.seed), until))
            print(tallies[-1].line(), flush=True)
    faults = [(fault, names) for tally in tallies for fault, names in tally.faults.items()]
    print("".join(f"{', '.join(names)}: {fault}\n" for fault, names in faults), end="")
    others = sum((tally.others for tally in tallies), Counter[str]())
    print(
        "".join(f"{count} errors of the mock: {kind}\n" for kind, count in others.items()), end=""
    )
    print(f"{sum(tally.calls for tally in tallies)} calls, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
