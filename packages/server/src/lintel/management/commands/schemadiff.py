"""``manage.py schemadiff OLD NEW``: what changed, and what it means for clients."""

from argparse import ArgumentParser
from importlib import import_module
from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """``python -m lintel_contract OLD NEW``, from the distribution lintel-contract."""

    help = (
        "Compare two OpenAPI documents. OLD and NEW are files, http(s) addresses, or files of "
        "git revisions such as HEAD~3:schema.yml."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        try:
            command = import_module("lintel_contract.command")
        except ImportError as error:
            parser.error(f"lintel-contract is missing: install django-lintel[test] ({error})")
        command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Report. Raises CommandError: status 2 for unreadable input, 1 for breaking changes."""
        command = import_module("lintel_contract.command")
        names = ("old", "new", "format", "file", "breaking", "least")
        given = {name: options[name] for name in names}
        try:
            command.run(**given, show=self.stdout.write)
        except command.CommandFailure as failure:
            raise CommandError(str(failure), returncode=failure.status) from failure
