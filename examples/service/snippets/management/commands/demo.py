"""``manage.py demo``: database, sample data, a token, a server on loopback, what to try next."""

import os
import socket
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from lintel.authtoken.models import Token
from snippets.management.commands.loadsample import OWNERS


class Command(BaseCommand):
    """Prepares the data (kept from one start to the next), then becomes the server."""

    help = "Prepare a database with sample data and serve it on loopback."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, help="default: 8000, or the next free one")
        parser.add_argument("--no-serve", action="store_true", help="prepare the data and stop")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        call_command("loadsample", stdout=self.stdout)
        port = options["port"] or free_port(8000)
        token, _ = Token.objects.get_or_create(user=User.objects.get(username=OWNERS[0]))
        self.stdout.write(what_to_try(f"127.0.0.1:{port}", token.key))
        self.stdout.flush()
        if not options["no_serve"]:
            serve(port)


def free_port(wish: int) -> int:
    """The first port from ``wish`` on that nobody listens on."""
    for port in range(wish, wish + 100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise CommandError(f"no free port between {wish} and {wish + 99}: name one with --port")


def what_to_try(address: str, key: str) -> str:
    """Commands to paste into another terminal."""
    lintel = Path(sys.executable).with_name("lintel")
    command = os.path.relpath(lintel) if lintel.exists() else "lintel"
    return f"""
The service runs at http://{address}/ (stop it with Ctrl-C; the data stays).
In another terminal:

  {command} get http://{address}/
  {command} action snippets list --param page=2
  {command} credentials add {address} "Token {key}"
  {command} action snippets create --string code='print("hello")' --string title=hello
  {command} action snippets highlight --param id=1
  curl http://{address}/snippets/1/
"""


def serve(port: int) -> None:
    """Replace this process by the server, so that signals reach it directly."""
    granian = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1"]
    place = ["--port", str(port), "--working-dir", str(settings.BASE_DIR)]
    options = ["--no-ws", "--blocking-threads", "4", "--log-level", "warning"]
    os.execv(sys.executable, [*granian, *place, *options, "service.wsgi:application"])
