"""``manage.py schemadiff OLD NEW``: what changed, and what it means for clients."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lintel.schemadiff import FORMATS, DocumentError, Level, compare, load


class Command(BaseCommand):
    """Lists breaking, risky and harmless changes between two OpenAPI documents."""

    help = (
        "Compare two OpenAPI documents. OLD and NEW are files, http(s) addresses, or files of "
        "git revisions such as HEAD~3:schema.yml."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the two documents, how to report, and when to fail."""
        parser.add_argument("old", metavar="OLD", help="the description that clients know")
        parser.add_argument("new", metavar="NEW", help="the description that replaces it")
        parser.add_argument("--format", choices=list(FORMATS), default="text")
        parser.add_argument("--file", help="write the report to a file instead of printing it")
        parser.add_argument(
            "--breaking", action="store_true", help="exit with status 1 on breaking changes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Report. Raises CommandError: status 2 for unreadable input, 1 for breaking changes."""
        try:
            changes = compare(load(options["old"]), load(options["new"]))
        except DocumentError as error:
            raise CommandError(str(error), returncode=2) from error
        report = FORMATS[options["format"]](changes)
        if options["file"]:
            Path(options["file"]).write_text(f"{report}\n", encoding="utf-8")
        else:
            self.stdout.write(report)
        breaking = sum(change.level is Level.BREAKING for change in changes)
        if options["breaking"] and breaking:
            raise CommandError(f"{breaking} breaking change{'s' * (breaking > 1)}.")
