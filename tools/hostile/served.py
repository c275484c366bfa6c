"""The project as servers load it: ``wsgi`` and ``asgi``, on the package that ``FUZZED`` names.

Exceptions that nobody answered go to the file ``FUZZ_FAULTS``. ``python -m hostile.served`` makes
the tables and rows of ``FUZZ_DATABASE``.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import django
from django.core.signals import got_request_exception

from hostile.worker import put_rows, shortened

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hostile.settings")
django.setup()

FAULTS = os.environ.get("FUZZ_FAULTS", os.devnull)
IS_OURS = os.environ.get("FUZZED", "lintel") == "lintel"


def note(**_: Any) -> None:
    if isinstance(sys.exc_info()[1], OSError):
        return  # the client has gone
    with Path(FAULTS).open("a") as faults:
        faults.write(shortened(traceback.format_exc()) + "\n\n")


got_request_exception.connect(note, weak=False)
entries = {
    "wsgi": import_module("lintel.serving" if IS_OURS else "django.core.wsgi"),
    "asgi": import_module("lintel.serving" if IS_OURS else "django.core.asgi"),
}
wsgi: Any = entries["wsgi"].get_wsgi_application()
asgi: Any = entries["asgi"].get_asgi_application()


def prepare() -> None:
    from django.core.management import call_command

    call_command("migrate", run_syncdb=True, verbosity=0)
    put_rows()


if __name__ == "__main__":
    sys.exit(prepare())
