"""``manage.py demo``: database, sample data, a token, a server on loopback, and what to try."""

import ipaddress
import os
import socket
import sys
from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from lintel.authtoken.models import Token
from snippets import credentials
from snippets.management.commands.loadsample import OWNERS
from snippets.models import Snippet

#: Ports that are tried one after the other if none is given.
PORTS = range(8000, 8100)


class Command(BaseCommand):
    """Prepares the data (kept between starts), then becomes the server."""

    help = "Prepare a database with sample data and serve it on loopback."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, help="default: 8000, or the next free one")
        parser.add_argument("--host", default="127.0.0.1", help="an address; default: 127.0.0.1")
        parser.add_argument("--no-serve", action="store_true", help="prepare the data and stop")

    def handle(self, *args: Any, **options: Any) -> None:
        host = address_of(options["host"])
        port = options["port"] or first_free_port(host)
        if not options["no_serve"]:
            must_be_free(host, port)
        has_data = "snippets_snippet" in connection.introspection.table_names()
        kept = prepare()
        token, _ = Token.objects.get_or_create(user=User.objects.get(username=OWNERS[0]))
        users = f"users {', '.join(OWNERS)}, password {kept.password}"
        there = " are there already" if has_data else ""
        self.stdout.write(f"{Snippet.objects.count()} snippets{there}, {users}")
        self.stdout.write(what_to_try(name_of(host, port), token.key, is_open(host)))
        self.stdout.flush()
        if not options["no_serve"]:
            serve(host, port, kept.secret_key)


def prepare() -> credentials.Credentials:
    """Migrate, load missing data, and set the password to the one in the file."""
    call_command("migrate", verbosity=0)
    path = Path(settings.DATABASES["default"]["NAME"]).with_suffix(".credentials")
    kept = credentials.read(path)
    is_new = kept is None
    kept = kept or credentials.make(path)
    if is_new:
        User.objects.filter(username__in=OWNERS).update(password=make_password(kept.password))
    call_command("loadsample", password=kept.password, stdout=StringIO())
    call_command("loadrides", stdout=StringIO())
    # The first user runs the service: the admin, and the stations.
    User.objects.filter(username=OWNERS[0]).update(is_staff=True, is_superuser=True)
    return kept


def address_of(host: str) -> str:
    """Return an IP address; names other than localhost are rejected, as they may mean anything."""
    host = "127.0.0.1" if host == "localhost" else host
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        raise CommandError(
            f"the host has to be an address such as 127.0.0.1 or 0.0.0.0, not {host!r}"
        ) from None


def name_of(host: str, port: int) -> str:
    """Return address and port as written in a URL; for all interfaces, the loopback address."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (only compared)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_open(host: str) -> bool:
    """Return whether other machines can reach the address."""
    return not ipaddress.ip_address(host).is_loopback


def is_free(host: str, port: int) -> bool:
    """Return whether a server can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def first_free_port(host: str) -> int:
    """Return the first free port from 8000 on."""
    for port in PORTS:
        if is_free(host, port):
            return port
    raise CommandError(f"no free port from {PORTS[0]} to {PORTS[-1]}: name one with --port")


def must_be_free(host: str, port: int) -> None:
    if not is_free(host, port):
        raise CommandError(
            f"port {port} of {host} is in use, or not yours to use: name another one "
            f"(make demo PORT={port + 1}, manage.py demo --port {port + 1})"
        )


def what_to_try(address: str, key: str, is_public: bool) -> str:
    """Return commands to paste into another terminal."""
    lintel = Path(sys.executable).with_name("lintel")
    command = os.path.relpath(lintel) if lintel.exists() else "lintel"
    notice = "Other machines can reach it, without encryption.\n" if is_public else ""
    return f"""
The service runs at http://{address}/ (stop it with Ctrl-C; the data stays).
{notice}A tour of it for your browser: http://{address}/start/
In another terminal:

  {command} get http://{address}/
  {command} snippets list --page 2
  {command} credentials add {address} "Token {key}"
  {command} snippets create --code 'print("hello")' --title hello
  {command} snippets highlight --id 1
  curl http://{address}/snippets/1/
"""


def serve(host: str, port: int, secret_key: str) -> None:
    """Replace this process by the server, so that signals reach it directly."""
    os.environ.setdefault("SERVICE_SECRET_KEY", secret_key)
    if is_open(host):
        os.environ.setdefault("SERVICE_HOSTS", "*")
    # A thread reads files in pieces, which causes a warning in Django.
    python = [sys.executable, "-W", "ignore:StreamingHttpResponse must consume:Warning"]
    uvicorn = [*python, "-m", "uvicorn", "--host", host, "--port", str(port)]
    options = ["--app-dir", str(settings.BASE_DIR), "--log-level", "warning"]
    os.execv(sys.executable, [*uvicorn, *options, "service.asgi:application"])
