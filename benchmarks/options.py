"""Options of the suites that run servers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks.rounds import Plan

QUICK = Plan(rounds=3, seconds=0.15)


def add_choices(parser: argparse.ArgumentParser, kind: str) -> None:
    """Options that choose what is measured, and for how long."""
    parser.add_argument("--rows", nargs="+", default=[], metavar="NAME", help=f"only these {kind}")
    parser.add_argument("--contenders", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--rounds", type=int, default=Plan().rounds)
    parser.add_argument("--seconds", type=float, default=Plan().seconds, help="of a batch")
    parser.add_argument("--quick", action="store_true", help="a minute: few and short batches")


def plan_of(options: argparse.Namespace) -> Plan:
    return QUICK if options.quick else Plan(options.rounds, options.seconds)


def is_selection(options: argparse.Namespace) -> bool:
    """Return whether the run is not the one whose numbers the page shows."""
    return bool(options.rows or options.contenders or options.quick)


def chosen(known: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Return those of ``known`` that are named; all if nothing is named. Raises SystemExit."""
    there = [each.name for each in known]
    unknown = [name for name in names if name not in there]
    if unknown:
        raise SystemExit(f"unknown: {'; '.join(unknown)}. There are: {'; '.join(there)}")
    return [each for each in known if not names or each.name in names]
