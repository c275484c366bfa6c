"""``manage.py explainserializer shop.serializers.OrderSerializer``: show the generated source."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from lintel.fast import DIRECTIONS, explain


class Command(BaseCommand):
    """Shows generated source, and the reason for each field that falls back to a call."""

    help = (
        "Print the functions that are generated for a serializer class, and why some of its "
        "fields are called instead of being compiled."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("serializer", help="dotted path: shop.serializers.OrderSerializer")
        parser.add_argument("--reading", action="store_true", help="objects to primitives")
        parser.add_argument("--writing", action="store_true", help="input to validated values")
        parser.add_argument("--fetching", action="store_true", help="querysets to primitives")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            serializer_class = import_string(options["serializer"])
        except ImportError as error:
            raise CommandError(f"Cannot import {options['serializer']}: {error}") from error
        chosen = [direction for direction in DIRECTIONS if options[direction]]
        try:
            self.stdout.write(explain(serializer_class, chosen or DIRECTIONS))
        except TypeError as error:
            raise CommandError(str(error)) from error
