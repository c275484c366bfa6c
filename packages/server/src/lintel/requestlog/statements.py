"""How many statements a request sends to databases, how long they take, and their rows.

Counted where Django executes statements, so all of them are, also those that lintel has compiled.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


@dataclass(slots=True)
class Tally:
    """The statements of one request; ``rows`` are those that the driver tells of."""

    queries: int = 0
    seconds: float = 0.0
    rows: int = 0


#: Threads of a request count into the tally of its context.
tally_of_request: ContextVar[Tally | None] = ContextVar("lintel_tally", default=None)


def count_statements() -> None:
    """Count from now on, on the connections of this thread and on all that are opened later."""
    watch_statements(_counted)


def watch_statements(wrapper: Callable[..., Any]) -> None:
    """Let statements of the same connections go through a function (``execute_wrapper``)."""

    def opened(sender: object, connection: BaseDatabaseWrapper, **kwargs: object) -> None:
        if wrapper not in connection.execute_wrappers:
            # First, because Django ends the wrapper of a block by taking the last one off.
            connection.execute_wrappers.insert(0, wrapper)

    connection_created.connect(opened, weak=False, dispatch_uid=wrapper)
    for connection in connections.all(initialized_only=True):
        opened(None, connection)


def _counted(
    execute: Callable[..., Any], sql: object, params: object, many: bool, context: dict[str, Any]
) -> Any:
    tally = tally_of_request.get()
    if tally is None:
        return execute(sql, params, many, context)
    start = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        tally.queries += 1
        tally.seconds += time.perf_counter() - start
        tally.rows += max(0, getattr(context["cursor"], "rowcount", 0) or 0)
