"""``manage.py drf_create_token alice``: print the token of a user, creating it if needed."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from lintel.authtoken.models import Token

UserModel: Any = get_user_model()


class Command(BaseCommand):
    help = "Create DRF Token for a given user"

    def create_user_token(self, username: str, reset_token: bool) -> Token:
        """Return the token of a user. Raises DoesNotExist of the user model."""
        manager: Any = UserModel._default_manager
        user = manager.get_by_natural_key(username)
        if reset_token:
            Token.objects.filter(user=user).delete()
        return Token.objects.get_or_create(user=user)[0]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", type=str, help="Name of the user")
        parser.add_argument(
            "-r",
            "--reset",
            action="store_true",
            dest="reset_token",
            default=False,
            help="Delete the user's token first, and make a new one",
        )

    def handle(self, *args: object, **options: Any) -> None:
        username = options["username"]
        try:
            token = self.create_user_token(username, options["reset_token"])
        except UserModel.DoesNotExist:
            message = f"Cannot create the Token: user {username} does not exist"
            raise CommandError(message) from None
        self.stdout.write(f"Generated token {token.key} for user {username}")
