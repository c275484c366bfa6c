"""``python -m hostile.worker PACKAGE``: answer requests inside of one process, each within bounds.

Reads a line of JSON for each batch and writes one with the answers. ``--replay FILE`` answers the
requests of a kept input instead.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from hostile.inputs import Sent, made

#: The most seconds of CPU time, and the most that a request may add to the memory of its process.
SECONDS = 2.0
KILOBYTES = 100 * 1024
#: The most that the process may take beyond what it has when it is ready.
ADDRESSES = 2 * 1024**3


class TooLong(BaseException):
    """A request took more than SECONDS; nothing of the server catches this."""


@dataclass(slots=True)
class Answer:
    """What came of a request: ``fault`` is the traceback of an exception that nobody answered."""

    status: int
    milliseconds: float
    kilobytes: int
    fault: str

    @property
    def wrong(self) -> str:
        """Why this is no answer for what a client sent, if it is none."""
        if self.milliseconds > SECONDS * 1000:
            return f"{self.milliseconds:.0f} ms"
        if self.kilobytes > KILOBYTES:
            return f"{self.kilobytes // 1024} MB"
        is_answer = 200 <= self.status < 500 and not self.fault
        return "" if is_answer else f"status {self.status}"


class Side:
    """One package, ready to answer."""

    def __init__(self, package: str) -> None:
        os.environ.update(FUZZED=package, DJANGO_SETTINGS_MODULE="hostile.settings")
        import django

        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        django.setup()
        from django.core.management import call_command
        from django.core.signals import got_request_exception

        call_command("migrate", run_syncdb=True, verbosity=0)
        self.faults: list[str] = []
        got_request_exception.connect(self._note, weak=False)
        self.applications = applications(package)
        signal.signal(signal.SIGPROF, _give_up)

    def _note(self, **_: Any) -> None:
        self.faults.append(shortened(traceback.format_exc()))

    def answers(self, requests: list[Sent], entry: int = 0) -> list[Answer]:
        """Answer requests one after the other, with the same rows before the first."""
        put_rows()
        application = self.applications[entry % len(self.applications)]
        return [self._answer(application, sent) for sent in requests]

    def _answer(self, application: Callable[..., Any], sent: Sent) -> Answer:
        self.faults.clear()
        before, started = _memory(), time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS * 1.5)
        try:
            status = called(application, environ(sent))
        except TooLong:
            status = 0
        except Exception:
            status = 500
            self.faults.append(shortened(traceback.format_exc()))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        spent = (time.process_time() - started) * 1000
        return Answer(status, spent, _memory() - before, "\n".join(self.faults))


def _give_up(*_: Any) -> None:
    raise TooLong


def _memory() -> int:
    """The most kilobytes that this process had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def shortened(told: str) -> str:
    lines = told.strip().splitlines()
    return "\n".join(line[:300] for line in lines[-12:])


def applications(package: str) -> list[Callable[..., Any]]:
    """Django's entry; for lintel, the one of lintel as well."""
    from django.core.wsgi import get_wsgi_application

    found: list[Callable[..., Any]] = [get_wsgi_application()]
    if package == "lintel":
        from lintel.serving import get_wsgi_application as own

        found.append(own())
    return found


def put_rows() -> None:
    """The rows that every batch begins with; nothing of earlier ones stays."""
    from django.apps import apps
    from django.contrib.auth import get_user_model
    from django.core.cache import cache
    from django.db import connection, transaction

    from hostile.models import Label, Note

    cache.clear()
    # Foreign keys are checked at the end of the transaction.
    with transaction.atomic(), connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            cursor.execute(f'DELETE FROM "{model._meta.db_table}"')
    ada = get_user_model().objects.create_user("ada", "ada@h.example", "secret", pk=1)
    apps.get_model("authtoken", "Token").objects.create(user=ada, key="a" * 40)
    for number in range(1, 9):
        Label.objects.create(pk=number, name=f"label {number}")
        note = Note.objects.create(
            pk=number, title=f"note {number}", number=number // 2, owner_id=1
        )
        note.labels.set([1, number])


def environ(sent: Sent) -> dict[str, Any]:
    """The environment of WSGI (PEP 3333) as servers make it of a request."""
    path, _, query = sent.target.partition("?")
    found: dict[str, Any] = {
        "REQUEST_METHOD": sent.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path.encode("latin-1")).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(sent.body)),
        "HTTP_HOST": "testserver",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(sent.body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, text in sent.headers.items():
        # Servers refuse these characters; ``network`` shows it.
        text = re.sub("[\r\n\0]", " ", text)
        key = name.upper().replace("-", "_")
        found[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = text
    return found


def called(application: Callable[..., Any], environment: dict[str, Any]) -> int:
    """Answer a request to its last byte; return the status."""
    statuses: list[str] = []
    result = application(environment, lambda status, headers, *_: statuses.append(status))
    try:
        for _ in result:
            pass
    finally:
        getattr(result, "close", lambda: None)()
    return int(statuses[-1].split()[0])


def replayed(package: str, kept: Path) -> list[Answer]:
    """What a kept input is answered, through each entry."""
    side = Side(package)
    requests = [Sent.loaded(each) for each in json.loads(kept.read_text())["requests"]]
    found = [side.answers(requests, entry) for entry in range(len(side.applications))]
    return [answer for answers in found for answer in answers]


def main() -> None:
    package, *options = sys.argv[1:]
    if options[:1] == ["--replay"]:
        told = [(answer.wrong, answer.fault) for answer in replayed(package, Path(options[1]))]
        print(json.dumps(told))
        return
    side = Side(package)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ADDRESSES, size + ADDRESSES))
    for line in sys.stdin:
        kind, seed, first, count = json.loads(line)
        requests = [made(kind, seed, first + number) for number in range(count)]
        answers = side.answers(requests, first // count)
        print(json.dumps([astuple(answer) for answer in answers]), flush=True)


if __name__ == "__main__":
    main()
