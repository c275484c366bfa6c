"""Holds the exchanges of test clients against a description and keeps the ledger."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lintel_contract.operations import Operation
from lintel_contract.testing import httpx_clients
from lintel_contract.testing.conformance import Description, departures
from lintel_contract.testing.exchanges import Exchange
from lintel_contract.testing.ledger import Known, Ledger

#: The description of an exchange, its operation there if it has one, and the path's template.
Target = tuple[Description, Operation | None, str]


class Recorder:
    """Checks each exchange against a description, and keeps the ledger.

    ``describe`` is a function that returns the description as plain dicts and lists. It is
    called for the first exchange.
    """

    #: What to try if no exchange was heard, as a sentence.
    hint = ""

    def __init__(self, describe: Callable[[], Any], known: list[Known]) -> None:
        self.describe = describe
        self.known = known
        self.ledger: Ledger = Ledger()
        self.test = ""
        self._descriptions: list[Description | None] = []

    def listen(self) -> Callable[[], None]:
        """Listen to the clients of Django, httpx and httpx2 that are installed.

        Call the result to stop.
        """
        stops = ExitStack()
        if find_spec("django"):
            clients = import_module("lintel_contract.testing.django_clients")
            stops.callback(clients.listen())
        for library in ("httpx", "httpx2"):
            if find_spec(library):
                stops.callback(httpx_clients.listen(import_module(library)))
        return stops.close

    def observe(self, exchange: Exchange) -> None:
        """Count an exchange with a described path, and its departures."""
        try:
            target = self.target(exchange)
        except Exception as error:  # project code, or a warning turned into an error
            self.ledger.note("*", "schema", _first_line(error), self.test)
            return
        if target is not None:
            self.hold(*target, exchange)

    def target(self, exchange: Exchange) -> Target | None:
        """Return what an exchange is held against; None for a path that is not described."""
        description = self.description()
        if description is None:
            return None
        templates = description.templates_below_servers(exchange.path)
        if not templates:
            return None
        operation = description.first_operation(exchange.method, templates)
        return description, operation, description.written[templates[0]]

    def description(self) -> Description | None:
        """Return the description, made once; None if ``describe`` returns None."""
        if not self._descriptions:
            self._descriptions.append(self.make_description())
        return self._descriptions[0]

    def make_description(self) -> Description | None:
        """Call ``describe``, and count what it describes."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = self.describe()
        if content is None:
            return None
        description = Description(content)
        for operation in description.operations.values():
            self.ledger.described |= {(operation.label, status) for status in operation.responses}
        return description

    def hold(
        self, description: Description, operation: Operation | None, path: str, exchange: Exchange
    ) -> None:
        """Count an exchange with an operation, and its departures."""
        if operation is None:
            # Services reject unknown methods, or the caller before that, and OPTIONS is
            # rarely described.
            if exchange.method != "OPTIONS" and not 400 <= exchange.status < 500:
                label = f"{exchange.method} {path}"
                self.ledger.note(label, "operation", str(exchange.status), self.test)
            return
        self.ledger.exchanges += 1
        self.ledger.exercised[(operation.label, str(exchange.status))] += 1
        for departure in departures(description, operation, exchange):
            self.ledger.note(departure.operation, departure.kind, departure.detail, self.test)


def _first_line(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}"[:200]
