"""``manage.py clear_idempotency_keys``: delete the keys whose time is over."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DEFAULT_DB_ALIAS
from django.utils import timezone

from lintel.idempotency.rows import BATCH, clear_expired


class Command(BaseCommand):
    help = "Delete expired idempotency keys and the answers that are kept for them"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--database", default=DEFAULT_DB_ALIAS, help="Alias of the database")

    def handle(self, *args: object, **options: Any) -> None:
        moment, count = timezone.now(), 0
        while (deleted := clear_expired(options["database"], moment)) > 0:
            count += deleted
            if deleted < BATCH:
                break
        self.stdout.write(f"Deleted {count} keys")
