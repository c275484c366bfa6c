"""``manage.py create_hashed_token alice``: create a token and print it, only this once."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from lintel.hashedtokens.models import HashedToken


class Command(BaseCommand):
    help = "Make a token for a user and print its key, which is not stored"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="Name of the user")
        parser.add_argument("--name", default="", help="What uses the token, such as a device")

    def handle(self, *args: object, **options: object) -> None:
        user_model = get_user_model()
        username = options["username"]
        manager: Any = user_model._default_manager
        try:
            user = manager.get_by_natural_key(username)
        except user_model.DoesNotExist:
            raise CommandError(f"There is no user {username}.") from None
        token = HashedToken.objects.create(user=user, name=options["name"])
        self.stdout.write(f"Generated token {token.key} for user {username}")
