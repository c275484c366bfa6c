"""The example service as a WSGI application that checks its exchanges against its own schema.

``SERVICE_EXCHANGES`` names the file for the findings, which the plugin of the tests reads.
"""

import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from service.wsgi import application as service

from lintel.schemas.openapi import SchemaGenerator
from lintel.test.recorder import Recorder
from lintel_contract.testing import exchanges
from lintel_contract.testing.django_clients import note_wsgi, take_body

FILE = Path(os.environ["SERVICE_EXCHANGES"])
LOCK = threading.Lock()


def described() -> Any:
    """Return the whole schema, whoever the caller is."""
    return SchemaGenerator(title="Snippets", version="1").get_schema(public=True)


RECORDER = Recorder(described, [])
RECORDER.test = "examples/service"


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Respond as the service does."""
    body = take_body(environ, "wsgi.input")
    response: Any = service(environ, start_response)
    with LOCK:
        note_wsgi(environ, body, response)
    return response


def hold(exchange: exchanges.Exchange) -> None:
    """Check an exchange, and rewrite the ledger if there is something new."""
    ledger = RECORDER.ledger
    before = (len(ledger.exercised), len(ledger.departures))
    RECORDER.observe(exchange)
    if before != (len(ledger.exercised), len(ledger.departures)):
        # Atomically, because the service may be stopped at any moment.
        made = FILE.with_suffix(".new")
        made.write_text(json.dumps(ledger.data()), encoding="utf-8")
        made.replace(FILE)


exchanges.observers.append(hold)
