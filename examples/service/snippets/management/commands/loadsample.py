"""``manage.py loadsample``: users, a token, and 1,000 snippets of real source code."""

import secrets
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.db import transaction

from lintel.authtoken.models import Token
from snippets.models import Snippet
from snippets.samples import pieces

REPOSITORY = Path(__file__).resolve().parents[5]
OWNERS = ("ada", "grace", "linus")
FIRST = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)


class Command(BaseCommand):
    """Fills an empty database; one that already has snippets is left unchanged."""

    help = "Load sample users, a token and snippets of real source code into an empty database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--count", type=int, default=1000, help="how many snippets")
        parser.add_argument("--password", help="password of the users (default: a random one)")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        if Snippet.objects.exists():
            self.stdout.write(f"{Snippet.objects.count()} snippets are there already")
            return
        password = options["password"] or secrets.token_urlsafe(12)
        users = [User.objects.create_user(name, password=password) for name in OWNERS]
        Token.objects.create(user=users[0])
        made = Snippet.objects.bulk_create(self.snippets(users, options["count"]), batch_size=200)
        # created follows the order of the pieces, so that pages are the same on every machine
        for number, snippet in enumerate(made):
            snippet.created = FIRST + timedelta(minutes=number)
        Snippet.objects.bulk_update(made, ["created"], batch_size=200)
        self.stdout.write(f"{len(made)} snippets, users {', '.join(OWNERS)}, password {password}")

    def snippets(self, users: list[User], count: int) -> list[Snippet]:
        samples = cycle(list(pieces(REPOSITORY)))
        return [
            Snippet(
                title=sample.title,
                code=sample.code,
                language=sample.language,
                linenos=number % 5 == 0,
                owner=users[number % len(users)],
            )
            for number, sample in enumerate(islice(samples, count))
        ]
