"""Serve the gallery on a free loopback port until input ends; print the address."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
folder = tempfile.TemporaryDirectory()
os.environ["GALLERY_DATABASE"] = str(Path(folder.name) / "gallery.sqlite3")
os.environ["DJANGO_SETTINGS_MODULE"] = "settings"

import django  # noqa: E402 (the settings come first)

django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from shelf.samples import fill  # noqa: E402


class QuietHandler(WSGIRequestHandler):
    """Writes nothing to standard error, which belongs to the tests."""

    def log_message(self, format: str, *args: object) -> None: ...


def main() -> None:
    call_command("migrate", run_syncdb=True, verbosity=0)
    fill()
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(get_wsgi_application())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    sys.stdin.read()
    server.shutdown()
    folder.cleanup()


main()
