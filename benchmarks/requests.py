"""Requests in one process, without a server: lists, one row, writing it, policies alone."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.contenders import Contender, peers_python, working
from benchmarks.measuring import measure, table
from benchmarks.project.orders import ORDER

ROWS = 1000
TOKEN = "0123456789abcdef0123456789abcdef01234567"
GUARDED = "authentication, permission, throttle"
BY_TOKEN = "the same with a token in the database"
CHECKED = "create, the same checks by hand"
#: The contender whose requests enter through ``lintel.serving`` instead of Django's handler.
SERVING = "serving"
ORDERED = "an order of 50 items, only parsed by hand"
NEW_ARTICLE = {
    "title": "A new article",
    "slug": "a-new-article",
    "body": "Lorem ipsum dolor sit amet.",
    "status": "live",
    "words": 420,
    "price": "12.50",
    "ratio": 0.25,
    "active": True,
    "published": "2026-05-17T08:30:15.123456Z",
    "day": "2026-05-17",
    "token": "0b7a3f0e-6c1e-4c6e-9d5a-111111111111",
    "author": 1,
}


def main() -> str:
    """Measure all contenders; return the table."""
    here = Path(sys.executable)
    contenders = [
        Contender("lintel", here, "lintel"),
        Contender("lintel.serving", here, SERVING),
        Contender("DRF 3.18.3", peers_python(), "rest_framework"),
        Contender("by hand", here, "plain"),
    ]
    # Created rows come last, so that they do not make the list longer.
    names = ["empty view", GUARDED, BY_TOKEN, "one row", f"list of {ROWS:,}"]
    names += [ORDERED, "update", "create", CHECKED]
    with working("benchmarks.requests", contenders) as workers:
        measurements = [measure(workers, name) for name in names]
    return table(measurements, "lintel", ["lintel.serving", "DRF 3.18.3", "by hand"])


def scenarios(framework: str) -> dict[str, Callable[[], object]]:
    """In the worker: set the project up and return one function per scenario."""
    handler = prepare(framework)
    body, order = (json.dumps(each).encode() for each in (NEW_ARTICLE, ORDER))
    # The views of the frameworks check anyway.
    checked = "/checked/" if framework == "plain" else "/articles/"
    return {
        "empty view": lambda: request(handler, "GET", "/empty/"),
        GUARDED: lambda: request(handler, "GET", "/guarded/"),
        BY_TOKEN: lambda: request(handler, "GET", "/token/"),
        "one row": lambda: request(handler, "GET", "/articles/500/"),
        ORDERED: lambda: request(handler, "POST", "/orders/", order),
        "update": lambda: request(handler, "PUT", "/articles/500/", body),
        "create": lambda: request(handler, "POST", "/articles/", body),
        CHECKED: lambda: request(handler, "POST", checked, body),
        f"list of {ROWS:,}": lambda: request(handler, "GET", "/articles/"),
    }


def prepare(contender: str) -> Any:
    """Set Django up with filled tables; return the WSGI application."""
    entry = "lintel.serving" if contender == SERVING else "django.core.wsgi"
    framework = "lintel" if contender == SERVING else contender
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
    os.environ["BENCHMARK_FRAMEWORK"] = framework
    from django.conf import settings  # the environment decides which settings these are

    if framework != "plain":
        settings.INSTALLED_APPS += [framework, f"{framework}.authtoken"]
        renderer = f"{framework}.renderers.JSONRenderer"
        settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"] = [renderer]
    handler = import_module(entry).get_wsgi_application()
    from django.core.management import call_command

    from benchmarks.project.models import load

    create_database()
    call_command("migrate", run_syncdb=True, verbosity=0)
    load(ROWS)
    if framework != "plain":
        make_token()
    return handler


def create_database() -> None:
    """On PostgreSQL, a database for this process."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {connection.settings_dict['NAME']}")


def make_token() -> None:
    """A user with a token."""
    from django.apps import apps
    from django.contrib.auth.models import User

    user = User.objects.create(username="somebody")
    apps.get_model("authtoken", "Token").objects.create(user=user, key=TOKEN)


def request(handler: Any, method: str, path: str, body: bytes = b"") -> bytes:
    """Send one request through the handler; anything but success is an error of the benchmark."""
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_ACCEPT": "application/json",
        "HTTP_AUTHORIZATION": f"Token {TOKEN}",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
    }
    found: list[str] = []
    response = handler(environ, lambda status, headers: found.append(status))
    content = b"".join(response)
    response.close()
    if found[0][0] != "2":
        raise RuntimeError(f"{method} {path}: {found[0]} {content[:200]!r}")
    return content


if __name__ == "__main__":
    print(main())
