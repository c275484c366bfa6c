"""``manage.py create_hashed_token alice``: create a token and print it, only this once."""

from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from lintel.hashedtokens.models import HashedToken
from lintel.protected_resources import SCOPE
from lintel.settings import api_settings


def checked_scopes(names: list[str]) -> list[str]:
    scopes = api_settings.SCOPES
    for name in names:
        if (scopes and name not in scopes) or not SCOPE.fullmatch(name):
            raise CommandError(
                f"There is no scope {name}. SCOPES has {', '.join(scopes) or 'none'}."
            )
    return names


class Command(BaseCommand):
    help = "Make a token for a user and print its key, which is not stored"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="Name of the user")
        parser.add_argument("--name", default="", help="What uses the token, such as a device")
        parser.add_argument("--scopes", help="Names with spaces between them (default: no limit)")
        parser.add_argument("--days", type=float, help="After how many days it expires")
        parser.add_argument("--idle-days", type=float, help="After how many days without use")

    def handle(self, *args: object, **options: Any) -> None:
        user_model = get_user_model()
        username = options["username"]
        manager: Any = user_model._default_manager
        try:
            user = manager.get_by_natural_key(username)
        except user_model.DoesNotExist:
            raise CommandError(f"There is no user {username}.") from None
        scopes, days, idle_days = (options[name] for name in ("scopes", "days", "idle_days"))
        token = HashedToken.objects.create(
            user=user,
            name=options["name"],
            scopes=None if scopes is None else checked_scopes(scopes.split()),
            expires=None if days is None else timezone.now() + timedelta(days=days),
            idle_seconds=None if idle_days is None else int(idle_days * 24 * 60 * 60),
        )
        self.stdout.write(f"Generated token {token.key} for user {username}")
