"""Whether contenders answer the same: compared before anything is measured."""

from __future__ import annotations

import json
from collections.abc import Sequence

from benchmarks.services import Running
from benchmarks.workloads import NEIGHBOURS, REFUSED, Workload

REFUSALS = (400, 401, 403, 404, 422)


class DifferentError(Exception):
    """A contender answers another status or body than the first one, or takes a wrong input."""


def compare(servers: Sequence[Running], workloads: Sequence[Workload]) -> None:
    """Raise DifferentError unless all contenders answer and refuse the same."""
    compare_answers(servers, [*NEIGHBOURS, *workloads])
    paths = {each.path.partition("?")[0].rstrip("0123456789/") for each in workloads}
    for server in servers:
        refuse(server, [each for each in REFUSED if belongs(each, paths)])


def compare_answers(servers: Sequence[Running], workloads: Sequence[Workload]) -> None:
    """Raise DifferentError unless all contenders answer the same."""
    for workload in workloads:
        expected = answer(servers[0], workload)
        for server in servers[1:]:
            found = answer(server, workload)
            if found != expected:
                raise DifferentError(difference(servers[0], server, workload, expected, found))


def belongs(wrong: Workload, paths: set[str]) -> bool:
    """Return whether a wrong input is one of the chosen workloads'."""
    return wrong.path.partition("?")[0].rstrip("0123456789/") in paths


def answer(server: Running, workload: Workload) -> tuple[int, object]:
    """Return the status and the parsed body of one request."""
    status, body = server.ask(workload.method, workload.path, workload.body, dict(workload.headers))
    try:
        return status, json.loads(body)
    except ValueError:
        return status, body


def difference(
    first: Running,
    other: Running,
    workload: Workload,
    expected: tuple[int, object],
    found: tuple[int, object],
) -> str:
    return (
        f"{workload.name}: {other.service.name} answers {found[0]} {place(expected[1], found[1])},"
        f" {first.service.name} {expected[0]}"
    )


def place(expected: object, found: object, path: str = "") -> str:
    """Return where two bodies differ for the first time, and how."""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        pairs = [(f"{path}.{key}", expected[key], found[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        both = zip(expected, found, strict=True)
        pairs = [(f"{path}[{number}]", one, other) for number, (one, other) in enumerate(both)]
    else:
        return f"with {str(found)[:300]} instead of {str(expected)[:300]} at {path or 'the top'}"
    return next((place(one, other, at) for at, one, other in pairs if one != other), "the same")


def refuse(server: Running, wrong: Sequence[Workload]) -> None:
    """Raise DifferentError if the contender takes one of these inputs, or fails over it."""
    for each in wrong:
        if each.about_bodies and not server.service.checks_bodies:
            continue
        status, body = answer(server, each)
        if status not in REFUSALS:
            text = f"{server.service.name} answers {status} {str(body)[:300]} to {each.name}"
            raise DifferentError(text)
