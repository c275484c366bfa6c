"""Where compiled statements stay: with the connection for which they were made."""

from __future__ import annotations

from typing import Any

#: Statements that one connection keeps.
MAX_STATEMENTS = 256


def kept_statements(connection: Any) -> dict[Any, Any]:
    """What has been compiled for a connection."""
    kept: dict[Any, Any] = connection.__dict__.setdefault("_lintel_statements", {})
    return kept


def keep(kept: dict[Any, Any], key: Any, statement: Any) -> None:
    """Keep a statement, in place of all others where there are too many."""
    if len(kept) >= MAX_STATEMENTS:
        kept.clear()
    kept[key] = statement
