"""Calls an operation and prints what comes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lintel_client.cli.failures import printable
from lintel_client.cli.output import print_bytes, print_result, save
from lintel_client.cli.reading import path_keys
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.values import parameters
from lintel_client.cli.wire import Wire
from lintel_document.document import Document

__all__ = ["call"]


def call(
    keys: Sequence[str],
    values: dict[str, Any],
    wire: Wire,
    *,
    params: Sequence[str],
    strings: Sequence[str],
    data: Sequence[str],
    files: Sequence[str],
    method: str | None,
    encoding: str | None,
    transform: str | None,
    output: Path | None,
    dry_run: bool,
) -> None:
    """Call the operation at `keys`; `values` are those of the options of its parameters."""
    state = State()
    document = state.document_of(keys)
    made: dict[str, Any] = {
        "document": document,
        "keys": path_keys(document, tuple(keys)),
        "params": {**parameters(params, strings, data, files), **values},
        "overrides": _overrides(action=method, encoding=encoding, transform=transform),
    }
    with open_client(state, wire) as (client, transport):
        if dry_run:
            text = printable(transport.shown(client.request(**made)))
            print_bytes(f"{text}\n".encode(errors="replace"))
            return
        _finish(state, client.action(**made), output)


def _overrides(**given: str | None) -> dict[str, str]:
    return {name: value for name, value in given.items() if value is not None}


def _finish(state: State, result: Any, output: Path | None) -> None:
    if isinstance(result, Document):
        state.visit(result)
    if output is None:
        print_result(result)
    else:
        save(result, output)
