"""``manage.py clear_hashed_tokens``: delete the tokens that ended some time ago."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DEFAULT_DB_ALIAS
from django.utils import timezone

from lintel.hashedtokens.lifetimes import delete_ended
from lintel.hashedtokens.models import HashedToken


class Command(BaseCommand):
    help = "Delete tokens that have expired, or were revoked or replaced"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=30, help="How long ago (default: 30)")
        parser.add_argument("--database", default=DEFAULT_DB_ALIAS, help="Alias of the database")

    def handle(self, *args: object, **options: Any) -> None:
        moment = timezone.now() - timedelta(days=options["days"])
        count = delete_ended(HashedToken, moment, options["database"])
        self.stdout.write(f"Deleted {count} tokens")
