"""The command that compares two descriptions: its options, its report, its exit status."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path

from lintel_contract.comparison import compare
from lintel_contract.loading import load
from lintel_contract.places import DocumentError
from lintel_contract.report import FORMATS
from lintel_contract.rules import Level

HELP = (
    "Compare two OpenAPI documents. OLD and NEW are files, http(s) addresses, or files of "
    "git revisions such as HEAD~3:schema.yml."
)


class CommandFailure(Exception):
    """Ends the command with this message and ``status``: 1 for breaking changes, else 2."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def add_arguments(parser: ArgumentParser) -> None:
    """Add the two documents, how to report, and when to fail."""
    parser.add_argument("old", metavar="OLD", help="the description that clients know")
    parser.add_argument("new", metavar="NEW", help="the description that replaces it")
    parser.add_argument("--format", choices=list(FORMATS), default="text")
    parser.add_argument("--file", help="write the report to a file instead of printing it")
    parser.add_argument(
        "--least",
        choices=[level.word for level in Level],
        default=Level.HARMLESS.word,
        help="list changes from this level on; all are counted (default: harmless)",
    )
    parser.add_argument(
        "--breaking", action="store_true", help="exit with status 1 on breaking changes"
    )


def run(
    old: str,
    new: str,
    *,
    format: str,
    file: str | None,
    breaking: bool,
    least: str = Level.HARMLESS.word,
    show: Callable[[str], None],
) -> None:
    """Report the changes to a file, or by ``show``. Raises CommandFailure."""
    try:
        changes = compare(load(old), load(new))
    except DocumentError as error:
        raise CommandFailure(str(error), 2) from error
    report = FORMATS[format](changes, Level[least.upper()])
    if file:
        Path(file).write_text(f"{report}\n", encoding="utf-8")
    else:
        show(report)
    count = sum(change.level is Level.BREAKING for change in changes)
    if breaking and count:
        raise CommandFailure(f"{count} breaking change{'s' * (count > 1)}.", 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with the arguments of the process; return its status."""
    parser = ArgumentParser(prog="python -m lintel_contract", description=HELP)
    add_arguments(parser)
    try:
        run(**vars(parser.parse_args(arguments)), show=print)
    except CommandFailure as failure:
        print(failure, file=sys.stderr)
        return failure.status
    return 0
