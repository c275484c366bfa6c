"""Serve the site of the tests on a free loopback port until input ends; print its address."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import threading
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(REPOSITORY / "examples" / "service"), str(Path(__file__).parent)]

folder = tempfile.TemporaryDirectory()
os.environ["SERVICE_DATABASE"] = str(Path(folder.name) / "site.sqlite3")
os.environ["DJANGO_SETTINGS_MODULE"] = "service.settings"

import django  # noqa: E402 (the settings come first)
from django.conf import settings  # noqa: E402

settings.ROOT_URLCONF = "pages"
settings.MIDDLEWARE = [*settings.MIDDLEWARE, "pages.strict_documentation"]
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402


class QuietHandler(WSGIRequestHandler):
    """Writes nothing to standard error, which belongs to the tests."""

    def log_message(self, format: str, *args: object) -> None: ...


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("loadsample", password="correct horse", stdout=io.StringIO())
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(get_wsgi_application())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    sys.stdin.read()
    server.shutdown()
    folder.cleanup()


main()
