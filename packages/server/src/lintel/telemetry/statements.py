"""Every statement that Django sends to databases, those that lintel has compiled included."""

import re
from collections.abc import Callable
from typing import Any

from lintel.requestlog.statements import watch_statements
from lintel.settings import api_settings
from lintel.telemetry.exchanges import Phase, current
from lintel.telemetry.otel import Attributes, SpanKind, Status, StatusCode

#: The conventions' names of databases that Django calls otherwise.
SYSTEMS = {"oracle": "oracle.db"}

#: The first word, and the first table, of a statement.
_OPERATION = re.compile(r"\s*(\w+)")
_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE)\s+[\"`\[]?([\w.$]+)", re.IGNORECASE)

#: What may be a value in a statement that has no parameters.
_LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b")

LONGEST = 4_000


def trace_statements() -> None:
    watch_statements(_traced)


def _traced(
    execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    exchange = current.get()
    if exchange is None:
        return execute(sql, params, many, context)
    exchange.queries += 1
    if not exchange.is_recorded or not api_settings.TELEMETRY_STATEMENTS:
        return execute(sql, params, many, context)
    attributes = described(str(sql), params, context["connection"])
    summary = str(attributes["db.query.summary"])
    with Phase(exchange, summary, SpanKind.CLIENT, attributes) as span:
        try:
            return execute(sql, params, many, context)
        except Exception:
            span.set_status(Status(StatusCode.ERROR))
            raise


def described(sql: str, params: object, connection: Any) -> Attributes:
    """What a span says of a statement: its text without values."""
    operation = _OPERATION.match(sql)
    word = operation[1].upper() if operation else "SQL"
    table = _TABLE.search(sql)
    text = sql[:LONGEST]
    return {
        "db.system.name": SYSTEMS.get(connection.vendor, connection.vendor),
        "db.namespace": str(connection.settings_dict["NAME"]),
        "db.operation.name": word,
        "db.query.summary": f"{word} {table[1]}" if table else word,
        "db.query.text": text if params else _LITERAL.sub("?", text),
    }
