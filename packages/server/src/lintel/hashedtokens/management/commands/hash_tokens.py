"""``manage.py hash_tokens``: replace the keys of ``lintel.authtoken`` by digests."""

from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DEFAULT_DB_ALIAS, transaction

from lintel.hashedtokens.models import HashedToken, digest_of

#: The number of tokens that are read and written at once.
BATCH = 500


class Command(BaseCommand):
    help = "Hash the plain tokens, keeping their keys, and delete the plain ones"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--keep", action="store_true", help="Leave the plain tokens")
        parser.add_argument("--database", default=DEFAULT_DB_ALIAS, help="Alias of the database")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            model: Any = apps.get_model("authtoken", "Token")
        except LookupError:
            message = "There are no plain tokens: lintel.authtoken is not installed."
            raise CommandError(message) from None
        database = options["database"]
        plain = model.objects.using(database)
        with transaction.atomic(using=database):
            keys = list(plain.values_list("key", flat=True))
            batches = [keys[start : start + BATCH] for start in range(0, len(keys), BATCH)]
            count = sum(_hash(plain.filter(key__in=batch), database) for batch in batches)
            for batch in batches if not options["keep"] else ():
                plain.filter(key__in=batch).delete()
        self.stdout.write(f"Hashed {count} tokens")


def _hash(tokens: Any, database: str) -> int:
    """Create hashed tokens for some plain ones; return how many were new."""
    hashed = HashedToken.objects.using(database)
    by_digest = {digest_of(token.key): token for token in tokens}
    stored = set(hashed.filter(digest__in=by_digest).values_list("digest", flat=True))
    missing = [token for digest, token in by_digest.items() if digest not in stored]
    made = [
        HashedToken(user_id=token.user_id, key=token.key, created=token.created)
        for token in missing
    ]
    return len(hashed.bulk_create(made))
